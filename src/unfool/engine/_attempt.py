"""One sample from clean text to verified outcome, and a whole run of them."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path

from unfool.engine._ask import Ask, Constraint, Oracle
from unfool.engine._goal import Goal
from unfool.engine._ledger import OutOfQueries
from unfool.engine._loop import run
from unfool.engine._outcome import (
    NO_EDIT,
    NOT_FOOLED,
    NOTHING_PROPOSED,
    OUT_OF_QUERIES,
    Failure,
    Outcome,
    Status,
    Verdict,
    steps_between,
)
from unfool.engine._predict import RowCache
from unfool.engine._victim import Predictor
from unfool.errors import RESUME, UserError, VictimError
from unfool.options import Budget
from unfool.text import Diff, Sample, Text, diff

Attack = Callable[[Sample, Ask], Awaitable[Text]]
_PACKAGE = Path(__file__).parent.parent
_WRITTEN_BY_USERS = tuple(f"{_PACKAGE / 'attacks' / kind}/" for kind in ("recipes", "constraints"))
_LIBRARIES = tuple(
    f"{place}/" for place in (_PACKAGE, *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")))
)


def attack_samples(
    victim: Predictor,
    samples: Iterable[Sample],
    attack: Attack,
    *,
    goal: Goal | None = None,
    budget: Budget | None = None,
    constraints: Sequence[Constraint] = (),
    seed: int = 0,
    width: int = 256,
    give_up_after: int | None = None,
    whole: bool = True,
    known: RowCache | None = None,
    language: str | None = None,
) -> Iterator[list[Outcome | Failure]]:
    """Attack every sample and yield verified outcomes as they come, a list a step.

    Args:
        victim: The model under attack.
        samples: Read lazily, so that memory does not grow with the data set.
        attack: A coroutine function of one sample and its `Ask` that returns the text it settles on.
        goal: What counts as fooled; any wrong answer by default.
        budget: Queries and edits one sample may cost; no limit by default.
        constraints: What every changed text must keep, the cheapest to check first.
        seed: Each sample draws from a generator made of this and its id.
        width: Samples in flight; a matter of speed and memory alone.
        give_up_after: How many samples may fail before the victim gives its first answer; fewer, if there are no
            more. None sets no limit.
        whole: Whether these are all samples of the run; that a few of many have no answer need not mean much.
        known: Answers of this very victim to other runs; those of this one join them. A query is counted all the
            same.
        language: The language of the texts, for attacks that read several.

    Raises:
        NoAnswer: The victim has answered about none of so many samples.
    """
    oracle = Oracle(victim, known)
    asks = (
        Ask(sample, oracle, goal or Goal(), budget or Budget(), seed, constraints, language) for sample in samples
    )
    steps = run((_attempt_safely(ask, attack) for ask in asks), width)
    if give_up_after is None:
        return steps
    steps = _giving_up(steps, oracle, give_up_after)
    return refusing_silence(steps) if whole else steps


def _giving_up(
    steps: Iterable[list[Outcome | Failure]], oracle: Oracle, after: int
) -> Iterator[list[Outcome | Failure]]:
    """Pass results on, and end with an error once so many samples failed and the victim never answered."""
    failed = 0
    for step in steps:
        yield step
        failures = [result for result in step if isinstance(result, Failure)]
        failed += len(failures)
        # Samples that fail do so at once, others take their time: that none has a result yet tells nothing.
        if failed >= after and not oracle.confirm.was_answered:
            raise NoAnswer(f"the first {failed} samples", failures[0].error)


def refusing_silence(steps: Iterable[list[Outcome | Failure]]) -> Iterator[list[Outcome | Failure]]:
    """Pass results on, and end with an error if the victim answered about no sample at all."""
    silent: Failure | None = None
    failed, heard = 0, False
    for step in steps:
        yield step
        failed += len(step)
        for result in step:
            if isinstance(result, Failure) and result.unanswered:
                silent = silent or result
            else:
                heard = True
    if silent and not heard:
        raise NoAnswer("the only sample" if failed == 1 else f"any of the {failed} samples", silent.error)


class NoAnswer(UserError):
    """The victim gave no answer that could be used; ``why`` is what is wrong with the first sample's."""

    def __init__(self, about: str, why: str, more: str = "") -> None:
        super().__init__(
            f"the victim gave no answer about {about}: {why}{more}; nothing is lost: mend that and add {RESUME}"
        )
        self.about, self.why = about, why


