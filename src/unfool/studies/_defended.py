"""A table of defences: victims hardened by training or defended while they are asked, all judged alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from unfool import data as data_room
from unfool import zoo
from unfool._api import attack
from unfool.defences.evaluate import evaluate, premade
from unfool.defences.harden import harden
from unfool.errors import UserError
from unfool.runs._files import SUMMARY, is_run
from unfool.studies._claim import Claim, Term, judged
from unfool.studies._plan import Section, Table, Work
from unfool.studies._row_table import told
from unfool.victims import Options, open_victim

BASE = "base"
ERROR, CLEAN, PREMADE = "error", "clean", "premade"


class Said(NamedTuple):
    """A figure of the paper, in percent."""

    figure: str
    """``error``, ``clean``, ``premade``, ``fooled by ATTACK`` or ``left by ATTACK``."""
    value: float


class Arm(NamedTuple):
    """A line of the table."""

    name: str
    victim: str = "{base}"
    """Its victim; in braces stand the base and the names of arms that were trained. Not for those themselves."""
    method: str = ""
    """How it is trained; empty where it is not."""
    said: tuple[Said, ...] = ()


class DefenceTable(NamedTuple):
    """What is defended how, what is tried on it, and what the paper says comes of it."""

    paper: int
    base: str
    data: str
    """What clean accuracy is taken over, and what is attacked."""
    attacks: tuple[str, ...]
    arms: tuple[Arm, ...]
    where: str
    """Where the paper has the figures."""
    orders: tuple[tuple[str, tuple[str, ...]], ...]
    """Figures that fall from arm to arm, if the paper is right."""
    n: int
    made_by: str = ""
    """An attack on the base whose successes all arms are asked about; empty for none."""
    split: str | None = None
    editable: str | None = None
    epochs: int = 3
    start: Literal["victim", "new"] = "victim"
    lr: float | None = None


def defended(table: DefenceTable, folder: str, work: Work) -> Section:
    """Train, evaluate and compare all arms."""
    place = work.out / folder
    names: dict[str, str] = {BASE: table.base}
    found: dict[str, dict[str, Any]] = {}
    problems: list[str] = []
    stored = _stored(table, place, work) if table.made_by else ()
    for number, arm in enumerate(table.arms, start=1):
        work.say(f"{number}/{len(table.arms)} {arm.name}")
        try:
            if arm.method:
                names[arm.name] = _trained(table, arm, place / "models" / _file(arm.name), work)
            victim = names[arm.name] if arm.method else _named(arm, names)
            found[arm.name] = _evaluated(table, victim, stored, place / "evaluated" / _file(arm.name), work)
        except UserError as problem:  # the others are worth having all the same
            problems.append(f"{arm.name}: {problem}")
    terms = {arm: {term.label: term for term in _terms(summary)} for arm, summary in found.items()}
    claims = [judged(claim, {}) for claim in _claims(table, terms)]
    return Section(
        tables=[_table(table, found, terms)],
        claims=[each for each in claims if each],
        notes=[*problems, *(f"{arm}: {said}" for arm, summary in found.items() for said in summary["warnings"])],
        values=found,
    )


def _named(arm: Arm, names: Mapping[str, str]) -> str:
    try:
        return arm.victim.format_map(names)
    except KeyError as missing:
        raise UserError(f"there is no {missing} to put it around") from None


def _trained(table: DefenceTable, arm: Arm, folder: Path, work: Work) -> str:
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        harden(
            arm.method,
            table.base,
            zoo.parse(table.base).data,
            folder,
            epochs=table.epochs,
            start=table.start,
            lr=table.lr,
            keep="last",
            edit=table.editable,
            device=work.device,
            resume=(folder.with_name(f"{folder.name}.training") / "harden.json").is_file(),
            progress=work.progress,
        )
    return f"{'hf' if (folder / 'training.json').is_file() else 'zoo'}:{folder}"


def _stored(table: DefenceTable, place: Path, work: Work) -> tuple[str, ...]:
    """Make the texts that fool the base; none where none does."""
    run, file = place / "made", place / "premade.jsonl"
    if not (run / SUMMARY).is_file():
        work.say(f"texts that fool {table.base}, made by {table.made_by}")
        attack(
            table.base,
            _data(table),
            table.made_by,
            n=table.n,
            options=Options(work.device),
            out=run,
            resume=is_run(run),
            progress=work.progress,
        )
    try:
        premade(run, file)
    except UserError:
        return ()
    return (str(file),)


def _evaluated(table: DefenceTable, victim: str, stored: Sequence[str], folder: Path, work: Work) -> dict[str, Any]:
    options = Options(work.device)
    return evaluate(
        open_victim(victim, options),
        _data(table),
        table.attacks,
        out=folder,
        premade=stored,
        n=table.n,
        options=options,
        resume=(folder / "evaluation.json").is_file(),
        progress=work.progress,
    )


def _data(table: DefenceTable) -> data_room.Dataset:
    return data_room.load(table.data, split=table.split, editable=table.editable)


def _kind(attack: str) -> str:
    return attack.partition(":")[0]


def _file(arm: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in arm.lower()).strip("-")


def _terms(summary: Mapping[str, Any]) -> Iterator[Term]:
    """Yield every figure of an arm, by its name."""
    clean = summary[CLEAN]["victim"]["accuracy"]
    yield Term.share(CLEAN, clean["count"], clean["of"])
    yield Term.share(ERROR, clean["of"] - clean["count"], clean["of"])
    for stored in summary["premade"]:
        found = stored["victim"]["accuracy"]
        yield Term.share(PREMADE, found["count"], found["of"])
    for row in summary["attacks"]:
        for word, figure in (("left", "accuracy_under_attack"), ("fooled", "success_rate")):
            found = row["victim"][figure]
            yield Term.share(f"{word} by {_kind(row['attack'])}", found["count"], found["of"])


def _claims(table: DefenceTable, terms: Mapping[str, Mapping[str, Term]]) -> Iterator[Claim]:
    for figure, arms in table.orders:
        falling = [terms.get(arm, {}).get(figure, Term(arm, None))._replace(label=arm) for arm in arms]
        said = f"{_spelt_out(figure)}: {' > '.join(arms)}"
        yield Claim(table.paper, said, table.base.removeprefix("zoo:"), falling)


def _spelt_out(figure: str) -> str:
    kind, _, attack = figure.partition(" by ")
    told = {
        CLEAN: "accuracy on clean texts",
        ERROR: "error on clean texts",
        PREMADE: "accuracy on texts that fooled the base",
        "left": f"accuracy under {attack}",
        "fooled": f"success of {attack}",
    }
    return told[kind]


def _table(
    table: DefenceTable, found: Mapping[str, Mapping[str, Any]], terms: Mapping[str, Mapping[str, Term]]
) -> Table:
    said = {arm.name: {each.figure: each.value for each in arm.said} for arm in table.arms}
    # What no paper figure is about need not be seen twice: an error is what accuracy leaves.
    shown = [
        label
        for label in dict.fromkeys(label for of in terms.values() for label in of)
        if label != ERROR or any(ERROR in of for of in said.values())
    ]
    first = next(iter(found.values()), {"attacks": ()})
    attacks = [_kind(row["attack"]) for row in first["attacks"]]
    columns = ["defence", *(f"{label}, % [paper]" for label in shown)]
    columns += [f"{what}, {each}" for each in attacks for what in ("words, %", "queries")] + ["ms a query"]
    rows = []
    for arm, summary in found.items():
        cells = [arm, *(_cell(terms[arm].get(label), said[arm].get(label)) for label in shown)]
        for row in summary["attacks"]:
            cells += [told(row["victim"]["words_changed"]), told(row["victim"]["queries_mean"])]
        rows.append([*cells, f"{1000 * summary['cost']['victim']['seconds']:.3g}"])
    title = (
        f"{table.base} on {table.data}; in parentheses the 95 % interval and the number of texts, in brackets the "
        f"paper's {table.where}"
    )
    return Table(title, columns, rows)


def _cell(term: Term | None, reported: float | None) -> str:
    beside = "" if reported is None else f" [{reported:g}]"
    if term is None or term.value is None or term.interval is None:
        return f"–{beside}"
    low, high = term.interval
    return f"{term.value:.1f} ({low:.0f}–{high:.0f}, {term.of}){beside}"
