"""Hugging Face encoder–decoders by name: what they say is what transformers generates, token for token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sentencepiece")

from tests.toy_translators import SAVE, name_of  # noqa: E402

from unfool import attack  # noqa: E402
from unfool.errors import UserError  # noqa: E402
from unfool.generation import MOST_TOKENS, Generator, Output, open_generator  # noqa: E402
from unfool.options import Options  # noqa: E402

CPU = Options(device="cpu")
SOURCES = [
    "a fine film",
    "the plot is dull",
    "a lovely film with a great cast, isn't it?",
    "the",
    "it was the best of times, it was the worst of times",
    "good bad awful",
    "",
]
MOST = 16


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("toys")
    return {shape: save(root / shape) for shape, save in SAVE.items()}


@pytest.fixture(scope="module", params=SAVE)
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(shape: str, folders: dict[str, Path]) -> Any:
    return open_generator(name_of(shape, folders[shape], f"most={MOST}"), CPU)


def by_transformers(model: Any, source: str, **settings: Any) -> str:
    ids = model.tokenizer([source], return_tensors="pt")
    if "fra_Latn" in model.tokenizer.get_vocab():
        settings["forced_bos_token_id"] = model.tokenizer.convert_tokens_to_ids("fra_Latn")
    settings = {"max_new_tokens": MOST, "do_sample": False, "num_beams": 1, **settings}
    ids.pop("token_type_ids", None)
    (made,) = model.module.generate(**ids, **settings)
    return str(model.tokenizer.decode(made.tolist(), skip_special_tokens=True)).strip()


def tokens_by_transformers(model: Any, source: str, **settings: Any) -> list[int]:
    settings = {"max_new_tokens": MOST, "do_sample": False, "num_beams": 1, **settings}
    ids = torch.tensor([model.tokenizer([source])["input_ids"][0]])
    if "fra_Latn" in model.tokenizer.get_vocab():
        settings["forced_bos_token_id"] = model.tokenizer.convert_tokens_to_ids("fra_Latn")
    (made,) = model.module.generate(input_ids=ids, **settings)
    forced = settings.get("forced_bos_token_id") or model.module.generation_config.forced_bos_token_id
    tokens: list[int] = made.tolist()[1 if forced is None else 2 :]
    end = model.module.generation_config.eos_token_id
    return tokens[: tokens.index(end)] if end in tokens else tokens


def texts(model: Generator, sources: list[str], *, alone: bool = False) -> list[str]:
    found = model.generate_exactly(sources) if alone else model.generate(sources)
    return [output.text for output in found if isinstance(output, Output)]


def test_it_says_what_transformers_generates_token_for_token(model: Any) -> None:
    found = model.tokens(SOURCES)
    assert len({tuple(tokens) for tokens in found}) > 2
    for source, tokens in zip(SOURCES, found, strict=True):
        assert tokens == tokens_by_transformers(model, source)
        assert tokens == tokens_by_transformers(model, source, use_cache=False)
    assert texts(model, SOURCES) == [by_transformers(model, source) for source in SOURCES]


@pytest.mark.parametrize("width", [1, 7, 512])
def test_an_output_does_not_depend_on_its_neighbours(model: Any, width: int) -> None:
    sources = (SOURCES * (width // len(SOURCES) + 1))[:width]
    alone = dict(zip(SOURCES, texts(model, SOURCES, alone=True), strict=True))
    assert texts(model, sources) == [alone[source] for source in sources]


@pytest.mark.parametrize("beams", [2, 4])
def test_beams_are_those_of_transformers(shape: str, folders: dict[str, Path], beams: int) -> None:
    model: Any = open_generator(name_of(shape, folders[shape], f"beams={beams},most={MOST}"), CPU)
    assert texts(model, SOURCES) == [by_transformers(model, source, num_beams=beams) for source in SOURCES]


@pytest.fixture(scope="module")
def beamed(shape: str, folders: dict[str, Path]) -> Any:
    return open_generator(name_of(shape, folders[shape], f"beams=4,most={MOST}"), CPU)


def test_a_search_by_beams_tells_of_what_the_beams_found(beamed: Any, model: Any) -> None:
    plain = texts(beamed, SOURCES)
    assert plain != texts(model, SOURCES)
    outputs, weights = beamed.generate_weighing(SOURCES, ["film", "plot"])
    assert [output.text for output in outputs] == plain == texts(beamed, SOURCES, alone=True)
    settings, firsts = model.module.generation_config, first_tokens(model, ["film", "plot"])
    # A forced end says nothing of what the model thinks.
    most = MOST - len(begin_of(model)) + 1 - (settings.forced_eos_token_id is not None)
    for source, output, near, tokens in zip(SOURCES, outputs, weights, beamed.tokens(SOURCES), strict=True):
        said = [*tokens, settings.eos_token_id][:most]
        rows = likely_by_hand(model, source, said)
        total = sum(float(row[token]) for row, token in zip(rows, said, strict=True))
        assert output.log_probability == pytest.approx(total, abs=1e-3)
        assert near == pytest.approx(rows[:, firsts].max(0).values.tolist(), abs=1e-3)


def first_tokens(model: Any, words: list[str]) -> list[int]:
    return [ids[0] for ids in model.tokenizer(text_target=words, add_special_tokens=False)["input_ids"]]


def test_beams_read_a_source_without_a_word(beamed: Any, shape: str) -> None:
    source, span = "the plot is dull", (4, 8)
    (output,), _ = beamed.generate_blanked(source, [span])
    ids = torch.tensor(beamed.tokenizer([source])["input_ids"])
    scale = beamed.module.config.d_model**0.5 if shape == "marian" else 1.0
    with torch.no_grad():
        vectors = beamed.module.get_encoder().get_input_embeddings()(ids) * scale
        blank = [n for n, (a, b) in enumerate(beamed.places(source)) if a < span[1] and b > span[0] and b > a]
        vectors[:, blank] = 0
        forced = {"forced_bos_token_id": begin_of(beamed)[1]} if len(begin_of(beamed)) > 1 else {}
        (made,) = beamed.module.generate(
            inputs_embeds=vectors, attention_mask=torch.ones_like(ids), max_new_tokens=MOST, num_beams=4,
            do_sample=False, **forced,
        )  # fmt: skip
    assert blank
    assert output.text == str(beamed.tokenizer.decode(made.tolist(), skip_special_tokens=True)).strip()


def test_beams_are_looked_into_where_they_stand(beamed: Any, model: Any) -> None:
    source = next(text for text in SOURCES if text and beamed.tokens([text]) != model.tokens([text]))
    (said,) = beamed.tokens([source])
    (told,) = beamed.slopes([source], [""], ["film"])
    ids = torch.tensor([model.tokenizer([source])["input_ids"][0]])
    with torch.no_grad():
        scores = model.module(input_ids=ids, decoder_input_ids=torch.tensor([[*begin_of(model), *said]])).logits[0]
    (film,) = first_tokens(model, ["film"])
    others = scores[len(begin_of(model)) - 1 :].clone()
    others[:, film] = -torch.inf
    behind = (others.max(-1).values - scores[len(begin_of(model)) - 1 :, film]).min()
    assert told.loss == pytest.approx(max(-1.0, float(behind)), abs=1e-3)
    seen = beamed.attention(source)
    assert " ".join(seen.output).replace(" ", "") == texts(beamed, [source])[0].replace(" ", "")


@pytest.mark.parametrize("most", [2, 5])
def test_no_output_is_longer_than_the_limit(shape: str, folders: dict[str, Path], most: int) -> None:
    model: Any = open_generator(name_of(shape, folders[shape], f"most={most}"), CPU)
    for source, tokens in zip(SOURCES, model.tokens(SOURCES), strict=True):
        assert tokens == tokens_by_transformers(model, source, max_new_tokens=most)
        assert len(tokens) <= most


def begin_of(model: Any) -> list[int]:
    """What every output begins with."""
    settings = model.module.generation_config
    forced = settings.forced_bos_token_id
    if "fra_Latn" in model.tokenizer.get_vocab():
        forced = model.tokenizer.convert_tokens_to_ids("fra_Latn")
    return [settings.decoder_start_token_id, *([] if forced is None else [forced])]


def likely_by_hand(model: Any, source: str, tokens: list[int]) -> Any:
    """The log-probabilities of all tokens at each place of an output, in a plain loop."""
    ids = torch.tensor([model.tokenizer([source])["input_ids"][0]])
    given, rows = begin_of(model), []
    for token in tokens:
        with torch.no_grad():
            scores = model.module(input_ids=ids, decoder_input_ids=torch.tensor([given])).logits[0, -1]
        for banned in model.module.generation_config.bad_words_ids or ():
            scores[banned[0]] = -torch.inf
        rows.append(scores.log_softmax(-1))
        given.append(token)
    return torch.stack(rows)


def test_a_given_output_scores_as_in_a_plain_loop(model: Any) -> None:
    source, output = "a fine film", "the plot"
    wanted = model.tokenizer(text_target=[output], add_special_tokens=False)["input_ids"][0]
    tokens = [*wanted, model.module.generation_config.eos_token_id]
    total = sum(float(row[token]) for row, token in zip(likely_by_hand(model, source, tokens), tokens, strict=True))
    assert model.force([source], [output]) == pytest.approx([total], abs=1e-3)
    assert model.force([], []) == []


def test_a_source_that_is_cut_off_is_told(model: Any, tmp_path: Path) -> None:
    long = "the plot is dull " * 200
    assert model.reads_whole(SOURCES[2])
    limit = getattr(model.module.config, "max_position_embeddings", None) or 512
    assert not model.reads_whole(long * (1 + limit // 200))
    run = attack(
        model, [long * (1 + limit // 200), SOURCES[0]], "noise", goal="differ", out=tmp_path / "run", progress=False
    )
    assert "Sources cut off at their ends, being longer than the model reads: 1." in run.remarks()


def test_its_name_opens_it_again(shape: str, folders: dict[str, Path]) -> None:
    first = open_generator(name_of(shape, folders[shape], "prefix=say: a%2C%20,beams=2"), CPU)
    again = open_generator(repr(first), CPU)
    assert repr(again) == repr(first)
    assert "beams=2" in repr(first)
    assert "most" not in repr(first)
    assert str(MOST_TOKENS) not in repr(first)
    assert again.fingerprint == first.fingerprint
    assert texts(again, SOURCES[:2]) == texts(first, SOURCES[:2])


def test_a_prefix_stands_before_every_source(model: Any, shape: str, folders: dict[str, Path]) -> None:
    told = open_generator(name_of(shape, folders[shape], f"prefix=the plot:%20,most={MOST}"), CPU)
    assert texts(told, ["a film"]) == texts(model, ["the plot: a film"])


def test_a_folder_alone_is_a_name(folders: dict[str, Path]) -> None:
    assert repr(open_generator(str(folders["t5"]), CPU)) == f"hf-seq2seq:{folders['t5']}"


def with_settings(folder: Path, copy: Path, **settings: Any) -> Path:
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    place = copy / "generation_config.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | settings))
    return copy


@pytest.mark.parametrize(
    "settings",
    [
        {"no_repeat_ngram_size": 2},
        {"repetition_penalty": 1.7},
        {"min_length": 12},
        {"min_new_tokens": 9},
        {"suppress_tokens": [5, 9, 12, 20, 33]},
        {"begin_suppress_tokens": [6, 14, 22, 30, 31, 32]},
        {"bad_words_ids": [[10], [5, 6], [12, 12]]},
        {"no_repeat_ngram_size": 3, "repetition_penalty": 1.3, "min_length": 6, "num_beams": 4},
    ],
    ids=lambda settings: "-".join(settings),
)
def test_the_models_own_settings_count(
    shape: str, folders: dict[str, Path], tmp_path: Path, settings: dict[str, Any]
) -> None:
    folder = with_settings(folders[shape], tmp_path / "model", **settings)
    model: Any = open_generator(name_of(shape, folder, f"most={MOST}"), CPU)
    for source, tokens in zip(SOURCES, model.tokens(SOURCES), strict=True):
        assert tokens == tokens_by_transformers(model, source)


@pytest.mark.parametrize(
    "settings", [{"encoder_no_repeat_ngram_size": 2}, {"exponential_decay_length_penalty": [3, 1.2]}]
)
def test_a_setting_that_is_not_done_here_is_refused(
    folders: dict[str, Path], tmp_path: Path, settings: dict[str, Any]
) -> None:
    folder = with_settings(folders["t5"], tmp_path / "model", **settings)
    with pytest.raises(UserError, match=f"sets {next(iter(settings))}"):
        open_generator(f"hf-seq2seq:{folder}", CPU)


@pytest.mark.parametrize(
    ("shape", "settings", "told"),
    [
        ("nllb", "source=eng_Latn,target=klingon", "knows no language 'klingon'"),
        ("nllb", "source=klingon,target=deu_Latn", "knows no language 'klingon'"),
        ("t5", "source=en", "takes no source language"),
    ],
)
def test_a_language_it_does_not_know_is_told(
    folders: dict[str, Path], shape: str, settings: str, told: str
) -> None:
    with pytest.raises(UserError, match=told):
        open_generator(f"hf-seq2seq:{folders[shape]}#{settings}", CPU)


CODE = """
from pathlib import Path
Path({canary!r}).touch()
from transformers import T5Config, T5ForConditionalGeneration

