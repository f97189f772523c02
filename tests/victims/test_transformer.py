"""A Hugging Face folder as a victim gives what transformers alone would give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.toy_models import save_albert, save_bert, save_roberta
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from unfool.engine import Floats
from unfool.errors import UserError
from unfool.text import Text, Variants
from unfool.victims import Attention, GradientRequest, Gradients, Hidden, Transformer
from unfool.victims.tokens import Packing

TEXTS = [
    Text.of("A good film, isn't it?"),
    Text.of(""),
    Text.of("dull"),
    Text.of("😀 שלום \t two  spaces"),
    Text.of("the plot is awful and the film is not lovely " * 5),
]
PAIRS = [
    Text.pair(("premise", "a good film"), ("hypothesis", "it is dull"), "hypothesis"),
    Text.pair(("premise", ""), ("hypothesis", "great")),
    Text.pair(("premise", "the plot is awful " * 9), ("hypothesis", "the plot is lovely " * 7)),
]


@pytest.fixture(scope="module", params=["bert", "roberta", "albert"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    save = {"bert": save_bert, "roberta": save_roberta, "albert": save_albert}[request.param]
    return save(tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def victim(folder: Path) -> Transformer:
    return Transformer(str(folder), device="cpu")


class Plain:
    """The model as its authors' library runs it, one text at a time."""

    def __init__(self, folder: Path) -> None:
        self.model: Any = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        offset = 2 if self.model.config.model_type == "roberta" else 0
        self.max_length = self.model.config.max_position_embeddings - offset

    def encode(self, text: Text) -> Any:
        columns = [[string] for string in text.strings]
        return self.tokenizer(*columns, truncation=True, max_length=self.max_length, return_tensors="pt")

    def probabilities(self, texts: list[Text]) -> Floats:
        with torch.no_grad():
            rows = [self.model(**self.encode(text)).logits.softmax(-1)[0].numpy() for text in texts]
        return np.stack(rows)


@pytest.fixture(scope="module")
def plain(folder: Path) -> Plain:
    return Plain(folder)


def ask(victim: Transformer, asked: list[Variants]) -> Floats:
    rows = victim.rows(asked)
    answers = victim.launch(rows, np.arange(len(rows.keys))).result()
    assert answers.errors == {}
    return answers.values


def test_labels_and_name_come_from_the_folder(victim: Transformer, folder: Path) -> None:
    assert victim.labels == ("negative", "positive")
    assert repr(victim) == f"hf:{folder}"
    assert victim.unknown in ("[UNK]", "<unk>")


@pytest.mark.parametrize("tokens", [64, 4096])
def test_probabilities_are_the_models_whatever_the_packing(victim: Transformer, plain: Plain, tokens: int) -> None:
    variants = [*TEXTS, *(text.replace(0, "lovely") for text in TEXTS if text.words), *PAIRS]
    asked = [
        Variants.of_texts(TEXTS),
        *(text.variants([0], "lovely") for text in TEXTS if text.words),
        Variants.of_texts(PAIRS),
    ]
    expected = plain.probabilities(variants)
    assert np.ptp(expected[:, 0]) > 0.05, "a model that does not look at its input would pass"
    packing, victim.packing = victim.packing, Packing(tokens=tokens, least=tokens // 8, multiple=4)
    try:
        np.testing.assert_allclose(ask(victim, asked), expected, atol=1e-5)
        for text, row in zip(variants, expected, strict=True):
            np.testing.assert_allclose(ask(victim, [Variants.of_texts([text])])[0], row, atol=1e-5)
    finally:
        victim.packing = packing


def test_confirmations_are_the_models(victim: Transformer, plain: Plain) -> None:
    texts = [*TEXTS, *PAIRS]
    answers = victim.confirm([text.strings for text in texts])
    np.testing.assert_allclose(answers.values, plain.probabilities(texts), atol=1e-5)
    alone = victim.confirm([texts[4].strings]).values[0]
    assert (alone == answers.values[4]).all(), "the neighbours of a text moved its last bits"


def test_only_the_chosen_rows_are_asked(victim: Transformer) -> None:
    rows = victim.rows([Variants.of_texts(TEXTS)])
    every = victim.launch(rows, np.arange(len(TEXTS))).result().values
    np.testing.assert_allclose(victim.launch(rows, np.array([3, 1])).result().values, every[[3, 1]], atol=1e-5)
    assert victim.launch(rows, np.array([], dtype=np.intp)).result().values.shape == (0, 2)


def test_half_precision_searches_and_full_precision_confirms(folder: Path, plain: Plain) -> None:
    half = Transformer(str(folder), device="cpu", dtype="bf16")
    assert half.approximate
    expected = plain.probabilities(TEXTS)
    np.testing.assert_allclose(half.confirm([text.strings for text in TEXTS]).values, expected, atol=1e-5)
    searched = ask(half, [Variants.of_texts(TEXTS)])
    np.testing.assert_allclose(searched, expected, atol=0.1)
    assert np.abs(searched - expected).max() > 1e-5, "nothing ran in half precision"


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[4], PAIRS[0]])
def test_gradients_are_finite_differences(victim: Transformer, plain: Plain, text: Text) -> None:
    label = 1
    found: Gradients = victim.gradients.launch(
        [GradientRequest(TEXTS[2], 0), GradientRequest(text, label)]
    ).result()[1]
    inputs = plain.encode(text)
    ids = inputs.pop("input_ids")
    assert found.ids.tolist() == ids[0].tolist()
    model = plain.model.double()
    try:
        base = model.get_input_embeddings()(ids).detach()

        def loss(vectors: torch.Tensor) -> float:
            with torch.no_grad():
                logits = model(inputs_embeds=vectors, **inputs).logits
            return float(torch.nn.functional.cross_entropy(logits, torch.tensor([label])))

        assert found.loss == pytest.approx(loss(base), abs=1e-5)
        step = 1e-5
        for token, dimension in [(0, 0), (2, 3), (len(found.ids) - 1, -1)]:
            nudge = torch.zeros_like(base)
            nudge[0, token, dimension] = step
            slope = (loss(base + nudge) - loss(base - nudge)) / (2 * step)
            assert found.gradient[token, dimension] == pytest.approx(slope, rel=1e-3, abs=1e-6)
    finally:
        model.float()


