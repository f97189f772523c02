"""The runs below a folder: a list to search, and each opened as the report shows it."""

# Not with annotations as strings: FastAPI could not read those that name what is local to a function.
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import HTMLResponse

from unfool.app._pages import MENU, add_parts, page
from unfool.errors import UserError
from unfool.report import write
from unfool.runs import Run, is_run

_ITS_OWN = "frame-ancestors 'none'"
"""The report's page carries its own policy, which is stricter: it names its scripts by hash."""


def add_runs(app: FastAPI, folder: Path) -> None:
    """Let an app show the runs below a folder, and nothing beside it."""
    root = folder.resolve()
    add_parts(app, "runs", ("elements.js", "theme.js"), ("requests.js", "runs.js"))

    @app.get("/")
    def list_page() -> Response:
        return page("runs", "runs", menu=MENU)

    @app.get("/api/runs")
    def runs() -> list[dict[str, Any]]:
        return [_told(root, each) for each in _below(root)]

    @app.get("/runs/{path:path}")
    def one(path: str) -> Response:
        run = _inside(root, path)
        with TemporaryDirectory() as made:
            write([run], Path(made) / "page.html")
            html = (Path(made) / "page.html").read_bytes()
        return HTMLResponse(html, headers={"content-security-policy": _ITS_OWN})


def _below(root: Path) -> Iterator[Path]:
    """Yield the run folders below a folder, whose links are not followed."""
    for place, folders, _ in os.walk(root):
        folders.sort()
        if is_run(Path(place)):
            yield Path(place)


def _inside(root: Path, path: str) -> Path:
    """Return the run that a visitor names, unless it lies elsewhere."""
    try:
        run = (root / path).resolve()
        if run.is_relative_to(root) and is_run(run):
            return run
    except (OSError, ValueError):
        pass
    raise HTTPException(404, "there is no such run here")


def _told(root: Path, folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"path": folder.relative_to(root).as_posix()}
    try:
        run = Run.open(folder)
        told |= {key: str(run.config.get(key, "")) for key in ("attack", "victim", "data")}
        if run.finished:
            found, valid = run.summary, run.valid_success
            told |= {
                "samples": found.samples,
                "success_rate": found.success_rate.to_dict() if found.telling else None,
            }
            told["valid"] = valid and valid.to_dict()
    except UserError as error:
        told["error"] = str(error)
    return told
