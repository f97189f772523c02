"""Where the pieces of a table of defences lie, and from finished pieces to the figures that are kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from unfool.defences.evaluate import Answers, Evaluation, paired, robustness
from unfool.runs import Run
from unfool.stats import Rate, wilson
from unfool.storage import as_stored
from unfool.victims import Options
from unfool_papers.defence_tables.changes import changes_of, claimed, standard_errors
from unfool_papers.defence_tables.table import (
    ANEW,
    CLEAN,
    ERROR,
    PREMADE,
    Arm,
    DefenceTable,
    before,
    f1,
    fooled,
    left,
    left_anew,
)
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.pieces import Kept

Record = dict[str, Any]
"""Of a table or of an arm, as plain values."""


class Place(NamedTuple):
    """Where a table lies and how its victims are opened."""

    folder: Path
    device: str
    progress: bool
    trained: Path
    """The folder of the table whose arms are trained."""

    @property
    def options(self) -> Options:
        """How victims are opened."""
        return Options(self.device, "fp32")

    @property
    def made(self) -> Path:
        """The run whose successes are stored."""
        return self.folder / "premade"

    @property
    def stored(self) -> Path:
        """The data set of texts that fooled the base."""
        return self.folder / "premade.jsonl"

    def model(self, arm: Arm) -> Path:
        """Where an arm is trained."""
        return self.trained / "models" / arm.file

    def judged(self, arm: Arm) -> Path:
        """Where an arm is evaluated on texts as they are and on stored ones."""
        return self.folder / "judged" / arm.file

    def attacked(self, arm: Arm) -> Path:
        """Where an arm is evaluated under attack."""
        return self.folder / "attacked" / arm.file


def record(table: DefenceTable, place: Place, kept: Mapping[str, Kept]) -> Record:
    """Return all figures of a table, of what is done of it."""
    first, arms = table.arms[0], {}
    for arm in table.arms:
        pieces = _pieces(table, arm, kept)
        if pieces:
            arms[arm.name] = {
                "victim": arm.victim,
                "method": arm.method,
                "fault": arm.fault,
                "said": {said.figure: said.value for said in arm.said},
                "rates": dict(_rates(pieces)),
                **_judged(pieces.get("judged")),
                **_attacked(pieces.get("attacked"), place.attacked(arm)),
                "p": {}
                if arm == first
                else _chances(place, arm, first, pieces.keys() & _pieces(table, first, kept)),
            }

    def chance(one: str, other: str, figure: str) -> float | None:
        if not {one, other} <= arms.keys():
            return None
        pair = table.arm(one), table.arm(other)
        both = _pieces(table, pair[0], kept).keys() & _pieces(table, pair[1], kept)
        return _chances(place, *pair, both).get(CLEAN if figure == ERROR else figure)

    changes = changes_of(table, arms)
    claims = (judged(claim, {}, chances) for claim, chances in claims_of(table, arms, chance))
    devices = {
        found["device"] for name, found in kept.items() if name.startswith(f"{table.name}-") and "device" in found
    }
    return {
        "base": table.base,
        "where": table.where,
        "settings": as_stored(table.settings),
        "device": ", ".join(sorted(devices)),
        "arms": arms,
        "changes": changes,
        "claims": [claim for claim in claims if claim],
        "notes": list(_notes(table, kept)),
        "premade": kept.get(f"{table.name}-premade", {}).get("figures", {}),
        "trained": {name: portable(found) for name, found in kept.items() if name in _trainings(table)},
        "clouds": kept.get(f"{table.name}-clouds", {}).get("shares", {}),
        "seconds": {name: found["seconds"] for name, found in kept.items() if name.startswith(f"{table.name}-")},
    }


def portable(value: Any) -> Any:
    """Return plain values without the folders of the machine they were made on: of a path, the last two names."""
    if isinstance(value, str) and value.startswith("/"):
        return "/".join(Path(value).parts[-2:])
    if isinstance(value, Mapping):
        return {key: portable(each) for key, each in value.items()}
    return [portable(each) for each in value] if isinstance(value, list) else value


def _pieces(table: DefenceTable, arm: Arm, kept: Mapping[str, Kept]) -> dict[str, Evaluation]:
    names = {piece: f"{table.name}-{arm.file}-{piece}" for piece in ("judged", "attacked")}
    return {piece: Evaluation.from_json(kept[name]) for piece, name in names.items() if name in kept}


def _trainings(table: DefenceTable) -> set[str]:
    return {f"{table.name}-base", *(f"{table.name}-{arm.file}-trained" for arm in table.arms)}


def _rates(pieces: Mapping[str, Evaluation]) -> Iterator[tuple[str, Record]]:
    """Yield every share of an arm by its name."""
    if found := pieces.get("judged"):
        clean = found.clean.victim.accuracy
        yield CLEAN, clean.to_dict()
        yield ERROR, Rate(clean.of - clean.count, clean.of).to_dict()
        for stored in found.premade.values():
            yield PREMADE, stored.victim.accuracy.to_dict()
    for row in pieces["attacked"].attacks if "attacked" in pieces else ():
        figures = row.victim.to_json()
        yield before(row.name), figures["clean_accuracy"]
        yield left(row.name), figures["accuracy_under_attack"]
        yield fooled(row.name), figures["success_rate"]
        anew = pieces["attacked"].asked_anew[row.attack]
        yield (
            left_anew(row.name),
            asked_anew(
                figures["accuracy_under_attack"],
                figures["clean_accuracy"],
                anew.left if pieces["attacked"].repeated.random else figures["accuracy_under_attack"]["value"],
                anew.accuracy,
            ),
        )


def asked_anew(under: Record, before_it: Record, kept: float | None, accuracy: float) -> Record:
    """Return the share of all texts that were right before an attack and are right when asked anew.

    Args:
        under: The accuracy under attack, by the answers that the attack was judged by.
        before_it: The accuracy before.
        kept: The share that is looked for; None where an evaluation was made before it was measured. Then it lies
            between two bounds: texts that were wrong before and are right when asked anew may be all of the
            ``accuracy`` that they can be, or none of it.
        accuracy: The share of right answers to all texts the attack ended with, whatever was before.

    Returns:
        The rate; ``least`` where only bounds are known, of which ``value`` then is the upper one.
    """
    of = under["of"]
    most = min(accuracy, before_it["count"] / of) if kept is None else kept
    least = max(0.0, accuracy - 1 + before_it["count"] / of) if kept is None else kept
    low, high = wilson(least * of, of)[0], wilson(most * of, of)[1]
    known = {"count": round(most * of, 1), "of": of, "value": most, "low": low, "high": high}
    return known if kept is not None else {**known, "least": least}


def _judged(found: Evaluation | None) -> Record:
    if found is None:
        return {}
    f1s = {f1(CLEAN): found.clean.victim.macro_f1}
    f1s |= {f1(PREMADE): stored.victim.macro_f1 for stored in found.premade.values()}
    cost = found.cost.victim
    return {"f1": f1s, "ms a query": 1000 * cost.seconds, "passes": cost.forward}


def _attacked(found: Evaluation | None, folder: Path) -> Record:
    if found is None:
        return {}
    sure = standard_errors(folder)
    under = {
        row.name: {
            "asked anew": found.asked_anew[row.attack].accuracy,
            "left anew": found.asked_anew[row.attack].left,
            "words_changed": row.victim.words_changed,
            "characters_changed": row.victim.characters_changed,
            "queries_mean": row.victim.queries_mean,
            "standard errors": sure.get(row.name, {}),
        }
        for row in found.attacks
    }
    return {"under attack": under, "warnings": list(found.warnings)}


def _chances(place: Place, arm: Arm, first: Arm, pieces: Collection[str]) -> dict[str, float]:
    """Return how likely two arms would differ as much by chance, in all that was measured of both."""
    found = _by_answers(place.judged(arm), place.judged(first)) if "judged" in pieces else {}
    return found | (_by_runs(place.attacked(arm), place.attacked(first)) if "attacked" in pieces else {})


def _by_answers(one: Path, other: Path) -> dict[str, float]:
    """Compare two arms on the same texts as they are, and on stored ones."""
    files = {CLEAN: "clean-victim.json", PREMADE: "premade-1-victim.json"}
    found = {}
    for figure, file in files.items():
        if all((folder / file).is_file() for folder in (one, other)):
            right = (Answers.from_json(json.loads((folder / file).read_bytes())).right for folder in (one, other))
            found[figure] = paired(*(dict(enumerate(each)) for each in right)).p_value
    return found


def _by_runs(one: Path, other: Path) -> dict[str, float]:
    """Compare two arms on the texts that were attacked on both: which are right before and not fooled."""
    found = {}
    for folder in sorted((one / "runs").glob("victim-*")):
        runs = [Run.open(each / "runs" / folder.name) for each in (one, other)]
        attack = folder.name.removeprefix("victim-").partition("-")[2]
        found[left(attack)] = paired(*(robustness(run).robust for run in runs)).p_value
    return found


def claims_of(
    table: DefenceTable, arms: Mapping[str, Record], chance: Callable[[str, str, str], float | None]
) -> Iterator[tuple[Claim, list[float | None]]]:
    """Yield what is claimed, and how likely neighbours would differ as much by chance, where that can be told."""
    about = table.base.removeprefix("zoo:")

    def term(arm: str, figure: str) -> Term:
        rate = arms.get(arm, {}).get("rates", {}).get(figure)
        if rate is None:
            return Term(arm, None)
        if "least" in rate:  # only bounds are known: the interval spans those of both
            bounds = (100 * rate["low"], 100 * rate["high"])
            return Term(f"{arm}, at most", round(100 * rate["value"], 1), "", bounds, rate["of"])
        return Term.share(arm, rate["count"], rate["of"])

    for figure, names in table.orders:
        said = f"{_spelt_out(figure)}: {' > '.join(names)}"
        chances = [chance(one, other, figure) for one, other in pairwise(names)]
        yield Claim(table.paper, said, about, [term(name, figure) for name in names]), chances
    for floor in table.floors:
        what = f"{floor.percent:g} %" + (f" of that of {floor.of}" if floor.of else "")
        least = (
            Term(what, floor.percent) if not floor.of else _part(term(floor.of, floor.figure), what, floor.percent)
        )
        said = f"{_spelt_out(floor.figure)}: {floor.arm} has at least {what}"
        yield Claim(table.paper, said, about, [term(floor.arm, floor.figure), least]), [None]
    for each in changes_of(table, arms):
        yield Claim(table.paper, *claimed(each, about)), [None]


def _part(whole: Term, label: str, percent: float) -> Term:
    if whole.value is None or whole.interval is None:
        return Term(label, None)
    low, high = whole.interval
    share = percent / 100
    return Term(label, round(share * whole.value, 1), "", (share * low, share * high), whole.of)


def _spelt_out(figure: str) -> str:
    kind, _, attack = figure.removesuffix(ANEW).partition(" by ")
    if figure.endswith(ANEW):
        return f"accuracy under {attack}, by fresh answers"
    told = {
        CLEAN: "accuracy on clean texts",
        ERROR: "error on clean texts",
        PREMADE: "accuracy on texts that fooled the base",
        "left": f"accuracy under {attack}",
        "fooled": f"success of {attack}",
    }
    return told[kind]


def _notes(table: DefenceTable, kept: Mapping[str, Kept]) -> Iterator[str]:
    for arm in table.arms:
        found = _pieces(table, arm, kept).get("attacked")
        if not found:
            continue
        for warning in found.warnings:
            for row in found.attacks:
                warning = warning.replace(row.attack, row.name)
            yield f"{arm.name}: {warning}"
        for tried in found.transfer:
            if tried.texts:
                made_on, tried_on = (arm.name, table.arms[0].name)[:: 1 if tried.made_on == "victim" else -1]
                yield (
                    f"of {tried.texts} texts that {tried.name} made on “{made_on}”, {tried.fooled} fool "
                    f"“{tried_on}” ({tried.rate:.0%})"
                )
    if table.differs:
        yield f"What differs from the paper: {table.differs}"
