"""The numbers about attacks are those of the kept results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def kept(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_bytes())


def said(page: str) -> str:
    return " ".join((ROOT / "docs" / f"{page}.md").read_text("utf-8").split())


def test_how_weak_the_stand_in_for_a_masked_language_model_is_stands_on_the_page() -> None:
    found = kept("masked-model")
    page = said("attacks")
    assert f"trained on {found['settings']['texts']:,} film reviews" in page
    first, ten = (100 * found[f"top_{most}_accuracy"] for most in (1, 10))
    assert (
        f"its perplexity is {found['held_out_perplexity']}, and the hidden token is the likeliest at {first:.1f} % of "
        f"the places and among the ten likeliest at {ten:.1f} %" in page
    )
