"""Make sources, and a model that generates, ready for an attack."""

from __future__ import annotations

from typing import Any

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.generation import JudgedGenerator, as_generator, find_goal, with_outputs
from unfool.job._chosen import Chosen
from unfool.options import Options


def generating(
    model: Any, pairs: Dataset, goal: str, options: Options, *, n: int | None, seed: int, **others: object
) -> tuple[Predictor, Chosen]:
    """Open a model that generates, draw sources and have it make their clean outputs.

    The victim that is returned judges further outputs. ``others``, by name, is what only classifiers
    have; none of it may be given.

    Raises:
        UserError: If something is given that only classifiers have, or the model cannot be opened.
    """
    for name, value in others.items():
        if value:
            raise UserError(f"{name} is for classifiers, and goal={goal} for models that generate; leave one out")
    if not pairs.unlabelled:
        raise UserError(
            f"{pairs.name} was read with labels, and a model that generates has none: name the source's column "
            "with --source, or load the data with label='@victim'"
        )
    wanted = find_goal(goal)
    opened = as_generator(model, options)
    drawn = pairs.sample(n, seed)
    samples, left_out, out_of_reach = with_outputs(drawn, opened, wanted)
    if not len(samples):
        if out_of_reach:
            raise UserError(f"no source can reach {wanted!r}: {next(iter(out_of_reach))}; take another goal")
        reason = next(iter(left_out), "there are no sources")
        raise UserError(f"{opened!r} has no output for any of {len(drawn)} sources: {reason}")
    references = "with references" if len(samples.columns.texts) > 3 else "without references"
    told = [f"fooled: {wanted!r}; clean outputs of {len(samples):,} sources made, {references}"]
    told += [f"{count:,} sources left out, without an output: {reason}" for reason, count in left_out.items()]
    told += [f"{count:,} sources left out: {reason}" for reason, count in out_of_reach.items()]
    cut = sum(not opened.reads_whole(source) for source in samples.column(0))
    if cut:
        told.append(f"sources cut off at their ends, being longer than {opened!r} reads: {cut:,}")
    config: dict[str, Any] = {"n": len(drawn), "generation_goal": repr(wanted)}
    spared = {f"with {reason}": count for reason, count in out_of_reach.items()}
    facts: dict[str, Any] = {"left_out": {"without an output": sum(left_out.values()), **spared}, "cut": cut}
    chosen = Chosen(samples, samples.labels, config, facts, tuple(told))
    return JudgedGenerator(opened, wanted), chosen
