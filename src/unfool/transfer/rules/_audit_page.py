"""The audit as a page for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unfool.report import cards, shown, write_page
from unfool.runs import Rate
from unfool.transfer.rules._found import Audit, Finding, Grounds, Shown
from unfool.transfer.rules._rule import Association

_GROUNDS = {
    Grounds.LEARNED: "The data leans the same way: the model has learned this from it.",
    Grounds.UNSEEN: "The data never shows the new word: the model has nothing to go by.",
    Grounds.AGAINST: "The data does not lean this way: the bias is the model's own.",
}


def write_audit(audit: Audit, path: str | Path) -> None:
    """Write the page of an audit."""
    write_page(path, f"unfool: audit of {audit.victim}", _body(audit))


def _body(audit: Audit) -> Iterator[str]:
    told = audit.told
    where = audit.data + (f" ({audit.split})" if audit.split else "")
    yield f"<h1>What words fool {shown(audit.victim)}</h1>\n"
    yield (
        "<p>Every word of every text was replaced by each of its WordNet synonyms, one at a time. A synonym "
        "should not change the answer; where it does, the model hangs on the word and not on what it means. Listed "
        "are the replacements that turn right answers wrong, the surest first, with what the data itself says "
        "about the two words. WordNet also lists synonyms of other senses: read the examples before you blame the "
        "model.</p>\n"
    )
    yield cards(
        {
            "data": where,
            "texts": f"{told.texts:,}",
            "right before": str(Rate(told.right, told.texts)),
            "flipped by one synonym": str(Rate(told.flipped, told.right)),
            "replacements tried": f"{told.replacements:,}",
            "replacements that flip": f"{audit.rules:,} different",
            **({"without an answer": f"{told.unanswered:,}"} if told.unanswered else {}),
        }
    )
    if not audit.findings:
        yield "<p>No replacement of one word flips the model often enough to be listed.</p>\n"
        return
    yield "<h2>Replacements</h2>\n<table>\n<tr><th>answer</th><th>replacement</th><th>flips</th>"
    yield "<th>PMI in the data</th><th>what the data says</th></tr>\n"
    for number, finding in enumerate(audit.findings):
        yield _row(audit, finding, number)
    yield "</table>\n"
    yield (
        "<p><small>Flips: right answers that this change alone makes wrong, with the 95 % Wilson interval. PMI: "
        "how strongly the old → the new word goes with each answer in these texts, in bits; 0 where they never "
        "occur together.</small></p>\n<h2>Examples</h2>\n"
    )
    for number, finding in enumerate(audit.findings):
        yield from _examples(finding, number)


def _row(audit: Audit, finding: Finding, number: int) -> str:
    rule = finding.rule
    pmi = "<br>".join(
        f"{shown(name)}: {_change(each)}" for name, each in zip(audit.labels, rule.pmi.values(), strict=True)
    )
    cells = (
        shown(finding.label_name),
        f'<a href="#{number}">{shown(rule.word)} → {shown(rule.substitute)}</a>',
        f"{finding.rate.count} of {finding.rate.of}<br><small>{shown(str(finding.rate))}</small>",
        f"<small>{pmi}</small>",
        shown(_GROUNDS[finding.grounds]),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _change(association: Association) -> str:
    return f"{association.word:.2f} → {association.substitute:.2f}"


def _examples(finding: Finding, number: int) -> Iterator[str]:
    rule = finding.rule
    yield f'<h3 id="{number}">{shown(rule.word)} → {shown(rule.substitute)} '
    yield f"<small>no longer {shown(finding.label_name)}</small></h3>\n<table>\n"
    for example in finding.examples:
        yield f"<tr><td><small>{example.id}</small></td><td><p>{_marked(example)}</p></td></tr>\n"
    yield "</table>\n"


def _marked(example: Shown) -> str:
    words = f"<del>{shown(example.word)}</del> <ins>{shown(example.substitute)}</ins>"
    return f"{shown(example.before)}{words}{shown(example.after)}"
