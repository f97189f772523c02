"""One page about runs, studies, rules and audits that one can search, sort, filter, print and send to others.

Two walls keep the texts in it inert. They travel as JSON in which no tag can begin, and the page's script turns
them into text nodes only. Should that ever fail, the page's policy names by hash the only scripts and styles that
may run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO

from unfool import __version__
from unfool.errors import UserError
from unfool.report._charts import chart_library
from unfool.report._contents import Contents, Source, open_all
from unfool.report._facts import against_first, facts, samples, shadings, worst_cases
from unfool.runs import read_overlays
from unfool.storage import explaining, replacing, to_json
from unfool.visible import visible

_FIRST = b"<!doctype html>"
# In this order they make one script.
_SCRIPTS = (
    "elements.js", "theme.js", "diff.js", "downloads.js", "grid.js", "charts.js", "runs.js", "sides.js",
    "shades.js", "outputs.js", "people.js", "sample.js", "samples.js", "transfer.js", "rules.js", "audits.js",
    "importance.js", "main.js",
)  # fmt: skip


def write(sources: Iterable[Source], out: str | Path) -> None:
    """Write a page that needs nothing but itself; without the package that ships Vega it has no charts.

    Args:
        sources: Runs or their folders, folders of transfer studies, files of rules, in the order to show them.
        out: The file to write, which takes its place whole or not at all.
    """
    write_contents(open_all(sources), Path(out))


def write_contents(contents: Contents, path: Path) -> None:
    """Do as `write` does, about contents that are open."""
    library = chart_library() if contents.runs or contents.studies else ""
    with explaining(path, "write", "choose another place"):
        refuse_other_files(path)
        with replacing(path) as file:
            _write_page(file, contents, library)


def refuse_other_files(path: Path) -> None:
    """Raise if a page would take the place of a file that is no page: it may be the data itself."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_FIRST)) not in (_FIRST, b""):
                raise UserError(f"{path} already exists and is not a page; choose another place, or remove it")


def _write_page(file: BinaryIO, contents: Contents, library: str) -> None:
    style = _packed("page.css")
    # Inside a block, nothing of ours is global.
    script = '"use strict";\n{\n' + "\n".join(map(_packed, _SCRIPTS)) + "\n}\n"
    names = [run.name for run in contents.runs]
    names += [str(part["name"]) for parts in contents[1:] for part in parts]
    slots = {
        "policy": [_policy([library, script], [style]).encode()],
        "title": [escape(visible("unfool: " + ", ".join(names))).encode()],
        "style": [style.encode()],
        "data": _data(contents),
        "library": [library.encode()],
        "script": [script.encode()],
    }
    for number, part in enumerate(_packed("page.html").split("%%")):
        # Every second part is the name of a slot.
        file.writelines(slots[part] if number % 2 else [part.encode()])


def _data(contents: Contents) -> Iterator[bytes]:
    overlays = [read_overlays(run.folder) for run in contents.runs]
    about = {
        "version": __version__,
        "runs": [facts(*pair) for pair in zip(contents.runs, overlays, strict=True)],
        "against": against_first(contents.runs),
        "worst": worst_cases(contents.runs),
        "studies": contents.studies,
        "rules": contents.rules,
        "audits": contents.audits,
        "importances": contents.importances,
    }
    yield from _block("about", [to_json(about)])
    for number, run in enumerate(contents.runs):
        told_of = {*overlays[number], *(each.id for each in run.votes)}
        yield from _block(f"samples-{number}", samples(run, told_of))
        if overlays[number]:
            yield from _block(f"overlays-{number}", shadings(run, overlays[number]))


def _block(name: str, json: Iterable[bytes]) -> Iterator[bytes]:
    yield f'<script type="application/json" id="{name}">'.encode()
    for part in json:
        # JSON has "<" only inside strings; escaped, nothing in there can end the element or begin another.
        yield part.replace(b"<", b"\\u003c")
    yield b"</script>\n"


def _policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {' '.join(map(_hash, styles))}",
            "base-uri 'none'",
            "form-action 'none'",
            # Where the browser knows them: no string may become HTML at all (the library empties its elements).
            "require-trusted-types-for 'script'",
            "trusted-types default",
        )
    )


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def page_parts(*names: str) -> str:
    """Return parts of the page, scripts or styles, for other pages to share."""
    return "\n".join(map(_packed, names))


def _packed(name: str) -> str:
    return (files("unfool.report") / "page" / name).read_text(encoding="utf-8")
