"""Mining rules: the share of the ensemble's raw forward rate it reaches, on a CPU or a GPU, in one run.

``python -m bench.rules`` mines with the zoo's word CNN and BiLSTM over rotten_tomatoes; ``--victims``, ``--data``,
``--n``, ``--dtype`` and ``--workers`` choose otherwise, and on a GPU several processes share the work. The limit of
an ensemble is what its nets alone do, one after the other, on full batches of the data's own texts without padding.
Two figures come of it: *useful*, replacements and texts answered about each second over the limit, which asking
equal rows once may lift above what the nets do; and *busy*, the share of the time that the rows really asked would
take the nets alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from unfool import data as data_room
from unfool.rules import PlacedSample, ScoringModels, StretchTrial, mine_into, replacements
from unfool.text import Sample
from unfool.victims import EncodedVictim, Options, open_victim
from unfool.victims.tokens import whole_batch

VICTIMS = ("zoo:WordCNN@rotten_tomatoes", "zoo:BiLSTM-W-GloVe-1@rotten_tomatoes")
_LOOKED_AT = 1000


def raw_rate(victim: EncodedVictim, samples: list[Sample], repeats: int = 5) -> float:
    """Return the texts a second the net alone does on full batches, at ten lengths spread over what is asked."""
    encoder, packing = victim.encoder, victim.packing
    texts = encoder.whole([sample.text.strings for sample in samples])
    lengths = np.array([len(text.tokens) + len(encoder.suffix) for text in texts])
    # A text is asked about as often as it has replacements.
    asked = np.sort(np.repeat(lengths, [len(replacements(sample.text).variants) for sample in samples]))

    def now() -> float:
        if victim.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    seconds_a_text = []
    with torch.inference_mode():
        for share in np.linspace(0.05, 0.95, 10):
            length = asked[int(share * (len(asked) - 1))]
            alike = [text for text, own in zip(texts, lengths, strict=True) if own == length]
            count = max(1, packing.tokens // max(int(length), packing.shortest))
            rows = [alike[number % len(alike)] for number in range(count)]
            batch = whole_batch(rows, encoder, victim._pad, packing.shortest, victim.device)
            victim.logits(batch, full=False)
            start = now()
            for _ in range(repeats):
                victim.logits(batch, full=False)
            seconds_a_text.append((now() - start) / repeats / count)
    return 1 / float(np.mean(seconds_a_text))


def steady(folder: Path, texts: int) -> float:
    """Return the texts a second over the last three quarters, when all workers are there, by the files' times."""
    times = sorted(path.stat().st_mtime for path in folder.glob("*.parquet"))
    first = len(times) // 4
    return (len(times) - 1 - first) * texts / len(times) / max(times[-1] - times[first], 1e-9)


def device_name(net: EncodedVictim) -> str:
    return torch.cuda.get_device_name() if net.device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--victims", nargs="+", default=VICTIMS)
    parser.add_argument("--data", default="rotten_tomatoes")
    parser.add_argument("--n", type=int, default=512, help="texts to mine")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path, help="write the figures as JSON, too")
    given = parser.parse_args()
    options = Options(given.device, given.dtype)
    source = data_room.load(given.data, split="train")
    chosen = source.sample(given.n, 1)
    opened = [open_victim(name, options) for name in given.victims]
    nets = [net for net in opened if isinstance(net, EncodedVictim)]
    assert len(nets) == len(opened), "only nets have a forward rate"
    warm_up = list(source.sample(128, 2))
    models = ScoringModels(nets, source.labels)
    StretchTrial(models, [PlacedSample(n, sample) for n, sample in enumerate(warm_up)]).result()
    looked_at = list(chosen.sample(_LOOKED_AT, 0))
    before = [raw_rate(net, looked_at) for net in nets]
    in_this_process = given.workers == 1 or (given.workers is None and nets[0].device.type == "cpu")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "parts"
        start = time.perf_counter()
        mined = mine_into(
            nets if in_this_process else given.victims, chosen, folder, options=options, workers=given.workers
        )
        seconds = time.perf_counter() - start
        told = mined.figures
        pace = told.texts / seconds if in_this_process else steady(folder, told.texts)
        start = time.perf_counter()
        rules = len(mined.book())
        reading = time.perf_counter() - start
    # Before and after: machines are noisy, and the middle is what there was meanwhile.
    after = [raw_rate(net, looked_at) for net in nets]
    rates = {repr(net): (a + b) / 2 for net, a, b in zip(nets, before, after, strict=True)}
    limit = 1 / sum(1 / rate for rate in rates.values())
    asked = told.replacements + told.texts
    distinct = sum(_distinct(models, looked_at, rates)) * told.texts / len(looked_at)
    figures = {
        "victims": list(rates),
        "device": device_name(nets[0]),
        "dtype": given.dtype,
        "texts": told.texts,
        "replacements": told.replacements,
        "rules": rules,
        "raw rate of each/s": {name: round(rate) for name, rate in rates.items()},
        "limit/s": round(limit),
        "asked/s": round(asked / seconds),
        "useful share %": round(100 * asked / seconds / limit, 1),
        "useful share, steady %": round(100 * asked / told.texts * pace / limit, 1),
        "busy share %": round(100 * distinct / seconds, 1),
        "seconds": round(seconds, 1),
        "seconds for the book": round(reading, 1),
        "all of the data, minutes": round((len(source) / pace + reading) / 60, 1),
    }
    print(json.dumps(figures, indent=1))
    if given.out:
        given.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _distinct(models: ScoringModels, samples: list[Sample], rates: dict[str, float]) -> list[float]:
    """Return the seconds each net alone would take for the distinct rows of some texts."""
    found = []
    for net, rate in zip(models.victims, rates.values(), strict=True):
        rows = 0
        for start in range(0, len(samples), 128):
            keys = net.rows([replacements(sample.text).variants for sample in samples[start : start + 128]]).keys
            rows += len(np.unique(keys))
        found.append(rows / rate)
    return found


if __name__ == "__main__":
    main()