class OwnConfig(T5Config):
    model_type = "own"

class OwnModel(T5ForConditionalGeneration):
    config_class = OwnConfig
"""


@pytest.mark.parametrize("kind", ["AutoModelForSeq2SeqLM", "AutoModel"])
@pytest.mark.parametrize("own_type", [True, False])
def test_a_models_own_code_is_not_run(folders: dict[str, Path], tmp_path: Path, kind: str, own_type: bool) -> None:
    canary = tmp_path / "CANARY"
    folder = with_settings(folders["t5"], tmp_path / "model")
    (folder / "own.py").write_text(CODE.format(canary=str(canary)))
    place = folder / "config.json"
    config = json.loads(place.read_text()) | {"auto_map": {"AutoConfig": "own.OwnConfig", kind: "own.OwnModel"}}
    place.write_text(json.dumps(config | ({"model_type": "own"} if own_type else {})))
    with pytest.raises(UserError, match=r"code of its own \(own.py\).*--allow-code"):
        open_generator(f"hf-seq2seq:{folder}", CPU)
    assert not canary.exists()


def test_pickled_weights_that_hold_more_are_not_run(folders: dict[str, Path], tmp_path: Path) -> None:
    canary = tmp_path / "CANARY"

    class Touch:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return Path.touch, (canary,)  # type: ignore[return-value]

    folder = with_settings(folders["t5"], tmp_path / "model")
    (folder / "model.safetensors").unlink()
    torch.save({"shared.weight": Touch()}, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="cannot read the model"):
        open_generator(f"hf-seq2seq:{folder}", CPU)
    assert not canary.exists()


def test_a_classifier_does_not_generate(tmp_path: Path) -> None:
    from tests.toy_models import save_bert

    with pytest.raises(UserError):
        open_generator(f"hf-seq2seq:{save_bert(tmp_path / 'bert')}", CPU)
