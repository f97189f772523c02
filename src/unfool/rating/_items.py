"""The items of a study: texts drawn from runs, and gold items whose right answer is known."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.rating._tasks import KEEPS_MEANING, SCALE, SIDES, Task
from unfool.runs import Run, label_name, storable

ORIGINAL, GOLD = "original", "gold"
_GOOD, _BAD = SCALE[KEEPS_MEANING - 1 :], SCALE[: len(SCALE) - KEEPS_MEANING + 1]

Fields = tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """One question: a text, or a pair of texts."""

    id: int
    group: int
    """Items of one group are made of the same original text; no rater sees two of them."""
    texts: tuple[Fields, ...]
    """One text or two, each with its fields."""
    field_names: tuple[str, ...]
    versions: tuple[str, ...]
    """What each text is: ``original``, or the name of the run that changed it."""
    right: tuple[str, ...] = ()
    """The right answers, where they are known."""
    gold: bool = False
    """Whether it is there to find careless raters, and counts in no figure."""
    run: int = -1
    """The number of the run whose changed text this judges, or -1."""
    sample: int = -1
    """The sample's id in that run, or -1."""


def draw_items(runs: Sequence[Run], task: Task, n: int | None, gold: int, seed: int) -> list[Item]:
    """Draw the items of a study.

    Only texts that fooled a victim are drawn. The same seed takes the same texts from runs over the same data.

    Args:
        runs: The runs, which have different names.
        task: What is asked.
        n: How many texts of each run; all if None.
        gold: How many gold items; fewer if the runs have no more texts.
        seed: Decides the texts.
    """
    fooled = [_fooled(run, task) for run in runs]
    if task is Task.READABILITY:
        chosen = _common(fooled, n, seed)
    else:
        chosen = {number: _first(texts, n, seed) for number, texts in enumerate(fooled)}
    originals = sorted({original for some in chosen.values() for original in some}, key=_rank(seed))
    items = [
        replace(item, group=group)
        for group, original in enumerate(originals)
        for item in _of_original(
            runs, task, {number: fooled[number][original] for number in chosen if original in chosen[number]}
        )
    ]
    if not items:
        raise UserError(f"no text to ask about: {_nothing(runs, task)}")
    items += _gold(runs, task, set(originals), gold, seed)
    return [replace(_whole(item), id=number) for number, item in enumerate(items)]


def _whole(item: Item) -> Item:
    """Return an item that pages and files of any kind can hold: half characters are replaced."""
    texts = tuple(tuple(map(storable, text)) for text in item.texts)
    names, versions = (tuple(map(storable, each)) for each in (item.field_names, item.versions))
    return replace(item, texts=texts, field_names=names, versions=versions)


def _nothing(runs: Sequence[Run], task: Task) -> str:
    named = ", ".join(str(run.folder) for run in runs)
    if task is Task.READABILITY:
        return f"no text was fooled by two of {named}; give two runs or more over the same data"
    return f"the attacks of {named} fooled no victim; give a run with successes"


def _fooled(run: Run, task: Task) -> dict[Fields, Outcome]:
    found: dict[Fields, Outcome] = {}
    for outcome in run.outcomes():
        if outcome.outputs is not None and task is Task.LABEL:
            raise UserError(f"{run.folder} attacks a translator, which gives no labels; ask for another task")
        if outcome.status is Status.SUCCESS:
            found.setdefault(_read(outcome), outcome)
    return found


def _read(outcome: Outcome) -> Fields:
    # Of a model that generates people judge the source: the other fields are not the attack's.
    return outcome.original if outcome.outputs is None else outcome.original[:1]


def _rank(seed: int) -> Callable[[Fields], bytes]:
    def rank(original: Fields) -> bytes:
        written = "\x1f".join((str(seed), *original))
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).digest()

    return rank


def _first(texts: Mapping[Fields, Outcome], n: int | None, seed: int) -> set[Fields]:
    return set(sorted(texts, key=_rank(seed))[:n])


def _common(fooled: Sequence[Mapping[Fields, Outcome]], n: int | None, seed: int) -> dict[int, set[Fields]]:
    """Choose for each run the texts that another run changed, too: so many of each pair."""
    chosen: dict[int, set[Fields]] = {number: set() for number in range(len(fooled))}
    for a, b in combinations(chosen, 2):
        both = set(sorted(fooled[a].keys() & fooled[b].keys(), key=_rank(seed))[:n])
        chosen[a] |= both
        chosen[b] |= both
    return chosen


def _of_original(runs: Sequence[Run], task: Task, changed: Mapping[int, Outcome]) -> Iterator[Item]:
    """Yield the items of one original text; ids and groups come later."""
    some = next(iter(changed.values()))
    original, width = _read(some), len(_read(some))
    names = some.field_names[:width]
    texts = {number: outcome.perturbed[:width] for number, outcome in changed.items()}
    if task is Task.READABILITY:
        for a, b in combinations(changed, 2):
            yield Item(0, 0, (texts[a], texts[b]), names, (runs[a].name, runs[b].name))
        return
    if task is Task.MEANING:
        for number, outcome in changed.items():
            pair, versions = (original, texts[number]), (ORIGINAL, runs[number].name)
            yield Item(0, 0, pair, names, versions, run=number, sample=outcome.id)
        return
    right = _label(runs[next(iter(changed))], some) if task is Task.LABEL else ()
    yield Item(0, 0, (original,), names, (ORIGINAL,), right)
    for number, outcome in changed.items():
        yield Item(0, 0, (texts[number],), names, (runs[number].name,), right, run=number, sample=outcome.id)


def _label(run: Run, outcome: Outcome) -> tuple[str]:
    return (storable(label_name(run.label_names, outcome.label)),)


def _gold(runs: Sequence[Run], task: Task, taken: set[Fields], most: int, seed: int) -> Iterator[Item]:
    """Yield gold items, made of original texts that the study does not ask about otherwise.

    Of these the victims are right about, the surest come first: they are the easiest.
    """
    spare: dict[Fields, tuple[Run, Outcome]] = {}
    for run in runs:
        for outcome in run.outcomes():
            if _read(outcome) not in taken and outcome.before.label == outcome.label and not outcome.before.tied:
                spare.setdefault(_read(outcome), (run, outcome))
    surest = sorted(spare, key=lambda original: -spare[original][1].before.confidence)
    rng = random.Random(f"{seed} gold")
    for number, original in enumerate(surest[:most]):
        run, outcome = spare[original]
        names, versions = outcome.field_names[: len(original)], (GOLD,)
        item = Item(0, -1 - number, (original,), names, versions, gold=True)
        mixed = tuple(_mixed(field, rng) for field in original)
        if task is Task.LABEL:
            yield replace(item, right=_label(run, outcome))
        elif task is Task.READABILITY:
            yield replace(item, texts=(original, mixed), versions=versions * 2, right=SIDES[:1])
        elif task is Task.GRAMMAR:
            yield replace(item, texts=(mixed,), right=_BAD)
        else:
            same = number % 2 == 0 or len(surest) == 1
            other = original if same else surest[number - 1]
            yield replace(item, texts=(original, other), versions=versions * 2, right=_GOOD if same else _BAD)


def _mixed(field: str, rng: random.Random) -> str:
    words = field.split()
    rng.shuffle(words)
    return " ".join(words)
