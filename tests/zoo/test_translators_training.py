"""Training a translator: it learns, goes on where it was killed, and ends when it should."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sacrebleu")

from unfool.training import seeded  # noqa: E402
from unfool.zoo.translators import train as training  # noqa: E402
from unfool.zoo.translators.nets import make_net  # noqa: E402
from unfool.zoo.translators.opened import Translator  # noqa: E402
from unfool.zoo.translators.recipes import Recipe  # noqa: E402
from unfool.zoo.translators.train import Pairs, learn_pieces, train  # noqa: E402

CPU = torch.device("cpu")
NOUNS = {"dog": "Hund", "tree": "Baum", "man": "Mann", "boat": "Kahn", "ball": "Ball"}
HOW = {"small": "kleiner", "red": "roter", "old": "alter", "big": "grosser", "new": "neuer", "good": "guter"}
PAIRS = Pairs(
    [f"a {how} {noun} stands here" for how in HOW for noun in NOUNS],
    [f"ein {how} {noun} steht hier" for how in HOW.values() for noun in NOUNS.values()],
)
PIECES = learn_pieces([*PAIRS.sources, *PAIRS.references], 300)
SIZES = {"units": 16, "layers": 2, "dropout": 0.1}
KINDS = ("lstm", "transformer")


def recipe(kind: str, **more: Any) -> Recipe:
    return Recipe(kind, SIZES, batch=16, lr=1e-2, warm_up=20, epochs=2)._replace(**more)


def trained(given: Recipe, checkpoint: Path | None = None) -> tuple[Any, Any]:
    return train(given, PIECES, PAIRS, PAIRS, seed=1, device=CPU, checkpoint=checkpoint, progress=False)


def likelihood(net: Any) -> float:
    """The mean log-probability of the references."""
    model = Translator("zoo:toy", net.eval(), PIECES, CPU, "fp32", "toy")
    found = model.force(PAIRS.sources, PAIRS.references)
    return sum(found) / len(found)


@pytest.mark.parametrize("kind", KINDS)
def test_references_become_likelier(kind: str) -> None:
    with seeded(1):
        fresh = make_net(kind, PIECES.get_vocab_size(), SIZES)
    net, told = trained(recipe(kind))
    assert told.epochs == 2
    assert likelihood(net) > likelihood(fresh) + 15


class Killed(Exception):
    """The process ends."""


@pytest.mark.parametrize("kind", KINDS)
def test_killed_and_called_again_it_ends_the_same(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = recipe(kind, batch=64)
    whole, told = trained(given)
    plain, calls = training.validate, iter(range(9))

    def killed_in_the_second_epoch(*arguments: Any) -> float:
        if next(calls) == 1:
            raise Killed
        return plain(*arguments)

    monkeypatch.setattr(training, "validate", killed_in_the_second_epoch)
    with pytest.raises(Killed):
        trained(given, tmp_path / "checkpoint")
    again, told_again = trained(given, tmp_path / "checkpoint")
    assert told_again._replace(seconds=0) == told._replace(seconds=0)
    weights = again.state_dict()
    assert all(torch.equal(weight, weights[name]) for name, weight in whole.state_dict().items())


@pytest.fixture
def validated(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """BLEU is 1, 3, 2, 2, 2, … whatever was learnt; what the net was at each epoch is returned."""
    seen: list[dict[str, Any]] = []
    scores: Iterator[float] = iter([1.0, 3.0, *[2.0] * 20])

    def validate(net: Any, *_: Any) -> float:
        seen.append({name: weight.clone() for name, weight in net.state_dict().items()})
        return next(scores)

    monkeypatch.setattr(training, "validate", validate)
    return seen


def test_it_ends_after_some_epochs_without_a_better_one_and_keeps_the_best(validated: list[dict[str, Any]]) -> None:
    net, told = trained(recipe("lstm", batch=200, epochs=20, patience=3))
    assert (told.epoch, told.epochs, told.bleu) == (2, 5, 3.0)
    kept = net.state_dict()
    assert all(torch.equal(weight, kept[name]) for name, weight in validated[1].items())
    assert not all(torch.equal(weight, kept[name]) for name, weight in validated[4].items())


def test_no_epoch_begins_that_would_end_too_late(validated: list[dict[str, Any]]) -> None:
    _, told = trained(recipe("lstm", batch=200, epochs=20, patience=20, minutes=1e-6))
    assert told.epochs == len(validated) == 1


def test_every_twentieth_pair_is_held_out() -> None:
    many = Pairs([f"s{n}" for n in range(45)], [f"r{n}" for n in range(45)])
    learnt, held = many.held_out()
    assert held == Pairs(["s0", "s20", "s40"], ["r0", "r20", "r40"])
    assert sorted([*learnt.sources, *held.sources]) == sorted(many.sources)
    assert [source[1:] for source in learnt.sources] == [reference[1:] for reference in learnt.references]
    assert len(Pairs(["s"] * 30_000, ["r"] * 30_000).held_out()[1].sources) == 1000


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> Translator:
    net, _ = trained(recipe(request.param))
    return Translator("zoo:toy", net, PIECES, CPU, "fp32", "toy")


SOURCES = [*PAIRS.sources[::4], "dog", "", "the small red dog and the big old tree stand here", "hier"]


@pytest.mark.parametrize("width", [1, 7, 512])
def test_an_output_does_not_depend_on_its_neighbours(model: Translator, width: int) -> None:
    alone = dict(zip(SOURCES, texts(model.generate_exactly(SOURCES)), strict=True))
    assert len(set(alone.values())) > 2
    sources = (SOURCES * (width // len(SOURCES) + 1))[:width]
    assert texts(model.generate(sources)) == [alone[source] for source in sources]


def texts(outputs: Any) -> list[str]:
    return [output.text for output in outputs]


def test_a_given_output_scores_as_in_a_plain_loop(model: Translator) -> None:
    source, output = PAIRS.sources[3], PAIRS.references[7]
    ids, wanted = model.read([source])[0], model.read([output])[0]
    given, total = [1], 0.0
    for token in wanted:
        with torch.no_grad():
            vectors = model.net.embedding(torch.tensor([ids]))
            scores = model.net(vectors, torch.ones(1, len(ids), dtype=torch.long), torch.tensor([given]))[0, -1]
        scores[[0, 1, 3]] = -torch.inf
        total += float(scores.log_softmax(-1)[token])
        given.append(token)
    assert model.force([source], [output]) == pytest.approx([total], abs=1e-3)


def test_a_source_longer_than_it_reads_is_known(model: Translator) -> None:
    assert model.reads_whole(PAIRS.sources[0])
    assert not model.reads_whole(" ".join(["dog"] * 200))
