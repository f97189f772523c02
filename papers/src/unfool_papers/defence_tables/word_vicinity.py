"""FireBERT's figures: words around a replaced word, and noise around its vector, by what a net makes of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Outcome, Predictor, Status, answered_labels
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.runs import Run
from unfool.text import Text
from unfool.victims import Options, WhiteBoxVictim, open_victim
from unfool.victims.tokens import TokenBatch
from unfool_papers.analysis import Figure

NEIGHBOURS, STD = 15, 0.25
_AT_ONCE = 128
_WIDTH, _HEIGHT = 420, 280
_SMALL, _LARGE = 10, 18


class Replaced(NamedTuple):
    """A text before and after one of its words was replaced."""

    before: Text
    after: Text
    position: int

    @property
    def words(self) -> dict[str, str]:
        """The word and what stands in its place."""
        return {
            "original": self.before.words[self.position],
            "adversarial": self.after.words[self.position],
        }

    @property
    def texts(self) -> dict[str, Text]:
        """Both texts."""
        return {"original": self.before, "adversarial": self.after}


def replaced(run: Path) -> Replaced:
    """Return the text that took the fewest words to fool the victim of a run, the first of them.

    Raises:
        UserError: If there is none.
    """
    found = [pair for outcome in Run.open(run).outcomes() for pair in _pairs(outcome)]
    if not found:
        raise UserError(f"no text in {run} fooled its victim word by word; there is nothing to draw")
    return min(found)[-1]


def _pairs(outcome: Outcome) -> Iterator[tuple[int, int, Replaced]]:
    if outcome.status is not Status.SUCCESS:
        return
    before, after = outcome.as_text(outcome.original), outcome.as_text(outcome.perturbed)
    if len(before.words) == len(after.words):
        changed = [at for at, (a, b) in enumerate(zip(before.words, after.words, strict=True)) if a != b]
        known = [at for at in changed if counter_fitted().of(before.words[at], 1)[0]]
        if known:
            yield len(changed), outcome.id, Replaced(before, after, known[0])


def neighbours(
    run: Path, nets: Mapping[str, str], options: Options, name: str, labels: Sequence[str]
) -> Mapping[str, Any]:
    """Figures 5 and 6: what nets make of a text with each of the nearest words in the place of one."""
    pair = replaced(run)
    around = {kind: [word, *counter_fitted().of(word, NEIGHBOURS, -1.0)[0]] for kind, word in pair.words.items()}
    words = list(dict.fromkeys(word.lower() for near in around.values() for word in near))
    places = apart(dict(zip(words, _flat(words), strict=True)), {near[0].lower() for near in around.values()})
    rows = []
    for net, victim_name in nets.items():
        victim = open_victim(victim_name, options)
        for kind, near in around.items():
            texts = [pair.texts[kind].replace(pair.position, word) for word in near]
            for word, label in zip(near, _answers(victim, texts), strict=True):
                x, y = places[word.lower()]
                itself = word == near[0]
                where = {"net": net, "near": f"{kind}: {near[0]}", "x": x, "y": y}
                rows.append({**where, "word": word, "itself": itself, "answer": labels[label]})
    figure = neighbours_figure(name, pair.words, rows)
    return {"figure": figure._asdict(), "text": pair.before.strings, "adversarial": pair.after.strings}


def neighbours_figure(name: str, words: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw words where they lie, a panel for each net and each of the two words."""
    return Figure(
        f"{name}-word-neighbours",
        f"Words near “{words['original']}” and near “{words['adversarial']}”, in their place",
        "Each word stands in the text in the place of the replaced one; its colour is the net's answer. Large: the "
        "word of the text and the one that fooled the net before FACT. Words lie as the two main directions of "
        "their counter-fitted vectors have them, or below, where one would lie upon another.",
        rows,
        {
            "facet": {
                "column": _panels("net", list(dict.fromkeys(row["net"] for row in rows))),
                "row": _panels("near"),
            },
            "spec": {
                "width": _WIDTH,
                "height": _HEIGHT,
                "mark": {"type": "text"},
                "encoding": {
                    "x": _bare("x") | {"scale": {"domain": [0, _WIDTH]}},
                    "y": _bare("y") | {"scale": {"domain": [0, _HEIGHT]}},
                    "text": {"field": "word"},
                    "color": {"field": "answer", "type": "nominal", "title": "answer"},
                    "size": {"condition": {"test": "datum.itself", "value": _LARGE}, "value": _SMALL},
                },
            },
        },
    )


