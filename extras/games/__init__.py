"""Games beside those of the courses; each is a folder with its rules, words and solver."""
