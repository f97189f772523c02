"""The library that draws the page's charts: Vega, as a package ships it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from unfool.errors import UserError
from unfool.resources import build_once, cache_root

_FILE = "vega.js"


def chart_library() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed; putting it together takes seconds, so it is kept.

    Raises:
        UserError: If the package that ships it is not installed.
    """
    try:
        import vl_convert
    except ImportError:
        raise UserError("the report draws its charts with Vega: pip install 'unfool[report]'") from None

    def build(folder: Path) -> None:
        library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        (folder / _FILE).write_text(library, encoding="utf-8")

    kept = build_once(cache_root() / f"vega-{version('vl-convert-python')}", build)
    return (kept / _FILE).read_text(encoding="utf-8")
