"""Studies: experiments on the implemented systems, declared as data."""
