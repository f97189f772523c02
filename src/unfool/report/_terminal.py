"""What a terminal shows of runs: remarks, tables of figures, and examples with their changes marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unfool.engine import Failure, Outcome, Status, Verdict
from unfool.errors import counted
from unfool.runs import ClassFigures, Piece, Run, Summary, label_name, mark_changes, same_texts, worst_case
from unfool.visible import shown, told_apart, visible

_RUNS_A_TABLE = 4  # as many as a terminal of 80 columns holds
_MOST_CLASSES_SHOWN = 10
_WORDS_AROUND = 12
"""So many are shown on either side of a change; of an unchanged text, twice as many from its start."""
_MOST_CHANGES = 12
_LONGEST_CHANGE = 400
_WORD_OR_BLANK = re.compile(r"\s{1,20}|\S{1,20}")  # without blanks, words cannot be counted
_ORDER = (Status.SUCCESS, Status.FAILED, Status.SKIPPED)


def terminal(runs: Sequence[Run], examples: int = 5) -> RenderableType:
    """Return what to print about some runs: remarks, tables of their figures, then a few examples of each.

    Args:
        runs: The runs, finished or not, in the order to show them.
        examples: How many examples of each run to show at most.
    """
    tables = (_figures(runs[start : start + _RUNS_A_TABLE]) for start in range(0, len(runs), _RUNS_A_TABLE))
    classes = [_classes(run) for run in runs if len(runs) == 1 and len(run.summary.classes) > 1]
    shown = (part for run in runs for part in _examples(run, examples))
    return Group(*_remarks(runs), *tables, *_worst(runs), *classes, *shown)


def _remarks(runs: Sequence[Run]) -> Iterator[Text]:
    for run in runs:
        for remark in run.remarks():
            whose = f"{run.name}: " if len(runs) > 1 else ""
            yield Text(visible(f"note: {whose}{remark}"), style="bold yellow")


def _figures(runs: Sequence[Run]) -> Table:
    table = Table("")
    for run in runs:
        table.add_column(Text(visible(run.name)), justify="right", overflow="fold")
    summaries = [run.summary for run in runs]
    table.add_row("samples", *(str(summary.samples) for summary in summaries))
    # A plain string would be read as markup, and an interval's brackets as a style.
    table.add_row("clean accuracy", *(Text(str(summary.clean_accuracy)) for summary in summaries))
    under_attack = (str(each.accuracy_under_attack) if each.telling else "–" for each in summaries)
    table.add_row("under attack", *map(Text, under_attack))
    table.add_row("success rate", *(Text(_success_rate(summary)) for summary in summaries))
    valid = [run.valid_success for run in runs]
    if any(valid):
        table.add_row("people agree", *(Text(str(each.agreed) if each else "–") for each in valid))
        table.add_row("valid success rate", *(Text(str(each) if each else "–") for each in valid))
    for name in dict.fromkeys(name for summary in summaries for name in summary.notes):
        table.add_row(name, *(_figure("{:,.4g}", summary.notes.get(name)) for summary in summaries))
    table.add_row("words changed", *(_figure("{:.1f} %", summary.words_changed) for summary in summaries))
    if any(summary.outputs for summary in summaries):
        for name, figures in zip(_OUTPUT_ROWS, zip(*map(_outputs, summaries), strict=True), strict=True):
            table.add_row(name, *map(Text, figures))
    table.add_row("queries", *(_figure("{:,.1f}", summary.queries_mean) for summary in summaries))
    table.add_row("errors", *(str(summary.errors) for summary in summaries))
    return table


def _worst(runs: Sequence[Run]) -> Iterator[Text]:
    """Yield what attacks on the same texts come to together, a line a victim."""
    for victim, places in same_texts(runs):
        worst = worst_case([runs[place] for place in places])
        whose = f"{victim}: " if len(places) < len(runs) else ""
        yield Text(
            visible(
                f"{whose}worst case of {len(places)} attacks: under attack {worst.accuracy}, "
                f"success rate {worst.success_rate}"
            ),
            style="bold",
        )


_OUTPUT_ROWS = ("BLEU before", "BLEU after", "chrF before", "chrF after", "chrF of source")


def _outputs(summary: Summary) -> tuple[str, ...]:
    """Return what an attack did to a model's outputs, with a dash for what is not known."""
    found = summary.outputs
    if found is None:
        return ("–",) * len(_OUTPUT_ROWS)
    sides = (found.bleu.before, found.bleu.after) if found.bleu else (None, None)
    bleu = [f"{side.score:.1f} [{side.low:.1f}, {side.high:.1f}]" if side else "–" for side in sides]
    shares = (found.before, found.after, found.source)
    return (*bleu, *(_figure("{:,.1f}", None if share is None else 100 * share) for share in shares))


