"""What a person reads about runs: on the terminal, as a plain HTML page, and as one to search and filter."""

from unfool.report._html import html
from unfool.report._overlays import overlay
from unfool.report._page import cards, shown, write_page
from unfool.report._terminal import sample_lines, terminal
from unfool.report._write import write

__all__ = ["cards", "html", "overlay", "sample_lines", "shown", "terminal", "write", "write_page"]
