"""The commands of the command line, by what they are for; ``cli.py`` puts them together."""
