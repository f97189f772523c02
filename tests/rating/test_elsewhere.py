"""Questions written for other platforms, and one answer file of each read back."""

from __future__ import annotations

import csv
import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.end_to_end.command import unfool
from tests.rating.conftest import MakeRun

from unfool.errors import UserError
from unfool.rating import Study, new_study, results
from unfool.rating.elsewhere import PLATFORMS, read_answers, write_questions
from unfool.runs import Run

HOSTILE = '<img src=x onerror=alert(1)> "quoted", {{ braces }}'


@pytest.fixture
def study(make_run: MakeRun, tmp_path: Path) -> Study:
    return new_study(tmp_path / "study", [make_run("pwws", 4, 2)], "label", gold=2)


def asked(platform: str, part: Path) -> list[str]:
    """Return the items of a part."""
    if platform == "csv":
        with (part / "questions.csv").open(encoding="utf-8", newline="") as file:
            return [row["item"] for row in csv.DictReader(file)]
    if platform == "potato":
        return [json.loads(line)["id"] for line in (part / "items.jsonl").read_text("utf-8").splitlines()]
    return [task["data"]["item"] for task in json.loads((part / "tasks.json").read_text("utf-8"))]


def answer_file(platform: str, items: dict[str, str], rater: str, folder: Path) -> Path:
    """Write answers as a platform gives them back."""
    if platform == "csv":
        path = folder / f"{rater}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["WorkerId", "Input.item", "Answer.answer", "Answer.comment"])
            writer.writerows([rater, item, answer, HOSTILE] for item, answer in items.items())
        return path
    if platform == "potato":
        path = folder / "annotation_output" / rater / "user_state.json"
        path.parent.mkdir(parents=True)
        labels = {item: [[{"schema": "answer", "name": answer}, "1"]] for item, answer in items.items()}
        path.write_text(json.dumps({"user_id": rater, "instance_id_to_label_to_value": labels}), "utf-8")
        return path.parents[1]
    path = folder / f"{rater}.json"
    tasks = [
        {
            "id": number,
            "data": {"item": item},
            "annotations": [
                {"completed_by": {"id": 7, "email": rater}, "was_cancelled": False, "result": [choice(answer)]},
                {"completed_by": 8, "was_cancelled": True, "result": []},
            ],
        }
        for number, (item, answer) in enumerate(items.items())
    ]
    path.write_text(json.dumps(tasks), "utf-8")
    return path


