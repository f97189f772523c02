"""Models that generate are opened by their names, and their names open them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from unfool.errors import UserError
from unfool.generation import GENERATOR_KINDS, Output, open_generator
from unfool.options import Options

UPPER = "def upper(texts):\n    return [text.upper() for text in texts]\n"


def test_every_kind_can_be_opened_and_says_what_it_is() -> None:
    assert GENERATOR_KINDS.names() == ["ctranslate2", "hf-seq2seq", "http", "https", "py", "zoo"]
    assert not GENERATOR_KINDS.problems()
    for prefix, kind in GENERATOR_KINDS.all().items():
        assert kind.form.startswith(f"{prefix}:")
        assert kind.summary.endswith(".")


def test_a_function_is_asked_in_batches_of_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_translator.py").write_text(UPPER)
    model = open_generator("py:own_translator.py:upper#batch=2")
    assert model.generate(["a", "b", "c"]) == [Output("A"), Output("B"), Output("C")]
    assert repr(open_generator(repr(model))) == repr(model) == "py:own_translator.py:upper"


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ("['x', -1.5]", Output("x", -1.5)),
        ("('x', -1)", Output("x", -1.0)),
        ("{'translation_text': 'x'}", Output("x")),
        ("[{'generated_text': 'x'}]", Output("x")),
        ("{'text': 'x', 'log_probability': -2}", Output("x", -2.0)),
    ],
)
def test_answers_have_the_forms_people_give(tmp_path: Path, answer: str, output: Output) -> None:
    (tmp_path / "said.py").write_text(f"def said(texts):\n    return [{answer} for _ in texts]\n")
    assert open_generator(f"py:{tmp_path}/said.py:said").generate(["a"]) == [output]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("hf-seq2sek:x", "did you mean 'hf-seq2seq'"),
        ("nonsense", "one is written"),
        ("py:x", "names no function"),
        ("zoo:NMT-LSTN@multi30k", "did you mean 'NMT-LSTM'"),
        ("hf-seq2seq:./nowhere", "there is no model folder"),
        ("hf-seq2seq:./nowhere#beam=4", "no setting 'beam'; did you mean 'beams'"),
        ("hf-seq2seq:./nowhere#beams=0", "whole numbers from 1"),
        ("ctranslate2:./nowhere", "holds no model.bin"),
        ("http://127.0.0.1:9/#form=their", "cannot take form=their"),
        ("http://127.0.0.1:9/#form=libretranslate", "add target=de"),
        ("http://127.0.0.1:9/#token_env=NOT_SET", "never a token"),
        ("http://127.0.0.1:9/#rate=0", "more than zero"),
    ],
)
def test_what_cannot_be_opened_is_told(name: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        open_generator(name, Options(device="cpu"))


def test_a_limit_on_the_rate_is_no_limit_for_several_workers() -> None:
    with pytest.raises(UserError, match="--workers 1"):
        open_generator("http://127.0.0.1:9/#rate=2", Options(processes=2))
