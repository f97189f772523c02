"""What a person reads: runs on the terminal, one page about everything, audits, the importance of words, charts."""

from unfool.report._audit import audit
from unfool.report._charts import draw, heat_map, heat_map_chart
from unfool.report._contents import open_all
from unfool.report._facts import cut_fields, page_data
from unfool.report._guard import write_guard
from unfool.report._importance import importance_lines, write_importance
from unfool.report._overlays import overlay
from unfool.report._terminal import replacement_line, sample_lines, terminal
from unfool.report._write import page_parts, write

__all__ = [
    "audit",
    "cut_fields",
    "draw",
    "heat_map",
    "heat_map_chart",
    "importance_lines",
    "open_all",
    "overlay",
    "page_data",
    "page_parts",
    "replacement_line",
    "sample_lines",
    "terminal",
    "write",
    "write_guard",
    "write_importance",
]
