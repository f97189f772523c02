"""What a person reads about runs: on the terminal, as a plain HTML page, and as one to search and filter."""

from unfool.report._audit import audit
from unfool.report._charts import draw, heat_map, heat_map_chart
from unfool.report._contents import open_all
from unfool.report._examples import counted
from unfool.report._excerpt import replacement_line
from unfool.report._html import html
from unfool.report._importance import importance_lines, write_importance
from unfool.report._overlays import overlay
from unfool.report._terminal import sample_lines, terminal
from unfool.report._write import write

__all__ = [
    "audit",
    "counted",
    "draw",
    "heat_map",
    "heat_map_chart",
    "html",
    "importance_lines",
    "open_all",
    "overlay",
    "replacement_line",
    "sample_lines",
    "terminal",
    "write",
    "write_importance",
]
