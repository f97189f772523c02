"""How much of a net's own speed the white-box attacks and the genetic attack reach, on a CPU or a GPU.

``python -m bench.attacks --sentences FILE [--tokenizer FOLDER] [--device cuda]``; the table comes last. FILE holds
English sentences, one a line; a few are joined to a text where an attack's paper has longer ones. Nets have the
sizes of the zoo's catalogue, or MiniLM's, and fresh weights, since only the shape matters for speed; their own
answers serve as gold labels, so that every text is attacked.

*Share*: the seconds an ideal loop would need for the very same questions, over the seconds the attack took. The
ideal loop does nothing but forward passes, and forward and backward passes where a gradient was asked for, on full
batches of texts of like length, in the batch size that is fastest; right before and right after the attack its
speed is taken, on texts the attack asked about. *Once*: the same for a loop that never runs a text twice: where
both the answer and the gradient were asked for, one forward and backward pass gives both. A check counts as a
forward pass.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch

from bench._common import (
    LengthRecorder,
    Measured,
    in_workers,
    labelled,
    now,
    print_table,
    raw_rate,
    run_unfool,
    warm_up_and_rest,
)
from bench._net_alone import Asked, Speed
from bench.gpu import VOCABULARY, save_shape
from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import Status
from unfool.victims import Transformer
from unfool.victims.tokens import EncodedVictim
from unfool.zoo import CATALOGUE, NetRecipe, NetVictim
from unfool.zoo.encoders import encoder_from_texts
from unfool.zoo.fronts import make_front
from unfool.zoo.nets import make_net

MINILM = "MiniLM-shaped"
WHITE_BOX = {"hotflip": ("CharCNN-LSTM-Adam", 2, 0.003), "jsma": ("CS229-LSTM", 12, 0.3)}
"""Attack: the net its paper has, how many sentences make a text as long as its paper's, and the net's lead."""
_AT_ONCE = {"hotflip": 10, "jsma": 1}
"""Texts asked about in a step: gradients asked for with the answers of a step that fools are in vain."""
GA_LEAD = 0.1
SMALL_NETS = ("WordCNN", "BiLSTM-W-GloVe-1")
Row = dict[str, object]


def save_net(name: str, sentences: Sequence[str], folder: Path, lead: float = 0.0) -> Path:
    """Save a net of the catalogue's sizes with fresh weights; what it reads is taken from the sentences.

    With a ``lead`` it says the same of all texts, the surer the larger, so that they do not fall at once.
    """
    recipe = CATALOGUE[name].recipe
    assert isinstance(recipe, NetRecipe)
    torch.manual_seed(0)
    encoder = encoder_from_texts(recipe.encoder, sentences, recipe.max_length)
    front = make_front(recipe.front, rows=len(encoder), dimensions=recipe.dimensions)
    net = make_net(recipe.net, front, 2, **recipe.sizes)
    net.read_out.bias.data = torch.tensor([lead, 0.0])
    zoo.save(folder, net, encoder, ("negative", "positive"), {"data": "none", "seed": 0})
    return folder


def white_box(attack: str, sentences: Sequence[str], given: argparse.Namespace, folder: Path) -> list[Row]:
    """Attack one net by its gradients, and set the seconds beside those of the net alone."""
    name, joined, lead = WHITE_BOX[attack]
    count = getattr(given, attack) + given.warm_up
    if count * joined > len(sentences):
        raise SystemExit(f"{count} texts for {attack} take {count * joined} sentences; there are {len(sentences)}")
    lines = [" ".join(sentences[n * joined : (n + 1) * joined]) for n in range(count)]
    opening = partial(open_net, save_net(name, sentences, folder / name, lead), given.device)
    victim, recipe = opening(), find_attack(attack)
    samples = labelled(victim, lines)
    warm_up, rest = warm_up_and_rest(samples, given.warm_up)
    alone = rest[: given.alone]
    warming = Asked(victim)
    run_unfool(victim, warm_up, recipe, given.width)
    before = Speed.of(victim, warming.stop())
    asked, start = Asked(victim), now(victim)
    measured = run_unfool(victim, alone, recipe, given.width)
    seconds = now(victim) - start
    after = Speed.of(victim, asked.stop())
    forward, both = np.mean([before, after], axis=0).tolist()
    slopes_an_answer = min(1.0, len(asked.texts) / asked.rows)
    rows = []

    def report(how: str, measured: Measured, seconds: float) -> None:
        queries, checks = (sum(getattr(o, kind) for o in measured.outcomes) for kind in ("queries", "checks"))
        fooled = sum(outcome.status is Status.SUCCESS for outcome in measured.outcomes)
        slopes = max(0.0, queries * slopes_an_answer - fooled * _AT_ONCE[attack])
        rows.append(
            {
                **_about(attack, name, how, measured, seconds),
                "forward/s": round(1 / forward),
                "both/s": round(1 / both),
                "gradients/s": round(slopes / seconds),
                "share %": _percent((queries + checks) * forward + slopes * both, seconds),
                "once %": _percent(max(0.0, queries + checks - slopes) * forward + slopes * both, seconds),
            }
        )
        print(rows[-1], flush=True)

    report("1 process", measured, seconds)
    torch.cuda.empty_cache()  # the net's limit is taken in huge batches, and the workers need what they took
    for crew in given.workers:
        width = given.width * crew
        told = in_workers(opening, attack, warm_up, rest, crew, width, shared=False)
        report(f"{crew} workers", told, told.seconds)
    return rows


def genetic(
    name: str, opening: Callable[[], EncodedVictim], sentences: Sequence[str], given: argparse.Namespace
) -> list[Row]:
    """Breed texts against one victim, and set the texts asked beside those its net alone answers."""
    victim, recipe = opening(), find_attack("ga")
    count = given.ga if name == MINILM else given.ga_nets
    samples = labelled(victim, sentences[: count + given.warm_up])
    warm_up, rest = warm_up_and_rest(samples, given.warm_up)
    alone = rest[: given.alone]
    run_unfool(victim, warm_up, recipe, given.width)
    recorder, start = LengthRecorder(victim), now(victim)
    measured = run_unfool(victim, alone, recipe, given.width)
    seconds = now(victim) - start
    lengths = recorder.stop()
    limit = max(raw_rate(victim, lengths, min(VOCABULARY, len(victim.vocabulary)), clock=now) for _ in range(3))
    rows = []

    def report(how: str, measured: Measured, seconds: float) -> None:
        rows.append(
            {
                **_about("ga", name, how, measured, seconds),
                "limit/s": round(limit),
                "asked/s": round(measured.asked / seconds),
                "share %": _percent(measured.asked / limit, seconds),
            }
        )
        print(rows[-1], flush=True)

    report("1 process", measured, seconds)
    del victim
    for crew in given.workers:
        told = in_workers(opening, "ga", warm_up, rest, crew, given.width * crew)
        report(f"{crew} workers and a server", told, told.seconds)
    return rows


def _about(attack: str, victim: str, how: str, measured: Measured, seconds: float) -> Row:
    return {
        "attack": attack,
        "victim": victim,
        "how": how,
        "texts": len(measured.outcomes),
        "texts/s": round(len(measured.outcomes) / seconds, 2),
        "success %": round(measured.success, 1),
        "queries a text": round(measured.queries, 1),
        "queries/s": round(sum(outcome.queries for outcome in measured.outcomes) / seconds),
    }


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1)


def open_net(folder: Path, device: str) -> NetVictim:
    return zoo.load(folder, device=device)


def open_minilm(folder: Path, device: str) -> Transformer:
    return Transformer(str(folder), device=device, dtype="bf16" if device == "cuda" else "fp32")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=Path, required=True, help="a file of sentences, one a line")
    parser.add_argument("--tokenizer", type=Path, help="a folder with a BERT tokenizer; without it no MiniLM")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--attacks", nargs="*", default=[*WHITE_BOX, "ga"])
    parser.add_argument("--hotflip", type=int, default=12, help="texts")
    parser.add_argument("--jsma", type=int, default=200, help="texts")
    parser.add_argument("--ga", type=int, default=8, help="texts for MiniLM")
    parser.add_argument("--ga-nets", type=int, default=100, help="texts for each of the small nets")
    parser.add_argument("--alone", type=int, default=1000, help="the most texts for one process")
    parser.add_argument("--warm-up", type=int, default=2, help="texts attacked before the clock starts")
    parser.add_argument("--width", type=int, default=256, help="texts in flight in each process")
    parser.add_argument("--workers", type=int, nargs="*", default=[], help="also with so many processes")
    given = parser.parse_args()
    sentences = given.sentences.read_text(encoding="utf-8").split("\n")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for attack in (attack for attack in WHITE_BOX if attack in given.attacks):
            rows += white_box(attack, sentences, given, folder)
        if "ga" in given.attacks:
            for name in SMALL_NETS:
                net = save_net(name, sentences, folder / name, GA_LEAD)
                rows += genetic(name, partial(open_net, net, given.device), sentences, given)
            if given.tokenizer:
                minilm = save_shape(MINILM, given.tokenizer, folder / MINILM)
                rows += genetic(MINILM, partial(open_minilm, minilm, given.device), sentences, given)
    written = {
        "command": " ".join(sys.argv),
        "threads": torch.get_num_threads(),
        "load": os.getloadavg(),
        "rows": rows,
    }
    out = (
        Path(os.environ.get("OUT", "results")) / f"bench-attacks-{'gpu' if given.device == 'cuda' else 'cpu'}.json"
    )
    out.write_text(json.dumps(written, indent=1) + "\n")
    for attacks in (WHITE_BOX, ("ga",)):
        if shown := [row for row in rows if row["attack"] in attacks]:
            print_table(shown)


if __name__ == "__main__":
    main()
