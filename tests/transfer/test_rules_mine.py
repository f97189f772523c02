"""Mining against the plain loop of the paper's Figure 2, in parts, in pieces, and on odd corpora."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from tests.end_to_end.command import fetch_or_skip
from tests.toy_models import save_bert
from tests.toys import BagOfWords
from tests.transfer.rule_toys import LABELS, SENTENCES, Counting, Linear, corpus, toy_net

from unfool.attacks.parts.propose import synonym_swaps
from unfool.engine import Predictor
from unfool.errors import UserError, VictimError
from unfool.report import audit
from unfool.rules import Rule, RuleBook, RuleFilter, ScoringModels, mine_into, mine_rules, read_rules
from unfool.text import Text, Variants, as_variants
from unfool.victims import Ensemble, Input, StringRows, Transformer, callable_victim
from unfool.victims.tokens import Packing

EVERYTHING = RuleFilter(per_word=None, all=True)


@pytest.fixture(autouse=True, scope="module")
def _wordnet() -> None:
    fetch_or_skip("wordnet")


def by_hand(logits: Callable[[str], NDArray[np.float64]]) -> dict[tuple[str, str, str], tuple[float, int]]:
    """Figure 2, line by line."""
    h: dict[tuple[str, str, str], float] = defaultdict(float)
    c: dict[tuple[str, str, str], int] = defaultdict(int)
    for x, y in zip(SENTENCES, LABELS, strict=True):
        f = logits(x)
        swaps = synonym_swaps(Text.of(x))
        for position, new in zip(swaps.positions, swaps.words, strict=True):
            words = list(Text.of(x).words)
            rule = (("neg", "pos")[y], words[position], new)
            changed = logits(str(Text.of(x).replace(position, new)))
            c[rule] += 1
            for z in (0, 1):
                h[rule] += f[z] - changed[z] if z == y else changed[z] - f[z]
    return {rule: (h[rule] / c[rule], c[rule]) for rule in h}


def as_found(book: RuleBook) -> dict[tuple[str, str, str], tuple[float, int]]:
    return {(rule.label, rule.word, rule.substitute): (rule.salience, rule.support) for rule in book.rules}


def test_equals_the_hand_written_loop(tmp_path: Path) -> None:
    one, two = Linear(1.0), Linear(0.3)
    book = mine_rules([one, two], corpus(tmp_path), tmp_path / "rules.jsonl", kept=EVERYTHING, progress=False)
    found = as_found(book)
    wanted = by_hand(lambda x: (one.logits(x) + two.logits(x)) / 2)
    assert len(wanted) > 200
    assert max(support for _, support in wanted.values()) >= 4
    assert found.keys() == wanted.keys()
    for rule, (salience, support) in wanted.items():
        assert found[rule][1] == support
        assert found[rule][0] == pytest.approx(salience, abs=6e-4)


@pytest.mark.parametrize("kind", ["zoo", "transformer"])
def test_a_net_is_asked_with_spliced_rows_and_gives_what_whole_texts_give(tmp_path: Path, kind: str) -> None:
    net = toy_net() if kind == "zoo" else Transformer(str(save_bert(tmp_path / "bert")), device="cpu")

    def logits(x: str) -> NDArray[np.float64]:
        return np.asarray(net.confirm_logits([(x,)]).values[0], dtype=np.float64)

    found = as_found(mine_rules([net], corpus(tmp_path), tmp_path / "rules.jsonl", kept=EVERYTHING, progress=False))
    wanted = by_hand(logits)
    assert found.keys() == wanted.keys()
    assert len({salience for salience, _ in wanted.values()}) > 100
    assert all(found[rule][0] == pytest.approx(wanted[rule][0], abs=6e-4) for rule in wanted)


def test_an_ensemble_of_some_members_is_the_mean_of_theirs(tmp_path: Path) -> None:
    members = [Linear(1.0), Linear(0.3), Linear(2.0)]
    mined = mine_into(members, corpus(tmp_path), tmp_path / "parts", progress=False)
    alone = mine_rules(members[1:], corpus(tmp_path), tmp_path / "pair.jsonl", kept=EVERYTHING, progress=False)
    assert as_found(mined.book(EVERYTHING, models=[1, 2])) == as_found(alone)
    assert as_found(mined.book(EVERYTHING)) != as_found(alone)
    assert mined.book(models=[1, 2]).origin["flips_by"] == [repr(member) for member in members]
    assert "flips_by" not in mined.book().origin


class Turned(Linear):
    """Names its classes in another order, and otherwise."""

    def __init__(self, scale: float, labels: tuple[str, str]) -> None:
        super().__init__(scale)
        self.labels = labels

    def logits(self, string: str) -> NDArray[np.float64]:
        values = super().logits(string)
        return values[::-1] if self.labels[0].lower() == "pos" else values


@pytest.mark.parametrize("labels", [("POS", "neg"), ("NEGATIVE", "POSITIVE")])
def test_labels_are_matched_to_those_of_the_data(
    tmp_path: Path, labels: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    plain = mine_rules([Linear(1.0), Linear(0.3)], corpus(tmp_path), tmp_path / "plain.jsonl", progress=False)
    found = mine_rules([Linear(1.0), Turned(0.3, labels)], corpus(tmp_path), tmp_path / "turned.jsonl")
    assert found.rules == plain.rules
    assert ("in order" in capsys.readouterr().err) == (labels[0] == "NEGATIVE")


def test_an_ensemble_of_logits_mines_as_its_members(tmp_path: Path) -> None:
    members = [toy_net(), toy_net(1)]
    apart = mine_rules(members, corpus(tmp_path), tmp_path / "apart.jsonl", kept=EVERYTHING, progress=False)
    joined = mine_rules(
        [Ensemble(members, "logits")], corpus(tmp_path), tmp_path / "joined.jsonl", kept=EVERYTHING, progress=False
    )
    assert joined.origin["scores"] == "logits"
    one, other = as_found(joined), as_found(apart)
    assert one.keys() == other.keys()
    assert all(one[rule][0] == pytest.approx(other[rule][0], abs=0.0011) for rule in one)


def test_however_many_books_read_the_work_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.rules._mine._STRETCH_OF_STRINGS", 5)
    mined = mine_into([Linear(1.0), Linear(0.3)], corpus(tmp_path), tmp_path / "parts", progress=False)
    read, plain = [], pq.read_table

    def counted(path: Path, **options: Any) -> Any:
        read.append(path.name)
        return plain(path, **options)

    monkeypatch.setattr(pq, "read_table", counted)
    books = [mined.book(models=members) for members in ([0], [0, 1], [])]
    assert len({book.digest for book in books}) == 3
    assert len(read) == len(set(read)) == 4


@pytest.mark.parametrize("per_word", [1, 2])
@pytest.mark.parametrize("members", [[0, 1], []])
def test_a_book_is_the_best_of_all_rules(tmp_path: Path, per_word: int, members: list[int]) -> None:
    mined = mine_into([Linear(1.0), Linear(0.3)], corpus(tmp_path), tmp_path / "parts", progress=False)
    every = mined.book(EVERYTHING, members).rules
    assert len(every) > 200
    ordered = sorted(every, key=lambda rule: (-rule.salience, rule.label, rule.word, rule.substitute))
    assert list(every) == ordered
    taken: dict[tuple[str, str], list[Rule]] = defaultdict(list)
    wanted = []
    for rule in ordered:
        of_word = taken[rule.label, rule.word]
        if rule.salience > 0 and rule.support >= 2 and len(of_word) < per_word:
            of_word.append(rule)
            wanted.append(rule)
    assert list(mined.book(RuleFilter(per_word, support=2), members).rules) == wanted


@pytest.mark.parametrize("stretch", [1, 3, 20])
def test_strings_give_the_same_file_however_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stretch: int
) -> None:
    whole = mine_rules([Counting()], corpus(tmp_path), tmp_path / "whole.jsonl", progress=False)
    monkeypatch.setattr("unfool.rules._mine._STRETCH_OF_STRINGS", stretch)
    cut = mine_rules([Counting()], corpus(tmp_path), tmp_path / "cut.jsonl", progress=False)
    assert cut.rules == whole.rules


def test_batches_of_another_shape_move_a_last_digit_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = mine_rules([toy_net(), toy_net(1)], corpus(tmp_path), tmp_path / "whole.jsonl", progress=False)
    whole = as_found(book)
    monkeypatch.setattr("unfool.rules._mine._STRETCH", 3)
    nets = [toy_net(), toy_net(1)]
    for net in nets:
        net.packing = Packing(tokens=64, least=16)
    cut = as_found(mine_rules(nets, corpus(tmp_path), tmp_path / "cut.jsonl", progress=False))
    assert cut.keys() == whole.keys()
    assert all(cut[rule][0] == pytest.approx(whole[rule][0], abs=0.0011) for rule in whole)
    assert sum(cut[rule] != whole[rule] for rule in whole) <= len(whole) / 50


class Killed(BaseException):
    pass


class Mortal(Linear):
    """Ends the process, as far as mining can tell, after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(1.0)
        self.calls = calls

    def launch_logits(self, rows: Any, chosen: Any) -> Any:
        self.calls -= 1
        if not self.calls:
            raise Killed
        return super().launch_logits(rows, chosen)


