"""Web pages served from here: raters judge texts, and runs are looked at."""

from unfool.app._rate import rating_app
from unfool.app._runs import runs_app
from unfool.app._serve import Place, serve

__all__ = ["Place", "rating_app", "runs_app", "serve"]
