"""What a report shows of models that generate: outputs and their chrF, where the model looked, hostile outputs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tests.report.pages import data_of, page_of

pytest.importorskip("sacrebleu")

from unfool import attack
from unfool.engine import Status
from unfool.errors import VictimError
from unfool.generation import Generator, Output, OutputAttention, chrf_plus_plus
from unfool.report import overlay, terminal
from unfool.runs import Run, read_overlays

WORDS = {"the": "der", "film": "Film", "movie": "Streifen", "is": "ist", "good": "gut", "great": "gross"}
PAIRS = [("the film is good", "der Film ist gut"), ("the movie is great", "der Streifen ist toll")]
HOSTILE = {
    "empty": "",
    "long": "word " * 10_000,
    "html": "</script><img src=x onerror=alert(1)>",
    "controls": "\x1b[31mred\u202e\x00\rover",
}


class Looks(Generator):
    """Translates word by word, and looks at the word it translates for the most part."""

    def __init__(self, says: str | None = None) -> None:
        self.says = says

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        return [Output(self._said(source)) for source in sources]

    def _said(self, source: str) -> str:
        known = [WORDS[word] for word in source.split() if word in WORDS]
        return " ".join(known) if self.says is None or len(known) == 4 else self.says

    def attention(self, source: str) -> OutputAttention:
        read, made = source.split(), self._said(source).split()
        cross = np.full((len(made), len(read)), 0.1, np.float32)
        cross[np.arange(len(made)), np.arange(len(made)) % len(read)] = 0.6
        return OutputAttention(read, made, cross)

    def __repr__(self) -> str:
        return "toy:looks"


def run_of(folder: Path, says: str | None = None) -> Run:
    return attack(Looks(says), PAIRS, "key", goal="degrade:drop=0.1", out=folder / "run", progress=False)


def test_every_sample_has_its_chrf_before_and_after(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    told = data_of(run)["samples-0"]
    rows = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    for row, outcome, (_, reference) in zip(rows, run.outcomes(), PAIRS, strict=True):
        assert outcome.outputs is not None
        before, after = (chrf_plus_plus(output, reference) for output in outcome.outputs)
        assert (row["chrf_before"], row["chrf_after"]) == (round(before, 4), round(after, 4))
        assert 0 < row["chrf_lost"] < 1
        assert 0 < row["chrf_source"] < 1


def test_overlays_tell_importance_of_the_source_and_cross_attention(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert overlay(run, victim=Looks()) == 0
    found = read_overlays(run.folder)
    for outcome in run.outcomes():
        told = found[outcome.id]
        assert outcome.status is Status.SUCCESS
        assert len(told.original.importance) == 4
        assert max(told.original.importance) > 0.4  # without such a word the goal is reached
        assert told.cross is not None
        for seen, source in zip(told.cross, (outcome.original[0], outcome.perturbed[0]), strict=True):
            expected = Looks().attention(source)
            assert (seen.source, seen.output) == (expected.source, expected.output)
            assert np.allclose(seen.weights, expected.cross)
    page = data_of(run)
    old, changed, _, cross = page["overlays-0"]["0"]
    assert [len(fields) for fields in (old, changed, cross)] == [1, 1, 2]
    assert overlay(run, victim=Looks()) == 0  # nothing is asked twice


@pytest.mark.parametrize("says", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_outputs_are_kept_and_shown_inert(tmp_path: Path, says: str) -> None:
    run = run_of(tmp_path, says)
    assert overlay(run, victim=Looks(says)) == 0
    assert [outcome.outputs and outcome.outputs[1] for outcome in run.outcomes()] == [says] * 2
    screen = io.StringIO()
    Console(file=screen, width=100, force_terminal=False).print(terminal([run], examples=2))
    printed = screen.getvalue()
    assert not {"\x1b", "\u202e", "\x00", "\r"} & set(printed)
    assert len(printed) < 6_000
    page = page_of(tmp_path, run)
    data = page[page.index('id="samples-0"') :].partition("</script>")[0]
    assert "<img" not in data
    assert "\x1b" not in page
    told = data_of(run)["samples-0"]
    kept = [
        "".join(field[0] if field[1] is None else field[1])
        for row in told["rows"]
        for field in row[told["columns"].index("fields")]
    ]
    assert kept.count(says) == 2
