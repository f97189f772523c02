"""Profiles of guards: a small file that says which victim it is, and when a text is blocked."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from unfool.errors import UserError, did_you_mean

_KINDS: dict[str, type | tuple[type, ...]] = {"threshold": (int, float), "labels": list}


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A guard: the victim that answers, and what its answers mean."""

    name: str
    victim: str
    """The victim by name, without a threshold."""
    blocks: str
    """The label that means the text is blocked."""
    threshold: float = 0.5
    """The probability of that label from which on a text is blocked."""
    labels: tuple[str, ...] | None = None
    """The victim's labels in order, where it does not name them itself."""
    licence: str = "unknown"
    """Under which licence the weights may be used."""
    note: str = ""
    """How the guard is had, and what a reader should know."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not 0 < self.threshold <= 1:
            raise UserError(f"the guard {self.name} has threshold {self.threshold:g}; give one above 0 and up to 1")


def profile_names() -> list[str]:
    """Return the names of the profiles that come along."""
    return sorted(each.name.removesuffix(".toml") for each in _shipped().iterdir() if each.name.endswith(".toml"))


def find_profile(guard: str, blocks: str | None = None, threshold: float | None = None) -> Profile:
    """Return a guard's profile: one that comes along, one in a file, or one made of a victim's name.

    Args:
        guard: The profile's name, a ``.toml`` file, or a victim's name.
        blocks: The label that means the text is blocked, in place of the profile's; a victim's name needs it.
        threshold: From which probability on, in place of the profile's.

    Raises:
        UserError: There is none, or it cannot be read.
    """
    given = {"blocks": blocks, "threshold": threshold}
    chosen = {key: value for key, value in given.items() if value is not None}
    if guard in profile_names():
        return _parse(guard, _shipped().joinpath(f"{guard}.toml").read_text("utf-8"), chosen)
    if guard.endswith(".toml"):
        try:
            return _parse(guard, Path(guard).expanduser().read_text("utf-8"), chosen)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read the profile {guard}: {error}") from None
    if ":" not in guard and not Path(guard).is_dir():
        raise UserError(f"there is no guard {guard!r}{did_you_mean(guard, profile_names())}")
    if blocks is None:
        raise UserError(f"{guard} is a victim, not a profile; say with --blocks which of its labels means blocked")
    plain = Profile(name=guard, victim=guard, blocks=blocks)
    return plain if threshold is None else replace(plain, threshold=threshold)


def _parse(name: str, text: str, chosen: dict[str, Any]) -> Profile:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"the profile {name} is no TOML: {error}") from None
    known = {field.name for field in fields(Profile)}
    for key, value in found.items():
        if key not in known:
            raise UserError(f"the profile {name} has {key!r}, which no profile has{did_you_mean(key, known)}")
        if not isinstance(value, _KINDS.get(key, str)) or isinstance(value, bool):
            raise UserError(f"the profile {name} cannot have {key} = {value!r}")
    missing = [key for key in ("victim", "blocks") if key not in {**found, **chosen}]
    if missing:
        raise UserError(f'the profile {name} does not say {" and ".join(missing)}; add the line {missing[0]} = "…"')
    if "labels" in found:
        found["labels"] = tuple(map(str, found["labels"]))
    return Profile(**{"name": name, **found, **chosen})


def _shipped() -> Any:
    return files("unfool.guards") / "profiles"
