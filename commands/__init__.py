"""The commands of the command line, by purpose; ``cli.py`` puts them together."""
