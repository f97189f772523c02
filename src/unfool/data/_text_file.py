"""Text files as lines: their encoding, what is no text at all, and lines too long to hold."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, AnyStr, Generic

from unfool.errors import UserError, did_you_mean

_BEGINNINGS = {
    b"\x7fELF": "a program",
    b"MZ": "a Windows program",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a zip archive, as Excel's files are; save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Office document; save the sheet as CSV",
    b"\x1f\x8b": "compressed by gzip; unpack it first",
    b"BZh": "compressed by bzip2; unpack it first",
    b"\xfd7zXZ": "compressed by xz; unpack it first",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it first",
    b"PAR1": "a parquet file; give its name the ending .parquet",
    b"ARROW1": "an Arrow file; save it as parquet",
    b"SQLite format 3": "an SQLite database; export the table as CSV",
    b"\x93NUMPY": "a NumPy array; save the texts as CSV",
    b"\x80\x04\x95": "a pickle; save the texts as CSV",
    b"\x80\x05\x95": "a pickle; save the texts as CSV",
}
_LOOKED_AT = 8192
_CONTROLS = bytes(code for code in range(32) if code not in b"\0\t\n\v\f\r\x1a\x1b")
_FEWEST, _MOST_CONTROLS, _MOST_ZEROS = 1024, 0.05, 0.8


def refuse_binary(path: Path) -> None:
    """Refuse a file that cannot be lines of text in any encoding, and say what it is."""
    with path.open("rb") as stream:
        start = stream.read(_LOOKED_AT)
    is_plain = start.isascii() and b"\0" not in start  # a header may well begin with MZ
    for beginning, what in _BEGINNINGS.items():
        if start.startswith(beginning) and not is_plain:
            raise UserError(f"{str(path)!r} is {what}" if ";" in what else f"{str(path)!r} is {what}, not text")
    # UTF-16 and UTF-32 hold zeros, too, three in four at most, but hardly any of the other control characters.
    controls = len(start) - len(start.translate(None, _CONTROLS))
    has_controls = controls > _MOST_CONTROLS * len(start) and not is_utf8(start, whole=False)
    if len(start) >= _FEWEST and (has_controls or start.count(0) > _MOST_ZEROS * len(start)):
        raise UserError(f"{str(path)!r} is not text; give a file of CSV, JSON lines or parquet")


def is_utf8(string: bytes, *, whole: bool = True) -> bool:
    """Return whether bytes are UTF-8; unless they are whole, a character at the end may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(string, whole)
    except UnicodeDecodeError:
        return False
    return True


_USUAL = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1251", "mac-roman", "shift-jis", "euc-kr", "gb18030", "big5")
ESCAPING = "surrogateescape"
"""How files are opened: bytes that cannot be decoded cost their row, not the file."""
_ESCAPED = range(0xDC80, 0xDD00)
"""What Python's ``surrogateescape`` makes of the bytes 0x80 to 0xff that cannot be decoded."""


def check_encoding(name: str | None) -> None:
    """Refuse an encoding that Python does not know, or that is none of texts."""
    if name is None:
        return
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise UserError(f"unknown encoding {name!r}{did_you_mean(name, _USUAL)}") from None


@contextmanager
def reading_as(path: Path, encoding: str | None) -> Iterator[str]:
    """Give the encoding to open a file with, and refuse the file if reading it raises an error of the encoding."""
    try:
        yield encoding if encoding and codecs.lookup(encoding).name != "utf-8" else "utf-8-sig"
    except UnicodeError as problem:
        raise UserError(f"{str(path)!r} is not {encoding} ({problem}); name another --encoding") from problem


def fault(string: str, encoding: str | None) -> str | None:
    """Return why a string that was read cannot be used, or None if it can."""
    try:
        string.encode()
    except UnicodeEncodeError as problem:
        code = ord(string[problem.start])
        return invalid(encoding, code - 0xDC00 if code in _ESCAPED else None)
    return None


def invalid(encoding: str | None, byte: int | None) -> str:
    """Say that bytes are not of an encoding, and which is the first of them."""
    return f"invalid {encoding or 'UTF-8'}" + ("" if byte is None else f" (byte {byte:#04x})")


def cure(reason: str) -> str | None:
    """Return the option that may help a file with this fault, or None if it is another fault."""
    head, _, byte = reason.partition(" (byte ")
    if head != invalid(None, None) or not byte:
        return None
    # Latin-1 has control characters there, and Windows' own encoding has quotes and dashes.
    likely = "cp1252" if int(byte[:4], 16) < 0xA0 else "latin-1"
    return f"give the file's encoding, such as --encoding {likely}"


MOST_A_ROW = 10_000_000
"""Characters of a CSV row, bytes of a line of JSON, bytes of a text in parquet."""


class TooLong(ValueError):
    """A row longer than any text that can be attacked."""

    def __init__(self, length: int) -> None:
        super().__init__(too_long(length))


def too_long(length: int) -> str:
    """Say that a row is too long."""
    return f"a row of {length / 1e6:,.1f} MB; a text has at most {MOST_A_ROW // 1_000_000} MB"


class Lines(Generic[AnyStr]):
    """The lines of a stream, one row or several lines of one.

    Raises:
        TooLong: From `__next__`, if the row has become too long; what comes next is the line behind it.
    """

    def __init__(self, stream: IO[AnyStr]) -> None:
        self._stream: IO[AnyStr] = stream
        self._row = 0

    def new_row(self) -> None:
        """Begin to count anew."""
        self._row = 0

    def __iter__(self) -> Iterator[AnyStr]:
        return self

    def __next__(self) -> AnyStr:
        line = self._stream.readline(MOST_A_ROW)
        if not line:
            raise StopIteration
        self._row += len(line)
        if self._row < MOST_A_ROW:
            return line
        while len(line) == MOST_A_ROW:  # so much of a line that goes on
            line = self._stream.readline(MOST_A_ROW)
            self._row += len(line)
        raise TooLong(self._row)
