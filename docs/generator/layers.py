"""The picture of the rooms, drawn from the import contract: ``python -m docs.generator.layers``."""

from __future__ import annotations

import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[2]
PICTURE = _ROOT / "docs" / "images" / "layers.svg"
_WIDTH, _ROW, _BOX, _GAP = 720, 44, 30, 10


def layers() -> list[list[str]]:
    """Return the rooms of each layer, the highest layer first, as ``pyproject.toml`` has them."""
    settings = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
    contract = next(each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [[room.strip().removeprefix("unfool.") for room in layer.split("|")] for layer in contract["layers"]]


def picture() -> str:
    """Draw a row of boxes for each layer; each may import only what stands below it."""
    rows = [_row(rooms, number * _ROW) for number, rooms in enumerate(layers())]
    height = len(rows) * _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="14" text-anchor="middle">\n'
        "<title>The rooms of unfool: each imports only rooms in rows below its own</title>\n"
        f"{''.join(rows)}</svg>\n"
    )


def _row(rooms: list[str], top: int) -> str:
    width = (_WIDTH - _GAP * (len(rooms) - 1)) / len(rooms)
    return "".join(_box(room, number * (width + _GAP), top, width) for number, room in enumerate(rooms))


def _box(room: str, left: float, top: int, width: float) -> str:
    return (
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BOX}" rx="6" fill="#e8eef7" '
        'stroke="#5b7db1"/>\n'
        f'<text x="{left + width / 2:.1f}" y="{top + 20}" fill="#1b2a41">{room}</text>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