async def _attempt_safely(ask: Ask, attack: Attack) -> Outcome | Failure:
    """A fault in one sample, or in the victim's answer about it, must not lose the others."""
    try:
        return await _attempt(ask, attack)
    except VictimError as error:
        bug = error.__cause__
        return Failure(ask.sample.id, str(error), ask.checks == 0, _whole_traceback(bug) if bug else "")
    except UserError:
        raise
    except Exception as error:
        return Failure(ask.sample.id, described(error), traceback=_whole_traceback(error))


async def _attempt(ask: Ask, attack: Attack) -> Outcome:
    # Held here, since the attack gets hold of ``ask``.
    sample, goal, budget, constraints = ask.sample, ask.goal, ask.budget, ask.constraints
    before, _ = await ask.verdict(sample.text)
    if goal.nothing_to_do(before.label, sample.label):
        unchanged = diff(sample.text, sample.text)
        return _outcome(sample, ask, Status.SKIPPED, "", sample.text, unchanged, before, before)
    exhausted = False
    try:
        text = await attack(sample, ask)
    except OutOfQueries:
        text, exhausted = sample.text, True
    ask.require_some_answer()
    ask.deciding = True
    after, probabilities = await ask.verdict(text)
    change = diff(sample.text, text)
    if not _keeps_fixed_fields(sample.text, text):
        reason = "changed a field that may not be edited"
    elif not budget.covers(sample.text, change):
        reason = "over the edit budget"
    elif (broken := await _first_broken(ask, constraints, sample.text, text)) is not None:
        reason = f"breaks the constraint {broken!r}"
    elif goal.reached(probabilities, sample.label):
        reason = ""
    elif exhausted:
        reason = OUT_OF_QUERIES
    elif change.changes:
        reason = NOT_FOOLED
    else:
        # The text itself is no trial: many attacks ask about it first.
        reason = NO_EDIT if ask.texts_asked > 1 else NOTHING_PROPOSED
    status = Status.FAILED if reason else Status.SUCCESS
    return _outcome(sample, ask, status, reason, text, change, before, after)


def _keeps_fixed_fields(old: Text, new: Text) -> bool:
    return len(old.fields) == len(new.fields) and all(
        field.editable or old.strings[number] == new.strings[number] for number, field in enumerate(old.fields)
    )


async def _first_broken(
    ask: Ask, constraints: Sequence[Constraint], original: Text, text: Text
) -> Constraint | None:
    if text.strings != original.strings:
        for constraint in constraints:
            if not all(await constraint(ask, original, [text])):
                return constraint
    return None


def _outcome(
    sample: Sample,
    ask: Ask,
    status: Status,
    reason: str,
    text: Text,
    change: Diff,
    before: Verdict,
    after: Verdict,
) -> Outcome:
    return Outcome(
        id=sample.id,
        label=sample.label,
        status=status,
        reason=reason,
        original=sample.text.strings,
        perturbed=text.strings,
        before=before,
        after=after,
        queries=ask.queries,
        unanswered=ask.unanswered,
        outputs=ask.outputs(sample.text, text),
        checks=ask.checks,
        words=len(sample.text.editable),
        words_changed=change.words_changed,
        characters=sample.text.editable_characters,
        characters_changed=change.characters_changed,
        field_names=tuple(field.name for field in sample.text.fields),
        notes=ask.notes,
        steps=steps_between(sample.text, text),
    )


def described(error: BaseException) -> str:
    """Return what kind of error it is, what it says, and where it was raised: the last line of the user's own code.

    If no line of theirs was reached, it is the last line of all.
    """
    frames = traceback.extract_tb(error.__traceback__)
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if not frames:
        return said
    frame = next((frame for frame in reversed(frames) if _is_users(frame.filename)), frames[-1])
    return f"{said} at {Path(frame.filename).name}:{frame.lineno} in {frame.name}"


def _whole_traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _is_users(file: str) -> bool:
    return file.startswith(_WRITTEN_BY_USERS) or not file.startswith(_LIBRARIES)
