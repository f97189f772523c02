"""Make a study: craft on every source, fill every column, in any number of sittings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from unfool import data as data_room
from unfool.attacks import find_attack
from unfool.data import Dataset
from unfool.errors import UserError
from unfool.generation import as_pairs, find_goal
from unfool.parallel import Folder, Workers, choose_workers, cluster_in_use, cluster_told, works_here
from unfool.progress import Bar
from unfool.runs import is_run
from unfool.storage import JSON, WorkFolder, replacing, to_json
from unfool.transfer._jobs import Plan, Target, craft, craft_touches, fill, fill_touches
from unfool.transfer._study import STUDY, Study
from unfool.transfer._summary import summary
from unfool.victims import Options
from unfool.zoo.victim_names import models_home, slow_first, spell_out, twin_of


def study(
    victims: Sequence[str],
    data: object,
    attack: str = "pwws",
    *,
    out: str | Path,
    split: str | None = None,
    n: int | None = None,
    from_label: str | Sequence[str] | None = None,
    goal: str | None = None,
    keep: int | None = None,
    seed: int = 0,
    twins: bool = False,
    sources: Sequence[str] = (),
    workers: int | None = None,
    options: Options | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Study:
    """Craft texts on each victim, try them on every other, and keep all of it in a folder.

    A victim that cannot be opened, or fails, is named in `Study.problems`; the others go on. A study is resumed
    with the same settings; victims given then are added to those it has, each for one row and one column. One that
    came to nothing, such as a misspelt name, is let go if it is not given again.

    Args:
        victims: Names as `unfool.attack` takes them; ``zoo63@DATA`` and ``zoo:LSTM-*@DATA`` stand for several.
        data: A name, such as a CSV file or a hub id, a data set, or what else `unfool.data.load` takes.
        attack: A name, settings behind a colon.
        out: The study's folder.
        split: The split of a data set given by name.
        n: How many samples are attacked on each source, drawn by the seed (default: all).
        from_label: The right label, or labels, of the texts to attack (default: all).
        goal: What fools models that generate, such as ``degrade``. The victims are then translators or the like,
            the data their sources, and each is judged by what it made of the same source before.
        keep: How many of a source's successes are tried on the targets, drawn by the seed (default: all).
        seed: Decides every random choice.
        twins: Whether to also try the texts of each model on its twin, trained from the next seed: its base rate.
        sources: Victims that texts are crafted on but that are no targets, such as ensembles; one of ``victims`` is
            a target all the same.
        workers: How many victims are worked on at once, each in a process of its own. None chooses: several on a
            GPU, else one. A script that takes more than one needs ``if __name__ == "__main__":``.
        options: How victims are opened: device, dtype, labels, whether code may run.
        resume: Go on with the study in that folder; start it if there is none.
        progress: Whether to show progress bars.
    """
    opened = options or Options()
    if resume and STUDY.lies_in(Path(out)):
        opened = opened.unless_named(str(STUDY.read_settings(Path(out))["dtype"]))
    elif cluster_in_use():  # machines may be of many kinds
        opened = opened.unless_named("fp32")
    source = data_room.as_dataset(data if goal is None else as_pairs(data), split)
    if goal is not None:
        _check_sources(source, from_label)
    elif source.unlabelled:
        raise UserError(
            f"the texts of {source.name} have no labels, and models are compared on the same ones; add them"
        )
    from_labels = [from_label] if isinstance(from_label, str) else list(from_label or ())
    settings: dict[str, JSON] = {
        "attack": repr(find_attack(attack)),
        "data": source.name,
        "split": source.split,
        "fingerprint": source.fingerprint,
        **source.editable_setting(),
        "n": n,
        **({"from": from_labels} if from_labels else {}),
        **({"generation_goal": repr(find_goal(goal))} if goal else {}),
        "keep": keep,
        "seed": seed,
        "dtype": opened.dtype,
    }
    names, others = spell_out(victims), spell_out(sources)
    with WorkFolder(Path(out), STUDY, settings, resume) as work, work.writing():
        made = Study.open(work.path)
        _let_go(made, {*names, *others})
        made.victims = list(dict.fromkeys([*made.victims, *names]))
        made.sources = [name for name in dict.fromkeys([*made.sources, *others]) if name not in made.victims]
        if not made.victims:
            raise UserError("a study needs victims; name at least one")
        if twins:
            made.twins |= {name: twin_of(name) for name in names}
        at_once = choose_workers(workers, on_gpu=_on_gpu(opened.device), most=len(made.targets))
        bars = progress and works_here(at_once)
        plan = Plan(made.places, source, attack, n, keep, seed, opened, bars, from_labels or None, goal)
        made.problems.clear()
        made.write()
        made.places.matrix.unlink(missing_ok=True)
        for place in (made.places.runs, made.places.cells):
            place.mkdir(exist_ok=True)
        folders = [Folder(work.path), Folder(models_home(), models_home)]
        with Workers(at_once, plan, folders=folders, device=opened.device) as processes:
            _craft(made, processes, progress)
            _fill(made, processes, progress)
        made.write()
        with replacing(made.places.matrix) as file:
            file.write(to_json(summary(made).to_json(), indent=1))
    return made


def _check_sources(source: Dataset, from_label: object) -> None:
    if not source.unlabelled:
        raise UserError(
            f"{source.name} was read with labels, and models that generate have none: name the column with "
            "--source, or load the data with label='@victim'"
        )
    if from_label:
        raise UserError("from_label is for classifiers, and a goal for models that generate; leave one out")


def _craft(made: Study, processes: Workers[Plan], progress: bool) -> None:
    todo = slow_first([*made.victims, *made.sources])
    # One at a time, each source shows a bar of its own.
    with Bar("crafting", len(todo), shown=progress and not works_here(processes.number)) as bar:
        for done in processes.do(craft, todo, pieces=partial(craft_touches, made.places)):
            _note(made, done.job, str(done.problem) if done.problem else done.result)
            bar.advance(done.job, told=cluster_told())


def _fill(made: Study, processes: Workers[Plan], progress: bool) -> None:
    every = [*made.victims, *made.sources]
    twin_sources = {twin: name for name, twin in made.twins.items()}
    # A twin that is no victim itself is asked about one source only: the model it is the twin of.
    todo = [
        Target(name, every if name in made.victims else [twin_sources[name]]) for name in slow_first(made.targets)
    ]
    with Bar("filling", sum(len(target.sources) for target in todo), shown=progress) as bar:
        for done in processes.do(fill, todo, pieces=partial(fill_touches, made.places)):
            _note(made, done.job.name, str(done.problem) if done.problem else "; ".join(done.result or ()))
            bar.advance(done.job.name, len(done.job.sources), told=cluster_told())


def _note(made: Study, name: str, problem: str | None) -> None:
    if problem:
        made.problems.setdefault(name, problem)


def _let_go(made: Study, given: set[str]) -> None:
    """Forget the victims that failed before anything was known of them and are not asked for any more."""
    gone = {
        name
        for name in made.problems.keys() - given
        if not is_run(made.places.run(name)) and not made.places.column(name).path.exists()
    }
    made.victims = [name for name in made.victims if name not in gone]
    made.sources = [name for name in made.sources if name not in gone]
    made.twins = {name: twin for name, twin in made.twins.items() if name not in gone}


def _on_gpu(device: str) -> bool:
    if device == "cpu" or find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()
