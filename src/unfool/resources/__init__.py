"""Weights, word vectors and word lists by name, kept in the user's cache."""

from unfool.resources._cache import cache_root, derived, get, is_present, obtain, path
from unfool.resources._once import build_once
from unfool.resources._table import HubCopy, Resource, info, names
from unfool.resources.download import ask_hub

__all__ = [
    "HubCopy",
    "Resource",
    "ask_hub",
    "build_once",
    "cache_root",
    "derived",
    "get",
    "info",
    "is_present",
    "names",
    "obtain",
    "path",
]
