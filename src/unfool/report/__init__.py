"""What a person reads about runs: on the terminal, and as one HTML page."""

from unfool.report._html import html
from unfool.report._page import cards, shown, write_page
from unfool.report._terminal import terminal

__all__ = ["cards", "html", "shown", "terminal", "write_page"]
