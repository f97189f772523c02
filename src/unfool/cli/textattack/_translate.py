"""Read a command line as TextAttack does, and say it as ours."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from typing import NamedTuple, NoReturn

from unfool.cli.textattack._names import (
    CLASSES,
    CONSTRAINTS,
    GOALS,
    LIMITS,
    OTHER_TRANSFORMATIONS,
    RECIPES,
    SLIPS_ARE,
    SPACES,
    data_of,
    victim_of,
)
from unfool.errors import UserError, did_you_mean

_BETWEEN = "^"
"""Stands between a name and what is said of it: ``glue^sst2``, ``beam-search^beam_width=4``."""
_START = re.compile(r"(?:python3? -m )?textattack attack(?= |$)")


class Translation(NamedTuple):
    """Our command lines, and what of theirs is lost in them."""

    commands: tuple[str, ...]
    lost: tuple[str, ...]


class _Said(NamedTuple):
    words: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class _Reader(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"TextAttack would not read this either: {message}")


def _reader() -> argparse.ArgumentParser:
    reader = _Reader(prog="textattack attack", add_help=False, allow_abbrev=False)
    for names in (
        ("--attack-recipe", "--recipe", "-r"),
        ("--model",),
        ("--model-from-file",),
        ("--model-from-huggingface",),
        ("--dataset-by-model",),
        ("--dataset-from-file",),
        ("--dataset-from-huggingface",),
        ("--dataset-split",),
        ("--transformation",),
        ("--search-method", "--search", "-s"),
        ("--goal-function", "-g"),
        ("--attack-from-file",),
        ("--query-budget", "-q"),
        ("--random-seed",),
        ("--num-workers-per-device",),
        ("--num-examples-offset", "-o"),
        ("--num-successful-examples",),
    ):
        reader.add_argument(*names)
    reader.add_argument("--num-examples", "-n", type=int, default=10)
    reader.add_argument("--constraints", nargs="*", default=["repeat", "stopword"])
    reader.add_argument("--filter-by-labels", nargs="+", default=[])
    for name in ("--log-to-csv", "--log-to-txt", "--log-to-visdom", "--log-to-wandb"):
        reader.add_argument(name, nargs="?", const="")
    for name in ("--attack-n", "--interactive", "--enable-advance-metrics", "--silent"):
        reader.add_argument(name, action="store_true")
    # Nothing is to be said for these: ours keeps every sample, draws by the seed, chooses workers and batches.
    for name in ("--parallel", "--shuffle", "--disable-stdout"):
        reader.add_argument(name, action="store_true")
    for name in ("checkpoint-interval", "checkpoint-dir", "csv-coloring-style", "model-batch-size"):
        reader.add_argument(f"--{name}")
    for name in ("model-cache-size", "constraint-cache-size"):
        reader.add_argument(f"--{name}")
    return reader


def translate(command: str) -> Translation:
    """Return our command lines for one of TextAttack's.

    Raises:
        UserError: It attacks nothing, or cannot be read.
    """
    start = _START.match(command := " ".join(command.split()))
    if start is None:
        raise UserError(f"{command[:40]!r} is no `textattack attack …`; docs/coming-from.md has its other commands")
    try:
        words = shlex.split(command[start.end() :])
    except ValueError as problem:
        raise UserError(f"the command cannot be read: {problem}") from None
    given, unknown = _reader().parse_known_args(words)
    victim = _victim(given)
    parts = [victim, _Said() if given.interactive else _data(given), _attack(given), _size(given)]
    ours = [word for part in parts for word in part.words]
    lost = [each for part in parts for each in part.lost]
    lost += [f"{word} (unknown to TextAttack 0.3.11)" for word in unknown if word.startswith("-")]
    commands = []
    if given.log_to_csv is not None:
        folder = f"runs/{Path(given.log_to_csv or 'textattack').stem}"
        ours += ["--out", folder]
        place = ["--out", given.log_to_csv] if given.log_to_csv.endswith(".csv") else []
        commands.append(shlex.join(["unfool", "export", folder, "--format", "textattack", *place]))
    ours += ["A text."] if given.interactive else []
    verb = "try" if given.interactive else "attack"
    return Translation((shlex.join(["unfool", verb, *ours]), *commands), tuple(dict.fromkeys(lost)))


def _victim(given: argparse.Namespace) -> _Said:
    if given.model_from_huggingface:
        return _Said(("--victim", f"hf:{given.model_from_huggingface}"))
    if given.model_from_file:
        file, _, name = given.model_from_file.partition(_BETWEEN)
        wrapped = f"the ModelWrapper in {file} (make it a function from texts to probabilities: docs/own-model.md)"
        return _Said(("--victim", f"py:{file}:{name or 'model'}"), (wrapped,))
    if not given.model:
        raise UserError(
            "no model is named; TextAttack takes --model, --model-from-huggingface or --model-from-file"
        )
    victim = victim_of(given.model)
    if victim and victim.startswith("zoo:"):
        return _Said(("--victim", victim), (f"the weights of {given.model} (the zoo trains its own on first use)",))
    return _Said(("--victim", victim or f"hf:{given.model}"))


def _data(given: argparse.Namespace) -> _Said:
    split = given.dataset_split
    lost: tuple[str, ...] = ()
    if given.dataset_from_file:
        file = given.dataset_from_file.partition(_BETWEEN)[0]
        name = f"{Path(file).stem}.csv"
        lost = (f"the Python data set in {file} (write it into {name}, or load it from Python: docs/data.md)",)
    elif given.dataset_from_huggingface:
        name, *more = given.dataset_from_huggingface.split(_BETWEEN)
        if more:
            name = f"{'nyu-mll/glue' if name == 'glue' else name}:{more[0]}"
            split = split or (more[1] if len(more) > 1 else None)
    else:
        model = given.dataset_by_model or given.model
        known = data_of(model) if model else None
        if known is None:
            raise UserError("no data are named; TextAttack takes --dataset-from-huggingface or --dataset-from-file")
        name, split = known[0], split or known[1]
    words = ["--data", name] + (["--split", split] if split else [])
    if given.filter_by_labels:
        words += ["--from", ",".join(given.filter_by_labels)]
    return _Said(tuple(words), lost)


def _attack(given: argparse.Namespace) -> _Said:
    if given.attack_from_file:
        file = given.attack_from_file.partition(_BETWEEN)[0]
        wanted = f"the attack in {file} (an attack here is one file, too: CONTRIBUTING.md)"
        return _Said(("--attack", f"py:{file}:attack"), (wanted,))
    if given.attack_recipe:
        name, _, settings = given.attack_recipe.partition(_BETWEEN)
        if name in CLASSES:
            ours = shlex.join((CLASSES[name].attack, *CLASSES[name].options))
            raise UserError(
                f"TextAttack has {name!r} as a recipe class only, not on its command line; ours: {ours}"
            )
        if name not in RECIPES:
            raise UserError(f"TextAttack has no recipe {name!r}{did_you_mean(name, RECIPES)}")
        here = RECIPES[name]
        lost = [f"{settings} of {name}"] if settings else []
        return _Said(("--attack", here.attack, *here.options), (*lost, *filter(None, [here.differs])))
    searched, goal = _searched(given), _goal(given)
    rules, dropped = _constraints(given.constraints)
    words = (*searched.words, *goal.words, *(("--constrain", rules) if rules else ()))
    return _Said(words, (*searched.lost, *goal.lost, *dropped))


def _searched(given: argparse.Namespace) -> _Said:
    transformation, _, said = (given.transformation or "word-swap-embedding").partition(_BETWEEN)
    search, _, settings = (given.search_method or "greedy-word-wir").partition(_BETWEEN)
    lost = [f"{said} of {transformation}"] if said else []
    if transformation in OTHER_TRANSFORMATIONS:
        nearest = OTHER_TRANSFORMATIONS[transformation]
        lost.append(f"{search} over {transformation} ({nearest} is nearest)")
        return _Said(("--attack", nearest), tuple(lost))
    if transformation not in SPACES:
        return _Said(("--attack", "textfooler"), (*lost, f"{transformation} (textfooler stands for it)"))
    space = SPACES[transformation]
    if space == "slips":
        lost.append(f"{transformation} by itself ({SLIPS_ARE})")
    words_alone = space in ("neighbours", "synonyms")
    if search == "pso" and words_alone:
        return _Said(("--attack", f"pso:substitutes={space}"), tuple(lost))
    if search == "ga-word" and words_alone:
        return _Said(
            ("--attack", f"ga:substitutes={'wordnet' if space == 'synonyms' else 'counter-fitted'}"), tuple(lost)
        )
    if search not in ("greedy", "beam-search"):
        lost.append(f"{search} over {transformation} (greedy search over all words stands for it)")
    width = re.search(r"beam_width=(\d+)", settings)
    default = 8 if search == "beam-search" else 1
    return _Said(("--attack", f"beam:space={space},width={width[1] if width else default}"), tuple(lost))


def _goal(given: argparse.Namespace) -> _Said:
    goal, _, settings = (given.goal_function or "untargeted-classification").partition(_BETWEEN)
    if goal == "targeted-classification":
        target = re.search(r"target_class=(\d+)", settings)
        return _Said(("--target", target[1] if target else "0"))
    if goal not in GOALS:
        return _Said((), (f"the goal {goal} (the attack input-reduction has its own)",))
    return _Said(GOALS[goal])


def _constraints(names: list[str]) -> tuple[str, list[str]]:
    rules, lost = [], []
    for each in names:
        name, _, settings = each.partition(_BETWEEN)
        ours = CONSTRAINTS.get(name)
        if ours is None:
            lost.append(f"the constraint {name}")
            continue
        limit = re.search(rf"(?:{'|'.join(LIMITS)})=([\d.]+)", settings)
        rule = re.match(r"(.*[<>]=)", ours)
        rules.append(f"{rule[1]}{limit[1]}" if limit and rule else ours)
    return ",".join(dict.fromkeys(filter(None, rules))), lost


def _size(given: argparse.Namespace) -> _Said:
    words: list[str] = []
    if given.num_examples != -1 and not given.interactive:
        words += ["--n", str(given.num_successful_examples or given.num_examples)]
    for value, option in (
        (given.query_budget, "--max-queries"),
        (given.random_seed, "--seed"),
        (None if given.interactive else given.num_workers_per_device, "--workers"),
    ):
        words += [option, value] if value else []
    words += ["--similarity"] if given.enable_advance_metrics and not given.interactive else []
    words += ["--quiet"] if given.silent and not given.interactive else []
    lost = {
        "--attack-n (texts that are skipped count)": given.attack_n,
        "--num-successful-examples (a run takes the texts it was given)": given.num_successful_examples,
        "--num-examples-offset (texts are drawn by --seed)": given.num_examples_offset not in (None, "0"),
        "--interactive (give your texts in the command)": given.interactive,
        "--log-to-txt (unfool show and report tell what was found)": given.log_to_txt is not None,
        "--log-to-visdom": given.log_to_visdom is not None,
        "--log-to-wandb": given.log_to_wandb is not None,
        "perplexity of --enable-advance-metrics": given.enable_advance_metrics,
    }
    return _Said(tuple(words), tuple(name for name, said in lost.items() if said))
