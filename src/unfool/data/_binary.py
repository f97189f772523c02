"""Files that are no text, recognised by how they begin."""

from __future__ import annotations

import codecs
from pathlib import Path

from unfool.errors import UserError

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
    """Refuse a file that cannot be lines of text in any encoding.

    Raises:
        UserError: The message says what the file is.
    """
    with path.open("rb") as stream:
        start = stream.read(_LOOKED_AT)
    is_plain = start.isascii() and b"\0" not in start  # a header may well begin with MZ
    for beginning, what in _BEGINNINGS.items():
        if start.startswith(beginning) and not is_plain:
            raise UserError(f"{str(path)!r} is {what}" if ";" in what else f"{str(path)!r} is {what}, not text")
    # UTF-16 and UTF-32 hold zeros, too, three in four at most, but hardly any of the other control characters.
    controls = len(start) - len(start.translate(None, _CONTROLS))
    has_controls = controls > _MOST_CONTROLS * len(start) and not _is_utf8(start)
    if len(start) >= _FEWEST and (has_controls or start.count(0) > _MOST_ZEROS * len(start)):
        raise UserError(f"{str(path)!r} is not text; give a file of CSV, JSON lines or parquet")


def _is_utf8(start: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # a character at the end may be cut
    except UnicodeDecodeError:
        return False
    return True
