"""What the golden set is made of: every family of attack, a transfer study, rules, an evaluation, a hardening."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.golden import calls
from tests.golden.calls import Data, Limits, Record
from tests.golden.texts import LABELS, PAIRS, REVIEWS, task
from tests.golden.victims import even_weights, save_bert

ONE, TWO, THREE, TURNED, MOODS = (
    f"py:tests.golden.victims:{name}" for name in ("one", "two", "three", "turned", "moods")
)
SMALL_GA = "population=8,generations=4"


class Attacked(NamedTuple):
    """A run of the golden set."""

    name: str
    victim: str
    """The name of a function, or of a net in the workshop."""
    attack: str
    limits: Limits = Limits()
    edit: str | None = None
    """Of pairs, the text that may change; both where ``both``; None for reviews."""


RUNS = (
    Attacked("greedy-synonym", ONE, "greedy-synonym", Limits(queries=25)),
    Attacked("pwws", ONE, "pwws"),
    Attacked("pwws-pairs", ONE, "pwws:variant=released", edit="pair"),
    Attacked("pwws-queries", TWO, "pwws:variant=adjusted,same_pos=false", Limits(queries=80)),
    Attacked("pwws-constrained", ONE, "pwws", Limits(constrain="words<=0.25,pos,stop-words,similarity>=0.7")),
    Attacked("pwws-labels-crossed", TURNED, "pwws"),
    Attacked("pwws-ensemble", f"ensemble:{ONE}+{TWO}+{THREE}", "pwws"),
    Attacked("textfooler", TWO, "textfooler"),
    Attacked("textfooler-released", ONE, "textfooler:variant=released"),
    Attacked("textfooler-pairs", THREE, "textfooler:variant=adjusted,similarity=0.5,short=skip", edit="both"),
    Attacked(
        "textfooler-target", MOODS, "textfooler:compare=original,tags=penn,random_share=0.9", Limits(target="calm")
    ),
    Attacked("ga", THREE, f"ga:{SMALL_GA}", Limits(seed=3)),
    Attacked("ga-target-words", MOODS, f"ga:{SMALL_GA}", Limits(target="sad", words=0.3)),
    Attacked("ga-pairs", ONE, f"ga:substitutes=counter-fitted,nearest=5,{SMALL_GA}", Limits(queries=120), "pair"),
    Attacked("list", TWO, "list", Limits(constrain="word-similarity>=0.6,grammar")),
    Attacked("random", THREE, "random:trials=20", Limits(seed=5)),
    Attacked("random-pairs", TWO, "random:trials=20", edit="both"),
    Attacked("key", ONE, "key:budget=0.2", Limits(characters=0.1)),
    Attacked("key-star-sure", TWO, "key-star:draws=3,budget=0.2", Limits(confidence=0.8, seed=1)),
    Attacked("key-star-constrained", "{cnn}", "key-star", Limits(constrain="characters<=0.08,not-in-vocabulary")),
    Attacked("hotflip", "{letters}", "hotflip"),
    Attacked(
        "hotflip-greedy", "{letters}", "hotflip:width=1,operations=flips,score=loss,budget=0.3", Limits(words=0.3)
    ),
    Attacked("hotflip-pairs", "{letters of pairs}", "hotflip:per_word=2", Limits(queries=200), "pair"),
    Attacked("hotflip-exact", "{letters}", "hotflip-exact:width=1,operations=flips,budget=0.03"),
    Attacked("hotflip-word", "{cnn}", "hotflip-word:cosine=0.4"),
    Attacked("hotflip-word-best", "{attentive}", "hotflip-word:cosine=0.3,positions=best,width=1,flips=3"),
    Attacked("jsma", "{cnn}", "jsma"),
    Attacked("jsma-cosine", "{bert}", "jsma:projection=cosine,most=3"),
    Attacked("jsma-pairs", "{attentive to pairs}", "jsma:most=5", edit="pair"),
    Attacked("asmin-gr", "{bert}", "asmin-gr:layer=-1,head=0"),
    Attacked("asmax-gr-pairs", "{attentive to pairs}", "asmax-gr", edit="pair"),
    Attacked("asmin-ec", "{attentive}", "asmin-ec:candidates=30,marks=false"),
    Attacked("asmax-ec-pairs", "{bert}", "asmax-ec:candidates=30,row=column_mean", edit="both"),
    Attacked("gs-gr", "{bert}", "gs-gr:order=best,candidates=60", Limits(queries=90)),
    Attacked("gs-ec", "{cnn}", "gs-ec:candidates=30"),
    Attacked("gs-gr-pairs", "{attentive to pairs}", "gs-gr", edit="pair"),
    Attacked("pwws-fuse", "fuse[words=2]:{cnn}", "pwws", Limits(eot=2)),
    Attacked("list-five", "five:{bert}", "list", Limits(eot=2)),
)
SWAPS = ("tack-on", "strongest-swap:n=3", "strongest-swap:n=2,replacement=strongest")
"""Attacks by a Naive Bayes, which is trained on the reviews first."""

HARDENING = ("adversarial:attack=greedy-synonym", "fact:words=2", "miyato")


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
        """Return a run's texts, labelled as the victim has them, but for one that it has wrong."""
        texts: calls.Texts = REVIEWS if run.edit is None else PAIRS
        edit = None if run.edit == "both" else run.edit
        victim = self.victim(run.victim)
        names = sorted(calls.label_names(victim))
        labels = calls.right_labels(victim, texts)
        labels[1] = next(name for name in names if name != labels[1])
        return calls.data_of(texts, labels, names, edit)

    def attack(
        self, run: Attacked, *, width: int | None = None, out: Path | None = None, resume: bool = False
    ) -> Record:
        """Do a run, or go on with it, and return its record."""
        given = (self.victim(run.victim), self.data(run), run.attack, out or self.new(), run.limits)
        return calls.attack(*given, width=width, resume=resume)

    def attack_by_command(self, run: Attacked, *, workers: int) -> Record:
        """Do a run over reviews by the command line."""
        data, file = self.data(run), self.new().with_suffix(".csv")
        write_csv(file, [(sample.text.strings[0], data.labels[sample.label]) for sample in data])
        return calls.attack_by_command(
            self.victim(run.victim), file, run.attack, self.new(), run.limits, workers=workers
        )


