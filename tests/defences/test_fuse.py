"""FuSE votes with alternatives of its own text and of no other."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tests.toys import BagOfWords, Recording

from unfool.defences import Five, Fuse, FuseSettings, Vote
from unfool.engine import Floats, Predictor
from unfool.engine._ledger import Ledger
from unfool.engine._predict import PredictService, Query
from unfool.errors import UserError, VictimError
from unfool.lexicon import counter_fitted
from unfool.stats import softmax
from unfool.text import Text, Variants
from unfool.victims import Input, Options, Transformer, open_victim

pytestmark = pytest.mark.usefixtures("lexicons")

SUBJECTS = ["film", "plot", "cast", "story", "acting", "family", "movie", "music", "ending", "dialogue"]
JUDGED = ["good", "dull", "awful", "great", "clever"]
TEXTS = [
    Text.of(f"The {a} is {b}, and {c} enjoy it!") for a in SUBJECTS for b in JUDGED for c in ("kids", "adults")
]
PAIR = Text.pair(("premise", "A good plot and a great cast."), ("hypothesis", "the film is clever"), "hypothesis")


def answers(victim: Predictor, texts: list[Text], batch: int = 1000) -> Floats:
    found = []
    for start in range(0, len(texts), batch):
        rows = victim.rows([Variants.of_texts(texts[start : start + batch])])
        found.append(victim.launch(rows, np.arange(len(rows.keys))).result().values)
    return np.asarray(np.round(np.concatenate(found), 5), dtype=np.float32)


def assert_rewords(text: Text, other: Text, words: int) -> None:
    """An alternative is the text itself but for some words, each replaced by a neighbour of its own."""
    assert other.gaps == text.gaps
    assert len(other) == len(text)
    swaps = [(old, new) for old, new in zip(text.words, other.words, strict=True) if old != new]
    assert len(swaps) == words
    for old, new in swaps:
        assert new.lower() in counter_fitted().of(old, 100, -1)[0]


def test_only_rewordings_of_a_text_vote_with_it(bert: Transformer) -> None:
    inside = Recording()
    fuse = Fuse(inside, FuseSettings(vote="probabilities", words=2, alternatives=5), switch_net=bert)
    for text in TEXTS[:10]:
        inside.seen.clear()
        answers(fuse, [text])
        own = [seen for seen in inside.seen if seen == text.strings]
        assert len(own) == 1
        for seen in inside.seen:
            if seen != text.strings:
                assert_rewords(text, Text.of(*seen), 2)


def test_the_vote_is_that_of_a_texts_own_readings(bert: Transformer) -> None:
    inside = BagOfWords()
    fuse = Fuse(inside, FuseSettings(vote="probabilities", alternatives=6), switch_net=bert)
    groups = fuse.readings([text.strings for text in TEXTS])
    for text, group in zip(TEXTS, groups, strict=True):
        assert group[0].strings == text.strings
        assert len(group) == 7
        for other in group[1:]:
            assert_rewords(text, other, 3)
    expected = [np.mean([inside.probability_row(reading.strings) for reading in group], axis=0) for group in groups]
    np.testing.assert_allclose(answers(fuse, TEXTS), expected, atol=1e-5)


def test_order_batches_caches_and_reloading_change_no_vote(bert: Transformer) -> None:
    """The released code voted with texts of other examples when loading shuffled them anew."""
    fuse = Fuse(bert, FuseSettings(words=2, alternatives=4))
    expected = answers(fuse, TEXTS)
    assert len(np.unique(expected, axis=0)) > len(TEXTS) / 2
    order = list(range(len(TEXTS)))
    service = PredictService(fuse)
    for seed, batch in enumerate((1, 7, 100)):
        random.Random(seed).shuffle(order)
        shuffled = [Text.of(str(TEXTS[number])) for number in order]
        np.testing.assert_allclose(answers(fuse, shuffled, batch), expected[order], atol=2e-5)
        query = Query(Ledger(None), Variants.of_texts(shuffled))
        (cached,) = service.launch([query]).result()
        np.testing.assert_allclose(cached, expected[order], atol=2e-5)
    assert service.forwarded == len(TEXTS)
    reloaded = open_victim(repr(fuse), Options(device="cpu"))
    np.testing.assert_allclose(answers(reloaded, TEXTS), expected, atol=2e-5)
    checked = fuse.check([text.strings for text in TEXTS]).result().values
    np.testing.assert_allclose(checked, expected, atol=2e-5)


def test_another_process_gives_the_same_answers(bert: Transformer) -> None:
    name = f"fuse[words=2,alternatives=3]:five[tokens=2]:{bert!r}"
    code = (
        "import json, sys; from unfool.victims import open_victim, Options; "
        "victim = open_victim(sys.argv[1], Options(device='cpu')); "
        "print(json.dumps(victim.check([('The film is dull.',), ('great fun',)]).result().values.tolist()))"
    )
    other_hashes = {**os.environ, "PYTHONHASHSEED": "12345"}
    told = subprocess.run([sys.executable, "-c", code, name], capture_output=True, check=True, env=other_hashes)
    here = open_victim(name, Options(device="cpu")).check([("The film is dull.",), ("great fun",)])
    assert json.loads(told.stdout) == here.result().values.tolist()


@pytest.mark.parametrize("vote", ["logits", "probabilities", "majority"])
def test_votes_are_counted_as_they_say(bert: Transformer, vote: Any) -> None:
    fuse = Fuse(bert, FuseSettings(vote=vote, alternatives=5))
    for text in TEXTS[:8]:
        (group,) = fuse.readings([text.strings])
        logits = bert.confirm_logits([reading.strings for reading in group]).values.astype(float)
        if vote == "logits":
            expected = softmax(logits.mean(axis=0, keepdims=True))[0]
        elif vote == "probabilities":
            expected = softmax(logits).mean(axis=0)
        else:
            expected = np.bincount(logits.argmax(axis=1), minlength=2) / len(group)
        np.testing.assert_allclose(fuse.confirm([text.strings]).values[0], expected, atol=1e-5)


def test_votes_differ(bert: Transformer) -> None:
    votes: tuple[Vote, ...] = ("logits", "probabilities", "majority")
    told = {str(answers(Fuse(bert, FuseSettings(vote=vote)), TEXTS).tolist()) for vote in votes}
    assert len(told) == 3


def test_fields_says_which_texts_of_a_pair_are_reworded(bert: Transformer) -> None:
    for fields, first_changes in ("last", False), ("all", True):
        fuse = Fuse(bert, FuseSettings(fields=fields, words=9))  # type: ignore[arg-type]
        (group,) = fuse.readings([PAIR.strings])
        assert any(other.strings[0] != PAIR.strings[0] for other in group) == first_changes
        assert all(other.strings[1] != PAIR.strings[1] for other in group[1:])


def test_what_an_attack_may_edit_changes_no_answer(bert: Transformer) -> None:
    free = Text.pair(("premise", PAIR.strings[0]), ("hypothesis", PAIR.strings[1]))
    fuse = Fuse(bert)
    assert (answers(fuse, [PAIR]) == answers(fuse, [free])).all()


def test_all_readings_go_in_one_launch(bert: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[int] = []
    plain = bert.launch_logits

    def counted(rows: Any, chosen: Any) -> Any:
        launched.append(len(chosen))
        return plain(rows, chosen)

    monkeypatch.setattr(bert, "launch_logits", counted)
    answers(Fuse(bert, FuseSettings(alternatives=5)), TEXTS[:4])
    assert len(launched) == 1
    assert 4 < launched[0] <= 24


def test_settings_of_switch_reach_it(bert: Transformer) -> None:
    (group,) = Fuse(bert, FuseSettings(words=1, alternatives=3)).readings([TEXTS[0].strings])
    assert len(group) == 4
    for other in group[1:]:
        assert_rewords(TEXTS[0], other, 1)


def test_a_text_one_of_whose_readings_fails_is_an_error(bert: Transformer) -> None:
    class Fails(BagOfWords):
        def probabilities(self, inputs: Any) -> Any:
            said = [self.probability_row(strings) for strings in inputs]
            return [
                VictimError("no") if "dull" in strings[0] else row
                for strings, row in zip(inputs, said, strict=True)
            ]

    fuse = Fuse(Fails(), FuseSettings(vote="majority", alternatives=2), switch_net=bert)
    inputs: list[Input] = [("great film",), ("dull film",), ("good plot",)]
    rows = fuse.rows([Variants.of_texts([Text.of(*strings) for strings in inputs])])
    assert list(fuse.launch(rows, np.arange(3)).result().errors) == [1]
    assert list(fuse.check(inputs).result().errors) == [1]


def test_victims_that_lack_what_it_needs_are_refused(bert: Transformer) -> None:
    with pytest.raises(UserError, match="no gradients"):
        Fuse(BagOfWords())
    with pytest.raises(UserError, match="vote=probabilities"):
        Fuse(BagOfWords(), switch_net=bert)


def test_it_stands_around_five(bert: Transformer) -> None:
    five = Five(bert)
    fuse = Fuse(five, FuseSettings(alternatives=3))
    (group,) = fuse.readings([TEXTS[0].strings])
    inner = five.confirm_logits([reading.strings for reading in group]).values
    expected = softmax(inner.astype(float).mean(axis=0, keepdims=True))
    np.testing.assert_allclose(fuse.confirm([TEXTS[0].strings]).values, expected, atol=1e-5)
