"""The results as a person reads them, beside the papers'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from studies.defences import published

Rate = Mapping[str, Any]
_SETTINGS = re.compile(r"(?<=textfooler):\S+")
_FIREBERT_DIFFERS = (
    "MiniLM stands in for BERT and for the sentence encoder; the training sets at hand are part of the papers'; "
    "alternatives are not filtered by a sentence encoder; F1 is taken once over all texts, where the paper "
    "averages it over batches; all premade texts fool the base, where detokenising un-fooled a few of the paper's."
)
_HOTFLIP_DIFFERS = (
    "all arms go on from one trained net for as many epochs, where the paper trains each from nothing; a third of "
    "its training texts; Key* attacks some of the texts of each epoch, the other methods all; Miyato's epsilon is "
    "not in the paper."
)


def text(results: Mapping[str, Any]) -> str:
    """Return all tables."""
    return "\n\n".join([*_firebert(results.get("firebert", {})), *_hotflip(results.get("hotflip"))])


def _firebert(results: Mapping[str, Any]) -> Iterator[str]:
    for name, found in results.items():
        where = {"mnli": "Table 1", "imdb": "Table 2"}.get(name, "no table of the paper")
        yield f"## FireBERT on {name} ({where}), n = {found['n']}"
        said = published.JUDGED.get(name, {})
        yield _table(
            "victim | clean, % | paper | F1 | paper | premade, % | paper | F1 | paper | p clean | p premade "
            "| passes | ms a query",
            (_judged(row, each, said.get(row)) for row, each in found["rows"].items() if "clean" in each),
        )
        yield f"Under attack by `{found['attack']}`{' (Table 3)' if name in published.ATTACKED else ''}:"
        before = published.ATTACKED.get(name, {})
        yield _table(
            "victim | before, % | paper | left, % | paper | asked anew, % | words, % | queries | p",
            (_attacked(row, each, before.get(row)) for row, each in found["rows"].items() if "left" in each),
        )
        yield from _faults(name, found)
        yield from _transfer(found["transfer"])
        yield from _claims(found["rows"])
        warned = [
            f"- {published.ROWS[row]}: {_SETTINGS.sub('', warning)}"
            for row, each in found["rows"].items()
            for warning in each.get("warnings", ())
        ]
        if warned:
            yield "Warnings:\n\n" + "\n".join(warned)
        yield f"What differs from the paper: {_FIREBERT_DIFFERS}"


def _judged(row: str, each: Mapping[str, Any], said: published.Judged | None) -> Iterable[str]:
    paper = [f"{value:.1f}" for value in said] if said else ["–"] * 4
    premade = each.get("premade")
    return (
        published.ROWS[row],
        _rate(each["clean"]), paper[0], f"{100 * each['clean f1']:.1f}", paper[1],
        _rate(premade) if premade else "–", paper[2],
        f"{100 * each['premade f1']:.1f}" if premade else "–", paper[3],
        _chance(each["clean p"]), _chance(each.get("premade p")),
        "–" if each["passes"] is None else f"{each['passes']:.0f}", f"{each['ms a query']:.2f}",
    )  # fmt: skip


def _attacked(row: str, each: Mapping[str, Any], said: published.Attacked | None) -> Iterable[str]:
    return (
        published.ROWS[row],
        _rate(each["before"]), f"{said.before:.1f}" if said else "–",
        _rate(each["left"]), f"{said.after:.1f}" if said else "–",
        f"{100 * each['asked anew']:.1f}",
        "–" if each["words changed"] is None else f"{each['words changed']:.1f}",
        "–" if each["queries"] is None else f"{each['queries']:.0f}",
        _chance(each.get("left p")),
    )  # fmt: skip


def _faults(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    lines = []
    for what, faulty in found["faults"].items():
        row, fault = what.split()
        right = found["rows"].get(row, {})
        if fault == "shuffled":
            said: Any = published.JUDGED.get(name, {}).get(row)
            pairs = [("clean", said and said.clean), ("premade", said and said.premade)]
        else:
            said = published.ATTACKED.get(name, {}).get(row)
            pairs = [("before", said and said.before), ("left", said and said.after)]
        # Stored adversarial texts were not shuffled: the fault was not theirs.
        lines += [
            (published.ROWS[row], fault, figure, _rate(faulty[figure]), "–" if value is None else f"{value:.1f}",
             _rate(right[figure]) if figure in right else "–")
            for figure, value in pairs
            if figure in faulty
        ]  # fmt: skip
    if lines:
        yield "The suspected faults, switched on:"
        yield _table("victim | fault | figure | with the fault, % | paper | without, %", lines)


def _transfer(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    told = [
        f"- of {row['texts']} texts made on the {'baseline' if row['from'] == 'base' else 'net tuned again'}, "
        f"{row['fooled']} fool the other ({row['rate']:.0%}; the paper: about half)"
        for row in rows
        if row["texts"]
    ]
    if told:
        yield "Between two nets tuned alike:\n\n" + "\n".join(told)


def _claims(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    base, fact = rows.get("base", {}), rows.get("fact", {})
    if "clean" in base and "clean" in fact:
        kept = fact["clean"]["value"] / base["clean"]["value"]
        recovered = fact["premade"]["value"]
        yield (
            f"FACT keeps {kept:.1%} of clean accuracy (at least 98 %: {'yes' if kept >= 0.98 else 'NO'}) and has "
            f"{recovered:.1%} of premade texts right (at least 80 %: {'yes' if recovered >= 0.8 else 'NO'})."
        )


def _hotflip(found: Mapping[str, Any] | None) -> Iterator[str]:
    if not found:
        return
    yield f"## HotFlip's Table 2 ({found['task']['data']}), n = {found['n']}"
    yield _table(
        "trained by | error, % | paper | fooled by HotFlip, % | paper | characters, % | queries | by Key*, % | p",
        (_trained(arm, each, published.TRAINED.get(arm)) for arm, each in found["rows"].items()),
    )
    order = ["baseline", "black-box", "miyato", "white-box"]
    shares = {arm: _under(found["rows"][arm])["success"]["value"] for arm in order if arm in found["rows"]}
    if len(shares) == len(order) and None not in shares.values():
        falls = all(shares[a] > shares[b] for a, b in pairwise(order))
        told = " > ".join(f"{arm} {100 * share:.1f}" for arm, share in shares.items())
        yield f"The paper's order of success: {told}: {'holds' if falls else 'does NOT hold'}."
    if found["curve"]:
        yield "Success by the confidence the wrong answer must have (Figure 1), %:"
        searches = dict.fromkeys(point["search"] for point in found["curve"])
        levels = sorted({point["confidence"] for point in found["curve"]})
        at = {(point["search"], point["confidence"]): point["success_rate"] for point in found["curve"]}
        yield _table(
            "search | " + " | ".join(f"{level:g}" for level in levels),
            ((s, *(_rate(at[s, level]) if (s, level) in at else "–" for level in levels)) for s in searches),
        )
    yield f"What differs from the paper: {_HOTFLIP_DIFFERS}"


def _trained(arm: str, each: Mapping[str, Any], said: published.Trained | None) -> Iterable[str]:
    clean, under = each["clean"], _under(each)
    wrong = {"value": 1 - clean["value"], "low": 1 - clean["high"], "high": 1 - clean["low"], "of": clean["of"]}
    asked = next(found for attack, found in each.items() if attack.startswith("key-star"))
    return (
        f"{arm} (`{each['method']}`)",
        _rate(wrong), f"{said.error:.2f}" if said else "–",
        _rate(under["success"]), f"{said.success:.2f}" if said else "–",
        "–" if under["characters changed"] is None else f"{under['characters changed']:.1f}",
        "–" if under["queries"] is None else f"{under['queries']:.0f}",
        _rate(asked["success"]), _chance(each.get("left p")),
    )  # fmt: skip


def _under(each: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(found for attack, found in each.items() if attack.startswith("hotflip"))
    return found


def _rate(rate: Rate) -> str:
    if rate["value"] is None:
        return "–"
    return f"{100 * rate['value']:.1f} [{100 * rate['low']:.1f}, {100 * rate['high']:.1f}] of {rate['of']}"


def _chance(p: float | None) -> str:
    return "–" if p is None else f"{p:.2g}"


def _table(heading: str, rows: Iterable[Iterable[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join([f"| {heading} |", "| --- " * (heading.count("|") + 1) + "|", *lines])
