"""What the core does without: each folder plugs in by entry points, and can be removed.

An extra imports the core. The core imports no extra: it asks the entry points of
``pyproject.toml``, as it does for packages of other people.
``docs/guide/architecture.md`` lists the extras.
"""
