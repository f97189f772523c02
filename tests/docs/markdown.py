"""What the documentation shows, as the tests read it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

_SETS_A_VARIABLE = re.compile(r"[A-Z_]+=")
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def section(page: Path, heading: str) -> str:
    """Return what stands below a heading of the second level, up to the next one."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found, f"{page.name} has no section {heading!r}"
    return found[1]


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(block: str) -> Iterator[list[str]]:
    """Return the commands of a block of shell in their words, without comments, variables set, and a last ``&``."""
    for line in block.replace("\\\n", " ").splitlines():
        for part in line.split(" && "):
            words = [*dropwhile(_SETS_A_VARIABLE.match, shlex.split(part, comments=True))]
            if words:
                yield words[:-1] if words[-1] == "&" else words
