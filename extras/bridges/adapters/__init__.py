"""Games of plyground in the forms of other libraries: one file a library, imported on demand."""
