"""Figures of an evaluation, taken by hand and by the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.end_to_end.command import unfool
from tests.evaluate.conftest import Trained
from tests.toys import BagOfWords

from unfool import attack
from unfool.data import load
from unfool.defences.evaluate import (
    Answers,
    Evaluation,
    Robustness,
    any_fooled,
    cost,
    evaluate,
    load_premade,
    paired,
    premade,
    worst_case,
)
from unfool.engine import Floats, Status
from unfool.errors import UserError
from unfool.runs import Run
from unfool.storage import locked
from unfool.victims import Input, open_victim

GREEDY = "hotflip:width=1,operations=flips"
QUIET: dict[str, Any] = {"progress": False, "n": 40}


@pytest.fixture(scope="module")
def done(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Evaluation]:
    folder = tmp_path_factory.mktemp("evaluation") / "one"
    found = evaluate(trained.hard, trained.task, [GREEDY, "key-star"], against=trained.plain, out=folder, **QUIET)
    return folder, found


def test_f1_is_taken_once_over_all_texts() -> None:
    answers = Answers((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, -1, 1), 3)
    assert answers.accuracy.count == 3
    # Class 0: 2·2/(3+2), class 1: 2·1/(2+3), class 2: nothing right.
    assert answers.macro_f1 == pytest.approx((0.8 + 0.4 + 0) / 3)


def test_pairs_count_what_only_one_has_right() -> None:
    found = paired({1: True, 2: True, 3: False, 4: True}, {1: True, 2: False, 3: True, 5: True})
    assert found[:3] == (3, 1, 1)
    assert paired(dict.fromkeys(range(8), True), dict.fromkeys(range(8), False)).p_value == pytest.approx(2 / 256)


def test_the_worst_case_is_the_union_of_the_attacks() -> None:
    one = Robustness({1: True, 2: False, 3: True}, {1: False, 2: True, 3: False})
    two = Robustness({1: False, 2: True, 3: True}, {1: True, 2: False})
    assert worst_case([one, two]) == {1: False, 2: False, 3: True}
    assert any_fooled([one, two]) == {1: True, 2: True}
    assert any_fooled([]) == {}


def test_figures_are_those_of_the_runs(done: tuple[Path, Evaluation], trained: Trained) -> None:
    folder, found = done
    runs = {
        (role, number): Run.open(folder / "runs" / f"{role}-{number}-{name}")
        for role in ("victim", "base")
        for number, name in ((1, "hotflip"), (2, "key-star"))
    }
    for role in ("victim", "base"):
        broken: set[int] = set()
        for number in (1, 2):
            run = runs[role, number]
            assert getattr(found.attacks[number - 1], role).successes == run.summary.successes
            broken |= {o.id for o in run.outcomes() if o.status is Status.SUCCESS or o.before.label != o.label}
        assert getattr(found.worst_case, role).count == 40 - len(broken)
        assert getattr(found.clean, role).accuracy.of == 80
    assert not any("random" in warning or "vanish" in warning for warning in found.warnings)
    there = next(row for row in found.transfer if row.made_on == "base" and row.name == "hotflip")
    won = [o for o in runs["base", 1].outcomes() if o.status is Status.SUCCESS]
    victim = open_victim(trained.hard)
    wrong = sum(int(victim.check([o.perturbed]).result().values[0].argmax() != o.label) for o in won)
    assert (there.texts, there.fooled) == (len(won), wrong)
    assert found.cost.victim.forward == 1


def test_it_is_read_again_from_its_folder(done: tuple[Path, Evaluation]) -> None:
    folder, found = done
    again = Evaluation.open(folder)
    assert again == found
    assert (
        json.dumps(again.to_json(), indent=2, ensure_ascii=False) == (folder / "summary.json").read_text().strip()
    )
    with pytest.raises(UserError, match="cannot read"):
        Evaluation.open(folder / "runs")


def test_it_shows_itself_in_notebooks(done: tuple[Path, Evaluation]) -> None:
    pytest.importorskip("pandas")
    _, found = done
    table = found.to_pandas()
    assert table["side"].tolist() == ["victim", "base"] * 2
    assert table["successes"].tolist() == [figures.successes for row in found.attacks for figures in row.both]
    rates = [figures.success_rate.value for row in found.attacks for figures in row.both]
    assert table["success_rate"].tolist() == rates
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + len(found.table[1])
    assert "<td>worst of all attacks</td>" in html
    assert repr(found).startswith(f"<Evaluation of {found.settings['victim']} on {found.settings['data']}: clean")


def test_stored_texts_are_a_data_set(done: tuple[Path, Evaluation], trained: Trained, tmp_path: Path) -> None:
    folder, _ = done
    run = Run.open(folder / "runs" / "base-1-hotflip")
    about = premade(run, tmp_path / "stored.jsonl")
    stored = load(str(tmp_path / "stored.jsonl"))
    won = [o for o in run.outcomes() if o.status is Status.SUCCESS]
    names = ("neg", "pos")
    assert [(s.text.strings, stored.labels[s.label]) for s in stored] == [
        (o.perturbed, names[o.label]) for o in won
    ]
    assert about.texts == len(won) == json.loads((tmp_path / "stored.about.json").read_text())["texts"]
    found = evaluate(
        trained.hard,
        trained.task,
        out=tmp_path / "e",
        against=trained.plain,
        premade=[str(tmp_path / "stored.jsonl")],
        **QUIET,
    )
    (row,) = found.premade.values()
    assert row.base is not None
    assert row.base.accuracy.count == 0  # they fooled it once, and it answers the same again
    assert row.victim.accuracy.count > 0
    with pytest.raises(UserError, match=r"must end in \.jsonl"):
        premade(run, tmp_path / "stored.csv")


def test_stored_texts_of_one_label_keep_its_number(tmp_path: Path) -> None:
    """The victim's names differ from the data's, and only texts of the second label fool it."""
    (tmp_path / "data.csv").write_text("text,label\ngood film,good\ngood plot,good\nbad film,bad\n")

    class Fragile(BagOfWords):
        def probability_row(self, strings: Input) -> Floats:
            return np.array([0, 1] if strings[0].startswith("good") else [1, 0], dtype=np.float32)

    source = load(str(tmp_path / "data.csv"), labels=["bad", "good"])
    attack(Fragile(), source, "key-star:draws=50", out=tmp_path / "run", progress=False)
    premade(tmp_path / "run", tmp_path / "stored.jsonl")
    stored = load_premade(str(tmp_path / "stored.jsonl"))
    assert stored.labels == ("bad", "good")
    assert {sample.label for sample in stored} == {1}
    with pytest.raises(UserError, match=r"'\.'"):
        load_premade(".")


def test_labels_that_no_names_match_are_told(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\ngood film,good\nbad film,bad\n")
    (tmp_path / "named.csv").write_text("text,label\ngood film,class 1\nbad film,class 0\n")
    data, named = (str(tmp_path / name) for name in ("data.csv", "named.csv"))
    found = evaluate(BagOfWords(3), named, out=tmp_path / "e", premade=[data], progress=False)
    taken = (
        f"Labels of {data} and BagOfWords(3) matched in order: "
        "data bad → model class 0, data good → model class 1; name them with --labels if that is wrong."
    )
    assert found.labels == (taken,)


def test_only_the_answers_of_a_defence_are_averaged(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\ngood film,1\nbad film,0\n")
    with pytest.raises(UserError, match=r"eot=4 .* --eot is for randomised victims"):
        evaluate(BagOfWords(), str(tmp_path / "data.csv"), ["key-star"], out=tmp_path / "e", eot=4)


def test_stored_texts_are_read_from_the_columns_they_were_written_to(tmp_path: Path) -> None:
    """The names are not the usual ones, or would be taken for a pair the other way round."""
    for text, pair in (("headline", "teaser"), ("sentence", "question")):
        (tmp_path / "data.csv").write_text(f"{text},{pair},verdict\ngood film,plot,1\nbad film,plot,0\n")
        source = load(str(tmp_path / "data.csv"), text=text, pair=pair, label="verdict")
        attack(BagOfWords(), source, "key-star:draws=50", out=tmp_path / text, progress=False)
        premade(tmp_path / text, tmp_path / "stored.jsonl")
        stored = load_premade(str(tmp_path / "stored.jsonl"))
        won = [o.perturbed for o in Run.open(tmp_path / text).outcomes() if o.status is Status.SUCCESS]
        assert [sample.text.strings for sample in stored] == won != []
    (tmp_path / "stored.about.json").write_text("{")
    with pytest.raises(UserError, match=r"stored\.about\.json: a file is damaged"):
        load_premade(str(tmp_path / "stored.jsonl"))


def test_texts_are_not_stored_without_what_is_told_about_them(tmp_path: Path) -> None:
    victim, texts = BagOfWords(), ("good film", "bad film", "dull plot", "a song")
    rows = [f"{text},{victim.label((text,))}" for text in texts]
    (tmp_path / "data.csv").write_text("\n".join(["text,label", *rows, ""]))
    attack(victim, str(tmp_path / "data.csv"), "key-star:draws=50", out=tmp_path / "run", progress=False)
    (tmp_path / "stored.about.json").mkdir()
    with pytest.raises(UserError, match=r"cannot write .*stored\.jsonl: Is a directory; choose another place"):
        premade(tmp_path / "run", tmp_path / "stored.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "run", "stored.about.json"}


def test_stored_texts_may_be_given_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\ngood film,1\nbad film,0\n")
    victim, made = BagOfWords(), []
    for name, wrong in (("right", 0), ("wrong", 1)):
        rows = [f"{text},{(victim.label((text,)) + wrong) % 2}" for text in ("good film", "bad film", "a song")]
        (tmp_path / f"{name}.csv").write_text("\n".join(["text,label", *rows, ""]))
        made.append(str(tmp_path / f"{name}.csv"))
    given: dict[str, Any] = {"out": tmp_path / "e", "progress": False}
    for order, resume in ((made, False), (made[::-1], True)):
        found = evaluate(victim, str(tmp_path / "data.csv"), premade=order, resume=resume, **given)
        accuracies = {name: each.victim.accuracy.value for name, each in found.premade.items()}
        assert accuracies == {made[0]: 1.0, made[1]: 0.0}


class Half(BagOfWords):
    """Searches in half precision, as its name does not tell."""

    approximate = True


def test_what_was_asked_otherwise_is_another_evaluation(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("text,pair,label\ngood film,plot,1\nbad film,plot,0\n")
    both, second = (
        load(str(tmp_path / "pairs.csv"), text="text", pair="pair", edit=field) for field in (None, "pair")
    )
    evaluate(BagOfWords(), both, out=tmp_path / "e", progress=False)
    again: dict[str, Any] = {"out": tmp_path / "e", "progress": False, "resume": True}
    assert evaluate(BagOfWords(), both, **again).clean
    with pytest.raises(UserError, match="the columns that attacks may change were all"):
        evaluate(BagOfWords(), second, **again)
    with pytest.raises(UserError, match="the search was in full precision"):
        evaluate(Half(), both, **again)


def test_an_attack_that_only_asks_stands_beside_those_that_see(trained: Trained, tmp_path: Path) -> None:
    found = evaluate(trained.plain, trained.task, [GREEDY], out=tmp_path / "e", n=10, progress=False)
    assert [row.white_box for row in found.attacks] == [True, False]
    assert found.attacks[1].name == "key-star"


def test_passes_through_nets_are_counted(trained: Trained) -> None:
    texts = [sample.text for sample in load(trained.task).sample(8, 0)]
    plain = open_victim(trained.plain)
    assert cost(plain, texts)[:2] == (1, 0)
    five = cost(open_victim(f"five[samples=4]:{trained.plain}"), texts)
    assert five.forward is not None
    assert five.backward is not None
    assert five.forward >= 5  # itself, its copies, and a pass for importance
    assert five.backward >= 1


def test_stopped_and_resumed_it_does_no_part_twice(
    done: tuple[Path, Evaluation], trained: Trained, tmp_path: Path
) -> None:
    folder, found = done
    (folder / "summary.json").unlink()
    (folder / "runs" / "victim-2-key-star" / "summary.json").unlink()
    (folder / "clean-victim.json").unlink()
    kept = (folder / "clean-base.json").stat().st_mtime_ns
    with pytest.raises(UserError, match="add --resume"):
        evaluate(trained.hard, trained.task, [GREEDY, "key-star"], against=trained.plain, out=folder, **QUIET)
    with pytest.raises(UserError, match="other settings"):
        evaluate(trained.hard, trained.task, [GREEDY], out=folder, resume=True, **QUIET)
    again = evaluate(
        trained.hard, trained.task, [GREEDY, "key-star"], against=trained.plain, out=folder, resume=True, **QUIET
    )
    assert again == found
    assert (folder / "clean-base.json").stat().st_mtime_ns == kept


def test_a_mistake_does_not_block_the_folder(trained: Trained, tmp_path: Path) -> None:
    for more in ({"constrain": "pso"}, {"attacks": ["jsma"]}):
        with pytest.raises(UserError, match=r"did you mean 'pos'|needs the net's word vectors"):
            evaluate(trained.plain, trained.task, out=tmp_path / "e", **more, **QUIET)
    assert not (tmp_path / "e").exists()
    with pytest.raises(UserError, match="cannot take trials=0"):
        evaluate(trained.plain, trained.task, ["random:trials=0"], out=tmp_path / "e", **QUIET)
    with locked(tmp_path / "e"), pytest.raises(UserError, match="another process is writing"):
        evaluate(trained.plain, trained.task, ["random"], out=tmp_path / "e", **QUIET)
    assert evaluate(trained.plain, trained.task, ["random"], out=tmp_path / "e", **QUIET).attacks
    with pytest.raises(UserError, match="holds an evaluation already; add --resume"):
        evaluate(trained.plain, trained.task, ["random"], out=tmp_path / "e", **QUIET)


def test_samples_without_a_result_are_told(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\na good film,1\n!,1\na fine play,1\nno label here,\n")
    (tmp_path / "shy.py").write_text(
        "labels = ('bad', 'good')\n"
        "KNOWN = ('a good film', 'a fine play', '!')\n"
        "def answer(texts):\n"
        "    if not set(texts) <= set(KNOWN):\n"
        "        raise ValueError('I do not know this one')\n"
        "    return [[0.2, 0.8]] * len(texts)\n"
    )
    command = ["evaluate", "--victim", "py:shy:answer", "--data", "data.csv", "--attack", "key-star", "--quiet"]
    refused = unfool(*command, "--out", "e", cwd=tmp_path)
    assert "line 5: no label; 1 of 4 rows are bad" in refused.err
    said = unfool(*command, "--skip-bad", "--out", "e", cwd=tmp_path)
    assert said.code == 3
    assert said.err.splitlines() == [
        "skipped line 5: no label",
        "2 samples have no result (failures.jsonl in the runs of e says why); --resume tries again",
    ]
    (tmp_path / "two.csv").write_text("text,label\na good film,1\na fine play,1\n")
    command[command.index("data.csv")] = "two.csv"
    nothing = unfool(*command, "--out", "f", cwd=tmp_path)
    assert nothing.code == 2
    assert "no sample in f/runs/victim-1-key-star has a result" in nothing.err
    assert "I do not know this one" in nothing.err


SHY = """
from pathlib import Path
labels = ("bad", "good")
def answer(texts, bold=0.0):
    if Path("shy").exists() and any(len(text) < 20 and text != "a good play" for text in texts):
        raise ValueError("I would rather not say")
    return [[0.2, 0.8] if "good" in text else [0.8 - bold, 0.2 + bold] for text in texts]
