"""BLEU of the zoo's translators on test sets, with sacrebleu's signatures.

``python -m unfool_papers.scripts.translators [NAME …]``: of the translators named, or of all that are trained, on
multi30k's three test sets, the newstest of wmt_small and WMT22's test set. Of training data, only those at hand are
needed; a test set that is not there is left out. What came of it is in ``results/translators.json``; translators of
other calls stay there. The table of all is printed last: it stands in ``docs/translators.md``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from unfool.data import ANSWERS, Absent, Dataset, load
from unfool.generation import Generator, Output, corpus_bleu, open_generator
from unfool.zoo import translators
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results" / "translators.json"


_TRAINING = ("bleu", "epoch", "epochs", "seconds", "device")
"""What is told of a training; older ones do not know their device."""


class TestSet(NamedTuple):
    """A test set, and the name it is known by."""

    told: str
    data: str
    split: str


SETS = (
    TestSet("multi30k, test 2016", "multi30k", "test"),
    TestSet("multi30k, test 2017", "multi30k", "test_2017"),
    TestSet("multi30k, test 2018", "multi30k", "test_2018"),
    TestSet("wmt_small, newstest", "wmt_small_en_de", "test"),
    TestSet("WMT22", "wmt22_en_de", "test"),
)


def measure(model: Generator, pairs: Dataset) -> dict[str, Any]:
    """Translate a test set and return BLEU with its interval, signature and speed; no output counts as empty."""
    began = time.perf_counter()
    outputs = [output.text if isinstance(output, Output) else "" for output in model.generate(pairs.column(0))]
    seconds = time.perf_counter() - began
    bleu = corpus_bleu(outputs, pairs.column(1))
    return {
        "sentences": len(outputs),
        "BLEU": round(bleu.score, 1),
        "interval": [round(bleu.low, 1), round(bleu.high, 1)],
        "signature": bleu.signature,
        "sentences per second": round(len(outputs) / seconds, 1),
        "device": str(model.device),
    }


def table(found: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    """Return BLEU of each translator on each test set, with its interval."""
    sets = [each.told for each in SETS]
    rows = [
        [f"`{name.removeprefix('zoo:')}`", *(_bleu(by_set.get(told)) for told in sets)]
        for name, by_set in found.items()
    ]
    return Table("BLEU of the zoo's translators", ("translator", *sets), rows)


def _bleu(measured: Mapping[str, Any] | None) -> str:
    if measured is None:
        return "–"
    low, high = measured["interval"]
    return f"{measured['BLEU']} [{low}, {high}]"


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", help="such as zoo:NMT-LSTM@multi30k; all that are trained if none is given"
    )
    names = parser.parse_args().names or [str(named) for named in translators.trained()]
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    for name in names:
        model = open_generator(name)
        found = kept.setdefault(name, {})
        if translators.is_translator(name):
            trained = translators.training(translators.parse(name))
            found["training"] = {key: trained[key] for key in _TRAINING if key in trained}
        for told, data, split in SETS:
            try:
                pairs = load(data, split=split, text="en", pair="de", label=ANSWERS)
            except Absent as absent:
                print(f"{told} left out: {absent}")
                continue
            found[told] = measure(model, pairs)
            print(name, told, found[told], flush=True)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(markdown(table(kept)))


if __name__ == "__main__":
    main()
