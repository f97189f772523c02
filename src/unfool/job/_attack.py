"""An attack over a data set, or several: from names to a finished run each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unfool import data as data_room
from unfool.attacks import Attack, find_attack, read_constraints
from unfool.engine import Budget, Constraint, Goal, Predictor
from unfool.errors import UserError, did_you_mean
from unfool.generation import as_pairs
from unfool.job._chosen import FromLabel, choose
from unfool.job._forewarnings import check_language, foreign_language
from unfool.job._generating import generating
from unfool.job._job import AttackJob, averaged, usual_folder
from unfool.parallel import cluster_in_use
from unfool.runs import Run, Shard, is_run
from unfool.victims import Options, as_victim, in_label_order, own_labels, require, searches_in_half


def attack(
    victim: object,
    data: object,
    attack: str | Attack = "textfooler",
    *,
    split: str | None = None,
    n: int | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    constrain: str | Sequence[str | Constraint] = (),
    language: str | None = None,
    target: int | str | None = None,
    goal: str | None = None,
    from_label: FromLabel = None,
    confidence: float = 0.0,
    eot: int = 1,
    in_flight: int | None = None,
    workers: int | None = 1,
    options: Options | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    shard: str | None = None,
    similarity: bool = False,
    progress: bool = True,
) -> Run:
    """Attack every sample of a data set and return the finished run.

    Args:
        victim: A name such as ``hf:./model`` or ``py:module:function``; a function from texts to probabilities, a
            transformers pipeline, a fitted scikit-learn pipeline, or a victim.
        data: A name, such as a CSV file or a hub id; a data set, such as `unfool.data.from_texts` makes; a pandas
            DataFrame, a Hugging Face ``Dataset``, a list of (text, label) pairs or of dicts. Where columns are to
            be named, give what `unfool.data.load` makes of it.
        attack: A name, settings behind a colon: ``textfooler:variant=released``.
        split: The split of a data set given by name.
        n: How many samples, drawn by the seed; all if None.
        seed: Decides the samples drawn and every random choice.
        budget: Queries and edits one sample may cost.
        constrain: What every changed text must keep, such as ``"words<=0.2,pos,similarity>=0.8"``, or a list of
            such strings and constraints.
        language: The language of the texts, such as ``French``, if the guess is to be overruled: PWWS and the like
            take that language's synonyms.
        target: The label to bring about; any wrong one if None.
        goal: What fools a model that generates, such as ``degrade`` or ``keyword=Art``. The victim is then a
            translator or the like, the data its sources, with references as their second texts if there are any.
        from_label: The right label, or labels, of the texts to attack; all if None.
        confidence: The least probability a wrong answer must have to count.
        eot: How many answers of a randomised victim (``five:…``, ``fuse:…``) the attack sees the mean of; each is
            a query.
        in_flight: How many samples are attacked at once; a matter of speed and memory alone (default: chosen).
        workers: Processes that share the work; needs a victim given by name, which each opens for itself, or on a
            GPU one more process for all. None chooses: several for thousands of samples on a GPU. A script that
            takes more than one needs ``if __name__ == "__main__":`` around what it does.
        options: How to open a victim given by name: device, dtype, labels, whether code may run. A run that is
            resumed keeps its dtype unless another is named; shards are in fp32 unless another is.
        out: The run's folder; if None, one named after the job below ``runs``.
        resume: Go on with the run in that folder; start it if there is none.
        shard: Attack one part of the samples, such as ``3/16``, into a folder below the run's; `unfool.job.merge`
            joins all.
        similarity: Also measure how similar the adversarial sentences stay.
        progress: Whether to show a progress bar.
    """
    (job,) = prepared(
        victim,
        data,
        [attack],
        split=split,
        n=n,
        seed=seed,
        budget=budget,
        constrain=constrain,
        language=language,
        target=target,
        goal=goal,
        from_label=from_label,
        confidence=confidence,
        eot=eot,
        workers=workers,
        options=options,
        begun=out,
        resume=resume,
        shard=shard,
    )
    return job.run(
        out, resume=resume, workers=workers, in_flight=in_flight, similarity=similarity, progress=progress
    )


def prepared(
    victim: object,
    data: object,
    attacks: Sequence[str | Attack],
    *,
    split: str | None,
    n: int | None,
    seed: int,
    budget: Budget | None,
    constrain: str | Sequence[str | Constraint],
    language: str | None,
    target: int | str | None,
    goal: str | None,
    from_label: FromLabel,
    confidence: float,
    eot: int,
    workers: int | None,
    options: Options | None,
    begun: str | Path | None,
    resume: bool,
    shard: str | None = None,
) -> list[AttackJob]:
    """Open victim and data once, and make every attack ready; see `attack`.

    ``begun`` is the folder of a run to go on with, where one is to be resumed; None for the usual one.
    """
    part = Shard.read(shard) if shard else None
    recipes = [find_attack(each) if isinstance(each, str) else each for each in attacks]
    rules = read_constraints(constrain)
    opened = replace(options or Options(), processes=workers or 1).unless_named(_dtype_kept(begun, resume, part))
    source = data_room.as_dataset(data if goal is None else as_pairs(data), split)
    if goal is not None:
        said = {"target": target, "from_label": from_label, "confidence": confidence, "eot": eot - 1}
        model, chosen = generating(victim, source, goal, opened, n=n, seed=seed, **said)
        judge = model
        _require(model, recipes)
    else:
        single = as_victim(victim, opened)
        if resume and begun is None:  # only the opened victim tells the folder's name
            place = usual_folder(recipes[0], source.name, single, seed)
            kept = opened.unless_named(_dtype_kept(place, resume, part))
            if kept != opened:
                single, opened = as_victim(victim, kept), kept
        mean = averaged(single, eot)
        _require(mean, recipes)
        judge, model = (in_label_order(each, source.labels) for each in (single, mean))
        chosen = choose(source, model, n, seed, from_label)
    for recipe in recipes if language else ():
        check_language(recipe, str(language))
    settled = opened.unless_named("bf16" if searches_in_half(judge) else "fp32")
    return [
        AttackJob(
            attack=recipe.for_data(source.name),
            victim=model,
            judge=judge,
            source=source,
            chosen=chosen,
            goal=Goal(_target(target, model), confidence),
            budget=budget or Budget(),
            constraints=rules,
            seed=seed,
            eot=eot,
            reopened_as=(str(victim), settled)
            if isinstance(victim, str) and isinstance(given, str) and goal is None
            else None,
            shard=part,
            language=foreign_language(recipe, language, chosen.samples),
        )
        for given, recipe in zip(attacks, recipes, strict=True)
    ]


def _require(model: Predictor, recipes: Sequence[Attack]) -> None:
    for recipe in recipes:
        require(model, recipe.needs, recipe.name)


def _target(target: int | str | None, model: Predictor) -> int | None:
    if target is None:
        return None
    names = own_labels(model)
    if str(target) in names:
        return model.labels.index(str(target))
    if str(target).isdigit() and int(target) < len(names):
        return model.labels.index(names[int(target)])
    raise UserError(f"the victim has no label {target!r}{did_you_mean(str(target), names)}")


def _dtype_kept(begun: str | Path | None, resume: bool, part: Shard | None) -> str | None:
    """Return the precision a run has to keep, whatever this machine is fast in; None if it is free to choose."""
    several = "fp32"  # machines may be of many kinds
    if part:
        return several
    if resume and begun and is_run(Path(begun)):
        return Run.open(begun).dtype
    return several if cluster_in_use() else None
