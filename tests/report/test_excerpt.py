"""Long texts do not flood the terminal, and no character in them steers it."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from unfool.engine import Outcome, Status
from unfool.report import sample_lines

LONG = " ".join(f"word{number}" for number in range(1000))


def shown(outcome: Outcome, *, whole: bool = False) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=10_000)
    for line in sample_lines(outcome, ["neg", "pos"], "#0 ", whole=whole):
        console.print(line)
    return out.getvalue().splitlines()


def changed(outcome: Outcome, *swaps: tuple[str, str], text: str = LONG) -> Outcome:
    after = text
    for old, new in swaps:
        after = after.replace(old, new)
    return replace(outcome, original=(text,), perturbed=(after,))


def test_a_change_is_shown_with_twelve_words_on_either_side(outcome: Outcome) -> None:
    _, before, after = shown(changed(outcome, ("word500", "other")))
    ahead, behind = (" ".join(f"word{n}" for n in some) for some in (range(488, 500), range(501, 513)))
    assert before == f"- … {ahead} word500 {behind} …"
    assert after == f"+ … {ahead} other {behind} …"


def test_changes_far_apart_have_an_ellipsis_between(outcome: Outcome) -> None:
    _, before, _ = shown(changed(outcome, ("word3 ", "x "), ("word700", "y")))
    assert before.startswith("- word0 word1 word2 word3 word4")
    assert "word15 … word688" in before
    assert before.endswith("word712 …")


def test_a_short_text_is_shown_whole(outcome: Outcome) -> None:
    assert shown(outcome)[1:] == ["- A good film.", "+ A decent film."]


def test_of_an_unchanged_text_the_start_is_shown(outcome: Outcome) -> None:
    (_, line) = shown(replace(changed(outcome), status=Status.SKIPPED))
    assert line == "  " + " ".join(f"word{n}" for n in range(24)) + " …"


@pytest.mark.parametrize("text", ["好" * 5000, "\n" * 5000 + "word500", " ".join(["bad"] * 5000)])
def test_whatever_the_text_what_is_shown_is_short(outcome: Outcome, text: str) -> None:
    unchanged = replace(outcome, status=Status.SKIPPED, original=(text,), perturbed=(text,))
    everywhere = replace(outcome, original=(text,), perturbed=(text.replace("bad", "good"),))
    for each in (unchanged, everywhere, changed(outcome, ("word500", "x" * 5000), text=f"{LONG} {text}")):
        assert sum(map(len, shown(each))) < 3000


def test_one_sample_by_itself_is_shown_whole(outcome: Outcome) -> None:
    assert shown(changed(outcome, ("word500", "other")), whole=True)[1] == f"- {LONG}"


def test_what_turns_the_direction_of_writing_or_cannot_be_seen_has_a_sign(outcome: Outcome) -> None:
    hostile = "a \u202egood\u202c fi\u200blm\ufeff \x1b[31m \u2066x\u2069"
    text = "\n".join(shown(replace(outcome, original=(hostile,))))
    assert not set("\u202e\u202c\u200b\ufeff\x1b\u2066\u2069") & set(text)
    assert "⟨202E⟩good⟨202C⟩ fi⟨200B⟩lm⟨FEFF⟩ ␛[31m ⟨2066⟩x⟨2069⟩" in text


def test_emoji_stay_whole(outcome: Outcome) -> None:
    assert "👩‍👩‍👧" in "\n".join(shown(replace(outcome, original=("A good 👩‍👩‍👧 film.",))))
