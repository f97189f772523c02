"""Tests go through public names: few test files import what a room calls private."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRIVATE = re.compile(r"unfool\w*(\.\w+)*\._[a-z]\w*")
LARGEST_SHARE = 0.15


def test_few_test_files_import_private_names() -> None:
    files = sorted(file for folder in ("tests", "papers/tests") for file in (ROOT / folder).rglob("test_*.py"))
    importing = [str(file.relative_to(ROOT)) for file in files if any(map(PRIVATE.match, _imported(file)))]
    assert len(files) > 100
    assert len(importing) < LARGEST_SHARE * len(files), importing


def _imported(file: Path) -> Iterator[str]:
    """Yield the modules and names that a file imports."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
