"""JSON lines: one object a line."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, AnyStr

from unfool.data._rows import RowCollector, Rows, Source
from unfool.data._text_file import ESCAPING, Lines, TooLong, cure, invalid, reading_as
from unfool.errors import UserError

_LINES_LOOKED_AT_FOR_KEYS = 1000
_MOST_KEYS = 10_000


def open_jsonl(path: Path, encoding: str | None = None) -> Source:
    """Open a file of JSON lines; its columns are the keys of the first thousand objects."""
    keys: dict[str, None] = {}
    first_problem = ""
    empty = True
    for number, line in islice(_lines(path, encoding), _LINES_LOOKED_AT_FOR_KEYS):
        if empty and isinstance(line, bytes) and line.lstrip().startswith(b"["):
            raise UserError(f"{str(path)!r} is one JSON array; write it as JSON lines, one object a line")
        empty = False
        found = _parse(line, encoding)
        if isinstance(found, dict):
            keys.update(dict.fromkeys(found))
            if len(keys) > _MOST_KEYS:
                raise UserError(
                    f"{str(path)!r} has more than {_MOST_KEYS:,} keys in its first {number} lines; "
                    "give objects of the same few keys"
                )
        elif not first_problem:
            first_problem = f"line {number}: {found}"
    if empty:
        raise UserError(f"{str(path)!r} is empty; it needs at least one line with a JSON object")
    if not keys:
        advice = cure(first_problem.partition(": ")[2]) or "write one JSON object a line"
        raise UserError(f"{str(path)!r}, {first_problem or 'line 1: an empty object'}; {advice}")
    return Source(str(path), tuple(keys), partial(_read, path, encoding), "line")


def _read(path: Path, encoding: str | None, texts: Sequence[str], label: str) -> Rows:
    rows = RowCollector(len(texts), encoding)
    for number, line in _lines(path, encoding):
        found = _parse(line, encoding)
        if isinstance(found, str):
            rows.reject(number, found)
            continue
        strings = [found.get(text) for text in texts]
        label_found = found.get(label)
        if not all(isinstance(string, str | None) for string in strings):
            rows.reject(number, "the text is not a string")
        elif isinstance(label_found, list | dict):
            rows.reject(number, f"the label is a {type(label_found).__name__}, not one class")
        else:
            rows.add(strings, _label_string(label_found), number)
    return rows.finish()


def _lines(path: Path, encoding: str | None) -> Iterator[tuple[int, bytes | TooLong]]:
    """Yield the number of each line that is not blank and its bytes, as UTF-8 has them, or how long it is."""
    if encoding is not None:
        with (
            reading_as(path, encoding) as chosen,
            path.open(encoding=chosen, errors=ESCAPING, newline="\n") as text,
        ):
            for number, string in _numbered(text):
                yield number, string if isinstance(string, TooLong) else string.encode(errors=ESCAPING)
        return
    with path.open("rb") as stream:
        for number, line in _numbered(stream):
            yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 and isinstance(line, bytes) else line


def _numbered(stream: IO[AnyStr]) -> Iterator[tuple[int, AnyStr | TooLong]]:
    lines = Lines(stream)
    for number in count(1):
        lines.new_row()
        try:
            line = next(lines)
        except StopIteration:
            return
        except TooLong as problem:
            yield number, problem
        else:
            if line.strip():
                yield number, line


def _parse(line: bytes | TooLong, encoding: str | None) -> dict[str, Any] | str:
    """Return the object of a line, or why there is none."""
    if isinstance(line, TooLong):
        return str(line)
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError as problem:
        return invalid(encoding, line[problem.start])
    except (ValueError, RecursionError) as problem:
        return f"invalid JSON ({problem})"
    return found if isinstance(found, dict) else "not a JSON object"


def _label_string(label: str | float | None) -> str | None:
    if isinstance(label, str | None):
        return label
    return None if label != label else str(label).lower()  # NaN is how data frames write "none"
