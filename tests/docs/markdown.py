"""What the documentation shows, as the tests read it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from string import Template

_ASSIGNMENT = re.compile(r"([A-Za-z_]+)=(.*)")
ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "papers").rglob("*.md")),
]


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
    """Return the commands of a block of shell in their words, variables put in; comments and a last ``&`` go."""
    variables: dict[str, str] = {}
    for line in block.replace("\\\n", " ").splitlines():
        for part in line.split(" && "):
            words = shlex.split(part, comments=True)
            while words and (sets := _ASSIGNMENT.fullmatch(words[0])):
                variables[sets[1]] = sets[2]
                words = words[1:]
            if words:
                given = [Template(word).safe_substitute(variables) for word in words]
                yield given[:-1] if given[-1] == "&" else given
