"""The site's navigation leads to every page, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml  # type: ignore[import-untyped]
from docs.generator.nav import on_config
from tests.docs.markdown import ROOT


def leaves(entries: Any) -> Iterator[str]:
    for entry in entries:
        for inside in entry.values():
            yield from [inside] if isinstance(inside, str) else leaves(inside)


def filled(nav: list[Any], docs: Path) -> list[Any]:
    found: list[Any] = on_config(SimpleNamespace(nav=nav, docs_dir=str(docs))).nav
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    docs = ROOT / "docs"
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    there = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    shown = list(leaves(filled(nav, docs)))
    assert set(shown) == there
    assert len(shown) == len(there)


def test_pages_stand_behind_their_overview_by_name(tmp_path: Path) -> None:
    (tmp_path / "attacks").mkdir()
    for name in ("key-star", "key"):
        (tmp_path / "attacks" / f"{name}.md").touch()
    nav = filled([{"Home": "index.md"}, {"More": [{"Attacks": "attacks.md"}]}], tmp_path)
    behind = [{"Overview": "attacks.md"}, {"key": "attacks/key.md"}, {"key-star": "attacks/key-star.md"}]
    assert nav == [{"Home": "index.md"}, {"More": [{"Attacks": behind}]}]
