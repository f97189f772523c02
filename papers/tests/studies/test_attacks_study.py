"""The study of the attacks and the page of examples, on a toy victim."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.toys import BagOfWords

from unfool.engine import Status
from unfool.errors import VictimError
from unfool.runs import Piece, Run
from unfool.victims import Input
from unfool_papers.catalogue import all_claims
from unfool_papers.scripts import attacks as study
from unfool_papers.scripts import examples
from unfool_papers.self_attention import study as self_attention
from unfool_papers.study import record as measure
from unfool_papers.study.claim import judged
from unfool_papers.study.row import Reported, Row

ADJECTIVES = ("fine", "dull", "great", "poor")
TRAINED = Row(1, "random:trials=20", "toy", "texts.csv", n=12, reported=(Reported(1.1, "Table 1"),))
UNTRAINED = Row(2, "pwws", "zoo:KimCNN@nowhere", "texts.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data the toy victim has right, in which the study has two rows."""
    toy = BagOfWords(2, scale=0.5)
    texts = [f"a {a} film and a {b} plot {number}" for number in range(2) for a in ADJECTIVES for b in ADJECTIVES]
    with (tmp_path / "texts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *((text, toy.label((text,))) for text in texts)])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "open_victim", lambda name, options: toy)
    monkeypatch.setattr("unfool.attacks.recipes.random_word.vocabulary", lambda ask: ["fine", "_dull*", "<bad"])
    measure._victim.cache_clear()
    for module in (study, examples):
        monkeypatch.setattr(module, "ROWS", (TRAINED, UNTRAINED))
    monkeypatch.setattr(examples, "OWN", ())
    return tmp_path


def run_study(folder: Path) -> dict[str, Any]:
    places = {"runs": folder / "runs", "out": folder / "attacks.json", "page": folder / "papers.md"}
    study.main([*(f"--{name}={place}" for name, place in places.items()), "--device", "cpu"])
    found: dict[str, Any] = json.loads((folder / "attacks.json").read_text())
    return found


def test_rows_are_carried_out_once_and_the_untrained_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = run_study(folder)
    said = capsys.readouterr().out
    assert "left out, since zoo:KimCNN@nowhere is not trained" in said
    assert "1 rows; of 0 claims 0 hold, 0 do not, 0 cannot be told." in said
    assert (folder / "papers.md").read_text().splitlines()[-1] in said
    (record,) = results["rows"]
    run = Run.open(folder / "runs" / TRAINED.folder(12))
    fooled = [outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS]
    assert 0 < len(fooled) < 12
    assert (record["n"], record["attacked"], record["clean accuracy %"]) == (12, 12, 100)
    assert record["success %"] == pytest.approx(100 * len(fooled) / 12)
    assert record["accuracy under attack %"] == pytest.approx(100 - 100 * len(fooled) / 12)
    assert 0 < record["mean success over trials %"] < record["success %"]
    assert record["reported"] == [
        {"value": 1.1, "where": "Table 1", "figure": "success %", "sign": "", "ours": record["success %"]}
    ]
    written = (run.folder / "outcomes.jsonl").stat().st_mtime_ns
    assert run_study(folder) == results
    assert (run.folder / "outcomes.jsonl").stat().st_mtime_ns == written


def test_a_row_that_fails_does_not_stop_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = TRAINED._replace(attack="jsma")  # the toy has no gradients
    monkeypatch.setattr(study, "ROWS", (broken, TRAINED))
    with pytest.raises(SystemExit, match="1 failed: jsma on toy"):
        run_study(folder)
    assert [each["row"] for each in json.loads((folder / "attacks.json").read_text())["rows"]] == [TRAINED.name]


class Moody(BagOfWords):
    """Gives no answer about poor films on a bad day."""

    bad_day = True

    def probabilities(self, inputs: Sequence[Input]) -> list[ArrayLike | VictimError]:
        found = np.asarray(super().probabilities(inputs))
        return [
            VictimError("not today") if self.bad_day and "poor" in strings[0] else row
            for strings, row in zip(inputs, found, strict=True)
        ]


def test_texts_without_a_result_are_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moody = Moody(2, scale=0.5)
    monkeypatch.setattr(measure, "open_victim", lambda name, options: moody)
    (failed,) = run_study(folder)["rows"]
    moody.bad_day = False
    (mended,) = run_study(folder)["rows"]
    assert failed["errors"]
    assert (mended["errors"], mended["n"]) == (0, 12)


def test_a_victim_trained_anew_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_study(folder)
    assert "trained anew" not in capsys.readouterr().out
    vars(measure._victim("toy", "cpu"))["fingerprint"] = "other"
    run_study(folder)
    assert f"toy was trained anew since; remove {folder / 'runs'}" in capsys.readouterr().out


def test_what_has_no_run_here_stays_as_it_was(folder: Path) -> None:
    results = run_study(folder)
    other = json.loads(json.dumps(results["rows"][0])) | {"row": UNTRAINED.name}
    (folder / "attacks.json").write_text(json.dumps({"rows": [other], "claims": []}))
    assert [each["row"] for each in run_study(folder)["rows"]] == [TRAINED.name, UNTRAINED.name]


def test_a_claim_whose_runs_are_elsewhere_keeps_its_chances() -> None:
    kept = json.loads(study.RESULTS.read_bytes())
    told = [each["p"] for each in kept["claims"]]
    assert any(p is not None for chances in told for p in chances)
    again = study.gather(Path("nowhere"), None, kept)
    assert [each["p"] for each in again["claims"]] == told


def test_every_row_has_a_folder_of_its_own() -> None:
    assert (
        len({row.folder(row.n) for row in study.ROWS}) == len({row.name for row in study.ROWS}) == len(study.ROWS)
    )
    assert [row.name for row in study.chosen("pwws on CNN*@ag_news*")] == ["pwws on CNN-W-GloVe-1@ag_news, ag_news"]


def record(attack: str, victim: str, data: str, confidence: float = 0.0, **figures: object) -> tuple[str, Any]:
    name = f"{attack} {victim} {confidence}"
    keys = {"attack": attack, "victim": f"zoo:{victim}", "data": data, "confidence": confidence, "row": name}
    keys |= {"attacked": 200}
    return name, keys | figures


def verdicts(records: dict[str, Any], said: str) -> list[str]:
    found = [judged(claim, {}) for claim in all_claims(records) if claim.said == said]
    return [each["holds"] for each in found if each]


@pytest.mark.parametrize(("last", "holds"), [(50.0, "yes"), (61.0, "no"), (60.0, "level")])
def test_a_claim_holds_where_figures_fall(last: float, holds: str) -> None:
    after = {1: 80.0, 3: 60.0, 5: last}
    records = dict(
        record(
            f"strongest-swap:n={n}", "NB@imdb", "imdb", **{"clean accuracy %": 82, "accuracy under attack %": share}
        )
        for n, share in after.items()
    )
    assert verdicts(records, "accuracy falls with N") == [holds]


def test_a_claim_is_not_judged_on_half_of_its_figures() -> None:
    records = dict([record("hotflip", "CharCNN-LSTM-Adam@ag_news", "ag_news", 0.6, **{"success %": 90})])
    assert verdicts(records, "beam > greedy > black box") == []


def test_the_best_attack_of_a_kind_stands_for_it() -> None:
    rates = {"random": 50, "list": 30, "asmin-gr": 10, "asmax-gr": 35, "asmin-ec": 10, "asmax-ec": 34, "gs-gr": 70}
    made = [
        record(
            self_attention.FULL.one_word(kind),
            "BERT@mnli",
            "mnli",
            **{"success %": rate, "mean success over trials %": 2},
        )
        for kind, rate in (rates | {"gs-ec": 71}).items()
    ]
    (claim,) = [c for c in all_claims(dict(made)) if c.said.startswith("greedy >") and c.about == "BERT@mnli"]
    found = judged(claim, {})
    assert found is not None
    assert list(found["figures"].values()) == [71, 35, 30, 2]
    assert found["beside"] == {"random, union over trials": 50}
    assert found["holds"] == "yes"


def test_examples_are_drawn_by_the_seed_marked_and_escaped(folder: Path) -> None:
    run_study(folder)
    out = folder / "examples.md"
    examples.main(["--runs", str(folder / "runs"), "--out", str(out)])
    page = out.read_text()
    assert page.count("\n**") == sum(
        o.status is Status.SUCCESS for o in Run.open(folder / "runs" / TRAINED.folder(12)).outcomes()
    )
    assert "## random\n\nThere were only" in page
    assert "<bad" not in page
    assert "<strong>&#60;bad</strong>" in page
    assert page == examples.page([(TRAINED, Run.open(folder / "runs" / TRAINED.folder(12)))])


def test_long_texts_are_shown_around_their_changes() -> None:
    long = " ".join(f"w{number}" for number in range(100))
    shown = examples._shown((Piece(long + " ", False), Piece("bad", True), Piece(" " + long, False)), "**", "**")
    assert shown == (
        "… " + " ".join(f"w{n}" for n in range(88, 100)) + " **bad** " + " ".join(f"w{n}" for n in range(12)) + " …"
    )
    assert examples.shortened(long, True, True) == long


@pytest.mark.parametrize(
    ("string", "shown"),
    [
        ("a_b *c*\n\n# <i>d</i> &amp; é", "a&#95;b &#42;c&#42; &#35; &#60;i&#62;d&#60;/i&#62; &#38;amp; é"),
        ("12. (so-so), I say!", "12&#46; (so-so), I say!"),
        ("- 3) www.x", "&#45; 3) www&#46;x"),
    ],
)
def test_nothing_in_a_text_is_markdown_or_html(string: str, shown: str) -> None:
    assert examples.escaped(string) == shown
