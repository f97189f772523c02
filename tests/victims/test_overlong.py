"""Texts that are longer than a net reads: counted, and told before they are attacked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.toy_models import save_bert, save_roberta

import unfool
from unfool import zoo
from unfool.attacks import attack
from unfool.data import from_texts
from unfool.engine import Ask
from unfool.text import Sample, Text
from unfool.victims import EncodedVictim, Transformer
from unfool.zoo import victim_kind
from unfool.zoo.encoders import Characters, NetEncoder
from unfool.zoo.fronts import make_front

ROOM = {"bert": 45, "roberta": 39}
"""Words of one token that fit beside the two tokens around them."""


@attack()
async def leave(sample: Sample, ask: Ask) -> Text:
    """Change nothing."""
    return sample.text


@pytest.fixture(scope="module", params=["bert", "roberta"])
def transformer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Transformer, int]:
    save = {"bert": save_bert, "roberta": save_roberta}[request.param]
    return Transformer(str(save(tmp_path_factory.mktemp(request.param))), device="cpu"), ROOM[request.param]


def net(encoder: NetEncoder) -> EncodedVictim:
    made = zoo.make_net("KimCNN", make_front("Vectors", rows=len(encoder), dimensions=8), 2, filters=6).eval()
    return victim_kind(made, encoder)(made, encoder, ("negative", "positive"), name="zoo:tiny", device="cpu")


def test_a_text_is_too_long_from_the_first_token_that_is_cut(transformer: tuple[Transformer, int]) -> None:
    victim, room = transformer
    fits = " ".join("a" * room)
    assert victim.encoder.whole([(fits,)]) == victim.encoder.whole([(fits + " a",)])
    assert victim.overlong([(fits,), ("",)]) == 0
    assert victim.overlong([(fits + " a",), (fits,), (fits * 400,)]) == 2
    assert victim.overlong([(fits, ""), ("a", "a")]) == 1, "the mark between a pair takes room, too"


def test_it_is_told_before_the_attack(
    transformer: tuple[Transformer, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    victim, room = transformer
    texts = from_texts(["a " * 500, "a film", "a " * (room + 1)], ["positive", "negative", "positive"])
    unfool.attack(victim, texts, leave, out=tmp_path / "told")
    told = capsys.readouterr().err.splitlines()
    longest = victim.encoder.max_length
    assert told[2] == (
        f"2 of 3 texts are longer than the model reads ({longest} tokens); what lies behind is not seen by it"
    )
    short = from_texts(["a film", " ".join("a" * room)], ["negative", "positive"])
    unfool.attack(victim, short, leave, out=tmp_path / "fits")
    assert "longer" not in capsys.readouterr().err
    unfool.attack(victim, texts, leave, out=tmp_path / "quiet", progress=False)
    assert capsys.readouterr().err == ""


def test_of_many_texts_the_first_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    victim = net(Characters("abc ", max_length=20))
    texts = from_texts(["a " * 11] + ["a b c"] * 1000, [0, 1] + [0] * 999)
    unfool.attack(victim, texts, leave, out=tmp_path / "run")
    assert "1 of the first 1,000 texts is longer than the model reads (20 characters)" in capsys.readouterr().err


def test_words_are_counted_as_the_net_reads_them() -> None:
    victim = net(zoo.WordVocabulary(["a", "film"], max_length=4))
    assert victim.overlong([("a film , a",), ("a film , a .",), ("a film isn't",)]) == 1
