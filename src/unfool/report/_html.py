"""One page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from unfool.engine import Outcome, Verdict
from unfool.errors import UserError
from unfool.report._examples import choose_examples, figure, label_name, number, percent, visible
from unfool.runs import Piece, Run, Summary, mark_changes

MOST_EXAMPLES = 200

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --del: #d2222d33; --ins: #23882333; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
.card b { display: block; font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); padding: .4rem; text-align: left; vertical-align: top; }
td p { margin: 0 0 .3rem; white-space: pre-wrap; overflow-wrap: anywhere; }
small, .field { opacity: .7; }
del { background: var(--del); } ins { background: var(--ins); text-decoration: none; }
@media (prefers-color-scheme: dark) { :root { --del: #ff6b6b55; --ins: #51cf6655; } }
"""


def html(runs: Sequence[Run], path: str | Path) -> None:
    """Write a page about some runs: their figures, and examples with the changed words marked.

    Args:
        runs: The runs, finished or not, in the order to show them.
        path: The file to write.
    """
    try:
        Path(path).write_text("".join(_page(runs)), encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write the report {path}: {error.strerror}; choose another place") from error


def _page(runs: Sequence[Run]) -> Iterator[str]:
    title = "unfool: " + ", ".join(run.name for run in runs)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    # Should a text ever slip through unescaped, the browser still neither runs nor loads anything.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield f"<title>{_shown(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    for run in runs:
        yield from _section(run)
    yield "</body>\n</html>\n"


def _section(run: Run) -> Iterator[str]:
    summary, examples = run.summary, choose_examples(run, MOST_EXAMPLES)
    yield f'<section>\n<h1>{_shown(run.name)}</h1>\n<div class="cards">\n'
    for heading, value in _figures(summary).items():
        yield f'<div class="card">{_shown(heading)}<b>{_shown(value)}</b></div>\n'
    yield f"</div>\n<h2>Examples</h2>\n<p>{len(examples)} of {summary.samples} samples, successes first"
    yield f" (at most {MOST_EXAMPLES} are shown).</p>\n"
    yield "<table>\n<tr><th>sample</th><th>text</th><th>before</th><th>after</th><th>queries</th></tr>\n"
    for outcome in examples:
        yield _row(run, outcome)
    yield "</table>\n</section>\n"


def _figures(summary: Summary) -> dict[str, str]:
    figures = {
        "success rate": str(summary.success_rate),
        "clean accuracy": str(summary.clean_accuracy),
        "accuracy under attack": str(summary.accuracy_under_attack),
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


def _row(run: Run, outcome: Outcome) -> str:
    state = f"{outcome.id}<br><small>{_shown(' '.join((outcome.status, outcome.reason)))}</small>"
    verdicts = _verdict(run, outcome.before), _verdict(run, outcome.after)
    cells = (state, _texts(outcome), *verdicts, str(outcome.queries))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _texts(outcome: Outcome) -> str:
    marked = mark_changes(outcome)
    paragraphs = []
    for name, old, new in zip(outcome.field_names, marked.original, marked.perturbed, strict=True):
        field = f'<span class="field">{_shown(name)}: </span>' if len(outcome.field_names) > 1 else ""
        paragraphs.append(f"<p>{field}{_marked(old, 'del')}</p>")
        if old != new:
            paragraphs.append(f"<p>{field}{_marked(new, 'ins')}</p>")
    return "".join(paragraphs)


def _marked(pieces: tuple[Piece, ...], tag: str) -> str:
    return "".join(
        f"<{tag}>{_shown(piece.string)}</{tag}>" if piece.changed else _shown(piece.string) for piece in pieces
    )


def _verdict(run: Run, verdict: Verdict) -> str:
    return f"{_shown(label_name(run, verdict.label))} <small>{verdict.confidence:.1%}</small>"


def _shown(string: str) -> str:
    return escape(visible(string))
