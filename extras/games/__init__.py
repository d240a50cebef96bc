"""Games beyond the courses; each is a folder with rules, words and an optional solver."""
