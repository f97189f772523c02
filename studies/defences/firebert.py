"""FireBERT's pieces: victims trained, texts made, and every victim judged and attacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from studies.defences.faults import FAULTS
from studies.defences.figures import clouds, neighbours
from studies.defences.jobs import Job
from studies.defences.setting import Setting, model_name

import unfool
from unfool import data, zoo
from unfool.defences import Fuse
from unfool.defences.evaluate import premade
from unfool.engine import Predictor
from unfool.victims import open_victim

ATTACK = "textfooler:variant=released,tags=penn"
"""FireBERT attacked with the released thresholds and fine tags."""
PREMADE_SHARE, CLEAN_SHARE = 2, 10
JUDGED = ("base", "again", "fuse", "five", "fact", "fuse-fact", "five-fact", "mask")


class Task(NamedTuple):
    """A data set, what is trained on it, and the settings the paper gives for it."""

    name: str
    base: str
    again: str
    """The same net, tuned with another seed."""
    train: str
    clean: str
    clean_split: str | None
    active: str
    active_split: str | None
    active_share: float
    """How many of the texts asked for are attacked: an attack on a long text takes ten times the time."""
    five: str
    fuse: str
    fact: str
    epochs: int
    labels: tuple[str, ...] = ("negative", "positive")
    editable: str | None = None
    faults: tuple[str, ...] = ()
    lr: float | None = 5e-5
    """FACT learns as fast as the zoo's BERT does."""


TASKS = {
    "imdb": Task(
        "imdb",
        "zoo:BERT@imdb",
        "zoo:BERT@imdb#1",
        "imdb",
        "imdb",
        "test",
        "imdb",
        "test",
        0.1,
        five="std=2.3,samples=10",
        fuse="words=3,alternatives=12",
        fact="fact:words=23,alternatives=4",
        epochs=2,
        faults=("shuffled",),
    ),
    "mnli": Task(
        "mnli",
        "zoo:BERT@mnli",
        "zoo:BERT@mnli#1",
        "mnli",
        "mnli",
        "validation_matched",
        "attack_sets/mnli_matched",
        None,
        1,
        five="std=8.14,samples=8",
        fuse="words=2,alternatives=14",
        fact="fact:words=9,alternatives=4",
        epochs=3,
        labels=("entailment", "neutral", "contradiction"),
        editable="hypothesis",
        faults=("item-zero",),
    ),
}
TASKS["snli"] = TASKS["mnli"]._replace(
    name="snli",
    base="zoo:BERT@snli[30000]",
    again="zoo:BERT@snli[30000]#1",
    train="snli[30000]",
    clean="snli",
    clean_split="test",
    active="attack_sets/snli",
)
REHEARSAL = Task(
    "rehearsal",
    "zoo:CNN-W-Random-1@rotten_tomatoes",
    "zoo:CNN-W-Random-1@rotten_tomatoes#1",
    "rotten_tomatoes[100]",
    "rotten_tomatoes",
    "test",
    "rotten_tomatoes",
    "test",
    1,
    five="std=2.3,samples=3",
    fuse="words=1,alternatives=3",
    fact="fact:words=2,alternatives=2",
    epochs=1,
    faults=("shuffled", "item-zero"),
    lr=None,
)


def jobs(task: Task, setting: Setting) -> Iterator[Job]:
    """Yield all pieces of a data set, slow ones first among those that need the same."""
    name, common = task.name, (task, setting)
    base, again, fact, texts = (f"{name}-{piece}" for piece in ("base", "again", "fact", "premade"))
    yield Job(base, _train, (task.base, setting))
    yield Job(again, _train, (task.again, setting))
    yield Job(fact, _harden, common, (base,))
    yield Job(texts, _premade, common, (base,))
    if "shuffled" in task.faults:
        yield Job(f"{name}-shuffled", _judged, (*common, "fuse", "shuffled"), (base, texts))
    for row in JUDGED:
        trained = {"again": (again,)}.get(row, (fact,) if row.endswith("fact") else ())
        yield Job(f"{name}-{row}-attacked", _attacked, (*common, row), (base, *trained))
        yield Job(f"{name}-{row}-judged", _judged, (*common, row), (base, texts, *trained))
        if "item-zero" in task.faults and row.startswith("fuse"):
            yield Job(f"{name}-{row}-item-zero", _attacked, (*common, row, "item-zero"), (base, *trained))
    yield Job(f"{name}-neighbours", _draw, (*common, neighbours), (base, fact, texts))
    yield Job(f"{name}-clouds", _draw, (*common, clouds), (base, fact, texts))


