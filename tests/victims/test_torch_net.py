"""A net of one's own: asked as its owner would ask it, with gradients by an independent backward pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests import toy_tokenizers  # noqa: E402

from unfool.errors import UserError  # noqa: E402
from unfool.text import Text, as_variants  # noqa: E402
from unfool.victims import GradientRequest, TorchModel, Zeroed, open_victim  # noqa: E402
from unfool.victims.torch_net import TorchNet  # noqa: E402

WORDS = ["<pad>", "<unk>", "<end>", "a", "good", "bad", "film", "plot", "is", "dull", ",", "."]
NUMBERS = {word: number for number, word in enumerate(WORDS)}
TEXTS = ["A good film.", "the plot is dull", "bad, bad film", "is it?", ""]


def tokenize(text: str) -> list[tuple[int, int, int]]:
    return [(NUMBERS.get(found[0].lower(), 1), *found.span()) for found in re.finditer(r"\w+|[^\w\s]", text)]


def closed(text: str) -> list[tuple[int, int, int]]:
    return [*tokenize(text), (2, len(text), len(text))]


class Net(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Weighs tokens by their place, so that padding and cutting show."""

    def __init__(self, outputs: int = 2, tokens: int = len(WORDS)) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.vectors = torch.nn.Embedding(tokens, 8)
        self.other = torch.nn.Embedding(tokens, 8)
        self.decide = torch.nn.Linear(8, outputs)

    def forward(self, ids: Any, mask: Any) -> Any:
        places = 1 / (1 + torch.arange(ids.shape[1], dtype=torch.float32))
        weights = mask * places
        return self.decide((self.vectors(ids) * weights.unsqueeze(2)).sum(1).tanh())


class WithoutMask(Net):
    def forward(self, ids: Any) -> Any:  # type: ignore[override]
        return super().forward(ids, torch.ones_like(ids))


def model(net: Any = None, **more: Any) -> TorchModel:
    settings = {"tokenizer": tokenize, "embedding": "vectors", "labels": ("neg", "pos"), "words": WORDS[3:]}
    return TorchModel(net=net or Net(), **{**settings, **more})


def by_hand(net: Any, text: str, tokens: Callable[[str], list[tuple[int, int, int]]] = tokenize) -> Any:
    ids = torch.tensor([[number for number, _, _ in tokens(text)] or [0]])  # no text is one token of padding
    return net(ids) if isinstance(net, WithoutMask) else net(ids, (ids > 0).long())


@pytest.mark.parametrize("kind", [Net, WithoutMask])
def test_it_answers_as_the_net_does_about_each_text_alone(kind: Any) -> None:
    victim = TorchNet(model(kind()), "torch:x:y", device="cpu")
    expected = [by_hand(victim.module, text).softmax(-1)[0].tolist() for text in TEXTS]
    np.testing.assert_allclose(victim.check([(text,) for text in TEXTS]).result().values, expected, atol=1e-5)
    rows = victim.rows([as_variants(Text.of(text)) for text in TEXTS])
    searched = victim.launch(rows, np.arange(len(TEXTS))).result()
    np.testing.assert_allclose(searched.values, expected, atol=1e-5)


def test_closing_tokens_stay_where_a_text_is_cut() -> None:
    victim = TorchNet(model(tokenizer=closed, longest=3), "torch:x:y", device="cpu")
    (row,) = victim.check([("good film plot",)]).result().values
    expected = by_hand(victim.module, "good film", closed).softmax(-1)[0].tolist()
    np.testing.assert_allclose(row, expected, atol=1e-5)
    assert victim.overlong([("good film plot",), ("good film",)]) == 1


@pytest.mark.parametrize("tokens", [tokenize, closed])
@pytest.mark.parametrize("of", ["loss", "logit"])
def test_gradients_are_those_of_a_backward_pass_by_hand(tokens: Any, of: Any) -> None:
    victim = TorchNet(model(tokenizer=tokens), "torch:x:y", device="cpu")
    text = Text.of("A good film, dull.")
    (found,) = victim.gradients.launch([GradientRequest(text, 1, of=of)]).result()
    seen: list[Any] = []
    net: Any = victim.module
    hook = net.vectors.register_forward_hook(lambda _, __, output: seen.append(output))
    outputs = by_hand(victim.module, str(text), tokens)
    hook.remove()
    value = outputs[0, 1] if of == "logit" else torch.nn.functional.cross_entropy(outputs, torch.tensor([1]))
    (expected,) = torch.autograd.grad(value, seen[0])
    np.testing.assert_allclose(found.gradient, expected[0].numpy(), atol=1e-5)
    spelt = [text.words[word] if word >= 0 else None for word in found.words.tolist()]
    assert [word for word in spelt if word] == ["A", "good", "film", "dull"]
    assert len(spelt) == len(tokens(str(text)))


