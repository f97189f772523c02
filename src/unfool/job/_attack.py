"""The main job from Python: attack a victim over a data set and keep the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from unfool import data as data_room
from unfool.attacks import Attack, find_attack, read_constraints
from unfool.attacks import Constraint as NamedConstraint
from unfool.engine import (
    Budget,
    Connection,
    Constraint,
    Failure,
    Goal,
    NoAnswer,
    Predictor,
    Status,
    attack_in_workers,
    attack_samples,
)
from unfool.errors import UserError, did_you_mean
from unfool.job._chosen import FromLabel, choose
from unfool.job._forecast import told_cost
from unfool.job._languages import other_language
from unfool.job._overlong import told_overlong
from unfool.job._progress import Progress
from unfool.job._repeat import repeat
from unfool.lexicon.encoders import sentence_encoder
from unfool.parallel import choose_workers
from unfool.runs import TRACEBACKS, Repeated, Run
from unfool.storage import JSON
from unfool.victims import (
    EncodedVictim,
    LabelsInOrder,
    MeanOfDraws,
    Options,
    RemoteVictim,
    as_victim,
    in_label_order,
    open_victim,
    own_labels,
    require,
    serve,
)
from unfool.visible import visible_line

GPU_WIDTH, GPU_WIDTH_A_WORKER, CPU_WIDTH = 8192, 2048, 256
_MOST_WORKERS = 12
"""More were not tried; one GPU had enough to do."""
_WORTH_WORKERS = 5000
"""Samples below which starting processes takes longer than they save."""
_ASKED_AGAIN = 8
"""Texts asked twice to learn whether the victim answers at random."""
_HOPELESS = 20
"""Samples without a single answer after which a victim is taken for dead, or for one that speaks otherwise."""


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
    target: int | str | None = None,
    from_label: FromLabel = None,
    confidence: float = 0.0,
    eot: int = 1,
    width: int | None = None,
    workers: int | None = 1,
    options: Options | None = None,
    out: str | Path | None = None,
    resume: bool = False,
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
        n: How many samples, drawn by the seed; all where None.
        seed: Decides the samples drawn and every random choice.
        budget: Queries and edits one sample may cost.
        constrain: What every changed text must keep, such as ``"words<=0.2,pos,similarity>=0.8"``, or a list of
            such strings and constraints.
        target: The label to bring about; any wrong one where None.
        from_label: The right label, or labels, of the texts to attack; all where None.
        confidence: The least probability a wrong answer must have to count.
        eot: How many answers of a randomised victim (``five:…``, ``fuse:…``) the attack sees the mean of; each is
            a query.
        width: Samples in flight; a matter of speed and memory alone.
        workers: Processes that share the work; needs a victim given by name, which each opens for itself, or on a
            GPU one more process for all. None chooses: several for thousands of samples on a GPU. A script that
            takes more than one needs ``if __name__ == "__main__":`` around what it does.
        options: How to open a victim given by name: device, dtype, labels, whether code may run.
        out: The run's folder; one named after the job below ``runs`` where None.
        resume: Go on with the run in that folder; start it where there is none.
        similarity: Also measure how similar the adversarial sentences stay.
        progress: Whether to show a progress bar.
    """
    recipe = find_attack(attack) if isinstance(attack, str) else attack
    rules = read_constraints(constrain)
    opened = replace(options or Options(), processes=workers or 1)
    found = as_victim(victim, opened)
    averaged = _averaged(found, eot)
    require(averaged, recipe.needs, recipe.name)
    source = data_room.as_dataset(data, split)
    judge, model = (in_label_order(each, source.labels) for each in (found, averaged))
    choice = choose(source, model, n, seed, from_label)
    chosen = choice.samples
    recipe = recipe.for_data(source.name)
    goal = Goal(_target(target, model), confidence)
    limits = budget or Budget()
    config: dict[str, JSON] = {
        "attack": repr(recipe),
        "victim": repr(model),
        "data": chosen.name,
        "split": chosen.split,
        "fingerprint": source.fingerprint,
        "editable": [field.name for field in chosen[0].text.fields if field.editable],
        **choice.config,
        "seed": seed,
        "labels": list(model.labels),
        "data_labels": list(choice.labels),
        "victim_fingerprint": getattr(model, "fingerprint", None),
        "goal": asdict(goal),
        "budget": asdict(limits),
        "approximate": judge.approximate,
    }
    if model.labels != own_labels(model):
        config["victim_labels"] = list(own_labels(model))
    if rules:
        config["constraints"] = [repr(rule) for rule in rules]
    if eot != 1:
        config["eot"] = eot
    # A GPU serves one process best; what an attack needs beyond predictions only the net itself can give.
    net = model.inner if isinstance(model, LabelsInOrder) else model
    shared = isinstance(net, EncodedVictim) and _on_gpu(net) and not recipe.needs
    named = isinstance(victim, str) and isinstance(attack, str)
    most = _MOST_WORKERS if len(chosen) >= _WORTH_WORKERS else 1
    workers = choose_workers(workers, on_gpu=shared and named, most=most)
    if workers > 1 and not named:
        raise UserError(
            f"each of {workers} workers opens victim and attack by name; give names (hf:FOLDER, pwws), or workers=1"
        )
    # What is missing is said now, not after hours of work.
    if similarity:
        sentence_encoder("minilm")
    for rule in rules:
        if isinstance(rule, NamedConstraint):
            rule.open()
    flight = width or (max(GPU_WIDTH, GPU_WIDTH_A_WORKER * workers) if _on_gpu(model) else CPU_WIDTH)
    if flight < 1:
        raise UserError(f"the width is {flight}; give 1 or more samples in flight")
    folder = Path(out) if out else Path("runs") / _folder_name(recipe.name, chosen.name, repr(model), seed)
    start = Run.resume if resume else Run.create
    asked_again: Repeated | None = None
    foreign = other_language(recipe, rules, chosen)
    environment = {
        "width": flight,
        "device": _device_of(model),
        **(foreign.note() if foreign else {}),
        **choice.facts,
    }
    with _naming_tracebacks(folder), start(folder, config, environment) as run:
        todo = (sample for sample in chosen if sample.id not in run.done)
        # What is left of a resumed run may be the very texts its victim has no answer about.
        give_up_after = None if run.done else _HOPELESS
        heading = f"{source.name}: {len(chosen)} of {len(source)} samples; {source.columns.describe()}"
        heading = "\n".join([heading, *choice.told])
        if progress and (told := told_overlong(net, chosen)):
            heading += f"\n{told}"
        if progress and (told := told_cost(model, recipe, len(chosen), chosen[0])):
            heading += f"\n{told}"
        if foreign:
            heading += f"\nnote: {foreign}"
        with Progress(len(chosen), len(run.done), recipe.name, heading=heading, shown=progress) as bar:
            steps = (
                attack_in_workers(
                    partial(_open_job, str(victim), opened, source.labels, repr(recipe), eot),
                    todo,
                    workers=workers,
                    serve=partial(serve, partial(open_victim, str(victim), opened)) if shared else None,
                    goal=goal,
                    budget=limits,
                    constraints=rules,
                    seed=seed,
                    width=flight,
                    give_up_after=give_up_after,
                )
                if workers > 1
                else attack_samples(
                    model,
                    todo,
                    recipe,
                    goal=goal,
                    budget=limits,
                    constraints=rules,
                    seed=seed,
                    width=flight,
                    give_up_after=give_up_after,
                )
            )
            told_bug = False
            for step in steps:
                for outcome in step:
                    if isinstance(outcome, Failure):
                        run.fail(outcome)
                        if outcome.traceback and not told_bug:  # else who calls from Python sees a count alone
                            bar.tell(visible_line(f"no result for sample {outcome.id}: {outcome.error}"))
                            told_bug = True
                    else:
                        run.record(outcome)
                    bar.advance(outcome)
                run.flush()
                # A victim that is known to answer is asked again; a dead one would only cost time.
                if asked_again is None and run.done and eot == 1 and not isinstance(net, EncodedVictim):
                    asked_again = repeat(judge, list(islice(chosen, _ASKED_AGAIN)), 2)
                    if asked_again.random:
                        bar.tell(asked_again.told)
        run.finish(mean_similarity(run) if similarity else None, asked_again)
    return Run.open(folder)


