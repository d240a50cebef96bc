"""Reports of results as text, JSON and HTML, and the pages that notebooks show of results."""

from . import game_page as game_page
from . import html as html