def test_attention_rows_sum_to_one_and_hidden_states_are_one_row_a_token(victim: Transformer, plain: Plain) -> None:
    texts = [TEXTS[2], TEXTS[4], PAIRS[0]]
    attention: list[Attention] = list(victim.attention.launch(texts).result())
    hidden: list[Hidden] = list(victim.hidden.launch(texts).result())
    for text, weights, states in zip(texts, attention, hidden, strict=True):
        inputs = plain.encode(text)
        count = inputs["input_ids"].shape[1]
        with torch.no_grad():
            told = plain.model(**inputs, output_attentions=True, output_hidden_states=True)
        assert weights.weights.shape == (2, 2, count, count)
        np.testing.assert_allclose(weights.weights.sum(-1), 1, atol=1e-5)
        np.testing.assert_allclose(weights.weights, torch.cat(told.attentions).numpy(), atol=1e-5)
        assert states.states.shape == (3, count, 16)
        np.testing.assert_allclose(states.states, torch.cat(told.hidden_states).numpy(), atol=1e-4)
        assert weights.words.tolist() == states.words.tolist()
        assert len(weights.words) == count


def test_tokens_are_mapped_to_words(tmp_path: Path) -> None:
    victim = Transformer(str(save_bert(tmp_path)), device="cpu")
    text = Text.pair(("premise", "a good film"), ("hypothesis", "so, dull"))
    found: Gradients = victim.gradients.launch([GradientRequest(text, 0)]).result()[0]
    tokens = AutoTokenizer.from_pretrained(tmp_path).convert_ids_to_tokens(found.ids.tolist())
    assert tokens == ["[CLS]", "a", "good", "film", "[SEP]", "s", "##o", ",", "dull", "[SEP]"]
    assert found.words.tolist() == [-1, 0, 1, 2, -1, 3, 3, -1, 4, -1]


def test_answers_told_before_the_weights_changed_are_forgotten(tmp_path: Path) -> None:
    victim = Transformer(str(save_bert(tmp_path)), device="cpu")
    asked = [Variants.of_texts(TEXTS[:1])]
    before = ask(victim, asked)
    victim.gradients.launch([GradientRequest(TEXTS[0], 0)]).result()
    with torch.no_grad():
        victim.module.classifier.bias.add_(torch.tensor([1.0, 0.0]))
    victim.refresh()
    assert ask(victim, asked)[0, 0] > before[0, 0] + 0.01


def test_a_model_of_many_classes(tmp_path: Path) -> None:
    victim = Transformer(str(save_bert(tmp_path, labels=4)), device="cpu")
    assert victim.labels == ("label 0", "label 1", "label 2", "label 3")
    assert ask(victim, [Variants.of_texts(TEXTS)]).shape == (len(TEXTS), 4)


def test_names_that_transformers_made_up_are_numbers(tmp_path: Path) -> None:
    names = {0: "LABEL_0", 1: "LABEL_1"}
    folder = save_bert(tmp_path, id2label=names, label2id={name: number for number, name in names.items()})
    assert Transformer(str(folder), device="cpu").labels == ("0", "1")


def test_a_model_that_answers_nan_is_an_error_that_names_it(tmp_path: Path) -> None:
    victim = Transformer(str(save_bert(tmp_path)), device="cpu")
    with torch.no_grad():
        victim._model.classifier.bias[0] = float("nan")
    answers = victim.confirm([("a film",)])
    assert str(tmp_path) in str(answers.errors[0])
    assert "not a finite number" in str(answers.errors[0])


def broken(folder: Path, how: str) -> str:
    if how == "missing":
        return str(folder / "nowhere")
    if how == "no config.json":
        (folder / "notes.txt").write_text("no model")
        return str(folder)
    save_bert(folder, labels=1 if how == "regression" else 2)
    config, weights = folder / "config.json", folder / "model.safetensors"
    if how == "corrupt config":
        config.write_text("{")
    if how == "unknown architecture":
        config.write_text(json.dumps({"model_type": "perceptron"}))
    if how == "truncated weights":
        weights.write_bytes(weights.read_bytes()[:1000])
    if how == "other shapes":
        written = json.loads(config.read_text())
        config.write_text(json.dumps({**written, "hidden_size": 32}))
    if how == "no weights":
        weights.unlink()
    if how == "no head":
        AutoModel.from_pretrained(folder).save_pretrained(folder)
    if how == "no tokenizer":
        for file in folder.glob("token*"):
            file.unlink()
    return str(folder)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("missing", "no model folder"),
        ("no config.json", "holds no config.json"),
        ("corrupt config", "cannot read"),
        ("unknown architecture", "cannot read"),
        ("truncated weights", "cannot read"),
        ("other shapes", "cannot read"),
        ("no weights", "cannot read"),
        ("no head", "no weights for classifier"),
        ("no tokenizer", "holds no tokenizer"),
        ("regression", "one number, not class probabilities"),
    ],
)
def test_what_is_no_classifier_is_one_clear_line(tmp_path: Path, how: str, said: str) -> None:
    path = broken(tmp_path, how)
    with pytest.raises(UserError, match=said) as caught:
        Transformer(path, device="cpu")
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)
