"""Web pages served from here: attacks are tried, runs are looked at, raters judge texts."""

from pathlib import Path

from fastapi import FastAPI

from unfool.app._pages import new_app
from unfool.app._rate import rating_app
from unfool.app._runs import add_runs
from unfool.app._serve import LOCAL, Place, run, serve
from unfool.app._try import add_try
from unfool.app.trial import Shelf

__all__ = ["LOCAL", "Place", "Shelf", "rating_app", "run", "serve", "unfool_app"]


def unfool_app(runs: Path, shelf: Shelf, seconds: float) -> FastAPI:
    """Return the app of `unfool app`: the runs below a folder, and attacks to try on some victims.

    Args:
        runs: The folder.
        shelf: The victims that visitors may attack.
        seconds: The longest that one attack of theirs may take.
    """
    app = new_app()
    add_runs(app, runs)
    add_try(app, shelf, seconds)
    return app
