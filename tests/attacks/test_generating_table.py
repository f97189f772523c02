"""The table once more: every attack against models that generate keeps what all attacks promise."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest

pytest.importorskip("sacrebleu")
pytest.importorskip("sentencepiece")

from tests.attacks.test_table import ATTACKS, ODD, PLAIN, attack_on
from tests.toy_translators import name_of, save_marian
from tests.toys import outcomes

from unfool import attacks
from unfool.attacks import find_attack
from unfool.data import ANSWERS, from_texts
from unfool.engine import Budget, Outcome, Status
from unfool.errors import UserError, VictimError
from unfool.generation import (
    Generator,
    JudgedGenerator,
    Output,
    find_goal,
    open_generator,
    with_outputs,
)
from unfool.options import Options
from unfool.text import Sample
from unfool.victims import require

pytestmark = pytest.mark.usefixtures("lexicons")
HOSTILE = {
    "empty": "",
    "long": " ".join(f"word{number}" for number in range(10_000)),
    "html": "<script>alert(1)</script>",
    "controls": "\x1b[31m\u202eabc\x00\r\n",
}
BUDGET = Budget(queries=40, words=0.4)
GOALS = ["degrade:drop=0.2", "differ", "keyword=w7"]
CLASSIFIERS_ONLY = frozenset({"asmax-ec", "asmax-gr", "asmin-ec", "asmin-gr", "hotflip", "hotflip-exact", "gcg"})
"""Attacks that read a classifier's attention, a net that reads characters, or a prompt's tokens."""
LEARNS_ON_LABELS = "triggers"
"""An attack that learns on labelled texts, which only a classifier has."""


class WordByWord(Generator):
    """Has a word for every word, made of its letters; of some words it makes nothing, and some texts break it.

    Args:
        hostile: What it says where a text has no full stop.
    """

    def __init__(self, hostile: str | None = None) -> None:
        self.hostile = hostile

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        return [self._said(source) for source in sources]

    def _said(self, source: str) -> Output | VictimError:
        if self.hostile is not None and "." not in source:
            return Output(self.hostile)
        numbers = [zlib.crc32(word.encode("utf-8", "backslashreplace")) % 97 for word in source.lower().split()]
        if 13 in numbers:
            return VictimError("it knows no such word")
        return Output(" ".join(f"w{number}" for number in numbers if number % 5))

    def __repr__(self) -> str:
        return "toy:word-by-word"


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Generator:
    """It opens up: gradients, blanked words, vectors of words, encoder states."""
    folder = save_marian(tmp_path_factory.mktemp("toys") / "marian")
    return open_generator(name_of("marian", folder, "most=6"), Options(device="cpu"))


def able(specs: Sequence[str]) -> list[str]:
    return [spec for spec in specs if find_attack(spec).name not in {*CLASSIFIERS_ONLY, LEARNS_ON_LABELS}]


def asked_only(specs: Sequence[str]) -> list[str]:
    return [spec for spec in specs if not find_attack(spec).needs]


def samples_of(model: Generator, texts: Sequence[str]) -> list[Sample]:
    pairs = from_texts(list(texts), ANSWERS, pairs=[f"w7 w8 w9 {text}" for text in texts])
    return list(with_outputs(pairs, model).data)


def assert_promises(model: Generator, goal: str, sample: Sample, outcome: Outcome) -> None:
    victim = JudgedGenerator(model, find_goal(goal))
    assert outcome.original == sample.text.strings
    assert outcome.perturbed[1:] == outcome.original[1:]
    assert outcome.queries <= (BUDGET.queries or 0)
    assert outcome.words_changed <= (BUDGET.words or 0) * max(1, outcome.words)
    before, after = (
        victim.check([strings]).result().values[0].argmax() for strings in (outcome.original, outcome.perturbed)
    )
    assert after == outcome.after.label
    assert (outcome.status is Status.SKIPPED) == (before == 1)
    if outcome.status is Status.SUCCESS:
        assert after == 1
        assert outcome.perturbed != outcome.original
    if outcome.status is Status.FAILED:
        assert after == 0
    (said,) = model.generate_exactly([outcome.perturbed[0]])
    assert outcome.outputs == (sample.text.strings[2], said.text if isinstance(said, Output) else None)


def keeps_its_promises(spec: str, model: Generator, texts: Sequence[str], goal: str) -> list[Outcome]:
    victim, samples = JudgedGenerator(model, find_goal(goal)), samples_of(model, texts)
    found = outcomes(victim, samples, attack_on(spec), budget=BUDGET, seed=5, width=7)
    assert len(found) == len(samples) > 4
    for sample, outcome in zip(samples, found, strict=True):
        assert_promises(model, goal, sample, outcome)
    assert found == outcomes(victim, samples[::-1], attack_on(spec), budget=BUDGET, seed=5, width=512)
    return found


def test_no_attack_is_left_out(marian: Generator) -> None:
    assert {find_attack(spec).name for spec in able(ATTACKS)} | CLASSIFIERS_ONLY | {LEARNS_ON_LABELS} == set(
        attacks.ATTACKS.names()
    )
    victim = JudgedGenerator(marian, find_goal("differ"))
    for spec in ATTACKS:
        recipe = find_attack(spec)
        if recipe.name in CLASSIFIERS_ONLY:
            with pytest.raises(UserError):
                require(victim, recipe.needs, recipe.name)
        else:
            require(victim, recipe.needs, recipe.name)


def test_an_attack_that_learns_on_labels_is_refused(marian: Generator) -> None:
    with pytest.raises(UserError, match="a model that generates has no labels"):
        keeps_its_promises(f"{LEARNS_ON_LABELS}:data=none.csv", marian, PLAIN, "differ")


@pytest.mark.parametrize(
    ("spec", "goal"), [(spec, GOALS[number % len(GOALS)]) for number, spec in enumerate(asked_only(ATTACKS))]
)
def test_attacks_that_ask_keep_their_promises(spec: str, goal: str) -> None:
    keeps_its_promises(spec, WordByWord(), [*PLAIN, *ODD.values()], goal)


@pytest.mark.parametrize("spec", [spec for spec in able(ATTACKS) if spec not in asked_only(ATTACKS)])
def test_attacks_that_look_inside_keep_their_promises(spec: str, marian: Generator) -> None:
    keeps_its_promises(spec, marian, [*PLAIN[:2], *list(ODD.values())[:3]], "degrade:drop=0.2")


@pytest.mark.parametrize("spec", ["key", "random:trials=20", "pwws"])
@pytest.mark.parametrize("says", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_outputs_are_kept_as_they_are(spec: str, says: str) -> None:
    found = keeps_its_promises(spec, WordByWord(says), [*PLAIN, *ODD.values()], "differ")
    assert sum(says in (outcome.outputs or ()) for outcome in found) > 2


def test_a_source_whose_output_holds_half_a_character_is_left_out() -> None:
    pairs = from_texts([*PLAIN], ANSWERS)
    prepared = with_outputs(pairs, WordByWord("half of \ud800"))
    assert len(prepared.data) == sum("." in text for text in PLAIN)
    assert prepared.left_out == {"its output holds half a character, U+D800": len(PLAIN) - len(prepared.data)}
