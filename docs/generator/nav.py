"""A hook of mkdocs: behind each overview in the navigation stand the pages of its folder, whatever they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Put the pages of ``attacks/``, ``defences/``, ``hardening/`` and ``studies/`` behind their overviews."""
    config.nav = _filled(config.nav, Path(config.docs_dir))
    return config


def _filled(entries: list[Any], docs: Path) -> list[Any]:
    return [{title: _behind(inside, docs) for title, inside in entry.items()} for entry in entries]


def _behind(inside: Any, docs: Path) -> Any:
    if isinstance(inside, list):
        return _filled(inside, docs)
    pages = sorted((docs / inside.removesuffix(".md")).glob("*.md"), key=lambda page: page.stem)
    if not pages:
        return inside
    return [{"Overview": inside}, *({page.stem: page.relative_to(docs).as_posix()} for page in pages)]
