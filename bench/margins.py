"""How far bfloat16 moves what decides about a candidate: cosines of windows, and differences of log-perplexity.

``python -m bench.margins [--pairs 10000] [--texts 500]`` puts counter-fitted neighbours into film reviews
(rotten_tomatoes, UNFOOL_DATA), as TextFooler does, and asks MiniLM and SmolLM2 about them in both precisions. The
margins within which a search asks again at full precision are twice the largest errors found so.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from unfool import data
from unfool.attacks.parts.constrain import SHORT_TEXT, text_window
from unfool.attacks.parts.propose import neighbour_words
from unfool.lexicon.encoders import SentenceEncoder, sentence_encoder
from unfool.lexicon.language_model import LanguageModel, language_model
from unfool.text import Text

DATA = "rotten_tomatoes"
OUT = Path(__file__).parents[1] / "results" / "bench-margins.json"
_COUNT, _COSINE = 50, 0.5
_WORDS_A_TEXT, _NEIGHBOURS_A_WORD = 3, 6


class Change(NamedTuple):
    """A text, a word of it, and the text with another word there."""

    before: Text
    position: int
    after: Text


class Errors(NamedTuple):
    """How far half precision is off."""

    of: int
    largest: float
    one_in_a_thousand: float
    mean: float


def changes(seed: int = 0) -> Iterator[Change]:
    """Yield changes of the reviews in a drawn order, a few of each."""
    drawn = random.Random(seed)
    texts = [sample.text for sample in data.load(DATA, split="test")]
    for text in drawn.sample(texts, len(texts)):
        for position in drawn.sample(list(text.editable), min(_WORDS_A_TEXT, len(text.editable))):
            words = neighbour_words(text.words[position], _COUNT, _COSINE)
            for word in drawn.sample(words, min(_NEIGHBOURS_A_WORD, len(words))):
                yield Change(text, position, text.replace(position, word))


def cosines(encoder: SentenceEncoder, made: Sequence[Change]) -> NDArray[np.float64]:
    pairs = [
        (
            text_window(change.before, change.position, SHORT_TEXT),
            text_window(change.after, change.position, SHORT_TEXT),
        )
        for change in made
    ]
    strings = list(dict.fromkeys(string for pair in pairs for string in pair))
    vectors = dict(zip(strings, encoder.encode(strings).astype(np.float64), strict=True))
    return np.array([vectors[before] @ vectors[after] for before, after in pairs])


def rises(model: LanguageModel, made: Sequence[Change]) -> NDArray[np.float64]:
    pairs = [
        ("\n".join(change.before.editable_strings), "\n".join(change.after.editable_strings)) for change in made
    ]
    strings = list(dict.fromkeys(string for pair in pairs for string in pair))
    logs = dict(zip(strings, model.work_out(strings), strict=True))
    return np.array([logs[after] - logs[before] for before, after in pairs])


def errors(full: NDArray[np.float64], half: NDArray[np.float64]) -> Errors:
    off = np.abs(full - half)
    figures = (float(off.max()), float(np.quantile(off, 0.999)), float(off.mean()))
    return Errors(len(off), *(round(figure, 5) for figure in figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    made = list(islice(changes(), given.pairs))
    encoder, model = sentence_encoder("minilm"), language_model()
    if encoder.quick is encoder:
        raise SystemExit("this device is not fast in bfloat16, so a search stays in float32 here")
    some = made[:: max(1, len(made) // given.texts)][: given.texts]
    found = {
        "torch": torch.__version__,
        "cosines": errors(cosines(encoder, made), cosines(encoder.quick, made))._asdict(),
        "log-perplexities": errors(rises(model, some), rises(model.quick, some))._asdict(),
    }
    given.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
