"""Masked language models whose tokenizers mark words that a space stands before, as RoBERTa's and ALBERT's do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tests import toy_tokenizers
from tokenizers import AddedToken, decoders
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
    RobertaConfig,
    RobertaForMaskedLM,
)

from unfool.lexicon.masked_model import MaskedModel, Place, best_words, place_of
from unfool.text import Text

_SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 47,
    "initializer_range": 0.8,
}
TEXT = Text.of("a lovely film with a great cast, the best of times")


@pytest.fixture(scope="module", params=["Ġ", "▁"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a byte-level BPE, or with a SentencePiece-like one."""
    place = tmp_path_factory.mktemp("masked")
    torch.manual_seed(5)
    if request.param == "Ġ":
        read = toy_tokenizers.byte_bpe()
        net: Any = RobertaForMaskedLM(
            RobertaConfig(**_SIZES, vocab_size=len(read), type_vocab_size=1, pad_token_id=read.pad_token_id)
        )
    else:
        read = toy_tokenizers.unigram()
        read.backend_tokenizer.decoder = decoders.Metaspace()
        read.add_special_tokens({"mask_token": AddedToken("<mask>", lstrip=True, special=True)})
        net = AlbertForMaskedLM(AlbertConfig(**_SIZES, embedding_size=8, vocab_size=len(read)))
    read.save_pretrained(place)
    net.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def model(folder: Path) -> MaskedModel:
    return MaskedModel(folder, "toy", device="cpu")


def told(model: MaskedModel, place: Place) -> Any:
    (((guesses,),),) = model.launch([[place]]).result()
    return guesses


def plain(folder: Path, string: str) -> Any:
    """The chances of every token for the mask in a string, which the tokenizer cuts by itself."""
    read, net = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = read(string)["input_ids"]
    with torch.inference_mode():
        return net(input_ids=torch.tensor([ids])).logits[0][ids.index(read.mask_token_id)].softmax(0), read


@pytest.mark.parametrize("position", [0, 1, 2, 5, 6, 7, 10])
def test_the_model_reads_the_text_as_its_tokenizer_does(folder: Path, model: MaskedModel, position: int) -> None:
    place = place_of(TEXT, position, word=None)
    chances, read = plain(folder, f"{place.before.rstrip()}{read_mask(folder)}{place.after}")
    guesses = told(model, place)
    likeliest = chances.topk(len(guesses))
    assert {guess.token for guess in guesses[:20]} == set(likeliest.indices.tolist()[:20])
    for guess in guesses[:20]:
        assert guess.chance == pytest.approx(float(chances[guess.token]), abs=2e-5)
    assert read.mask_token_id is not None


def read_mask(folder: Path) -> str:
    return str(AutoTokenizer.from_pretrained(folder).mask_token)


def test_only_tokens_that_begin_a_word_are_words_and_they_are_spelt_as_people_do(model: MaskedModel) -> None:
    guesses = told(model, place_of(TEXT, 2, word=None))
    read = model._tokenizer
    words = {guess.token: guess.word for guess in guesses if guess.word is not None}
    assert words
    for token, word in words.items():
        assert read.decode([token]).strip() == word
        assert read.convert_ids_to_tokens(token)[0] in "Ġ▁"
    inner = [guess for guess in guesses if read.convert_ids_to_tokens(guess.token)[0] not in "Ġ▁"]
    assert inner
    assert all(guess.word is None for guess in inner)
    assert best_words(guesses, 30) == [guess.word for guess in guesses[:30] if guess.word]


def test_words_beyond_ascii_are_spelt_as_they_are_read(model: MaskedModel) -> None:
    read = model._tokenizer
    for token, word in enumerate(model._words[: len(read)]):
        if word is not None and not word.isascii():
            assert read.decode([token]).strip() == word
