"""What a stranger's code says steers no terminal."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.command import unfool


def test_the_exception_of_a_strangers_code_steers_no_terminal(tmp_path: Path) -> None:
    code = 'def f(texts):\n    raise ValueError("\\x1b[2J\\u202e" + "x" * 9999)\n\nf.labels = ["a", "b"]\n'
    (tmp_path / "victim.py").write_text(code)
    (tmp_path / "data.csv").write_text("text,label\ngood,a\nbad,b\n")
    given = ["--victim", "py:victim:f", "--data", "data.csv", "--attack", "key", "--out", "run"]
    done = unfool("attack", *given, "--quiet", cwd=tmp_path)
    assert done.code in (2, 3)
    assert done.err.replace("\n", "").isprintable()
    assert "\\u202e" in done.err
    assert max(map(len, done.err.splitlines())) < 3000
