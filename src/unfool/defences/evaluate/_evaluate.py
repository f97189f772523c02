"""Evaluate a defence: on clean texts, on stored adversarial ones, and under attack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from unfool import data as data_room
from unfool.attacks import Attack, find_attack, find_constraints
from unfool.defences.evaluate._answers import (
    Answers,
    Robustness,
    any_fooled,
    ask_labels,
    paired,
    robustness,
    transferred,
    worst_case,
)
from unfool.defences.evaluate._evaluation import (
    BASE,
    SUMMARY,
    VICTIM,
    AttackFigures,
    Correct,
    Evaluation,
    Sides,
    Transfer,
    UnderAttack,
)
from unfool.defences.evaluate._premade import load_premade
from unfool.defences.evaluate._probes import Cost, GradientUse, HeldAgain, cost, gradient_use, held_again
from unfool.defences.evaluate._warnings import Fooled, warnings
from unfool.engine import Budget, Predictor
from unfool.errors import UserError
from unfool.job import FromLabel, from_numbers, repeat
from unfool.job import attack as run_attack
from unfool.labels import check_labels, told_in_order
from unfool.parallel import cluster_in_use
from unfool.runs import Repeated, Run, is_run, nothing_done
from unfool.stats import Rate
from unfool.storage import JSON, Kind, WorkFolder, as_plain
from unfool.victims import Options, Randomised, as_victim, own_labels, require, searches_in_half

_ASKED_AGAIN, _LOOKED_INTO, _TIMED = 200, 50, 64
_RUNS = "runs"
T = TypeVar("T")


def _is_leftover(path: Path) -> bool:
    return path.name == _RUNS and path.is_dir() and all(map(nothing_done, path.iterdir()))


EVALUATION = Kind("an evaluation", "evaluation.json", leftover=_is_leftover)


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
) -> Evaluation:
    """Measure a victim, alone or beside another one, and say what its figures are worth.

    Args:
        victim: The victim, as `unfool.attack` takes it: a hardened or a defended one, or any other.
        data: The data set for clean accuracy, all of it, and for the attacks, as `unfool.attack` takes it.
        attacks: Attacks by name, run on the victims. If all of them need gradients, one that does not is added:
            a victim may hide its gradients.
        out: The folder of the evaluation.
        against: A victim to compare with, such as the one before hardening; texts are tried both ways between them.
        premade: Data sets of texts that fooled some victim, as `premade` writes them.
        split: The split of a data set given by name.
        n: How many samples are attacked, drawn by the seed (default: all).
        from_label: The right label, or labels, of the texts to attack (default: all).
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
        The figures and the warnings, which are also written to the folder's ``summary.json``.

    Raises:
        UserError: If something given cannot be used.
    """
    if repeats < 2:
        raise UserError(f"repeats is {repeats}, and a change shows only between two answers; give 2 or more")
    recipes = _with_black_box([find_attack(spec) for spec in attacks])
    source = data_room.as_dataset(data, split)
    given = {VICTIM: victim, **({BASE: against} if against is not None else {})}
    if resume and EVALUATION.lies_in(Path(out)):
        begun = EVALUATION.read_settings(Path(out))
        half = any(begun.get(f"{side}_approximate") for side in given)
        options = (options or Options()).unless_named("bf16" if half else "fp32")
    elif cluster_in_use():  # machines may be of many kinds
        options = (options or Options()).unless_named("fp32")
    models = {side: as_victim(each, options, source.labels) for side, each in given.items()}
    stored = {name: load_premade(name) for name in premade}
    _check(models.values(), [source, *stored.values()], recipes, constrain, eot)
    from_labels = [from_label] if isinstance(from_label, str) else list(from_label or ())
    for model in models.values():
        from_numbers(from_labels, source, model)
    config: dict[str, JSON] = {
        **{side: repr(model) for side, model in models.items()},
        **{f"{side}_fingerprint": getattr(model, "fingerprint", None) for side, model in models.items()},
        **{f"{side}_approximate": True for side, model in models.items() if searches_in_half(model)},
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
    limits: dict[str, Any] = {"n": n, "from_label": from_labels, "budget": budget, "constrain": constrain}
    attack = partial(run_attack, seed=seed, options=options, progress=progress, **limits)
    with WorkFolder(Path(out), EVALUATION, config, resume) as folder:
        order = folder.config["premade"]  # the names may be given in another order than when it began
        assert isinstance(order, dict)
        stored = {name: stored[name] for name in order}
        by_name = {side: each for side, each in given.items() if isinstance(each, str) and cluster_in_use()}
        work = _Measurement(folder, source, stored, models, by_name, recipes, attack, eot, repeats, seed)
        found = work.evaluation(config)
        folder.write(SUMMARY, found.to_json())
    return found


def _check(
    models: Iterable[Predictor],
    sets: Sequence[data_room.Dataset],
    recipes: Sequence[Attack],
    constrain: str,
    eot: int,
) -> None:
    """Refuse what cannot work before anything is written."""
    find_constraints(constrain)
    if eot != 1 and not any(isinstance(model, Randomised) for model in models):
        raise UserError(
            f"no victim here answers at random, so eot={eot} has nothing to average; "
            "--eot is for randomised victims (five:…, fuse:… and smooth:…)"
        )
    for model in models:
        for found in sets:
            check_labels("the data", found.labels, repr(model), model.labels)
        for recipe in recipes:
            require(model, recipe.needs, recipe.name)


def _with_black_box(recipes: Sequence[Attack]) -> list[Attack]:
    """Add an attack that only asks if all given ones follow gradients."""
    if not recipes or not all(map(_is_white_box, recipes)):
        return [*recipes]
    letters = any("characters" in recipe.needs for recipe in recipes)
    return [*recipes, find_attack("key-star" if letters else "pwws")]


def _is_white_box(recipe: Attack) -> bool:
    return "gradients" in recipe.needs


@dataclass(frozen=True)
class _Measurement:
    """An evaluation under way; what was measured before is found in the folder."""

    folder: WorkFolder
    source: data_room.Dataset
    stored: Mapping[str, data_room.Dataset]
    models: Mapping[str, Predictor]
    """By side; their labels are in the order of the source's."""
    by_name: Mapping[str, str]
    """The names of those that other machines open for the attacks, by side."""
    recipes: Sequence[Attack]
    attack: Callable[..., Run]
    eot: int
    repeats: int
    seed: int

    def evaluation(self, config: Mapping[str, Any]) -> Evaluation:
        attacks = tuple(self.under_attack(number) for number in range(len(self.recipes)))
        clean = self.answers("clean", self.source)
        premade = {
            name: self.answers(f"premade-{number}", source)
            for number, (name, source) in enumerate(self.stored.items(), start=1)
        }
        found = Evaluation(
            settings={**config, "premade": [*self.stored], "attacks": [row.attack for row in attacks]},
            labels=tuple(self.told_labels()),
            clean=clean,
            premade=premade,
            attacks=attacks,
            worst_case=self.worst_case() if attacks else None,
            transfer=tuple(self.transfer()),
            cost=Sides(victim=self.cost(VICTIM), base=self.cost(BASE) if BASE in self.models else None),
            repeated=self.repeated(),
            gradients=self.gradients(),
            asked_anew={row.attack: self.asked_anew(number) for number, row in enumerate(attacks)},
            warnings=(),
        )
        return replace(found, warnings=(*self.hardly_tried(), *self.doubts(found)))

    @cached_property
    def runs(self) -> dict[str, list[Run]]:
        """The runs of the attacks by side, made or finished now."""
        numbers = range(len(self.recipes))
        return {side: [self.run(side, number) for number in numbers] for side in self.models}

    @cached_property
    def results(self) -> dict[str, list[Robustness]]:
        """What the attacks did to each sample."""
        return {side: [robustness(run) for run in runs] for side, runs in self.runs.items()}

    def run(self, side: str, number: int) -> Run:
        """Return a whole run; samples that were left without a result are tried again."""
        recipe, model = self.recipes[number], self.models[side]
        place = self.folder.path / _RUNS / f"{side}-{number + 1}-{recipe.name}"
        if is_run(place) and (run := Run.open(place)).whole:
            return run
        # The run will have more outcomes. Parts made of fewer go first: a kill must not leave them behind it.
        for part in (_transfer_part(side, number), *([_again_part(number)] if side == VICTIM else ())):
            (self.folder.path / f"{part}.json").unlink(missing_ok=True)
        eot = self.eot if isinstance(model, Randomised) else 1
        how: dict[str, Any] = {"eot": eot, "out": place, "resume": is_run(place)}
        if name := self.by_name.get(side):
            return self.attack(name, self.source, repr(recipe), workers=None, **how)
        return self.attack(model, self.source, recipe, **how)

    def kept(self, part: str, make: Callable[[], Any]) -> dict[str, Any]:
        """Return a part of the evaluation as plain values, made now if the folder does not have it."""
        return self.folder.part(part, lambda: as_plain(make()))

    def answers(self, name: str, source: data_room.Dataset) -> Sides[Correct]:
        found = {
            side: Answers.from_json(self.kept(f"{name}-{side}", partial(ask_labels, model, source, source.labels)))
            for side, model in self.models.items()
        }
        return _sides(
            {side: Correct(each.accuracy, each.macro_f1) for side, each in found.items()},
            {side: dict(enumerate(each.right)) for side, each in found.items()},
        )

    def under_attack(self, number: int) -> UnderAttack:
        sides = _sides(
            {side: AttackFigures.of(runs[number].summary) for side, runs in self.runs.items()},
            {side: results[number].robust for side, results in self.results.items()},
        )
        recipe = self.recipes[number]
        return UnderAttack(**vars(sides), attack=repr(recipe), white_box=_is_white_box(recipe))

    def worst_case(self) -> Sides[Rate]:
        """Count the samples that withstand every attack."""
        worst = {side: worst_case(results) for side, results in self.results.items()}
        return _sides({side: Rate(sum(robust.values()), len(robust)) for side, robust in worst.items()}, worst)

    def transfer(self) -> Iterator[Transfer]:
        """Try what fools one side on the other, both ways."""
        if BASE not in self.models:
            return
        for start, end in ((BASE, VICTIM), (VICTIM, BASE)):
            for number, (recipe, run) in enumerate(zip(self.recipes, self.runs[start], strict=True)):
                try_on = partial(transferred, run, self.models[end], self.source.labels)
                plain = self.kept(_transfer_part(start, number), try_on)
                yield Transfer.from_json({"attack": repr(recipe), "from": start, "to": end, **plain})

    def cost(self, side: str) -> Cost:
        texts = [sample.text for sample in self.source.sample(_TIMED, self.seed)]
        return Cost(**self.kept(f"cost-{side}", partial(cost, self.models[side], texts)))

    def repeated(self) -> Repeated:
        ask = partial(repeat, self.models[VICTIM], list(self.source.sample(_ASKED_AGAIN, self.seed)), self.repeats)
        return Repeated(**self.kept("repeated", ask))

    def gradients(self) -> GradientUse | None:
        look = partial(gradient_use, self.models[VICTIM], list(self.source.sample(_LOOKED_INTO, self.seed)))
        use = self.kept("gradients", lambda: {"of": look()})["of"]
        return GradientUse(**use) if use else None

    def asked_anew(self, number: int) -> HeldAgain:
        """Ask anew about the texts an attack made on the victim."""
        ask = partial(held_again, self.models[VICTIM], self.runs[VICTIM][number], self.repeats, self.eot)
        return HeldAgain(**self.kept(_again_part(number), ask))

    def told_labels(self) -> Iterator[str]:
        """Yield a sentence for each data set and victim whose labels no names match."""
        for found in (self.source, *self.stored.values()):
            for model in self.models.values():
                if told := told_in_order(found.name, found.labels, repr(model), own_labels(model)):
                    yield told

    def hardly_tried(self) -> Iterator[str]:
        """Yield what runs say that tried nothing on most samples."""
        for side, runs in self.runs.items():
            for run in runs:
                if not run.summary.telling:
                    yield from (f"{side}: {remark}" for remark in run.remarks())

    def doubts(self, found: Evaluation) -> Iterator[str]:
        """Yield reasons not to believe the figures."""
        randomised = isinstance(self.models[VICTIM], Randomised)
        fooled = {side: self.fooled(side) for side in self.models}
        return warnings(found, fooled[VICTIM], fooled.get(BASE), self.eot if randomised else None)

    def fooled(self, side: str) -> Fooled:
        """Tell which samples fell to attacks that follow gradients, and which to those that only ask."""
        by_kind: dict[bool, list[Robustness]] = {True: [], False: []}
        for recipe, result in zip(self.recipes, self.results[side], strict=True):
            by_kind[_is_white_box(recipe)].append(result)
        return Fooled(white=any_fooled(by_kind[True]), black=any_fooled(by_kind[False]))


def _sides(found: Mapping[str, T], right: Mapping[str, Mapping[int, bool]]) -> Sides[T]:
    """Put the figures of the sides together, and compare which texts each has right."""
    pair = paired(right[VICTIM], right[BASE]) if BASE in right else None
    return Sides(victim=found[VICTIM], base=found.get(BASE), paired=pair)


def _transfer_part(side: str, number: int) -> str:
    return f"transfer-{side}-{number + 1}"


def _again_part(number: int) -> str:
    return f"again-{number + 1}"
