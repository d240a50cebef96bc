"""The command line ``plyground``.

Its commands stand in the folder ``commands``, by what they are for.
"""

from __future__ import annotations

from typing import Annotated

import typer

from .commands import (
    analysis,
    listing,
    playing,
    policies,
    quality,
    results,
    tournaments,
    training,
    verification,
)
from .commands.common import app
from .envs.version import __version__

# Importing a file of commands adds them to the application.
__all__ = [
    "analysis",
    "app",
    "listing",
    "main",
    "playing",
    "policies",
    "quality",
    "results",
    "tournaments",
    "training",
    "verification",
]


def main() -> None:
    """Run the command line."""
    app()


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"plyground {__version__}")
        raise typer.Exit


if __name__ == "__main__":
    main()
