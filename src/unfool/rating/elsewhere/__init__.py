"""Studies carried out on other platforms: their questions written out, their answers read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from unfool.errors import UserError, did_you_mean
from unfool.rating._records import Answered
from unfool.rating._study import Study
from unfool.rating.elsewhere import _csv, _label_studio, _potato
from unfool.rating.elsewhere._questions import Question, answered, questions

_WRITERS: dict[str, Callable[[Study, list[Question], Path], None]] = {
    "csv": _csv.write,
    "label-studio": _label_studio.write,
    "potato": _potato.write,
}
_READERS = {"csv": _csv.read, "label-studio": _label_studio.read, "potato": _potato.read}
PLATFORMS = tuple(_WRITERS)

__all__ = ["PLATFORMS", "read_answers", "write_questions"]


def write_questions(study: Study, platform: str, folder: str | Path) -> list[Path]:
    """Write what another platform needs to ask a study's questions; return the parts it wrote.

    No part holds two texts made of the same: whoever answers one part must not get another.

    Args:
        study: The study.
        platform: ``csv``, ``label-studio`` or ``potato``.
        folder: A new or an empty folder; each part gets a folder in it.
    """
    _check(platform)
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already and not an empty folder; choose another --out")
    parts: list[Path] = []
    for number, part in enumerate(questions(study), start=1):
        place = folder / f"part-{number}"
        try:
            place.mkdir(parents=True)
            _WRITERS[platform](study, part, place)
        except OSError as error:
            raise UserError(f"cannot write {place}: {error.strerror}; choose another --out") from error
        parts.append(place)
    return parts


def read_answers(study: Study, platform: str, path: str | Path) -> Iterable[tuple[str, Answered]]:
    """Yield raters' names, the platform's before each, and answers from what a platform gave back.

    Raises:
        UserError: The file is not what the platform writes, or answers what was not asked.
    """
    _check(platform)
    path = Path(path)
    try:
        for given in _READERS[platform](path):
            yield f"{platform}:{given.rater}", answered(study, given)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} does not hold answers as {platform} writes them ({error})") from error


def _check(platform: str) -> None:
    if platform not in _WRITERS:
        raise UserError(f"unknown platform {platform!r}{did_you_mean(platform, _WRITERS)}")