@contextmanager
def _naming_tracebacks(folder: Path) -> Iterator[None]:
    """Say where the whole traceback is, where a bug in the victim is why nothing was answered."""
    try:
        yield
    except NoAnswer as error:
        if (folder / TRACEBACKS).exists():
            raise NoAnswer(error.about, error.why, f" (the whole traceback: {folder / TRACEBACKS})") from error
        raise


def _open_job(
    victim: str, options: Options, labels: Sequence[str], attack: str, eot: int, connection: Connection | None
) -> tuple[Predictor, Attack]:
    model = RemoteVictim(connection) if connection else _averaged(open_victim(victim, options), eot)
    return in_label_order(model, labels), find_attack(attack)


def _averaged(model: Predictor, eot: int) -> Predictor:
    return model if eot == 1 else MeanOfDraws(model, eot)


def mean_similarity(run: Run) -> float | None:
    """Return the mean cosine between original and adversarial text over the successes of a run."""
    encoder, cosines = sentence_encoder("minilm"), list[float]()
    pairs = ((o.original, o.perturbed) for o in run.outcomes() if o.status is Status.SUCCESS)
    while some := list(islice(pairs, 256)):
        before, after = (encoder.encode([" ".join(text) for text in side]) for side in zip(*some, strict=True))
        cosines += (before * after).sum(axis=1).tolist()
    return round(float(np.mean(cosines)), 4) if cosines else None


def _target(target: int | str | None, model: Predictor) -> int | None:
    if target is None:
        return None
    names = own_labels(model)
    if str(target) in names:
        return model.labels.index(str(target))
    if str(target).isdigit() and int(target) < len(names):
        return model.labels.index(names[int(target)])
    raise UserError(f"the victim has no label {target!r}{did_you_mean(str(target), names)}")


def _device_of(model: Predictor) -> str:
    return str(getattr(getattr(model, "device", None), "type", "cpu"))


def _on_gpu(model: Predictor) -> bool:
    return _device_of(model) == "cuda"


def _folder_name(*parts: object) -> str:
    return "_".join(re.sub(r"[^\w.@-]+", "-", str(part)).strip("-")[-60:] for part in parts)
