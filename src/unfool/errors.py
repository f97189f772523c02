"""The errors a user can cause, and what each says."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

RESUME = "--resume (in Python: resume=True)"
"""How one goes on with work that was stopped, for errors that both the command line and Python may show."""


class UserError(Exception):
    """Something the user gave cannot be used. One line: what was given, what is wrong, what to do."""


class VictimError(UserError):
    """A victim answered something no classifier may answer (NaN, a wrong shape, nothing at all)."""


class Unheard(VictimError):
    """No answer came at all, as from an endpoint that is down: that tells nothing of the text."""


def not_installed(what: str, extra: str) -> UserError:
    """Return the error for a package that is not installed, with the command that brings it.

    Args:
        what: What needs the package: ``"charts are drawn with Vega"``.
        extra: The extra of unfool that has it.
    """
    return UserError(f"{what}: pip install 'unfool[{extra}]'")


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` or the list of what there is, to append to an unknown-name error."""
    names = sorted(known)
    if not names:
        return "; there is none"
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(given.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else f"; there is {', '.join(names)}"


def in_one_line(error: BaseException) -> str:
    """Return the kind of an error and all it says, without line breaks."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or the name of its kind if it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def counted(times: int, one: str, more: str) -> str:
    """Return a number with the word for what is counted: *1 query*, *2 queries*."""
    return f"{times} {one if times == 1 else more}"
