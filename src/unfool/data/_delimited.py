"""CSV and TSV files, read record by record so that every problem has its line."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from unfool.data._rows import RowCollector, Rows, Source
from unfool.data._text_file import ESCAPING, Lines, TooLong, cure, fault, reading_as
from unfool.errors import UserError

_OTHER_SEPARATORS = ";\t"
_LONGEST_FIELD = 2**31 - 1  # of the csv module's limits the largest that every platform takes


def open_csv(path: Path, encoding: str | None = None) -> Source:
    """Open a file of comma-separated values: quotes as in RFC 4180, and quoted line breaks belong to a field.

    Where the header is one field by commas and several by semicolons or tabs, as some spreadsheets write it, these
    separate the values.
    """
    names = _header(path, ",", encoding).names
    separators = [mark for mark in _OTHER_SEPARATORS if len(names) == 1 and mark in names[0]]
    delimiter = separators[0] if separators else ","
    read = partial(_read, path, encoding, delimiter=delimiter)
    return Source(str(path), _header(path, delimiter, encoding).names, read, "line")


def open_tsv(path: Path, encoding: str | None = None) -> Source:
    """Open a file of tab-separated values, quoted or not.

    Many such files know no quoting and hold texts that merely begin with a quote. Where a file does not hold
    together when quotes count, it is read with quotes as plain characters if that gives more good rows.
    """
    return Source(str(path), _header(path, "\t", encoding).names, partial(_read_tsv, path, encoding), "line")


def _read_tsv(path: Path, encoding: str | None, texts: Sequence[str], label: str) -> Rows:
    quoted = _read(path, encoding, texts, label, delimiter="\t")
    if not quoted.bad:
        return quoted
    plain = _read(path, encoding, texts, label, delimiter="\t", quoting=csv.QUOTE_NONE)
    return plain if len(plain.ids) > len(quoted.ids) else quoted


class _Header(NamedTuple):
    names: tuple[str, ...]
    lines: int


def _header(path: Path, delimiter: str, encoding: str | None) -> _Header:
    with _open(path, encoding) as stream:
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


def _read(path: Path, encoding: str | None, texts: Sequence[str], label: str, **dialect: Any) -> Rows:
    names, header_lines = _header(path, dialect["delimiter"], encoding)
    spots, label_spot = [names.index(text) for text in texts], names.index(label)
    rows = RowCollector(len(texts), encoding)
    with _open(path, encoding) as stream:
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
def _open(path: Path, encoding: str | None) -> Iterator[TextIO]:
    csv.field_size_limit(_LONGEST_FIELD)
    with path.open("rb") as stream:
        if encoding is None and stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise UserError(f"{str(path)!r} is written in UTF-16; save it as UTF-8, or give --encoding utf-16")
    with reading_as(path, encoding) as chosen, path.open(encoding=chosen, errors=ESCAPING, newline="") as text:
        yield text