@pytest.mark.parametrize("calls", [1, 4, 7])
def test_killed_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    monkeypatch.setattr("unfool.rules._mine._STRETCH_OF_STRINGS", 3)
    mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "whole.jsonl", progress=False)
    target, parts = tmp_path / "rules.jsonl", tmp_path / "rules.jsonl.parts"
    with pytest.raises(Killed):
        mine_rules([Mortal(calls)], corpus(tmp_path), target, progress=False)
    done = sorted(path.name for path in parts.glob("*.parquet"))
    assert len(done) == calls - 1
    if done:
        (parts / "000000005.parquet.part").write_bytes(b"torn")
        with pytest.raises(UserError, match="--resume"):
            mine_rules([Linear(1.0)], corpus(tmp_path), target, progress=False)
    asked = Mortal(100)
    mine_rules([asked], corpus(tmp_path), target, resume=True, progress=False)
    assert 100 - asked.calls == 7 - len(done)
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not parts.exists()


def test_the_folder_is_held_until_the_book_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = []

    def while_writing(book: RuleBook, target: Path) -> None:
        with pytest.raises(UserError, match="another process") as told:
            mine_rules([Linear(1.0)], corpus(tmp_path), target, resume=True, progress=False)
        refused.append(str(told.value))

    monkeypatch.setattr("unfool.rules._mine.write_rules", while_writing)
    mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "rules.jsonl", progress=False)
    assert len(refused) == 1
    assert not (tmp_path / "rules.jsonl.parts").exists()


