"""What a page says in numbers, held against what the kept results give.

A page's tables stand between ``<!-- made: NAME -->`` and ``<!-- end -->`` and are written by the command. Its prose
is written by hand: every number in it belongs to a phrase that is made of the results and has to stand on the page,
or to a phrase that may stand there without a file, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_MADE = re.compile(
    r"(?P<head>[ ]*<!-- made: (?P<name>[^\n]*?) -->\n+)(?P<table>.*?)(?P<end>\n+[ ]*<!-- end -->)", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w.#])[−+-]?\d[\d,.]*\d|(?<![\w.#])[−+-]?\d")
_CODE = re.compile(r"```.*?```", re.DOTALL)
_COMMENT = re.compile(r"(?<=\s)# .*")
"""Commands and code are held by tests of their own, what their comments say is not."""
_NAMES = (
    r"`[^`\n]*`",
    r"<!-- made: .*?<!-- end -->",
    r"\]\([^)\s]*\)",  # where a link leads
    r"\b[A-Z]\w+(?:-[A-Za-z]\w*)+-\d\b",  # models
    r"\b(?:CS229|SST-2|WMT1\d|F1|paper \d)\b",
    r"\bet al\.,? \(?(?:19|20)\d\d\)?|, (?:19|20)\d\d(?=[;:)])|\((?:19|20)\d\d\)",
    r"\b[Tt]ables?\s+\d+(?:(?: to |, | and )\d+)*",
    r"\b[Ff]igures?\s+\d+(?:(?: to | and )\d+)*|\b[Ss]ections?\s+\d[\d.]*\d?",
    r"\b[Tt]heorem \d|\bC\d\d\b",
    r"^ *\d\. |^\| (?:[a-z]+ )?\d+ \|",  # of a list or table
)
"""What looks like a number and is a name."""


class Loose(NamedTuple):
    """A number that no phrase holds, and the words around it."""

    number: str
    around: str


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """Return a page with its made tables written anew.

    Raises:
        KeyError: The page shows a table that nobody makes.
    """

    def made(found: re.Match[str]) -> str:
        indent = re.match(" *", found["head"])[0]  # type: ignore[index]
        table = "\n".join(indent + line for line in tables[found["name"]].splitlines())
        return found["head"] + table + found["end"]

    return _MADE.sub(made, page)


def shown(page: str) -> list[str]:
    """Return the names of the made tables that a page shows."""
    return [found["name"] for found in _MADE.finditer(page)]


def missing(page: str, phrases: Iterable[str]) -> list[str]:
    """Return the phrases that do not stand on a page, however its lines are broken."""
    text = in_one_line(page)
    return [phrase for phrase in phrases if in_one_line(phrase) not in text]


def loose(page: str, phrases: Iterable[str]) -> Iterator[Loose]:
    """Yield the numbers of a page that are in no phrase, no made table and no name."""
    page = _CODE.sub(lambda code: "\n".join(_COMMENT.findall(code[0])), page)
    for name in _NAMES:
        page = re.sub(name, " ", page, flags=re.DOTALL | re.MULTILINE)
    text = in_one_line(page)
    for phrase in sorted({_bare(each) for each in phrases}, key=len, reverse=True):
        text = text.replace(phrase, " … ")
    for found in _NUMBER.finditer(text):
        yield Loose(found[0], text[max(0, found.start() - 60) : found.end() + 40])


def _bare(phrase: str) -> str:
    for name in _NAMES:
        phrase = re.sub(name, " ", phrase, flags=re.DOTALL)
    return in_one_line(phrase)


def in_one_line(text: str) -> str:
    """Return a text with every run of blanks as one."""
    return " ".join(text.split())
