"""The audit of a model: which word replacements flip it, as a page for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Unpack

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.report._page import cards, refuse_other_files, shown, write_page
from unfool.rules import (
    Association,
    Audit,
    Explanation,
    FlippedText,
    FlippingRule,
    MiningSettings,
    find_biases,
    opened_mining,
)
from unfool.stats import Rate

_OTHERS = 5


class _Section(NamedTuple):
    heading: str
    sentence: str


_SECTIONS = {
    Explanation.LEARNED: _Section(
        "Biases of the data that the model has learned",
        "In the data the new word goes less with the answer than the old one, beyond chance. The model has learned "
        "that, though the words can mean the same.",
    ),
    Explanation.UNSEEN: _Section(
        "Words the data never shows",
        "The new word is not in the data: the model has nothing to go by, and the loss of the old one is enough.",
    ),
    Explanation.AGAINST: _Section(
        "Whims of the model",
        "In the data the two words do not differ in this direction, though they occur often enough for that to "
        "show: the bias is the model's own.",
    ),
    Explanation.RARE: _Section(
        "Too rare to tell",
        "The words occur too rarely for the data to say, beyond chance, whether it leans this way.",
    ),
    Explanation.FEW: _Section(
        "Too few flips to tell",
        "The model was tried on too few texts with the word, or it flips no oftener than by any replacement. Audit "
        "more texts before you draw a conclusion.",
    ),
}


def audit(
    victim: str | Predictor,
    data: str | Dataset,
    out: str | Path,
    *,
    most: int = 25,
    support: int = 2,
    **settings: Unpack[MiningSettings],
) -> Audit:
    """Find the word replacements that flip a model, and write a page that says which of them the data accounts for.

    The victim needs to give predictions only. All rules are tried in all texts; `unfool.rules.find_biases` says how
    those that flip it are judged.

    Args:
        victim: The model, by name or opened.
        data: The texts it was trained on, or like those, by name or loaded.
        out: The page to write. What is done so far lies beside it, in a folder of the same name with ``.parts``.
        most: How many words to report for each of the five explanations.
        support: Rules with fewer places where the model is right are left out.
        settings: See `unfool.rules.mine_rules`.
    """
    target = Path(out)
    if target.is_dir():
        raise UserError(f"{target} is a folder; name the page to write, such as {target / 'audit.html'}")
    refuse_other_files(target)
    settings.setdefault("split", None)
    settings.setdefault("n", 1000)
    with opened_mining([victim], data, target.with_name(target.name + ".parts"), **settings) as mined:
        found = find_biases(mined, most, support)
        write_page(target, f"unfool: audit of {found.victim}", _body(found))
        mined.parts.remove()
    return found


def _body(audit: Audit) -> Iterator[str]:
    figures = audit.figures
    where = audit.data + (f" ({audit.split})" if audit.split else "")
    yield f"<h1>What words fool {shown(audit.victim)}</h1>\n"
    yield (
        "<p>Every word of every text was replaced by each of its WordNet synonyms, one at a time. A synonym "
        "should not change the answer; where it does, the model relies on the word and not on what it means. "
        "Listed are the replacements that turn right answers wrong, the surest first, with what the data says of "
        "the two words. WordNet also lists synonyms of other senses: read the examples before you blame the model."
        "</p>\n"
    )
    yield cards(
        {
            "data": where,
            "texts": f"{figures.texts:,}",
            "right before": str(Rate(figures.right, figures.answered)),
            "flipped by one synonym": str(Rate(figures.flipped, figures.right)),
            "replacements tried": f"{figures.replacements:,}",
            "replacements that flip": f"{audit.rules:,} different",
            "any replacement flips": str(audit.any_replacement),
            **({"texts without an answer": f"{silent:,}"} if (silent := figures.texts - figures.answered) else {}),
            **({"replacements without an answer": f"{figures.unanswered:,}"} if figures.unanswered else {}),
        }
    )
    if not audit.findings:
        yield "<p>No replacement of one word flips the model often enough to be listed.</p>\n"
        return
    numbered = list(enumerate(audit.findings))
    for explanation, section in _SECTIONS.items():
        found = [pair for pair in numbered if pair[1].explanation is explanation]
        if found:
            yield f"<h2>{shown(section.heading)}</h2>\n<p>{shown(section.sentence)}</p>\n<table>\n<tr>"
            yield "".join(f"<th>{name}</th>" for name in ("replacement", "answer", "flips", "in the data", "PMI"))
            yield "</tr>\n"
            yield from (_row(audit, finding, number) for number, finding in found)
            yield "</table>\n"
    yield (
        "<p><small>Flips: right answers that this change alone makes wrong, with the 95 % Wilson interval. PMI: "
        "how strongly the old → the new word goes with each answer in the data, in bits; 0 where they never "
        "occur together. Beyond chance: by Fisher's exact test, 2.5 % in either direction, each pair of words by "
        "itself.</small></p>\n"
        "<h2>Examples</h2>\n"
    )
    for number, finding in enumerate(audit.findings):
        yield from _examples(finding, number)


def _row(audit: Audit, finding: FlippingRule, number: int) -> str:
    rule = finding.rule
    pmi = "<br>".join(
        f"{shown(name)}: {_change(each)}" for name, each in zip(audit.labels, rule.pmi.values(), strict=True)
    )
    cells = (
        f'<a href="#{number}">{shown(rule.word)} → {shown(rule.substitute)}</a>{_others(finding)}',
        shown(finding.label_name),
        f"{finding.rate.count} of {finding.rate.of}<br>{_small(str(finding.rate))}{_why_few(finding)}",
        f"<small>{shown(_seen(audit, finding))}</small>",
        f"<small>{pmi}</small>",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _why_few(finding: FlippingRule) -> str:
    return f"<br>{_small(finding.evidence)}" if finding.explanation is Explanation.FEW else ""


def _small(string: str) -> str:
    return f"<small>{shown(string)}</small>"


def _others(finding: FlippingRule) -> str:
    if not finding.others:
        return ""
    rest = len(finding.others) - _OTHERS
    named = ", ".join(finding.others[:_OTHERS]) + (f" and {rest} more" if rest > 0 else "")
    return f"<br><small>also {shown(named)}</small>"


def _seen(audit: Audit, finding: FlippingRule) -> str:
    words = zip((finding.rule.word, finding.rule.substitute), finding.seen, strict=True)
    return "; ".join(
        f"{word}: " + ", ".join(f"{count} {name}" for name, count in zip(audit.labels, counts, strict=True))
        for word, counts in words
    )


def _change(association: Association) -> str:
    return f"{association.word:.2f} → {association.substitute:.2f}"


def _examples(finding: FlippingRule, number: int) -> Iterator[str]:
    rule = finding.rule
    yield f'<h3 id="{number}">{shown(rule.word)} → {shown(rule.substitute)} '
    yield f"<small>no longer {shown(finding.label_name)}</small></h3>\n<table>\n"
    for example in finding.examples:
        yield f"<tr><td><small>{example.id}</small></td><td><p>{_marked(example)}</p></td></tr>\n"
    yield "</table>\n"


def _marked(example: FlippedText) -> str:
    words = f"<del>{shown(example.word)}</del> <ins>{shown(example.substitute)}</ins>"
    return f"{shown(example.before)}{words}{shown(example.after)}"
