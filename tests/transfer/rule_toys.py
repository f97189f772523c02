"""Twenty sentences, and victims that tell what they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from tests.toys import BagOfWords, word_weights

from unfool import zoo
from unfool.data import Dataset, load
from unfool.engine import Answers, Later, PendingAnswers
from unfool.errors import VictimError
from unfool.victims import Input, StringRows
from unfool.zoo.fronts import make_front

SENTENCES = """
a good film with a great cast and a fine plot
the plot is dull and the acting is awful
an awful movie , bad from start to end
big laughs and a big heart make it a fine picture
the picture is bad , the story is worse
we loved the brilliant story and the brilliant song
the story drags on and on , a boring mess
a funny , funny film that never gets dull
a quick and happy ride for the whole family
poor acting and a poor script kill every laugh
it makes you think , and it makes you laugh
a sad , slow and silly piece of work
the song at the end is a great moment
nothing happens , and nothing matters
a smart script with a strong cast
the film is a long , cold bore
hard to watch and hard to love
an old tale told with new charm
too loud , too long , too stupid
a warm and lovely little picture
""".strip().split("\n")
LABELS = [1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1]
WORDS = sorted(
    {word for line in SENTENCES for word in line.split()} | {"beneficial", "sorry", "movie", "dear", "vocal"}
)


def corpus(
    folder: Path, sentences: Sequence[str] = tuple(SENTENCES), labels: Sequence[int] = tuple(LABELS)
) -> Dataset:
    path = folder / "corpus.jsonl"
    rows = zip(sentences, labels, strict=True)
    path.write_text("".join(f'{{"text": "{text}", "label": "{("neg", "pos")[label]}"}}\n' for text, label in rows))
    return load(str(path))


class Linear(BagOfWords):
    """Adds up a weight a word and class, and tells the sums themselves."""

    def __init__(self, scale: float) -> None:
        super().__init__(2, scale)
        self.labels = ("neg", "pos")

    def __repr__(self) -> str:
        return f"Linear({self._scale})"

    def logits(self, string: str) -> NDArray[np.float64]:
        words = string.split()
        return np.asarray(self._scale * np.array([word_weights(word, 2) for word in words or ("",)]).sum(axis=0))

    def launch_logits(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        values = [self.logits(rows.inputs[number][0]) for number in chosen.tolist()]
        return Later.of(Answers(np.array(values, dtype=np.float32).reshape(-1, 2), {}))


class Counting(BagOfWords):
    """Counts the texts it is asked about; gives no logits."""

    def __init__(self) -> None:
        super().__init__(2)
        self.labels, self.seen = ("neg", "pos"), list[Input]()

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        self.seen += inputs
        return super().probabilities(inputs)


def toy_net(seed: int = 0) -> zoo.NetVictim:
    """A tiny word CNN with random weights."""
    torch.manual_seed(seed)
    net = zoo.make_net("KimCNN", make_front("Vectors", rows=len(WORDS) + 2, dimensions=8), 2, filters=6).eval()
    with torch.no_grad():
        for weights in net.parameters():
            weights.mul_(2.5)
    return zoo.NetVictim(net, zoo.WordVocabulary(WORDS), ("neg", "pos"), name=f"zoo:toy-{seed}", device="cpu")
