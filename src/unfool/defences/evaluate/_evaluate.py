"""Evaluating a defence: clean texts, stored adversarial ones, active attacks, and what the figures are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from unfool import data as data_room
from unfool.attacks import Attack, find_attack, find_constraints
from unfool.defences.evaluate._answers import Answers, ask_labels, data_numbers
from unfool.defences.evaluate._cost import cost
from unfool.defences.evaluate._folder import EVALUATION, SUMMARY, finished_run
from unfool.defences.evaluate._gradients import GradientUse, gradient_use
from unfool.defences.evaluate._pairs import paired
from unfool.defences.evaluate._premade import load_premade
from unfool.defences.evaluate._random_answers import HeldAgain, held_again
from unfool.defences.evaluate._robust import Attacked, Transferred, any_fooled, attacked, transferred, worst_case
from unfool.defences.evaluate._warnings import Fooled, warnings
from unfool.engine import Budget, Predictor
from unfool.errors import UserError
from unfool.job import FromLabel, from_numbers, repeat
from unfool.job import attack as run_attack
from unfool.labels import match_labels, told_in_order
from unfool.runs import Repeated, Run
from unfool.stats import Rate
from unfool.storage import JSON, WorkFolder
from unfool.text import Sample
from unfool.victims import Options, Randomised, as_victim, require

_ASKED_AGAIN, _LOOKED_INTO, _TIMED = 200, 50, 64
VICTIM, BASE = "victim", "base"


class _Work(NamedTuple):
    """What every part of an evaluation needs."""

    folder: WorkFolder
    source: data_room.Dataset
    sides: Mapping[str, Predictor]
    attacks: Sequence[Attack]

    def samples(self, side: str, n: int, seed: int) -> list[Sample]:
        """Draw samples, labels numbered as a victim's."""
        numbers = match_labels(self.source.labels, self.sides[side].labels)
        drawn = self.source.sample(n, seed)
        return [replace(s, label=numbers[s.label]) if numbers else s for s in drawn]


