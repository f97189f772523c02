"""Pages as tests read them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from unfool.report import write
from unfool.runs import Run


def page_of(folder: Path, *sources: str | Path | Run) -> str:
    write(sources, folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def blocks(page: str) -> dict[str, Any]:
    """The data that travel in a page, by the names of their blocks."""
    found = re.findall(r'<script type="application/json" id="([\w-]+)">(.*?)</script>', page, re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def data_of(*sources: str | Path | Run) -> dict[str, Any]:
    """The data of a page about these runs, which are beside it."""
    run = sources[0]
    folder = run.folder.parent if isinstance(run, Run) else Path(run).parent
    return blocks(page_of(folder, *sources))
