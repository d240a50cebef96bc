"""Reports of results as text, JSON and HTML; loaded, they are what notebooks show of results."""

from . import game_page as game_page
from . import html as html
