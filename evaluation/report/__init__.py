"""Reports of results as text, JSON and HTML; loaded, they are what notebooks show of results."""

from . import html as html
from . import review_page as review_page
