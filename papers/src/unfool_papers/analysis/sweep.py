"""A net of the zoo trained at several sizes (the CS229 report's sweeps of hidden units and dropout, Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool.resources import cache_root
from unfool.stats import wilson
from unfool.training import Accuracy
from unfool.zoo import DatasetCache, parse
from unfool_papers.analysis.figure import Figure

_LEARNT, _HELD_OUT, _REPORTED = "texts it learnt from", "texts it did not see", "the paper, texts not seen"


class Trial(NamedTuple):
    """One net of a sweep."""

    sizes: Mapping[str, Any]
    """What it was trained with."""
    seed: int
    train: Accuracy
    """On the texts it learnt from."""
    held_out: Accuracy
    """On the test split; on the texts its epoch was chosen by where there is none."""
    epoch: int
    """The epoch that was kept."""
    seconds: float
    folder: Path
    """Where it is kept; `unfool.zoo.load` opens it."""


def sweep(
    model: str,
    grid: Mapping[str, Sequence[Any]],
    *,
    seeds: Sequence[int] = (0,),
    folder: Path | str | None = None,
    device: str = "auto",
    progress: bool = True,
) -> list[Trial]:
    """Train a net of the zoo with every combination of some sizes; what is trained already is not trained again.

    Args:
        model: The net and its data, such as ``CS229-LSTM@imdb``, or ``CS229-LSTM@imdb[4000]`` for fewer texts.
        grid: The values of each size, such as ``{"units": [32, 64, 128]}`` or ``{"dropout": [0.25, 0.5]}``.
        seeds: Each draws first weights, dropout and the order of texts anew.
        folder: Where the nets are kept, one folder each; ``sweeps`` in the cache if None.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar for each net.

    Raises:
        UserError: If the model is no net, has no such size, or the grid is empty; or if a net is kept that was
            trained before the data changed.
    """
    from unfool_papers.analysis.variants import train_variant

    if not grid or not all(grid.values()) or not seeds:
        raise UserError(
            f"the grid {dict(grid)!r} or the seeds {list(seeds)!r} are empty; give at least one of each"
        )
    root = Path(folder).expanduser() if folder else cache_root() / "sweeps"
    datasets, trials = DatasetCache(), []
    for values in product(*grid.values()):
        sizes = dict(zip(grid, values, strict=True))
        for seed in seeds:
            named = parse(model)._replace(seed=seed)
            place = root / f"{named.folder.name},{','.join(f'{name}={value}' for name, value in sizes.items())}"
            report = train_variant(named, sizes, place, device=device, progress=progress, datasets=datasets)
            assert report.train
            assert report.epoch
            held_out = report.test or report.validation
            trials.append(Trial(sizes, seed, report.train, held_out, report.epoch, report.seconds, place))
    return trials


def sweep_figure(trials: Sequence[Trial], *, reported: Mapping[Any, float] | None = None) -> Figure:
    """Return the accuracy of a sweep's nets against the size that was swept.

    Several seeds are averaged. They read the same texts, so the interval is no narrower than one net's: it covers
    the draw of the texts, not that of the seed. A net that overfits does better on what it learnt from and worse on
    what it did not see.

    Args:
        trials: What `sweep` returned, for a grid of one size.
        reported: A paper's accuracy, between 0 and 1, by value of the size.

    Raises:
        UserError: If several sizes were swept together, or none.
    """
    swept = {name for trial in trials for name in trial.sizes}
    if len(swept) != 1:
        raise UserError(
            f"the figure of a sweep shows one size, and these runs vary {sorted(swept)}; sweep one at a time"
        )
    (size,) = swept
    values = list(dict.fromkeys(trial.sizes[size] for trial in trials))
    rows = []
    for value in values:
        here = [trial for trial in trials if trial.sizes[size] == value]
        for texts, reached in ((_LEARNT, [t.train for t in here]), (_HELD_OUT, [t.held_out for t in here])):
            share, texts_read = fmean(each.share for each in reached), reached[0].n
            low, high = wilson(share * texts_read, texts_read)
            rows.append(
                {
                    size: value,
                    "texts": texts,
                    "accuracy": share,
                    "low": low,
                    "high": high,
                    "of": texts_read,
                    "nets": len(here),
                    "epoch": sum(trial.epoch for trial in here) / len(here),
                    "seconds": round(sum(trial.seconds for trial in here), 1),
                }
            )
        if reported and value in reported:
            rows.append({size: value, "texts": _REPORTED, "accuracy": reported[value]})
    unseen = [row for row in rows if row["texts"] == _HELD_OUT]
    told = ", ".join(f"{row['accuracy']:.1%} at {row[size]}" for row in unseen)
    return Figure(
        f"sweep-{size}",
        f"Accuracy against {size}",
        f"Accuracy on {unseen[0]['of']:,} texts the net did not see: {told}; "
        f"nets a value: {unseen[0]['nets']}. Bars are 95 % intervals for other texts, not for other seeds.",
        rows,
        _chart(size, values, bool(reported)),
    )


def _chart(size: str, values: Sequence[Any], with_reported: bool) -> dict[str, Any]:
    x = {
        "field": size,
        "type": "ordinal",
        "sort": list(values),
        "axis": {"labelAngle": 0},
        "scale": {"padding": 0.5},
    }
    percent = {"type": "quantitative", "scale": {"zero": False}, "axis": {"format": ".0%"}, "title": "accuracy"}
    drawn = [_LEARNT, _HELD_OUT, *([_REPORTED] if with_reported else [])]
    colour = {
        "field": "texts",
        "type": "nominal",
        "title": None,
        "scale": {"domain": drawn, "range": ["#9ecae9", "#4c78a8", "#f58518"][: len(drawn)]},
        "legend": {"orient": "bottom", "labelLimit": 260},
    }
    y = {"field": "accuracy", **percent}
    return {
        "width": 360,
        "height": 240,
        "encoding": {"x": x, "color": colour},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"y": y}},
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": "rule",
                "encoding": {"y": {"field": "low", **percent}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": {"y": y}},
        ],
    }
