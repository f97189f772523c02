"""How much words matter to several models, on the terminal and as a page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from unfool.report._charts import short_names
from unfool.report._contents import Contents
from unfool.report._write import write_contents
from unfool.rules import Importance
from unfool.visible import visible
from unfool.zoo.victim_names import short_name

_LOSES, _GAINS = (210, 34, 45), (35, 90, 200)
"""Red if the label loses by the change, blue if it gains."""


def write_importance(found: Importance, title: str, path: str | Path) -> None:
    """Write a page with a table: a row a model, a column a word, each cell on the colour of its importance."""
    names = {"name": title, "title": title, "short": short_names(found.models)}
    write_contents(Contents(importances=[{**names, **found.to_json()}]), Path(path))


def importance_lines(found: Importance) -> RenderableType:
    """Return the words once a model, each on the colour of its importance, the model's largest at full strength."""
    lines = [Text(visible(found.text))]
    for model, values in zip(found.models, found.values, strict=True):
        line = Text(f"{visible(short_name(model)):<24} ")
        for word, value, strength in zip(found.words, values, _strengths(values), strict=True):
            line.append(f"{visible(word)} {value:.2f}", _style(strength)).append("  ")
        lines.append(line)
    return Group(*lines)


def _strengths(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values from -1 to 1, the largest of a model at full strength."""
    sound = np.nan_to_num(values)
    return np.asarray(sound / max(float(np.abs(sound).max(initial=0.0)), 1e-9))


def _style(strength: float) -> str:
    """Return a background that is the darker the stronger, with writing that can be read on it."""
    if abs(strength) < 0.05:
        return ""
    towards = _LOSES if strength > 0 else _GAINS
    red, green, blue = (round(255 + (part - 255) * abs(strength)) for part in towards)
    return f"{'white' if abs(strength) > 0.5 else 'black'} on #{red:02x}{green:02x}{blue:02x}"
