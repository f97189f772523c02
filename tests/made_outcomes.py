"""Outcomes made by hand."""

from __future__ import annotations

from unfool.engine import NOT_FOOLED, Outcome, Status, Verdict

RIGHT, WRONG = Verdict(0, 0.9), Verdict(1, 0.6)


def outcome(
    original: str = "a plain text",
    perturbed: str | None = None,
    *,
    number: int = 0,
    label: int = 0,
    status: Status = Status.SUCCESS,
    reason: str | None = None,
    before: Verdict = RIGHT,
    after: Verdict = WRONG,
    words_changed: int = 1,
    characters_changed: int = 1,
    characters: int = 100,
) -> Outcome:
    return Outcome(
        id=number,
        label=label,
        status=status,
        reason=(NOT_FOOLED if status is Status.FAILED else "") if reason is None else reason,
        original=(original,),
        perturbed=(original if perturbed is None else perturbed,),
        before=before,
        after=after,
        queries=1,
        checks=1,
        words=len(original.split()),
        words_changed=words_changed,
        characters=characters,
        characters_changed=characters_changed,
        field_names=("text",),
    )