def test_it_tells_words_zeroed_answers_layers_and_what_it_decides_by() -> None:
    victim = TorchNet(model(), "torch:x:y", device="cpu")
    net: Any = victim.module
    assert victim.embeddings.words == tuple(WORDS[3:])
    text = Text.of("a good film")
    (rows,) = victim.zeroed.launch([Zeroed(text, (1,))]).result()
    ids = torch.tensor([[NUMBERS[word] for word in ("a", "good", "film")]])
    with torch.no_grad():
        vectors = net.vectors(ids)
        vectors[0, 1] = 0
        weights = 1 / torch.tensor([1.0, 2.0, 3.0])
        read = (vectors * weights[:, None]).sum(1).tanh()
    np.testing.assert_allclose(rows[0], net.decide(read).softmax(-1)[0].tolist(), atol=1e-5)
    (hidden,) = victim.hidden.launch([text]).result()
    assert hidden.states.shape == (1, 3, 8)
    (summary,) = victim.summaries.launch([text]).result()
    expected = (net.vectors(ids) * weights[:, None]).sum(1).tanh().tolist()
    np.testing.assert_allclose(summary.vectors, expected, atol=1e-5)


def test_one_output_is_the_logit_of_the_second_label() -> None:
    victim = TorchNet(model(Net(outputs=1)), "torch:x:y", device="cpu")
    (row,) = victim.check([("good film",)]).result().values
    logit = by_hand(victim.module, "good film").item()
    np.testing.assert_allclose(row[1], 1 / (1 + np.exp(-logit)), atol=1e-5)


def test_tokenizers_of_both_libraries_are_read() -> None:
    tokenizer = toy_tokenizers.wordpiece()
    net = Net(tokens=len(tokenizer))
    ours = TorchNet(model(net, tokenizer=tokenizer, words=()), "torch:x:y", device="cpu")
    bare = TorchNet(model(net, tokenizer=tokenizer.backend_tokenizer, words=()), "torch:x:y", device="cpu")
    inputs = [(text,) for text in ("a good film", "the plot is dully dull.")]
    np.testing.assert_allclose(ours.check(inputs).result().values, bare.check(inputs).result().values, atol=1e-5)
    assert "film" in ours.embeddings.words
    assert set(ours.embeddings.words) <= set(bare.embeddings.words)


class Padding(Net):
    def forward(self, ids: Any, mask: Any) -> Any:
        wide = torch.nn.functional.pad(ids, (0, 3))
        return super().forward(wide, torch.nn.functional.pad(mask, (0, 3)))


class Twice(Net):
    def forward(self, ids: Any, mask: Any) -> Any:
        return super().forward(ids, mask) + self.decide(self.vectors(ids).sum(1))


class WithLengths(Net):
    def forward(self, ids: Any, lengths: Any) -> Any:
        return super().forward(ids, torch.ones_like(ids))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: model(embedding="vector"), "has no embedding 'vector'; did you mean 'vectors'?"),
        (lambda: model(embedding="other"), "calls its embedding 0 times"),
        (lambda: model(Padding()), "the net must call it with the numbers as it got them"),
        (lambda: model(Twice()), "calls its embedding 2 times for a text"),
        (lambda: model(WithLengths()), "also wants 'lengths'"),
        (lambda: model(words=()), "give TorchModel\\(words=…\\)"),
        (lambda: model(tokenizer=3), "the tokenizer of torch:x:y is a int"),
        (lambda: model(tokenizer=lambda text: [1, 2]), "gives no \\(number, start, end\\)"),
        (lambda: model(tokenizer=lambda text: [(1, 0, 0)]), "makes no token of the text .a."),
        (
            lambda: model(tokenizer=lambda text: [(99, 0, 1)]),
            "cannot answer about 'A good film.': index out of range",
        ),
        (lambda: model(labels=("a", "b", "c")), "2\\] numbers for 1 texts and 3 labels"),
    ],
)
def test_what_cannot_be_is_told_before_anything_runs(given: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        TorchNet(given(), "torch:x:y", device="cpu")


def test_it_is_opened_by_its_factory(tmp_path: Path) -> None:
    (tmp_path / "own_net.py").write_text(
        "from tests.victims.test_torch_net import model\n"
        "def factory(): return model()\n"
        "def broken(): raise OSError('no weights here')\n"
        "def other(): return 3\n"
    )
    victim = open_victim(f"torch:{tmp_path}/own_net.py:factory")
    assert repr(victim) == f"torch:{tmp_path}/own_net.py:factory"
    assert victim.labels == ("neg", "pos")
    assert getattr(victim, "fingerprint", None)
    named = open_victim(f"torch:{tmp_path}/own_net.py:factory#threshold=0.9")
    assert repr(named).endswith(":factory#threshold=0.9")
    for name, said in (
        ("broken", "could not make its model: OSError: no weights here"),
        ("other", "gave a int; return unfool.victims.TorchModel"),
        ("factory", "write torch:module:function"),
    ):
        where = f"torch:{tmp_path}/own_net.py:{name}" if name != "factory" else "torch:factory"
        with pytest.raises(UserError, match=said):
            open_victim(where)