def test_work_of_other_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        mine_rules([Mortal(2)], corpus(tmp_path), tmp_path / "rules.jsonl", progress=False)
    with pytest.raises(UserError, match="other settings"):
        mine_rules([Linear(0.5)], corpus(tmp_path), tmp_path / "rules.jsonl", resume=True, progress=False)


def test_where_there_is_no_work_to_resume_it_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "rules.jsonl", resume=True, progress=False)
    audit(Linear(1.0), corpus(tmp_path), tmp_path / "page.html", resume=True, progress=False)
    assert [line.rpartition("/")[2] for line in capsys.readouterr().err.splitlines()] == [
        "rules.jsonl.parts to resume: this starts it",
        "page.html.parts to resume: this starts it",
    ]
    assert {"rules.jsonl", "page.html"} <= {path.name for path in tmp_path.iterdir()}


def test_what_stays_in_its_folder_is_gone_on_with_or_begun(tmp_path: Path) -> None:
    first = mine_into([Linear(1.0)], corpus(tmp_path), tmp_path / "parts", resume=True, progress=False).book()
    asked = Mortal(1)
    assert mine_into([asked], corpus(tmp_path), tmp_path / "parts", resume=True, progress=False).book() == first
    assert asked.calls == 1


def test_a_finished_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rules.jsonl").write_text("mine")
    with pytest.raises(UserError, match="there already"):
        mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "rules.jsonl", progress=False)


def test_case_does_not_make_another_rule(tmp_path: Path) -> None:
    data = corpus(tmp_path, ["Good films", "GOOD films", "good films"], [1, 1, 1])
    victim = Counting()
    book = mine_rules([victim], data, tmp_path / "rules.jsonl", kept=EVERYTHING, progress=False)
    assert {rule.support for rule in book.rules if rule.word == "good"} == {3}
    assert {"Beneficial films", "BENEFICIAL films", "beneficial films"} <= {text for (text,) in victim.seen}


def test_texts_without_words_to_replace_give_a_book_without_rules(tmp_path: Path) -> None:
    data = corpus(tmp_path, ["", "… !?", "the of and", "zxqv"], [0, 1, 0, 1])
    book = mine_rules([Linear(1.0)], data, tmp_path / "rules.jsonl", progress=False)
    assert len(book) == 0
    assert read_rules(tmp_path / "rules.jsonl").labels == ("neg", "pos")


class Moody(Counting):
    """Gives no answer about texts with a certain word."""

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        answers = list(super().probabilities(inputs))  # type: ignore[arg-type]
        return [
            VictimError("no") if "movie" in text else answer
            for (text,), answer in zip(inputs, answers, strict=True)
        ]


