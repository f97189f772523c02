"""CSV, TSV and JSON lines, read so that every problem has its line."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, AnyStr, NamedTuple, TextIO

from unfool.data._rows import RowCollector, Rows, Source
from unfool.data._text_file import ESCAPING, Lines, TooLong, cure, fault, invalid, reading_as
from unfool.errors import UserError

_OTHER_SEPARATORS = ";\t"
_LONGEST_FIELD = 2**31 - 1  # of the csv module's limits the largest that every platform takes


def open_csv(path: Path, encoding: str | None = None) -> Source:
    """Open a file of comma-separated values: quotes as in RFC 4180, and quoted line breaks belong to a field.

    If the header is one field by commas and several by semicolons or tabs, as some spreadsheets write it, these
    separate the values.
    """
    names = _header(path, ",", encoding).names
    separators = [mark for mark in _OTHER_SEPARATORS if len(names) == 1 and mark in names[0]]
    delimiter = separators[0] if separators else ","
    read = partial(_read_delimited, path, encoding, delimiter=delimiter)
    return Source(str(path), _header(path, delimiter, encoding).names, read, "line")


def open_tsv(path: Path, encoding: str | None = None) -> Source:
    """Open a file of tab-separated values, quoted or not.

    Many such files know no quoting and hold texts that merely begin with a quote. If a file does not hold
    together when quotes count, it is read with quotes as plain characters if that gives more good rows.
    """
    return Source(str(path), _header(path, "\t", encoding).names, partial(_read_tsv, path, encoding), "line")


def _read_tsv(path: Path, encoding: str | None, texts: Sequence[str], label: str) -> Rows:
    quoted = _read_delimited(path, encoding, texts, label, delimiter="\t")
    if not quoted.bad:
        return quoted
    plain = _read_delimited(path, encoding, texts, label, delimiter="\t", quoting=csv.QUOTE_NONE)
    return plain if len(plain.ids) > len(quoted.ids) else quoted


class _Header(NamedTuple):
    names: tuple[str, ...]
    lines: int


def _header(path: Path, delimiter: str, encoding: str | None) -> _Header:
    with _open_text(path, encoding) as stream:
        reader = csv.reader(Lines(stream), delimiter=delimiter)
        try:
            names = next(filter(None, reader), None)
        except TooLong as problem:
            raise UserError(f"{str(path)!r} begins with {problem}; its first line must name the columns") from None
        if names is None:
            raise UserError(f"{str(path)!r} is empty; it needs a header and at least one row")
        if reason := fault("".join(names), encoding):
            advice = cure(reason) or "mend it"
            raise UserError(f"{str(path)!r}, line {reader.line_num}: {reason} in the header; {advice}")
        return _Header(tuple(names), reader.line_num)


def _read_delimited(path: Path, encoding: str | None, texts: Sequence[str], label: str, **dialect: Any) -> Rows:
    names, header_lines = _header(path, dialect["delimiter"], encoding)
    spots, label_spot = [names.index(text) for text in texts], names.index(label)
    rows = RowCollector(len(texts), encoding)
    with _open_text(path, encoding) as stream:
        for _ in islice(stream, header_lines):
            pass
        for line, fields in _records(Lines(stream), header_lines + 1, dialect):
            if isinstance(fields, str):
                rows.reject(line, fields)
            elif len(fields) != len(names):
                rows.reject(line, f"{len(fields)} fields where the header has {len(names)}")
            else:
                rows.add((fields[spot] for spot in spots), fields[label_spot], line)
    return rows.finish()


def _records(
    lines: Lines[str], first_line: int, dialect: Mapping[str, Any]
) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the first line of each record and its fields, or why there are none; a blank line is no record."""
    reader = csv.reader(lines, strict=True, **dialect)
    while True:
        lines.new_row()
        line = first_line + reader.line_num
        try:
            fields = next(reader)
        except StopIteration:
            return
        except TooLong as problem:
            first_line += 1  # the reader has not seen it
            yield line, str(problem)
            continue
        except csv.Error:
            last = first_line + reader.line_num - 1
            yield line, f"a quoted field is not closed properly (it was read up to line {last})"
            continue
        if fields:
            yield line, fields


@contextmanager
def _open_text(path: Path, encoding: str | None) -> Iterator[TextIO]:
    csv.field_size_limit(_LONGEST_FIELD)
    with path.open("rb") as stream:
        if encoding is None and stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise UserError(f"{str(path)!r} is written in UTF-16; save it as UTF-8, or give --encoding utf-16")
    with reading_as(path, encoding) as chosen, path.open(encoding=chosen, errors=ESCAPING, newline="") as text:
        yield text


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
    return Source(str(path), tuple(keys), partial(_read_json_lines, path, encoding), "line")


def _read_json_lines(path: Path, encoding: str | None, texts: Sequence[str], label: str) -> Rows:
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