def reviews(victim: str) -> Data:
    """Return the reviews labelled as a victim has them, but for one."""
    labels = calls.right_labels(victim, REVIEWS)
    labels[1] = next(name for name in LABELS if name != labels[1])
    return calls.data_of(REVIEWS, labels, LABELS)


def write_csv(file: Path, rows: list[tuple[str, str]]) -> Path:
    """Write texts with their labels."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("text", "label"))
        writer.writerows(rows)
    return file


def swaps(workshop: Workshop) -> Record:
    """Attack by a Naive Bayes that knows the reviews."""
    rows = [(text, label) for number in (1, 2) for text, label in task(60, number)]
    film_words = write_csv(workshop.folder / "film words.csv", rows)
    with calls.cache_of_its_own(workshop.new()):
        return {
            spec: calls.attack(
                ONE,
                reviews(ONE),
                f"{spec}{',' if ':' in spec else ':'}nb=zoo:NB@{film_words}",
                workshop.new(),
                Limits(),
            )
            for spec in SWAPS
        }


def transfer(workshop: Workshop) -> Record:
    """Craft on three victims, and try on all."""
    return calls.transfer_study([ONE, TWO, THREE], reviews(ONE), "pwws", workshop.new())


def rules(workshop: Workshop) -> Record:
    """Mine two victims."""
    out = workshop.new()
    out.mkdir()
    return calls.mine_rules([ONE, TWO], reviews(ONE), out)


def evaluation(workshop: Workshop) -> Record:
    """Evaluate one victim beside another."""
    return calls.evaluate_beside(ONE, TWO, reviews(ONE), ["greedy-synonym", "key-star"], workshop.new())


def hardened(workshop: Workshop) -> Record:
    """Harden a net in several ways on a task of its own."""
    folder = workshop.new()
    folder.mkdir()
    for seed, (split, count) in enumerate((("train", 160), ("validation", 20), ("test", 40)), start=1):
        write_csv(folder / f"{split}.csv", task(count, seed))
    victim = workshop.victim("{to train}")
    return {method: calls.harden_net(method, victim, folder, workshop.new()) for method in HARDENING}


OTHERS: dict[str, Callable[[Workshop], Record]] = {
    "naive-bayes-swaps": swaps,
    "transfer": transfer,
    "rules": rules,
    "evaluation": evaluation,
    "harden": hardened,
}


@contextmanager
def open_workshop() -> Iterator[Workshop]:
    """Make a workshop, and clear it away."""
    with TemporaryDirectory(prefix="golden-") as folder:
        yield Workshop(Path(folder))
