"""A function as a victim: found by name, its classes learned, its exceptions kept to the texts that cause them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.text import Text, as_variants
from unfool.victims import callable_victim

SHOUT = """
import math
labels = ["calm", "loud"]
pi = 3.14

def probabilities(texts):
    return [[1 - share, share] for share in (sum(map(str.isupper, text)) / max(1, len(text)) for text in texts)]

def three(texts):
    return [[0.2, 0.3, 0.5] for _ in texts]
three.labels = ("a", "b", "c")

class Box:
    predict = staticmethod(probabilities)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_a_function_is_found_in_the_current_directory(here: Path) -> None:
    (here / "shout.py").write_text(SHOUT)
    victim = callable_victim("py:shout:probabilities")
    assert victim.labels == ("calm", "loud")
    assert repr(victim) == "py:shout:probabilities"
    assert repr(callable_victim(repr(victim))) == repr(victim)
    assert str(here) not in sys.path
    values, errors = victim.confirm([("ABcd",), ("x",)])
    assert not errors
    np.testing.assert_allclose(values, [[0.5, 0.5], [1.0, 0.0]])


def test_labels_come_from_the_caller_then_the_function_then_the_module_then_a_question(here: Path) -> None:
    (here / "shout.py").write_text(SHOUT)
    (here / "quiet.py").write_text(SHOUT.replace("labels = ", "names = "))
    assert callable_victim("py:shout:probabilities", labels=["x", "y"]).labels == ("x", "y")
    assert callable_victim("py:shout:three").labels == ("a", "b", "c")
    assert callable_victim("py:shout:Box.predict").labels == ("calm", "loud")
    assert callable_victim("py:quiet:probabilities").labels == ("0", "1")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("py:shuot:probabilities", "no module 'shuot'.*did you mean 'shout'"),
        ("py:nowhere.at.all:f", "no module 'nowhere'"),
        ("py:unfool.errrors:f", "no module 'errrors' in unfool; did you mean 'errors'"),
        ("py:shout:probabilites", "no 'probabilites' in shout; did you mean 'probabilities'"),
        ("py:shout:pi", "'py:shout:pi' is a float, not a function"),
        ("py:shout", "write py:module:function"),
        ("shout:probabilities", "write py:module:function"),
        ("py:broken:f", "importing broken raised ZeroDivisionError"),
        ("py:needy:f", "importing needy failed: No module named 'not_installed'"),
    ],
)
def test_a_name_that_leads_nowhere_says_so(here: Path, name: str, said: str) -> None:
    (here / "shout.py").write_text(SHOUT)
    (here / "broken.py").write_text("1 / 0")
    (here / "needy.py").write_text("import not_installed")
    with pytest.raises(UserError, match=said):
        callable_victim(name)


def half(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.full((len(texts), 2), 0.5)


def test_a_function_at_hand_shows_where_it_is() -> None:
    assert repr(callable_victim(half)) == f"py:{__name__}:half"
    with pytest.raises(UserError, match="is a int, not a function"):
        callable_victim(3)  # type: ignore[arg-type]


def test_only_the_texts_that_raise_are_errors() -> None:
    calls = []

    def picky(texts: Sequence[str]) -> list[list[float]]:
        calls.append(len(texts))
        if "bad" in texts:
            raise ValueError("cannot read it")
        return [[0.5, 0.5]] * len(texts)

    victim = callable_victim(picky, labels=["a", "b"])
    values, errors = victim.confirm([("good",), ("bad",), ("better",)])
    assert calls == [3, 2, 1, 1, 1]  # halves, down to the text to blame
    assert list(errors) == [1]
    assert "raised ValueError: cannot read it" in str(errors[1])
    np.testing.assert_array_equal(values[[0, 2]], 0.5)


def test_a_wrong_answer_to_a_text_asked_alone_is_its_own_error() -> None:
    def picky(texts: Sequence[str]) -> list[list[float]]:
        if len(texts) > 1:
            raise MemoryError
        return [] if texts == ["lost"] else [[0.5, 0.5]]

    _, errors = callable_victim(picky, labels=["a", "b"]).confirm([("good",), ("lost",)])
    assert list(errors) == [1]
    assert "gave 0 answers for 1 texts" in str(errors[1])


def test_what_no_text_can_repair_ends_the_run() -> None:
    def unusable(_: Sequence[str]) -> Any:
        raise UserError("install something")

    with pytest.raises(UserError, match="install something"):
        callable_victim(unusable)
    with pytest.raises(UserError, match="install something"):
        callable_victim(unusable, labels=["a", "b"]).confirm([("x",)])


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda texts: ["positive" for _ in texts], "one label a text, 'positive', not with all"),
        (lambda texts: [[] for _ in texts], "expected one number a class"),
        (lambda texts: 1 / 0, "raised ZeroDivisionError"),
        (lambda texts: None, "gave a NoneType for 1 texts"),
    ],
)
def test_classes_that_cannot_be_learned_must_be_given(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(UserError, match=f"{said}.*give its labels"):
        callable_victim(function)


def test_pairs_come_as_pairs() -> None:
    def same(pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        return [[float(first != second), float(first == second)] for first, second in pairs]

    victim = callable_victim(same)
    text = Text.pair(("premise", "it rains"), ("hypothesis", "it rains"))
    rows = victim.rows([as_variants([text, text.replace(0, "that")])])
    values, errors = victim.launch(rows, np.arange(2)).result()
    assert not errors
    np.testing.assert_array_equal(values, [[0, 1], [1, 0]])


@pytest.mark.parametrize("labels", ["ab", ["a"], ["a", "a"]])
def test_labels_must_name_classes(labels: Any) -> None:
    with pytest.raises(UserError, match="at least two different names"):
        callable_victim(half, labels)


def test_a_tensor_with_its_graph_is_an_answer() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.tensor([0.0, 1.0], requires_grad=True)
    victim = callable_victim(lambda texts: torch.stack([weight] * len(texts)).softmax(-1).bfloat16())
    values, errors = victim.confirm([("x",)])
    assert not errors
    np.testing.assert_allclose(values, [[0.2689, 0.7311]], atol=1e-2)