def evaluate(
    victim: object,
    data: object,
    attacks: Sequence[str] = (),
    *,
    out: str | Path,
    against: object = None,
    premade: Sequence[str] = (),
    split: str | None = None,
    n: int | None = None,
    from_label: FromLabel = None,
    budget: Budget | None = None,
    constrain: str = "",
    eot: int = 1,
    repeats: int = 5,
    seed: int = 0,
    options: Options | None = None,
    resume: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Measure a victim, alone or beside another one, and say what its figures are worth.

    Args:
        victim: The victim, as `unfool.attack` takes it: a hardened or a defended one, or any other.
        data: The data set for clean accuracy, all of it, and for the attacks, as `unfool.attack` takes it.
        attacks: Attacks by name, run on the victims. Where all of them need gradients, one that does not is added:
            a victim may hide its gradients.
        out: The folder of the evaluation.
        against: A victim to compare with, such as the one before hardening; texts are tried both ways between them.
        premade: Data sets of texts that fooled some victim, as `premade` writes them.
        split: The split of a data set given by name.
        n: How many samples are attacked, drawn by the seed; all where None.
        from_label: The right label, or labels, of the texts to attack; all where None.
        budget: Queries and edits a sample may cost.
        constrain: What every changed text must keep.
        eot: How many answers of a randomised victim the attacks average.
        repeats: How often texts are asked again to see whether answers are drawn at random.
        seed: Decides every random choice.
        options: How to open victims given by name.
        resume: Go on with the evaluation in the folder, and try samples without a result again; start it if there
            is none.
        progress: Whether to show bars.

    Returns:
        The figures, as in the folder's ``summary.json``; ``warnings`` among them.

    Raises:
        UserError: If something given cannot be used.
    """
    if repeats < 2:
        raise UserError(f"repeats is {repeats}, and a change shows only between two answers; give 2 or more")
    given = [find_attack(spec) for spec in attacks]
    recipes = [*given, *_beside(given)]
    source = data_room.as_dataset(data, split)
    names = {VICTIM: victim, **({BASE: against} if against is not None else {})}
    sides = {role: as_victim(v, options) for role, v in names.items()}
    stored = {name: load_premade(name) for name in premade}
    sets = [source, *stored.values()]
    _check(sides.values(), sets, recipes, constrain, eot)
    from_labels = [from_label] if isinstance(from_label, str) else list(from_label or ())
    for model in sides.values():
        from_numbers(from_labels, source, model)
    config: dict[str, JSON] = {
        **{role: repr(model) for role, model in sides.items()},
        **{f"{role}_fingerprint": getattr(model, "fingerprint", None) for role, model in sides.items()},
        **{f"{role}_approximate": True for role, model in sides.items() if model.approximate},
        "data": source.name,
        "split": source.split,
        "fingerprint": source.fingerprint,
        **source.editable_setting(),
        "premade": {name: found.fingerprint for name, found in stored.items()},
        "attacks": [repr(recipe) for recipe in recipes],
        "n": n,
        **({"from": from_labels} if from_labels else {}),
        "budget": asdict(budget or Budget()),
        "constrain": constrain,
        "eot": eot,
        "repeats": repeats,
        "seed": seed,
    }

    def make(role: str, recipe: Attack, folder: Path, again: bool) -> Run:
        model = sides[role]
        return run_attack(
            model,
            source,
            recipe,
            n=n,
            from_label=from_labels,
            seed=seed,
            budget=budget,
            constrain=constrain,
            eot=eot if isinstance(model, Randomised) else 1,
            options=options,
            out=folder,
            resume=again,
            progress=progress,
        )

    with WorkFolder(Path(out), EVALUATION, config, resume) as held:
        work = _Work(held, source, sides, recipes)
        runs = {
            role: [
                finished_run(
                    held,
                    f"{role}-{number}-{recipe.name}",
                    partial(make, role, recipe),
                    [_transfer_part(role, number), *([_again_part(number)] if role == VICTIM else ())],
                )
                for number, recipe in enumerate(recipes, start=1)
            ]
            for role in sides
        }
        summary = {
            **config,
            "labels": [
                told
                for found in sets
                for model in sides.values()
                if (told := told_in_order(found.name, found.labels, repr(model), model.labels))
            ],
            "clean": _answered(work, "clean", source),
            "premade": [
                {"data": name, **_answered(work, f"premade-{number}", stored[name])}
                for number, name in enumerate(cast(dict[str, JSON], work.folder.config["premade"]), start=1)
            ],
            **_attacks(work, runs),
            "transfer": _transfer(work, runs),
            "cost": {
                role: work.folder.part(f"cost-{role}", partial(_costs, model, source, seed))
                for role, model in sides.items()
            },
            **_doubts(work, runs, repeats, seed, eot),
        }
        held.write(SUMMARY, summary)
    return summary


def _check(
    sides: Iterable[Predictor],
    sets: Sequence[data_room.Dataset],
    recipes: Sequence[Attack],
    constrain: str,
    eot: int,
) -> None:
    """Refuse what cannot work before anything is written."""
    find_constraints(constrain)
    if eot != 1 and not any(isinstance(model, Randomised) for model in sides):
        raise UserError(
            f"no victim here answers at random, so eot={eot} has nothing to average; "
            "--eot is for randomised victims (five:… and fuse:…)"
        )
    for model in sides:
        for found in sets:
            data_numbers(found.labels, model)
        for recipe in recipes:
            require(model, recipe.needs, recipe.name)


def _beside(given: Sequence[Attack]) -> list[Attack]:
    """Return the attack to add where all given follow gradients."""
    if not given or not all(_is_white(recipe) for recipe in given):
        return []
    letters = any("characters" in recipe.needs for recipe in given)
    return [find_attack("key-star" if letters else "pwws")]


def _is_white(recipe: Attack) -> bool:
    return "gradients" in recipe.needs


def _rate(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    return {"count": rate.count, "of": rate.of, "value": rate.value, "low": low, "high": high}


def _answered(work: _Work, name: str, source: data_room.Dataset) -> dict[str, Any]:
    """Ask both victims about all of a data set."""
    found: dict[str, Any] = {}
    records: list[dict[int, bool]] = []
    for role, model in work.sides.items():
        plain = work.folder.part(f"{name}-{role}", partial(_asked, model, source))
        answers = Answers.from_dict(plain)
        found[role] = {"accuracy": _rate(answers.accuracy), "macro_f1": answers.macro_f1}
        records.append(dict(enumerate(answers.right)))
    return {**found, **({"paired": paired(*records).to_dict()} if BASE in work.sides else {})}


def _attacks(work: _Work, runs: Mapping[str, Sequence[Run]]) -> dict[str, Any]:
    """Sum up the runs, each and all together."""
    if not work.attacks:
        return {"attacks": [], "worst_case": {}}
    read = {role: [attacked(run) for run in some] for role, some in runs.items()}
    rows = []
    for number, recipe in enumerate(work.attacks):
        row: dict[str, Any] = {"attack": repr(recipe), "white_box": _is_white(recipe)}
        for role in work.sides:
            figures = runs[role][number].summary.to_dict()
            row[role] = {key: figures[key] for key in _FIGURES}
        if BASE in work.sides:
            row["paired"] = paired(read[VICTIM][number].robust, read[BASE][number].robust).to_dict()
        rows.append(row)
    worst = {role: worst_case(found) for role, found in read.items()}
    union: dict[str, Any] = {role: _rate(Rate(sum(w.values()), len(w))) for role, w in worst.items()}
    if BASE in worst:
        union["paired"] = paired(worst[VICTIM], worst[BASE]).to_dict()
    return {"attacks": rows, "worst_case": union}


_FIGURES = (
    "samples", "attacked", "successes", "errors", "clean_accuracy", "accuracy_under_attack", "success_rate",
    "words_changed", "characters_changed", "queries_mean",
)  # fmt: skip


def _transfer(work: _Work, runs: Mapping[str, Sequence[Run]]) -> list[dict[str, Any]]:
    """Try what fools one victim on the other, both ways."""
    if BASE not in work.sides:
        return []
    found = []
    for start, end in ((BASE, VICTIM), (VICTIM, BASE)):
        numbers = data_numbers(work.source.labels, work.sides[start])
        for number, (recipe, run) in enumerate(zip(work.attacks, runs[start], strict=True), start=1):
            tried = partial(_tried, run, work.sides[end], work.source, numbers)
            plain = work.folder.part(_transfer_part(start, number), tried)
            found.append({"attack": repr(recipe), "from": start, "to": end, **plain})
    return found


def _transfer_part(role: str, number: int) -> str:
    return f"transfer-{role}-{number}"


def _again_part(number: int) -> str:
    return f"again-{number}"


def _asked(model: Predictor, source: data_room.Dataset) -> dict[str, Any]:
    return ask_labels(model, source, source.labels).to_dict()


def _tried(run: Run, model: Predictor, source: data_room.Dataset, numbers: Sequence[int]) -> dict[str, Any]:
    return transferred(run, model, source.labels, numbers).to_dict()


def _costs(model: Predictor, source: data_room.Dataset, seed: int) -> dict[str, Any]:
    return cost(model, [sample.text for sample in source.sample(_TIMED, seed)])._asdict()


def _asked_anew(model: Predictor, run: Run, repeats: int, eot: int) -> dict[str, Any]:
    return held_again(model, run, repeats, eot)._asdict()


def _doubts(work: _Work, runs: Mapping[str, Sequence[Run]], repeats: int, seed: int, eot: int) -> dict[str, Any]:
    """Look for reasons not to believe the figures."""
    model, folder = work.sides[VICTIM], work.folder
    again = folder.part(
        "repeated", lambda: repeat(model, work.samples(VICTIM, _ASKED_AGAIN, seed), repeats)._asdict()
    )
    use = folder.part(
        "gradients",
        lambda: {"of": (u := gradient_use(model, work.samples(VICTIM, _LOOKED_INTO, seed))) and u._asdict()},
    )["of"]
    named = {repr(recipe): number for number, recipe in enumerate(work.attacks)}
    held = {
        name: folder.part(_again_part(number + 1), partial(_asked_anew, model, runs[VICTIM][number], repeats, eot))
        for name, number in named.items()
    }
    read = {role: [attacked(run) for run in some] for role, some in runs.items()}
    lent = {row["attack"]: row for row in _transfer(work, runs) if row["to"] == VICTIM}
    told = warnings(
        repeated=Repeated(**again),
        held={name: HeldAgain(**found) for name, found in held.items()},
        gradients=GradientUse(**use) if use else None,
        victim=_fooled(read[VICTIM], work.attacks),
        base=_fooled(read[BASE], work.attacks) if BASE in read else None,
        own={name: sum(read[VICTIM][number].fooled.values()) for name, number in named.items()},
        lent={name: Transferred(*(row[key] for key in Transferred._fields)) for name, row in lent.items()},
        attacked={name: len(read[VICTIM][number].fooled) for name, number in named.items()},
        draws=eot if isinstance(model, Randomised) else None,
    )
    return {"repeated": again, "gradients": use, "asked_anew": held, "warnings": [*_hardly_tried(runs), *told]}


def _hardly_tried(runs: Mapping[str, Sequence[Run]]) -> Iterator[str]:
    for role, some in runs.items():
        for run in some:
            if not run.summary.telling:
                yield from (f"{role}: {remark}" for remark in run.remarks())


def _fooled(read: Sequence[Attacked], attacks: Sequence[Attack]) -> Fooled:
    white = [found for found, recipe in zip(read, attacks, strict=True) if _is_white(recipe)]
    black = [found for found, recipe in zip(read, attacks, strict=True) if not _is_white(recipe)]
    return Fooled(any_fooled(white), any_fooled(black))