def attacks_folder(task: Task, setting: Setting, row: str, fault: str = "") -> Path:
    """Return where the evaluation under attack lies."""
    return setting.folder / task.name / "attacked" / (f"{row}-{fault}" if fault else row)


def victim_name(task: Task, setting: Setting, row: str) -> str:
    """Return the victim of a row."""
    kind, _, around = row.partition("-")
    inside = model_name(_fact(task, setting)) if "fact" in (kind, around) else task.base
    wrappers = {"five": f"five[{task.five}]", "mask": f"five[{task.five},arm=mask]", "fuse": f"fuse[{task.fuse}]"}
    return task.again if row == "again" else f"{wrappers[kind]}:{inside}" if kind in wrappers else inside


def clean_texts(task: Task, setting: Setting) -> data.Dataset:
    """Return the texts for clean accuracy."""
    name = f"{task.clean}[{CLEAN_SHARE * setting.n}]"
    return data.load(name, split=task.clean_split, editable=task.editable)


def active_texts(task: Task, setting: Setting) -> data.Dataset:
    """Return the texts that are attacked."""
    name = f"{task.active}[{max(1, int(task.active_share * setting.n))}]"
    return data.load(name, split=task.active_split, editable=task.editable)


def premade_file(task: Task, setting: Setting) -> Path:
    """Return the data set of texts that fooled the base."""
    return setting.folder / task.name / "premade.jsonl"


def _fact(task: Task, setting: Setting) -> Path:
    return setting.folder / task.name / "fact"


def _train(name: str, setting: Setting) -> dict[str, Any]:
    named = zoo.parse(name)
    zoo.ensure(named, device=setting.device, progress=False)
    return {"victim": name, "told": named.told}


def _harden(task: Task, setting: Setting) -> dict[str, Any]:
    out = _fact(task, setting)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():  # killed between the training and its note here
        return {"folder": str(out)}
    return unfool.harden(
        task.fact,
        task.base,
        task.train,
        out,
        epochs=task.epochs,
        lr=task.lr,
        start="new",
        seed=1,
        edit=task.editable,
        device=setting.device,
        resume=(out.with_name("fact.training") / "harden.json").is_file(),
        progress=False,
    )


def _premade(task: Task, setting: Setting) -> dict[str, Any]:
    out = setting.folder / task.name / "premade"
    run = unfool.attack(
        task.base,
        clean_texts(task, setting),
        ATTACK,
        n=PREMADE_SHARE * setting.n,
        options=setting.options,
        out=out,
        resume=(out / "config.json").is_file(),
        progress=False,
    )
    return premade(run, premade_file(task, setting)) | {"run": str(out), "figures": run.summary.to_dict()}


def _opened(task: Task, setting: Setting, row: str, fault: str, source: data.Dataset) -> Predictor:
    victim = open_victim(victim_name(task, setting, row), setting.options)
    if not fault:
        return victim
    assert isinstance(victim, Fuse)
    return FAULTS[fault](victim.victim, victim.settings, source)


def _judged(task: Task, setting: Setting, row: str, fault: str = "") -> dict[str, Any]:
    source = clean_texts(task, setting)
    out = setting.folder / task.name / "judged" / (f"{row}-{fault}" if fault else row)
    return unfool.evaluate(
        _opened(task, setting, row, fault, source),
        source,
        out=out,
        against=None if row == "base" else open_victim(task.base, setting.options),
        premade=[str(premade_file(task, setting))],
        resume=(out / "evaluation.json").is_file(),
        progress=False,
    )


def _attacked(task: Task, setting: Setting, row: str, fault: str = "") -> dict[str, Any]:
    source = active_texts(task, setting)
    whole = data.load(task.active, split=task.active_split, editable=task.editable) if fault else source
    out = attacks_folder(task, setting, row, fault)
    return unfool.evaluate(
        _opened(task, setting, row, fault, whole),
        source,
        [ATTACK],
        out=out,
        # Texts made on either of two nets tuned alike are tried on the other.
        against=open_victim(task.base, setting.options) if row == "again" else None,
        resume=(out / "evaluation.json").is_file(),
        progress=False,
    )


def _draw(task: Task, setting: Setting, draw: Callable[..., Mapping[str, Any]]) -> Mapping[str, Any]:
    nets = {"before FACT": task.base, "after FACT": model_name(_fact(task, setting))}
    return draw(setting.folder / task.name / "premade", nets, setting, task.name, task.labels)
