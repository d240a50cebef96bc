"""Optional extensions of the core: each folder is a plug-in and can be removed.

An extra imports the core. The core imports no extra: it reads the entry points of
``pyproject.toml``, as for third-party packages, and the registrations of :mod:`.plugins`.
``docs/guide/architecture.md`` lists the extras.
"""
