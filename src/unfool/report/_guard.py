"""The audit of a guard as one page without scripts, which a reviewer can print and send on."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from unfool.guards import READ_AGAIN, Audit, Bypass, Line, Transferred
from unfool.report._write import refuse_other_files
from unfool.stats import Rate
from unfool.storage import explaining, replacing
from unfool.visible import shown, told_apart

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:1.5rem auto;padding:0 1rem;color:#1b2129}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;"
    "border-bottom:1px solid #dde2e8;overflow-wrap:anywhere}.past{background:#ffe1de}.quiet{color:#586271}"
)
_BYPASSES = 20


def write_guard(found: Audit, out: str | Path, *, bypasses: int = _BYPASSES) -> None:
    """Write the page of a guard's audit.

    Args:
        found: The audit.
        out: The file to write.
        bypasses: How many of the cheapest bypasses stand on it; all stand in the audit's JSON.
    """
    path = Path(out)
    with explaining(path, "write", "choose another place"):
        refuse_other_files(path)
        with replacing(path) as file:
            file.write("\n".join(_page(found, bypasses)).encode("utf-8", "replace"))


def _page(found: Audit, bypasses: int) -> Iterable[str]:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    guard, own = found.guard, found.lines[0]
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f"<title>Audit of {_shown(guard.name)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>Audit of {_shown(guard.name)}</h1>"
    yield (
        f"<p><strong>{_share(found.misses)} of the harmful texts get past it</strong> at its own threshold by at "
        f"least one of {len(own.attacks)} attacks with {found.budget} queries a text; as they are written, "
        f"{_share(own.misses)} do. It blocks {_share(own.false_alarms)} of the benign texts.</p>"
    )
    facts = {
        "victim": guard.victim,
        "blocked": f"{guard.blocks}, from a probability of {guard.threshold:g} on",
        "licence": guard.licence,
        "note": guard.note,
        "harmful texts": found.harmful,
        "benign texts": found.benign,
    }
    yield _table([], [[key, value] for key, value in facts.items() if value])
    for line in found.lines:
        yield from _of_line(line)
    if found.also:
        yield from _of_others(found.also)
    for remark in found.remarks:
        yield f'<p class="quiet">{_shown(remark)}</p>'
    yield f"<h2>The smallest ways past it: {min(bypasses, len(own.smallest))} of {len(own.smallest)} texts</h2>"
    yield '<p class="quiet">Of each text the bypass with the fewest changed characters.</p>'
    for bypass in sorted(own.smallest, key=lambda each: (each.characters, each.queries))[:bypasses]:
        yield from _of_bypass(bypass)
    yield (
        '<p class="quiet">Shares stand with their 95 % Wilson intervals. Costs are medians over bypasses. '
        "Benign texts that an attack cannot change are left out. A text is still read if a language model that is "
        f"asked to repeat it writes the original, to a chrF of {READ_AGAIN:g} or more.</p>"
    )
    yield "</body></html>"


def _of_line(line: Line) -> Iterable[str]:
    yield f"<h2>At {_shown(line.name)}: {line.threshold:.4g}</h2>"
    rows = [["as they are", _share(line.misses), "", _share(line.false_alarms), "", "", _told(line.readable)]]
    for each in line.attacks:
        alarms = "–" if each.false_alarms is None else _share(each.false_alarms)
        costs = ["–" if value is None else f"{value:g}" for value in (each.queries, each.characters)]
        if each.share is None and each.false_alarms is not None:
            alarms += ", one word in ten changed"
        row = [each.attack, _share(each.misses), _share(each.past), alarms, *costs, _told(each.readable)]
        rows.append(row)
    rows.append(["any of them", _share(line.union), "", "", "", "", ""])
    yield _table(
        [
            "texts changed by",
            "harmful texts missed",
            "of those blocked as they are",
            "benign texts blocked, changed the same way",
            "queries",
            "characters",
            "still read",
        ],
        rows,
    )


def _of_others(also: Sequence[Transferred]) -> Iterable[str]:
    yield "<h2>The same bypasses on other guards, without a search there</h2>"
    rows = [
        [
            each.guard.name,
            _share(each.misses),
            "; ".join(f"{name}: {_share(rate)}" for name, rate in each.attacks),
            _share(each.union),
        ]
        for each in also
    ]
    columns = ["guard", "harmful texts missed as they are", "of blocked texts' bypasses, get past", "any of them"]
    yield _table(columns, rows)


def _of_bypass(bypass: Bypass) -> Iterable[str]:
    yield (
        f"<p>#{bypass.id} by {_shown(bypass.attack)}: {bypass.queries} queries, {bypass.characters} characters; "
        f"blocked with {bypass.before:.2f} before, {bypass.after:.2f} after</p>"
    )
    yield f"<p>{_shown(bypass.original)}</p>"
    yield f'<p class="past">{escape(told_apart(bypass.changed, bypass.original))}</p>'


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{_shown(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_shown(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"


def _told(readable: Rate | None) -> str:
    return "unknown" if readable is None else _share(readable)


def _share(rate: Rate) -> str:
    return f"{rate} ({rate.count} of {rate.of})"


def _shown(text: str) -> str:
    return escape(shown(text))
