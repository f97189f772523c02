"""The encoding of a text file: UTF-8, unless the user names another."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unfool.errors import UserError, did_you_mean

_USUAL = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1251", "mac-roman", "shift-jis", "euc-kr", "gb18030", "big5")
ESCAPING = "surrogateescape"
"""How files are opened: bytes that cannot be decoded cost their row, not the file."""
_ESCAPED = range(0xDC80, 0xDD00)
"""What Python's ``surrogateescape`` makes of the bytes 0x80 to 0xff that cannot be decoded."""


def check_encoding(name: str | None) -> None:
    """Refuse an encoding that nobody knows, or that is none of texts.

    Raises:
        UserError: If it is given and Python has no such encoding.
    """
    if name is None:
        return
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise UserError(f"unknown encoding {name!r}{did_you_mean(name, _USUAL)}") from None


@contextmanager
def reading_as(path: Path, encoding: str | None) -> Iterator[str]:
    """Give the encoding to open a file with, and refuse the file where it cannot be of that encoding at all.

    Raises:
        UserError: If what is read inside raises an error of its encoding.
    """
    try:
        yield encoding if encoding and codecs.lookup(encoding).name != "utf-8" else "utf-8-sig"
    except UnicodeError as problem:
        raise UserError(f"{str(path)!r} is not {encoding} ({problem}); name another --encoding") from problem


def fault(string: str, encoding: str | None) -> str | None:
    """Return why a string that was read cannot be used; None where it can."""
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
    """Return the option that may help a file with this fault; None where it is another fault."""
    head, _, byte = reason.partition(" (byte ")
    if head != invalid(None, None) or not byte:
        return None
    # Latin-1 has control characters there, and Windows' own encoding has quotes and dashes.
    likely = "cp1252" if int(byte[:4], 16) < 0xA0 else "latin-1"
    return f"give the file's encoding, such as --encoding {likely}"
