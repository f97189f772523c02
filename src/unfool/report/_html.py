"""One page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from unfool.engine import Outcome, Verdict
from unfool.report._examples import choose_examples, counted, figure, number, percent, success_rate, under_attack
from unfool.report._page import cards, shown, write_page
from unfool.runs import Piece, Run, Summary, label_name, mark_changes

MOST_EXAMPLES = 200


def html(runs: Sequence[Run], path: str | Path) -> None:
    """Write a page about some runs: their figures, and examples with the changed words marked.

    Args:
        runs: The runs, finished or not, in the order to show them.
        path: The file to write.
    """
    title = "unfool: " + ", ".join(run.name for run in runs)
    write_page(path, title, chain.from_iterable(map(_section, runs)))


def _section(run: Run) -> Iterator[str]:
    summary, examples = run.summary, choose_examples(run, MOST_EXAMPLES)
    remarks = "".join(f'<p class="remark">{shown(remark)}</p>\n' for remark in run.remarks())
    yield f"<section>\n<h1>{shown(run.name)}</h1>\n{remarks}{cards(_figures(summary))}"
    if len(summary.classes) > 1:
        yield from _classes(run, summary)
    all_of_them = counted(summary.samples, "sample", "samples")
    yield f"<h2>Examples</h2>\n<p>{len(examples)} of {all_of_them}, successes first"
    yield f" (at most {MOST_EXAMPLES} are shown).</p>\n"
    yield "<table>\n<tr><th>sample</th><th>text</th><th>before</th><th>after</th><th>queries</th></tr>\n"
    for outcome in examples:
        yield _row(run, outcome)
    yield "</table>\n</section>\n"


def _figures(summary: Summary) -> dict[str, str]:
    figures = {
        "success rate": success_rate(summary),
        "clean accuracy": str(summary.clean_accuracy),
        "accuracy under attack": under_attack(summary),
        "words changed": percent(summary.words_changed),
        "characters changed": percent(summary.characters_changed),
        "queries, mean": number(summary.queries_mean),
        "queries, median": number(summary.queries_median),
        "samples": f"{summary.samples} ({summary.skipped} skipped)",
        "errors": str(summary.errors),
    }
    figures |= {name: figure(value) for name, value in summary.notes.items()}
    if summary.similarity is not None:
        figures["sentence similarity"] = f"{summary.similarity:.3f}"
    return figures


def _classes(run: Run, summary: Summary) -> Iterator[str]:
    yield "<h2>By label</h2>\n<table>\n<tr><th>label</th><th>texts</th><th>clean accuracy</th><th>attacked</th>"
    yield "<th>success rate</th></tr>\n"
    for found in summary.classes:
        name = shown(label_name(run.label_names, found.label))
        cells = (name, found.samples, found.clean_accuracy, found.attacked, success_rate(found))
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
    yield "</table>\n"


def _row(run: Run, outcome: Outcome) -> str:
    state = f"{outcome.id}<br><small>{shown(' '.join((outcome.status, outcome.reason)))}</small>"
    verdicts = _verdict(run, outcome.before), _verdict(run, outcome.after)
    cells = (state, _texts(outcome), *verdicts, str(outcome.queries))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _texts(outcome: Outcome) -> str:
    marked = mark_changes(outcome)
    paragraphs = []
    for name, old, new in zip(outcome.field_names, marked.original, marked.perturbed, strict=True):
        field = f'<span class="field">{shown(name)}: </span>' if len(outcome.field_names) > 1 else ""
        paragraphs.append(f"<p>{field}{_marked(old, 'del')}</p>")
        if old != new:
            paragraphs.append(f"<p>{field}{_marked(new, 'ins')}</p>")
    return "".join(paragraphs)


def _marked(pieces: tuple[Piece, ...], tag: str) -> str:
    return "".join(
        f"<{tag}>{shown(piece.string)}</{tag}>" if piece.changed else shown(piece.string) for piece in pieces
    )


def _verdict(run: Run, verdict: Verdict) -> str:
    tie = "tie, " if verdict.tied else ""
    return f"{shown(label_name(run.label_names, verdict.label))} <small>{tie}{verdict.confidence:.1%}</small>"
