"""Whether a built site asks other servers for anything when it is read."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

# Scripts, styles, pictures, fonts and frames; links that a reader may follow are none of these.
REQUESTS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|<link\b[^>]*\brel=["']?(?:stylesheet|preconnect|icon|preload)[^>]*(?:https?:)?//[^>]+"""
    r"""|(?:url\(|@import\s+)["']?(?:https?:)?//[^)"';]+"""
)


def refuse_requests(site: Path) -> None:
    """PluginError names what a page or a style would ask for."""
    requests = [
        f"{path.relative_to(site)}: {match[0][:120]}"
        for path in sorted(site.rglob("*"))
        if path.suffix in (".html", ".css")
        for match in REQUESTS.finditer(path.read_text("utf-8"))
    ]
    if requests:
        raise PluginError("the site would ask other servers for:\n" + "\n".join(requests[:20]))
