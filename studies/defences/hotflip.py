"""The pieces of Ebrahimi et al.'s Table 2: a net of characters trained four ways, each attacked by HotFlip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from studies.defences.jobs import Job
from studies.defences.setting import Setting, model_name

import unfool
from unfool import zoo
from unfool.analysis import success_by_confidence
from unfool.runs import Run

ATTACK = "hotflip:operations=flips"
"""As in the paper, trained defences are tried with flips alone: beam 10, a tenth of the characters."""
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9)
SEARCHES = MappingProxyType({"beam": "hotflip", "greedy": "hotflip:width=1", "black box": "key-star"})


class Task(NamedTuple):
    """A net, the data it is trained on, and how."""

    base: str
    data: str
    epochs: int
    arms: Mapping[str, str]
    """How each row is trained on from the base: all for as many epochs."""
    curve_share: float
    """How many of the texts asked for each point of Figure 1 takes."""


TASK = Task(
    "zoo:CharCNN-LSTM@ag_news",
    "ag_news",
    4,
    # Key* asks some 40 times about every text: as many as take no longer than the other methods' passes.
    MappingProxyType(
        {
            "black-box": "black-box:n=6000",
            "white-box": "hotflip",
            "miyato": "miyato:epsilon=0.5",
            "miyato-little": "miyato:epsilon=0.1",
            "baseline": "plain",
        }
    ),
    0.2,
)
REHEARSAL = Task(
    "zoo:CNN-C-Random-1@rotten_tomatoes[300]",
    "rotten_tomatoes[60]",
    1,
    MappingProxyType({**TASK.arms, "black-box": "black-box:n=5"}),
    0.5,
)


def jobs(task: Task, setting: Setting) -> Iterator[Job]:
    """Yield all pieces, slow ones first among those that need the same."""
    yield Job("hotflip-base", _train, (task, setting))
    for arm in task.arms:
        yield Job(f"hotflip-{arm}-trained", _harden, (task, setting, arm), ("hotflip-base",))
    for arm in task.arms:
        yield Job(f"hotflip-{arm}", _evaluated, (task, setting, arm), (f"hotflip-{arm}-trained",))
    points = {
        f"hotflip-{search.replace(' ', '-')}-{confidence:g}": (search, confidence)
        for search in SEARCHES
        for confidence in CONFIDENCES
    }
    for name, (search, confidence) in points.items():
        yield Job(name, _swept, (task, setting, search, confidence), ("hotflip-base",))
    yield Job("hotflip-confidence", _drawn, (setting,), tuple(points))


def runs_folder(setting: Setting, arm: str) -> Path:
    """Return where an arm's evaluation lies."""
    return setting.folder / "hotflip" / "evaluated" / arm


def _curve(setting: Setting, search: str, confidence: float) -> Path:
    return setting.folder / "hotflip" / "curve" / f"{search}-{confidence:g}"


def _drawn(setting: Setting) -> dict[str, Any]:
    runs = {name: [Run.open(_curve(setting, name, level)) for level in CONFIDENCES] for name in SEARCHES}
    return {"figure": success_by_confidence(runs)._asdict()}


def _train(task: Task, setting: Setting) -> dict[str, Any]:
    named = zoo.parse(task.base)
    zoo.ensure(named, device=setting.device, progress=False)
    return {"victim": task.base, "told": named.told}


def _harden(task: Task, setting: Setting, arm: str) -> dict[str, Any]:
    out = setting.folder / "hotflip" / "models" / arm
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():  # killed between the training and its note here
        return {"folder": str(out)}
    return unfool.harden(
        task.arms[arm],
        task.base,
        task.data,
        out,
        epochs=task.epochs,
        keep="last",
        device=setting.device,
        resume=(out.with_name(f"{arm}.training") / "harden.json").is_file(),
        progress=False,
    )


def _evaluated(task: Task, setting: Setting, arm: str) -> dict[str, Any]:
    out = runs_folder(setting, arm)
    return unfool.evaluate(
        model_name(setting.folder / "hotflip" / "models" / arm),
        task.data,
        [ATTACK],
        out=out,
        split="test",
        n=setting.n,
        options=setting.options,
        resume=(out / "evaluation.json").is_file(),
        progress=False,
    )


def _swept(task: Task, setting: Setting, search: str, confidence: float) -> dict[str, Any]:
    """A point of Figure 1: how many texts fool the net with so much confidence."""
    out = _curve(setting, search, confidence)
    run: Run = unfool.attack(
        task.base,
        task.data,
        SEARCHES[search],
        split="test",
        n=max(1, int(task.curve_share * setting.n)),
        confidence=confidence,
        options=setting.options,
        out=out,
        resume=(out / "config.json").is_file(),
        progress=False,
    )
    return {"search": search, "confidence": confidence, "run": str(out), **run.summary.to_dict()}
