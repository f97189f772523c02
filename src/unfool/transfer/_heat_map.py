"""The matrix as a picture (figure 3): one square a pair, drawn as SVG without any library."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from unfool.transfer._matrix import Matrix
from unfool.zoo.victim_names import short_name

_SQUARE, _MARGIN, _LETTER = 12, 8, 6.2


def heat_map(matrix: Matrix) -> str:
    """Return an SVG picture: sources from top to bottom, targets from left to right, the darker the higher."""
    names = [short_name(name) for name in (*matrix.sources, *matrix.targets)]
    room = int(max(map(len, names)) * _LETTER) + _MARGIN
    width, height = (room + _SQUARE * len(side) + _MARGIN for side in (matrix.targets, matrix.sources))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="white"/>'
    )
    return "\n".join([head, *_squares(matrix, room), *_headings(matrix, room), "</svg>"]) + "\n"


def _squares(matrix: Matrix, room: int) -> Iterator[str]:
    for row, source in enumerate(matrix.sources):
        for column, target in enumerate(matrix.targets):
            rate = matrix.rates[row, column]
            if np.isnan(rate):
                continue
            title = f"{short_name(source)} → {short_name(target)}: {rate:.1%}"
            x, y = (room + place * _SQUARE for place in (column, row))
            yield (
                f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" '
                f'fill="{_colour(rate)}"><title>{escape(title)}</title></rect>'
            )


def _headings(matrix: Matrix, room: int) -> Iterator[str]:
    for row, source in enumerate(matrix.sources):
        y = room + row * _SQUARE + _SQUARE - 2
        yield f'<text x="{room - 3}" y="{y}" text-anchor="end">{escape(short_name(source))}</text>'
    for column, target in enumerate(matrix.targets):
        x = room + column * _SQUARE + _SQUARE - 2
        yield f'<text transform="translate({x} {room - 3}) rotate(-90)">{escape(short_name(target))}</text>'


def _colour(rate: float) -> str:
    """Return white for 0, through orange, to dark red for 1."""
    stops = np.array([[255, 255, 255], [253, 174, 97], [165, 0, 38]])
    red, green, blue = (int(np.interp(rate, [0, 0.5, 1], stop)) for stop in stops.T)
    return f"#{red:02x}{green:02x}{blue:02x}"
