"""The audit of a model: which word replacements flip it, as a page for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.report._contents import Contents
from unfool.report._write import refuse_other_files, write_contents
from unfool.rules import Audit, MiningSettings, find_biases, opened_mining
from unfool.stats import Rate


def audit(
    victim: str | Predictor,
    data: str | Dataset,
    out: str | Path,
    *,
    most: int = 25,
    support: int = 2,
    **settings: Unpack[MiningSettings],
) -> Audit:
    """Find the word replacements that flip a model, and write a page that says which of them the data accounts for.

    The victim needs to give predictions only. All rules are tried in all texts; `unfool.rules.find_biases` says how
    those that flip it are judged.

    Args:
        victim: The model, by name or opened.
        data: The texts it was trained on, or like those, by name or loaded.
        out: The page to write. What is done so far lies beside it, in a folder of the same name with ``.parts``.
        most: How many words to report for each of the five explanations.
        support: Rules with fewer places where the model is right are left out.
        settings: See `unfool.rules.mine_rules`.
    """
    target = Path(out)
    if target.is_dir():
        raise UserError(f"{target} is a folder; name the page to write, such as {target / 'audit.html'}")
    refuse_other_files(target)
    settings.setdefault("split", None)
    settings.setdefault("n", 1000)
    with opened_mining([victim], data, target.with_name(target.name + ".parts"), **settings) as mined:
        found = find_biases(mined, most, support)
        write_contents(Contents(audits=[_to_json(found)]), target)
        mined.parts.remove()
    return found


def _to_json(found: Audit) -> dict[str, Any]:
    figures = found.figures
    return {
        "name": f"audit of {found.victim}",
        **found.to_json(),
        "right_before": Rate(figures.right, figures.answered).to_dict(),
        "flipped_of_right": Rate(figures.flipped, figures.right).to_dict(),
    }