def _classes(run: Run) -> RenderableType:
    """Return the figures of each right label, or of many the extremes."""
    classes = run.summary.classes
    if len(classes) > _MOST_CLASSES_SHOWN:
        return Text(visible(_extremes(classes, run.label_names)))
    table = Table("label")
    for heading in ("texts", "clean accuracy", "attacked", "success rate"):
        table.add_column(heading, justify="right")
    for found in classes:
        table.add_row(
            Text(visible(label_name(run.label_names, found.label)), overflow="fold"),
            f"{found.samples:,}",
            Text(str(found.clean_accuracy)),
            f"{found.attacked:,}",
            Text(_success_rate(found)),
        )
    return table


def _figure(form: str, value: float | None) -> str:
    """Return a figure in a form, or a dash if there is none."""
    return "–" if value is None else form.format(value)


def _success_rate(summary: Summary | ClassFigures) -> str:
    """Return the success rate; where most samples had nothing tried on them, that of the others with its count."""
    tried = summary.attacked - summary.untried
    if summary.telling:
        return str(summary.success_rate)
    return f"{summary.success_rate_tried} of {tried:,} tried" if tried else "nothing was tried"


def _extremes(classes: Sequence[ClassFigures], names: Sequence[str]) -> str:
    """Return between which labels the success rates lie, for more labels than a table holds."""
    rates = [
        (found.success_rate.value, label_name(names, found.label))
        for found in classes
        if found.attacked and found.telling
    ]
    number = f"{len(classes)} labels; the report and --json have the figures of each"
    if not rates:
        return number
    (low, lowest), (high, highest) = (choose(rates, key=lambda rate: rate[0] or 0) for choose in (min, max))
    return f"{number}; success rates from {low:.1%} ({lowest}) to {high:.1%} ({highest})"


def _examples(run: Run, most: int) -> Iterator[Text]:
    for outcome in choose_examples(run, most):
        yield Text()
        yield from sample_lines(outcome, run.label_names, f"{run.name} #{outcome.id} ")


def sample_lines(
    found: Outcome | Failure, names: Sequence[str], called: str, *, whole: bool = False
) -> Iterator[Text]:
    """Yield what came of a sample: the answers before and after, then the text with its changes marked.

    Args:
        found: Its outcome, or why it has none.
        names: What the label numbers mean.
        called: What to call it, before all else.
        whole: Whether to show all of a long text, or what changed with its surroundings.
    """
    if isinstance(found, Failure):
        yield Text(visible(f"{called}error: {found.error}"), style="bold")
        return
    yield _heading(found, names, called)
    marked = mark_changes(found.as_read)
    part = tuple if whole else _excerpt
    for original, old, new in zip(found.as_read.original, marked.original, marked.perturbed, strict=True):
        if old == new:
            yield _change_line("  ", part(old), "", original)
        else:
            yield _change_line("- ", part(old), "red", original)
            yield _change_line("+ ", part(new), "green", original)


