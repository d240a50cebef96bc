"""Games besides those of the courses; each is a folder with rules, words and solver."""
