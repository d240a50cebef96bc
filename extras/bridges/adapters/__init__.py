"""Games of plyground for other libraries: one file per library, imported on demand."""
