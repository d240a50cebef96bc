"""Results as pages in notebooks.

A page is shown in an iframe, as its attribute ``srcdoc``. That works in Jupyter, VS Code and Colab,
and separates styles and scripts of page and notebook.
"""

from __future__ import annotations

import functools
import html

HEIGHT = 760  # pixels, until the page reports its own


def frame(page: str, height: int = HEIGHT) -> str:
    """A page as HTML for the output of a notebook."""
    return (
        f'<iframe data-plyground title="plyground" srcdoc="{html.escape(page)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


@functools.singledispatch
def page_of(result: object) -> str:
    """The page of a result; the module that makes the pages of a class registers it here.

    Raises:
        NotImplementedError: no loaded module makes such pages; notebooks then show text.
    """
    raise NotImplementedError(f"there is no page of a {type(result).__name__}")


def notebook_html(result: object) -> str:
    """The value of a result's ``_repr_html_``."""
    return frame(page_of(result))
