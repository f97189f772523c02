"""A hook of mkdocs: pages of ``papers/`` join those of ``docs/``; each overview leads to its folder's pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


def paper_pages(root: Path = _ROOT) -> list[str]:
    """Return the files that ``papers/`` adds to the site, as paths below the repository."""
    there = [root / "papers" / "README.md", *sorted((root / "papers" / "pages").rglob("*.*"))]
    return [file.relative_to(root).as_posix() for file in there]


def on_config(config: Any) -> Any:
    """Put the pages of a folder, such as ``attacks/``, behind their overview."""
    config.nav = _filled(config.nav, Path(config.docs_dir))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages and pictures of ``papers/``."""
    from mkdocs.structure.files import File

    for path in paper_pages():
        files.append(File(path, str(_ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links between ``docs/`` and ``papers/`` as they are in the repository into links of the site."""
    return re.sub(
        r"\]\(((?:\.\./)*)\.\./papers/", r"](\1papers/", re.sub(r"\]\(((?:\.\./)+)docs/", r"](\1", markdown)
    )


def _filled(entries: list[Any], docs: Path) -> list[Any]:
    return [{title: _behind(inside, docs) for title, inside in entry.items()} for entry in entries]


def _behind(inside: Any, docs: Path) -> Any:
    if isinstance(inside, list):
        return _filled(inside, docs)
    folder = _ROOT if inside.startswith("papers/") else docs
    pages = sorted((folder / inside.removesuffix(".md")).glob("*.md"), key=lambda page: page.stem)
    if not pages:
        return inside
    return [{"Overview": inside}, *({page.stem: page.relative_to(folder).as_posix()} for page in pages)]
