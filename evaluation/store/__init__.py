"""The results store: SQLite, schema, export."""