def apart(places: Mapping[str, tuple[float, float]], large: Collection[str]) -> dict[str, tuple[float, float]]:
    """Return where words are drawn in a panel, in pixels: none upon another, none across the frame."""
    letter = 0.65  # of a font's size, in wide fonts
    sizes = {word: _LARGE if word in large else _SMALL for word in places}
    halves = {word: letter * size * len(word) / 2 for word, size in sizes.items()}
    edge, line = max(halves.values()), 1.2
    xs, ys = (np.interp(axis, (min(axis), max(axis)), (0, 1)) for axis in zip(*places.values(), strict=True))
    wished = zip(places, edge + xs * (_WIDTH - 2 * edge), _LARGE + ys * (_HEIGHT - 2 * _LARGE), strict=True)
    found: dict[str, tuple[float, float]] = {}
    for word, x, wish in sorted(wished, key=lambda each: -each[2]):
        beside = [other for other, (at, _) in found.items() if abs(at - x) < halves[word] + halves[other]]
        y = wish
        for other in sorted(beside, key=lambda each: -found[each][1]):
            room = line * (sizes[word] + sizes[other]) / 2
            if abs(found[other][1] - y) < room:
                y = found[other][1] - room
        found[word] = round(float(x), 1), round(float(y), 1)
    return found


def clouds(
    run: Path, nets: Mapping[str, str], options: Options, name: str, labels: Sequence[str], points: int
) -> Mapping[str, Any]:
    """Figure 7: noise around the vectors of a word and of what replaced it, and what a net makes of each point."""
    from sklearn.manifold import TSNE

    pair = replaced(run)
    rows, shares = [], {}
    for net, victim_name in nets.items():
        victim = open_victim(victim_name, options)
        if not isinstance(victim, WhiteBoxVictim):
            raise UserError(f"{victim!r} has no vectors to put noise on")
        found = {
            kind: _cloud(victim, text, pair.position, points, seed)
            for seed, (kind, text) in enumerate(pair.texts.items())
        }
        flat = TSNE(random_state=0, init="pca").fit_transform(np.concatenate([some for some, _ in found.values()]))
        answers = [(kind, labels[answer]) for kind, (_, some) in found.items() for answer in some]
        rows += [
            {"net": net, "x": float(x), "y": float(y), "around": f"{kind}: {pair.words[kind]}", "answer": answer}
            for (x, y), (kind, answer) in zip(np.round(flat, 3), answers, strict=True)
        ]
        for kind, (_, some) in found.items():
            shares[f"{net}, {kind}"] = {
                labels[answer]: some.count(answer) / len(some) for answer in sorted(set(some))
            }
    figure = Figure(
        f"{name}-gaussian-clouds",
        f"Noise of {STD} around the vectors of “{pair.words['original']}” and “{pair.words['adversarial']}”",
        f"t-SNE of {points} points around each; the colour is the net's answer with that vector in its place.",
        rows,
        {
            "facet": {"column": _panels("net", list(nets))},
            "spec": {
                "width": 360,
                "height": 360,
                "mark": {"type": "point", "filled": True, "size": 12, "opacity": 0.7},
                "encoding": {
                    "x": _bare("x"),
                    "y": _bare("y"),
                    "color": {"field": "answer", "type": "nominal", "title": "answer"},
                    "shape": {"field": "around", "type": "nominal", "title": "around"},
                },
            },
        },
    )
    return {"figure": figure._asdict(), "shares": shares}


def _panels(field: str, order: Sequence[str] | None = None) -> dict[str, Any]:
    return {"field": field, "title": None, **({"sort": order} if order else {})}


def _bare(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "axis": None, "scale": {"zero": False}}


def _answers(victim: Predictor, texts: Sequence[Text]) -> list[int]:
    answers: list[int] = answered_labels(victim.check([text.strings for text in texts]).result().values).tolist()
    return answers


def _flat(words: Sequence[str]) -> list[tuple[float, float]]:
    """Place words in a plane: the two main directions of their unit vectors, known by their cosines."""
    cosine = counter_fitted().cosine
    gram = np.array([[1.0 if a == b else cosine(a, b) or 0.0 for b in words] for a in words])
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    values, vectors = np.linalg.eigh(centred)
    flat = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]].clip(0))
    return [(round(float(x), 4), round(float(y), 4)) for x, y in flat]


def _cloud(
    net: WhiteBoxVictim, text: Text, position: int, many: int, seed: int
) -> tuple[NDArray[np.float32], list[int]]:
    """Return points around the vector of a word's first token, and the net's answer with each in its place."""
    import torch

    (cut,) = net.in_batches([text])
    (place, *_) = np.flatnonzero(cut.words[0] == position).tolist()
    vectors = net.embed(cut.batch).detach()
    noise = np.random.default_rng(seed).standard_normal((many, vectors.shape[2]), dtype=np.float32) * STD
    points = vectors[0, place] + torch.tensor(noise, device=net.device)
    answers: list[int] = []
    with torch.inference_mode():
        for some in torch.split(points, _AT_ONCE):
            copies = vectors.repeat(len(some), 1, 1)
            copies[:, place] = some
            batch = TokenBatch(*(part.repeat(len(some), 1) for part in cut.batch))
            answers += net.logits_of(copies, batch).argmax(1).tolist()
    return points.cpu().numpy(), answers
