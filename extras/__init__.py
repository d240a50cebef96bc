"""What the core does without: each folder plugs in, and can be removed.

An extra imports the core. The core imports no extra: it asks the entry points of
``pyproject.toml``, as it does for packages of other people, and what :mod:`.plugins` plugs in.
``docs/guide/architecture.md`` lists the extras.
"""