def bolder(texts):
    return answer(texts, 0.1)
"""


@pytest.mark.parametrize("shy_about", ["some", "all"])
def test_resumed_it_tries_samples_without_a_result_again(tmp_path: Path, shy_about: str) -> None:
    films = "a good film with some actors,1\n" if shy_about == "some" else ""
    (tmp_path / "data.csv").write_text(f"text,label\n{films}a good play,1\n")
    (tmp_path / "victim.py").write_text(SHY)
    (tmp_path / "shy").touch()
    command = [
        *("evaluate", "--victim", "py:victim:answer", "--against", "py:victim:bolder", "--data", "data.csv"),
        *("--attack", "key-star:draws=50", "--quiet", "--out"),
    ]
    for more in ([], ["--resume"]):
        said = unfool(*command, "resumed", *more, cwd=tmp_path)
        assert said.code == (3 if films else 2)
        assert "--resume" in said.err
        assert "tries" in said.err
    (tmp_path / "shy").unlink()
    for more in (["resumed", "--resume"], ["whole"]):
        said = unfool(*command, *more, cwd=tmp_path)
        assert (said.code, said.err) == (0, "")
    resumed, whole = (json.loads((tmp_path / name / "summary.json").read_bytes()) for name in ("resumed", "whole"))
    assert [row["texts"] for row in whole["transfer"]] == [2 if films else 1] * 2
    assert {**resumed, "cost": None} == {**whole, "cost": None}


def test_the_command(trained: Trained, tmp_path: Path) -> None:
    said = unfool(
        "evaluate", "--victim", trained.hard, "--against", trained.plain, "--data", trained.task,
        "--attack", GREEDY, "key-star", "--out", "e", "--n", 12, "--device", "cpu", "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert (said.code, said.err) == (0, "")
    assert "worst of all attacks" in said.out
    assert "fool the base" in said.out
    stored = unfool("evaluate", "premade", "e/runs/base-1-hotflip", "--out", "s.jsonl", cwd=tmp_path)
    assert stored.code == 0
    assert "texts that fooled" in stored.out
    again = unfool("evaluate", "premade", "e/runs/base-1-hotflip", "--out", "s.jsonl", cwd=tmp_path)
    assert (again.code, again.err) == (2, "error: s.jsonl already exists; choose another place, or remove it\n")
