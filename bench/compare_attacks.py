"""All attacks on the same film reviews against three victims: what they fool, and what that takes.

``python -m bench.compare_attacks`` carries out what is not done yet (a folder of runs, ``--folder``; it may be
stopped and called again), keeps the figures in ``results/attacks-compared.json`` and writes them into
``docs/attacks-compared.md`` with its picture. Victims: a net of the zoo, MiniLM fine-tuned, and VADER, a rule-based
classifier that nobody here trained. Every attack has the same budget of queries; MiniLM gets fewer sentences and
queries, since one of its answers costs as much as thirty of the others'. What a victim does not offer (gradients,
attention) is not asked of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from docs.generator.compared import KEPT, write_page

import unfool
from bench.cpu import DATA, minilm_folder
from unfool import resources
from unfool.attacks import find_attack
from unfool.engine import OUT_OF_QUERIES, Budget
from unfool.errors import UserError
from unfool.options import Options
from unfool.runs import Run, Runs
from unfool.victims import as_victim, require


class Victim(NamedTuple):
    """A victim, and what it is asked."""

    spec: Callable[[], str]
    sentences: int
    queries: int


VICTIMS: Mapping[str, Victim] = {
    "word CNN": Victim(lambda: f"zoo:WordCNN@{DATA}", 200, 1000),
    "VADER": Victim(lambda: "py:unfool.victims.vader:probabilities", 200, 1000),
    "MiniLM": Victim(lambda: f"hf:{minilm_folder()}", 10, 100),
}
FAMILIES: Mapping[str, Sequence[str]] = {
    "characters": (
        "deepwordbug",
        "textbugger",
        "pruthi",
        "charmer",
        "bad-characters",
        "encodings",
        "viper",
        "best-of-n",
        "typos",
        "noise",
        "key",
        "key-star",
    ),
    "words": (
        "pwws",
        "textfooler",
        "greedy-synonym",
        "kuleshov:surprise=none",
        "beam",
        "best-first",
        "hard-label",
        "list",
        "random",
        "morpheus",
        "tack-on",
        "strongest-swap",
        "checklist",
    ),
    "populations": ("ga", "pso", "leap", "iga", "faster-genetic:surprise=none"),
    "the net": (
        "hotflip-word",
        "jsma",
        "a2t",
        "triggers",
        "gs-gr",
        "gs-ec",
        "asmin-gr",
        "asmax-gr",
        "asmin-ec",
        "asmax-ec",
    ),
    # These take the longest by far, so they come last.
    "a masked language model": ("bert-attack", "bae", "clare"),
}
LEFT_OUT: Mapping[str, str] = {
    "gcg": "a suffix for language models and guards",
    "random-search": "a suffix for language models and guards",
    "hotflip": "for nets that read characters",
    "hotflip-exact": "for nets that read characters",
    "seq2sick": "for translators",
    "input-reduction": "fools nobody: it shows what a victim needs",
}
"""Attacks that are no rivals of the others here."""


def attack(name: str, folder: Path) -> None:
    """Attack a victim by all that can; what was stopped goes on."""
    spec, sentences, queries = VICTIMS[name]
    victim = as_victim(spec(), Options(device="cpu"))
    unfool.attack_all(
        victim,
        DATA,
        [attack for attacks in FAMILIES.values() for attack in attacks if _can(victim, attack)],
        folder,
        split="test",
        n=sentences,
        budget=Budget(queries=queries),
        resume=True,
        similarity=True,
        progress=False,
    )


def told(name: str, folder: Path) -> dict[str, Any]:
    """Return the figures of each attack that is done, and of all together."""
    runs = Runs.open(folder)
    finished = [each for each in runs.by_attack if (runs[each].folder / "summary.json").exists()]
    done = Runs(folder, {each: runs[each] for each in finished})
    family = {attack: kind for kind, attacks in FAMILIES.items() for attack in attacks}
    return {
        "victim": name,
        "sentences": VICTIMS[name].sentences,
        "queries": VICTIMS[name].queries,
        "attacks": [{"attack": each, "family": family[each], **_figures(done[each])} for each in done.by_attack],
        "worst": {
            "attacks": len(done),
            "accuracy": done.worst.accuracy.to_dict(),
            "success": done.worst.success_rate.to_dict(),
        },
    }


def _can(victim: Any, attack: str) -> bool:
    try:
        require(victim, find_attack(attack).needs, attack)
    except UserError:
        return False
    return True


def _figures(run: Run) -> dict[str, Any]:
    found = run.summary
    return {
        "clean": found.clean_accuracy.to_dict(),
        "success": found.success_rate.to_dict(),
        "queries": found.success_queries_median,
        "queries of all": found.queries_mean,
        "words": found.words_changed,
        "characters": found.characters_changed,
        "similarity": found.similarity,
        "out of queries": found.failures.get(OUT_OF_QUERIES, 0),
        "errors": found.errors,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--victims", nargs="*", default=list(VICTIMS), choices=list(VICTIMS))
    parser.add_argument(
        "--folder", type=Path, default=resources.cache_root() / "studies" / "attacks-compared", help="of the runs"
    )
    parser.add_argument("--tell", action="store_true", help="attack no more: only tell what is done")
    given = parser.parse_args()
    torch.set_num_threads(1)
    kept: dict[str, Any] = {"data": DATA, "victims": []}
    if KEPT.exists():
        kept = json.loads(KEPT.read_text("utf-8"))
    for name in given.victims:
        folder = given.folder / name.replace(" ", "-")
        if not given.tell:
            attack(name, folder)
        made = told(name, folder)
        kept["victims"] = [each for each in kept["victims"] if each["victim"] != name] + [made]
        kept["victims"].sort(key=lambda each: list(VICTIMS).index(each["victim"]))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        write_page()


if __name__ == "__main__":
    main()
