"""What a victim is made of, in one line: a resumed run must meet the very same one."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path
from types import ModuleType
from typing import Any


def fingerprint(path: Path) -> str:
    """Return a digest of a file, or of the files of a folder and their names."""
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.is_file():
            digest.update(file.name.encode(errors="surrogateescape") + b"\0")
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def weights_fingerprint(net: Any) -> str:
    """Return a digest of the weights of a net of PyTorch and their names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(net.state_dict().items()):
        digest.update(name.encode() + tensor.detach().float().cpu().numpy().tobytes())
    return digest.hexdigest()


def code_fingerprint(function: Callable[..., Any], module: ModuleType | None) -> str | None:
    """Return a digest of a function's own module and of the one it was found in, or None without source."""
    modules = [module, sys.modules.get(_own_code(function).__module__ or "")]
    parts = {part for found in modules if found for part in _parts(found, function)}
    return hashlib.sha256(repr(sorted(parts)).encode(errors="surrogateescape")).hexdigest() if parts else None


def _parts(module: ModuleType, function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    if module.__name__ == "__main__":
        # The rest of a script may be about other things, such as how it starts the attack.
        try:
            yield "__main__", _digest(inspect.getsource(_own_code(function)).encode(errors="surrogatepass"))
        except (OSError, TypeError):
            return
        return
    file = Path(getattr(module, "__file__", None) or "")
    if not file.is_file():
        return
    if _is_installed(file):
        top = module.__name__.partition(".")[0]
        yield from ((name, version(name)) for name in sorted(set(packages_distributions().get(top, ()))))
        yield module.__name__, _digest(file.read_bytes())
        return
    depth = module.__name__.count(".") + (file.stem == "__init__")
    root = file.resolve().parents[depth]
    for source in _reached(file.resolve(), root):
        yield source.relative_to(root).as_posix(), _digest(source.read_bytes())


def _reached(first: Path, root: Path) -> set[Path]:
    """Return a file and all it imports, directly or not, that lies below a folder."""
    found, todo = {first}, [first]
    while todo:
        for name in _imported(todo[0], root):
            fresh = set(_files_of(name, root)) - found
            found |= fresh
            todo += sorted(fresh)
        del todo[0]
    return found


def _imported(file: Path, root: Path) -> Iterator[tuple[str, ...]]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    package = file.parent.relative_to(root).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            base += tuple(filter(None, (node.module or "").split(".")))
            yield from ((*base, alias.name) for alias in node.names)


def _files_of(name: tuple[str, ...], root: Path) -> Iterator[Path]:
    """Yield the files that are run when a module is imported: its packages' and its own."""
    for length in range(1, len(name) + 1):
        place = root.joinpath(*name[:length])
        yield from (file for file in (place.with_name(f"{place.name}.py"), place / "__init__.py") if file.is_file())


def _is_installed(file: Path) -> bool:
    places = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")}
    return any(file.resolve().is_relative_to(place) for place in places) or "site-packages" in file.parts


def _own_code(function: Callable[..., Any]) -> Any:
    function = inspect.unwrap(getattr(function, "func", function))  # a partial's, else its own
    return function if hasattr(function, "__qualname__") else type(function)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