def test_texts_without_an_answer_count_nowhere(tmp_path: Path) -> None:
    book = mine_rules([Moody()], corpus(tmp_path), tmp_path / "rules.jsonl", kept=EVERYTHING, progress=False)
    assert not [rule for rule in book.rules if "movie" in (rule.word, rule.substitute)]
    assert [rule for rule in book.rules if rule.word == "film"]
    assert book.origin["unanswered"]


def test_a_victim_without_any_answer_is_told(tmp_path: Path) -> None:
    data = corpus(tmp_path, ["a bad movie", "a good movie"], [0, 1])
    with pytest.raises(VictimError, match="no"):
        mine_rules([Moody()], data, tmp_path / "rules.jsonl", progress=False)


class Half(Linear):
    """Answers in half precision, as its name does not tell."""

    approximate = True


def test_half_precision_is_not_mixed_with_full(tmp_path: Path) -> None:
    mine_into([Linear(1.0)], corpus(tmp_path), tmp_path / "parts", progress=False)
    with pytest.raises(UserError, match="the search was in full precision"):
        mine_into([Half(1.0)], corpus(tmp_path), tmp_path / "parts", resume=True, progress=False)


def test_books_that_number_labels_otherwise_are_others() -> None:
    books = [RuleBook(labels, (Rule("pos", "film", "movie"),)) for labels in (("neg", "pos"), ("pos", "neg"))]
    assert books[0].digest != books[1].digest


def test_labels_that_the_data_does_not_have_are_matched_by_name() -> None:
    names = ("neg", "pos", "mixed", "neutral")

    def victim(labels: Sequence[str]) -> Predictor:
        return callable_victim(
            lambda texts: [[0.1 * (1 + names.index(label)) for label in labels]] * len(texts), tuple(labels)
        )

    members = ScoringModels([victim(names), victim([*names[:2], *names[:1:-1]])], names[:2])
    one, other = members.launch([as_variants(Text.of("a film"))]).result().values
    assert one.tolist() == other.tolist()


def test_victims_and_counts_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="name the victims"):
        mine_rules([], corpus(tmp_path), tmp_path / "rules.jsonl")
    with pytest.raises(UserError, match="need no victims"):
        mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "rules.jsonl", by="pmi")
    with pytest.raises(UserError, match="give names"):
        mine_rules([Linear(1.0)], corpus(tmp_path), tmp_path / "rules.jsonl", workers=2)


def test_flips_and_examples_are_what_the_model_says(tmp_path: Path) -> None:
    victim, data = Linear(1.0), corpus(tmp_path)
    book = mine_rules([victim], data, tmp_path / "rules.jsonl", kept=EVERYTHING, progress=False)
    flipping = [rule for rule in book.rules if rule.flips]
    assert flipping
    for rule in book.rules:
        assert 0 <= rule.flips <= rule.right <= rule.support
        assert (rule.example is not None) == (rule.flips > 0)
    texts = {sample.id: sample for sample in data}
    for rule in flipping:
        assert rule.example
        sample = texts[rule.example.id]
        gold = sample.label
        before, after = rule.example.before.removeprefix("… "), rule.example.after.removesuffix(" …")
        old, new = (f"{before}{word}{after}" for word in (rule.word, rule.substitute))
        assert old in str(sample.text)
        assert victim.logits(str(sample.text)).argmax() == gold
        assert victim.logits(str(sample.text).replace(old, new)).argmax() != gold


def test_preparing_ahead_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.rules._mine._STRETCH", 3)
    mine_rules([toy_net()], corpus(tmp_path), tmp_path / "plain.jsonl", progress=False)
    mine_here = sys.modules["unfool.rules._mine"].mine_here
    monkeypatch.setattr("unfool.rules._mine.mine_here", lambda *given, **_: mine_here(*given, ahead=True))
    mine_rules([toy_net()], corpus(tmp_path), tmp_path / "ahead.jsonl", progress=False)
    assert (tmp_path / "ahead.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()


def test_a_lost_process_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a worker process ended early; what was done is kept: use fewer workers"):
        mine_rules(
            ["py:tests.transfer.crowd:fatal"], corpus(tmp_path), tmp_path / "r.jsonl", workers=2, progress=False
        )


class Full(BagOfWords):
    """A victim on a GPU that is full."""

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        raise RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED")


def test_a_full_gpu_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the GPU's memory is full; what was done is kept: use fewer workers"):
        mine_rules([Full()], corpus(tmp_path), tmp_path / "rules.jsonl", progress=False)