def _heading(outcome: Outcome, names: Sequence[str], called: str) -> Text:
    before, after = (_verdict(each, names) for each in (outcome.before, outcome.after))
    why = _why(outcome, names)
    asked = counted(outcome.queries, "query", "queries")
    if outcome.unanswered:
        asked += f" ({outcome.unanswered:,} without an answer)"
    line = f"{called}{outcome.status}{f' ({why})' if why else ''}: {before} → {after}, {asked}"
    return Text(visible(line), style="bold")


def _verdict(given: Verdict, names: Sequence[str]) -> str:
    """Return an answer as people read it: *positive (83%)*, or *positive (tie, 50%)*."""
    tie = "tie, " if given.tied else ""
    return f"{label_name(names, given.label)} ({tie}{given.confidence:.0%})"


def _why(outcome: Outcome, names: Sequence[str]) -> str:
    if outcome.status is not Status.SKIPPED:
        return outcome.reason
    wrong = outcome.before.label != outcome.label
    return f"the label is {label_name(names, outcome.label)}" if wrong else "the target already"


def _change_line(sign: str, pieces: Iterable[Piece], style: str, original: str) -> Text:
    line = Text(sign)
    for piece in pieces:
        string = told_apart(piece.string, original) if piece.changed else shown(piece.string)
        line.append(string, style if piece.changed else None)
    return line


def choose_examples(run: Run, most: int) -> list[Outcome]:
    """Return the first outcomes of a run, successes before failures before skipped samples."""
    summary, left, wanted = run.summary, most, dict[Status, int]()
    counts = (summary.successes, summary.attacked - summary.successes, summary.skipped)
    for status, count in zip(_ORDER, counts, strict=True):
        wanted[status] = min(left, count)
        left -= wanted[status]
    kept: dict[Status, list[Outcome]] = {status: [] for status in _ORDER}
    for outcome in run.outcomes():  # to the last example, and no further: there may be millions
        if len(kept[outcome.status]) < wanted[outcome.status]:
            kept[outcome.status].append(outcome)
        if all(len(kept[status]) == wanted[status] for status in _ORDER):
            break
    return list(chain.from_iterable(kept.values()))


def _excerpt(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a text; an ellipsis stands for what is far from every change."""
    changes = [number for number, piece in enumerate(pieces) if piece.changed]
    if not changes:
        yield from (Piece(_shortened(piece.string, 2 * _WORDS_AROUND, 0), False) for piece in pieces)
        return
    last = changes[:_MOST_CHANGES][-1]
    for number, (string, changed) in enumerate(pieces[: last + 2]):
        if changed:
            yield Piece(string if len(string) <= _LONGEST_CHANGE else f"{string[:_LONGEST_CHANGE]}…", True)
        else:
            ahead, behind = (_WORDS_AROUND if near else 0 for near in (number > changes[0], number < last))
            yield Piece(_shortened(string, ahead, behind), False)
    if len(changes) > _MOST_CHANGES:
        yield Piece(f" (and {len(changes) - _MOST_CHANGES} more changes)", False)


def replacement_line(before: str, word: str, substitute: str, after: str) -> Text:
    """Return a line of text around a word that is crossed out and another put in."""
    line = Text("  ").append(f"{shown(_shortened(before, 0, _WORDS_AROUND))}[")
    line.append(shown(word), "red").append(" → ").append(shown(substitute), "green")
    return line.append(f"]{shown(_shortened(after, _WORDS_AROUND, 0))}")


def _shortened(string: str, ahead: int, behind: int) -> str:
    """Return the first and the last words of a stretch, or all of it where hardly any would be left out."""
    parts = _WORD_OR_BLANK.findall(string)
    if len(parts) <= 2 * (ahead + behind + 2):
        return string
    start, end = "".join(parts[: 2 * ahead]).rstrip(), "".join(parts[len(parts) - 2 * behind :]).lstrip()
    return f"{start}{' ' if start else ''}…{' ' if end else ''}{end}"
