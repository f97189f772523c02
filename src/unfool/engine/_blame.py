"""Where an error comes from: the line of the user's own code, and the whole way there."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_WRITTEN_BY_USERS = tuple(f"{_PACKAGE / 'attacks' / kind}/" for kind in ("recipes", "constraints"))
_LIBRARIES = tuple(
    f"{place}/" for place in (_PACKAGE, *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")))
)


def described(error: BaseException) -> str:
    """Return what kind of error it is, what it says, and where it was raised: the last line of the user's own code.

    Where no line of theirs was reached, it is the last line of all.
    """
    frames = traceback.extract_tb(error.__traceback__)
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if not frames:
        return said
    frame = next((frame for frame in reversed(frames) if _is_users(frame.filename)), frames[-1])
    return f"{said} at {Path(frame.filename).name}:{frame.lineno} in {frame.name}"


def whole_traceback(error: BaseException) -> str:
    """Return the whole traceback, as Python prints it."""
    return "".join(traceback.format_exception(error))


def _is_users(file: str) -> bool:
    return file.startswith(_WRITTEN_BY_USERS) or not file.startswith(_LIBRARIES)
