"""Web pages served from here: raters judge texts."""

from unfool.app._rate import rating_app
from unfool.app._serve import Place, serve

__all__ = ["Place", "rating_app", "serve"]