def choice(answer: str) -> dict[str, object]:
    return {"from_name": "answer", "to_name": "text_1", "type": "choices", "value": {"choices": [answer]}}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_questions_go_out_and_answers_come_back(platform: str, study: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = unfool("rate", "export", "study", "--format", platform, "--out", out, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "one part alone" in done.err
    parts = [asked(platform, out / f"part-{number}") for number in (1, 2)]
    regular = [[item for item in part if not study.items[int(item[5:])].gold] for part in parts]
    assert Counter(regular[0] + regular[1]) == {f"item-{item.id}": 1 for item in study.items if not item.gold}
    assert all(len({study.items[int(item[5:])].group for item in part}) == 4 for part in regular)
    for number, part in enumerate(parts):
        answers = {item: study.items[int(item[5:])].right[0] for item in part}
        file = answer_file(platform, answers, f"worker-{number}", tmp_path)
        taken = unfool("rate", "import", "study", file, "--format", platform, cwd=tmp_path)
        assert taken.code == 0, taken.err
        assert taken.out.startswith(("6 new", "12 new"))
    assert "0 new" in unfool("rate", "import", "study", file, "--format", platform, cwd=tmp_path).out
    found = results(Study.open(tmp_path / "study"))
    assert (found.votes, found.counted, [each.votes.value for each in found.accuracies]) == (8, 2, [1, 1])


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_pair_that_was_turned_around_is_turned_back(platform: str, make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("a", 12), make_run("b", 12)], "readability", gold=0)
    (part,) = write_questions(study, "csv", tmp_path / "out")
    with (part / "questions.csv").open(encoding="utf-8", newline="") as file:
        shown = {row["item"]: row["text_1"] for row in csv.DictReader(file)}
    prefers_a = {item: "The first" if "a a text" in text else "The second" for item, text in shown.items()}
    assert 2 < sum(answer == "The first" for answer in prefers_a.values()) < 10
    file_of = answer_file(platform, prefers_a, "worker", tmp_path)
    study.take(read_answers(study, platform, file_of))
    a, b = results(study).readabilities
    assert (a.votes.value, b.votes.value) == (1, 0)


class Tags(HTMLParser):
    """Notes the elements and attributes of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}


def test_texts_stay_inert_and_files_whole(study: Study, tmp_path: Path) -> None:
    run = Run.open(tmp_path / "pwws")
    lines = (run.folder / "outcomes.jsonl").read_text("utf-8").replace("a plain text", json.dumps(HOSTILE)[1:-1])
    (run.folder / "outcomes.jsonl").write_text(lines, "utf-8")
    hostile = new_study(tmp_path / HOSTILE.replace("/", "-")[:40], [run.folder], "meaning", gold=0)
    for platform in PLATFORMS:
        write_questions(hostile, platform, tmp_path / platform)
    part = tmp_path / "csv" / "part-1" / "questions.csv"
    with part.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(HOSTILE in row["text_1"] for row in rows)
    htmls = [row["html"] for row in rows]
    items = (tmp_path / "potato" / "part-1" / "items.jsonl").read_text("utf-8").splitlines()
    for html in [*htmls, *(json.loads(line)["text"] for line in items)]:
        tags = Tags()
        tags.feed(html)
        assert not tags.seen & {"img", "onerror", "src"}
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((tmp_path / "potato" / "part-1" / "config.yaml").read_text("utf-8"))
    assert told["annotation_task_name"] == hostile.name
    assert told["annotation_schemes"][0]["labels"] == list(hostile.wording.shown)
    tree = ElementTree.parse(tmp_path / "label-studio" / "part-1" / "config.xml")
    assert [each.get("value") for each in tree.iter("Choice")] == list(hostile.wording.shown)


@pytest.mark.parametrize("task", ["label", "readability", "meaning", "grammar"])
def test_everybody_reads_instructions_and_example(make_run: MakeRun, tmp_path: Path, task: str) -> None:
    study = new_study(tmp_path / "study", [make_run("a", 4), make_run("b", 4)], task, gold=1)
    for platform in PLATFORMS:
        write_questions(study, platform, tmp_path / platform)
    files = ("csv/part-1/questions.csv", "potato/part-1/config.yaml", "label-studio/part-1/config.xml")
    for file in files:
        told = (tmp_path / file).read_text("utf-8").encode().decode("unicode_escape" if "yaml" in file else "utf-8")
        told = told.replace("&#58;", ":").replace("&#40;", "(")
        for paragraph in (*study.wording.instructions, study.wording.example):
            assert paragraph in told, file
        assert "same link" not in told  # as it is on pages of ours alone


@pytest.mark.parametrize("task", ["label", "readability"])
def test_label_studio_takes_what_we_write(make_run: MakeRun, tmp_path: Path, task: str) -> None:
    interface = pytest.importorskip("label_studio_sdk.label_interface", reason="needs label-studio-sdk")
    runs = [make_run(HOSTILE.replace("/", "-").replace('"', "")[:30], 3), make_run("b", 3)]
    study = new_study(tmp_path / "study", runs, task, gold=1)
    for part in write_questions(study, "label-studio", tmp_path / "out"):
        labelling = interface.LabelInterface((part / "config.xml").read_text("utf-8"))
        labelling.validate()
        tasks = json.loads((part / "tasks.json").read_text("utf-8"))
        assert tasks
        assert all(labelling.validate_task(task) for task in tasks)
        for answer in study.wording.shown:
            assert labelling.validate_annotation({"result": [choice(answer)]})
        assert not labelling.validate_annotation({"result": [choice("what nobody asked")]})


@pytest.mark.parametrize(
    ("platform", "content", "fragment"),
    [
        ("csv", "rater,item\nme,item-0\n", "without 'answer'"),
        ("csv", "rater,item,answer\nme,item-99,good\n", "does not ask"),
        ("csv", "rater,item,answer\nme,item-0,splendid\n", "it is one of"),
        ("label-studio", "{", "does not hold answers"),
        ("label-studio", '[{"annotations": [{"result": 7}]}]', "does not hold answers"),
        ("potato", '{"instance_id_to_label_to_value": {"x": {"answer": {"good": true}}}}', "does not ask"),
        ("potato", "[]", "does not hold answers"),
        ("mturk", "", "unknown platform"),
    ],
)
def test_other_files_are_one_line(study: Study, tmp_path: Path, platform: str, content: str, fragment: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(content, "utf-8")
    with pytest.raises(UserError, match=fragment):
        study.take(read_answers(study, platform, file))
    assert study.store.votes() == []


def test_older_potato_is_read_too(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "annotation_output" / "ann"
    folder.mkdir(parents=True)
    line = {"id": "item-0", "displayed_text": "…", "label_annotations": {"answer": {"good": "2"}}}
    (folder / "annotated_instances.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    study.take(read_answers(study, "potato", tmp_path / "annotation_output"))
    assert [vote[:3] for vote in study.store.votes()] == [("potato:ann", 0, "good")]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_who_answers_elsewhere_is_nobody_of_here(platform: str, study: Study, tmp_path: Path) -> None:
    rater = study.store.raters()[0]
    study.store.next(rater)
    study.store.answer(rater, 0, "bad")
    (mine,) = study.store.votes()
    file = answer_file(platform, {f"item-{mine.item}": "good"}, rater.name, tmp_path)
    study.take(read_answers(study, platform, file))
    assert {(vote.rater, vote.answer) for vote in study.store.votes()} == {
        ("rater-1", "bad"),
        (f"{platform}:rater-1", "good"),
    }


def test_nothing_is_overwritten(study: Study, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not an empty folder"):
        write_questions(study, "csv", tmp_path)
