"""The picture of the rooms shows what the import contract says."""

from __future__ import annotations

from pathlib import Path

from docs.generator.layers import PICTURE, layers, picture

import unfool


def test_the_picture_is_that_of_the_contract() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "renew it: python -m docs.generator.layers"


def test_every_room_has_its_place() -> None:
    folder = Path(unfool.__file__).parent
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    named = {room for layer in layers() for room in layer}
    assert rooms - {"__init__"} == named - {"unfool_papers"}


def test_the_page_names_every_room() -> None:
    page = (PICTURE.parents[1] / "architecture.md").read_text("utf-8")
    assert [room for layer in layers() for room in layer if f"`{room}`" not in page and room != "__main__"] == []
