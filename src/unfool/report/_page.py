"""The frame of every page: nothing is loaded from elsewhere, and whatever a text holds is shown, never run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import BinaryIO

from unfool.errors import UserError
from unfool.storage import explaining, replacing
from unfool.visible import visible

_FIRST = b"<!doctype html>"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --del: #d2222d33; --ins: #23882333; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
.card b { display: block; font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); padding: .4rem; text-align: left; vertical-align: top; }
td p { margin: 0 0 .3rem; white-space: pre-wrap; overflow-wrap: anywhere; }
small, .field { opacity: .7; }
del { background: var(--del); } ins { background: var(--ins); text-decoration: none; }
@media (prefers-color-scheme: dark) { :root { --del: #ff6b6b55; --ins: #51cf6655; } }
"""


def write_page(path: str | Path, title: str, body: Iterable[str]) -> None:
    """Write a page.

    Args:
        path: The file to write, which takes its place whole or not at all.
        title: Its title, as plain text.
        body: What stands in it, as HTML; put every string of others through `shown` first.
    """
    with writing_page(Path(path)) as file:
        file.writelines(part.encode() for part in _page(title, body))


@contextmanager
def writing_page(path: Path) -> Iterator[BinaryIO]:
    """Open a page to write, which takes its place whole or not at all."""
    with explaining(path, "write", "choose another place"):
        refuse_other_files(path)
        with replacing(path) as file:
            yield file


def refuse_other_files(path: Path) -> None:
    """Raise where a page would take the place of something that is none: it may be the very data."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_FIRST)) not in (_FIRST, b""):
                raise UserError(f"{path} already exists and is not a page; choose another place, or remove it")


def shown(string: str) -> str:
    """Return HTML that shows a string as it is."""
    return escape(visible(string))


def cards(figures: dict[str, str]) -> str:
    """Return a row of figures, each with its heading."""
    each = (f'<div class="card">{shown(name)}<b>{shown(value)}</b></div>\n' for name, value in figures.items())
    return f'<div class="cards">\n{"".join(each)}</div>\n'


def _page(title: str, body: Iterable[str]) -> Iterator[str]:
    yield _FIRST.decode() + '\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    # Should a text ever slip through unescaped, the browser still neither runs nor loads anything.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield f"<title>{shown(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield from body
    yield "</body>\n</html>\n"
