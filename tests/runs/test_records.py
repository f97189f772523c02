"""Any outcome survives its line of JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from unfool.engine import Failure, Outcome, Status, Swap, Verdict
from unfool.runs import failure_from_line, outcome_from_line, to_line
from unfool.storage import id_in


def join_pairs(string: str) -> str:
    # A high surrogate right before a low one is how JSON spells the one character they encode.
    return string.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


texts = st.text(
    st.characters(exclude_categories=())
    | st.sampled_from('\u2028\u2029\x85\0\x1b\r\n"\\')
    | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, exclude_categories=())
).map(join_pairs)
verdicts = st.builds(Verdict, st.integers(0, 9), st.floats(0, 1))
steps = st.lists(st.builds(Swap, st.integers(0, 99), texts, texts), max_size=3).map(tuple)
outcomes = st.builds(
    Outcome,
    id=st.integers(0, 2**40),
    reason=texts,
    status=st.sampled_from(Status),
    original=st.tuples(texts, texts),
    perturbed=st.tuples(texts, texts),
    before=verdicts,
    after=verdicts,
    field_names=st.tuples(texts, texts),
    steps=st.lists(steps, max_size=3).map(tuple),
    unanswered=st.integers(0, 2),
    outputs=st.none() | st.tuples(texts, texts),
)


@given(outcomes)
def test_an_outcome_comes_back_from_one_line_of_valid_utf8(outcome: Outcome) -> None:
    line = to_line(outcome)
    assert line.count(b"\n") == 1
    assert outcome_from_line(line) == outcome
    assert id_in(line) == outcome.id
    seldom = {"unanswered": outcome.unanswered, "outputs": outcome.outputs is not None}
    written = [name for name in Outcome.__slots__ if seldom.get(name, True)]
    assert list(json.loads(line.decode("utf-8"))) == written


@given(st.builds(Failure, st.integers(), texts))
def test_a_failure_comes_back(failure: Failure) -> None:
    assert failure_from_line(to_line(failure)) == failure


@given(outcomes, st.data())
def test_no_part_of_a_line_passes_for_a_record(outcome: Outcome, data: st.DataObject) -> None:
    line = to_line(outcome).rstrip(b"\n")
    assert id_in(line[: data.draw(st.integers(0, len(line) - 1))]) is None


def test_lines_from_before_steps_were_kept_are_read() -> None:
    outcome = Outcome(
        0, 1, Status.SKIPPED, "", ("a",), ("a",), Verdict(0, 1.0), Verdict(0, 1.0), 0, 0, 1, 0, 1, 0, ("t",)
    )
    record = json.loads(to_line(outcome))
    del record["steps"]
    assert outcome_from_line(json.dumps(record).encode()) == outcome
