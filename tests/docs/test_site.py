"""The site's navigation leads to every page, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from docs.generator.site import on_config, on_page_markdown, paper_pages
from tests.docs.markdown import PAGES, ROOT


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
    there |= {page for page in paper_pages() if page.endswith(".md")}
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


@pytest.mark.parametrize(
    ("in_the_repository", "on_the_site"),
    [
        ("[zoo](../../docs/zoo.md#names)", "[zoo](../../zoo.md#names)"),
        ("[a](../papers/pages/attacks.md)", "[a](papers/pages/attacks.md)"),
        ("[a](../../papers/pages/attacks.md)", "[a](../papers/pages/attacks.md)"),
        ("[r](../docs/rules.md) and [s](pages/rules.md)", "[r](../rules.md) and [s](pages/rules.md)"),
    ],
)
def test_links_between_docs_and_papers_hold_in_both_places(in_the_repository: str, on_the_site: str) -> None:
    assert on_page_markdown(in_the_repository) == on_the_site


LINK = re.compile(r"\]\(([^)#\s]+)[^)\s]*\)")


@pytest.mark.parametrize("page", [page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_link_leads_to_a_file_of_the_repository(page: str) -> None:
    folder = (ROOT / page).parent
    links = LINK.findall((ROOT / page).read_text("utf-8"))
    assert [link for link in links if ":" not in link and not (folder / link).exists()] == []
