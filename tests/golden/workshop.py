"""A folder with all that is attacked, and room for what comes of it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.golden import calls
from tests.golden.calls import Data, Record
from tests.golden.runs import Attacked
from tests.golden.texts import PAIRS, REVIEWS
from tests.golden.victims import even_weights, save_bert


class Net(NamedTuple):
    """A net of the zoo. The number its weights are made of is one with which it gives some texts either label."""

    kind: str
    reads: str
    number: int
    wide: float
    sizes: dict[str, Any]


NETS = {
    "cnn": Net("KimCNN", "words", 14, 3, {"filters": 6}),
    "attentive": Net("LSTMAttention", "words", 16, 12, {"units": 5, "hidden": 4}),
    "attentive to pairs": Net("LSTMAttention", "words", 19, 9, {"units": 5, "hidden": 4, "pair": True}),
    "lstm": Net("LSTM", "words", 29, 8, {"units": 6, "pool": "last"}),
    "letters": Net("LSTM", "char-words", 4, 8, {"units": 6}),
    "letters of pairs": Net("LSTMAttention", "characters", 12, 8, {"units": 5, "hidden": 4, "pair": True}),
    "to train": Net("KimCNN", "words", 0, 1, {"filters": 6}),
}
BERT_NUMBER, BERT_WIDE = 4, 5


class Workshop:
    """A folder with the nets that the golden set attacks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0
        for name, net in NETS.items():
            calls.save_net(
                folder / name, net.kind, net.reads, partial(even_weights, net.number, net.wide), **net.sizes
            )
        save_bert(folder / "bert", partial(even_weights, BERT_NUMBER, BERT_WIDE))
        self._named = {"bert": f"hf:{folder / 'bert'}", **{name: f"zoo:{folder / name}" for name in NETS}}

    def victim(self, name: str) -> str:
        """Return the name by which a victim is opened."""
        return name.format_map(self._named)

    def new(self) -> Path:
        """Return a path where nothing is yet."""
        self._count += 1
        return self.folder / f"work {self._count}"

    def data(self, run: Attacked) -> Data:
        """Return a run's texts, labelled as its victim has them, but for one."""
        if run.edit is None:
            return self.reviews(run.victim)
        return _labelled(self.victim(run.victim), PAIRS, None if run.edit == "both" else run.edit)

    def reviews(self, victim: str) -> Data:
        """Return the reviews, labelled as a victim has them, but for one."""
        return _labelled(self.victim(victim), REVIEWS)

    def attack(
        self, run: Attacked, *, width: int | None = None, out: Path | None = None, resume: bool = False
    ) -> Record:
        """Do a run, or go on with it, and return its record."""
        given = (self.victim(run.victim), self.data(run), run.attack, out or self.new(), run.limits)
        return calls.attack(*given, width=width, resume=resume)

    def attack_by_command(self, run: Attacked, *, workers: int) -> Record:
        """Do a run over reviews by the command line."""
        file = write_csv(self.new().with_suffix(".csv"), calls.rows_of(self.data(run)))
        given = (self.victim(run.victim), file, run.attack, self.new(), run.limits)
        return calls.attack_by_command(*given, workers=workers)


@contextmanager
def open_workshop() -> Iterator[Workshop]:
    """Make a workshop, and clear it away."""
    with TemporaryDirectory(prefix="golden-") as folder:
        yield Workshop(Path(folder))


def write_csv(file: Path, rows: Iterable[tuple[str, str]]) -> Path:
    """Write texts with their labels."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("text", "label"))
        writer.writerows(rows)
    return file


def _labelled(victim: str, texts: calls.Texts, edit: str | None = None) -> Data:
    """Label texts as a victim has them; of one, so that it is skipped, say otherwise."""
    names, labels = sorted(calls.label_names(victim)), calls.victims_labels(victim, texts)
    labels[1] = next(name for name in names if name != labels[1])
    return calls.data_of(texts, labels, names, edit)
