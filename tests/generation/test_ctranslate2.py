"""A model that CTranslate2's own converter made of a toy says what transformers says of the toy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

converters = pytest.importorskip("ctranslate2").converters
pytest.importorskip("torch")
pytest.importorskip("sentencepiece")

from tests.toy_translators import save_marian  # noqa: E402

from unfool.errors import UserError  # noqa: E402
from unfool.generation import Output, open_generator  # noqa: E402
from unfool.options import Options  # noqa: E402

CPU = Options(device="cpu")
SOURCES = ["a fine film", "the plot is dull", "good bad awful", "the film was not good", "plot", "a lovely film"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The toy, and what the converter made of it."""
    root = tmp_path_factory.mktemp("models")
    toy = save_marian(root / "toy")
    made = root / "made"
    converters.TransformersConverter(str(toy)).convert(str(made))
    for name in ("source.spm", "target.spm"):
        shutil.copy(toy / name, made / name)
    return toy, made


def said(name: str, sources: list[str], *, alone: bool = False) -> list[str]:
    model: Any = open_generator(name, CPU)
    found = model.generate_exactly(sources) if alone else model.generate(sources)
    return [output.text for output in found if isinstance(output, Output)]


@pytest.mark.parametrize("beams", [1, 3])
def test_it_says_what_the_toy_says(folders: tuple[Path, Path], beams: int) -> None:
    toy, made = folders
    plain = said(f"hf-seq2seq:{toy}#most=12,beams={beams}", SOURCES)
    assert len(set(plain)) > 1
    assert said(f"ctranslate2:{made}#suffix=</s>,most=11,beams={beams}", SOURCES) == plain
    assert said(f"{made}#suffix=</s>,most=11,beams={beams}", SOURCES, alone=True) == plain


@pytest.mark.parametrize("width", [1, 7, 512])
def test_an_output_does_not_depend_on_its_neighbours(folders: tuple[Path, Path], width: int) -> None:
    name = f"ctranslate2:{folders[1]}#suffix=</s>,most=12"
    alone = dict(zip(SOURCES, said(name, SOURCES, alone=True), strict=True))
    sources = (SOURCES * (width // len(SOURCES) + 1))[:width]
    assert said(name, sources) == [alone[source] for source in sources]


def test_a_given_output_scores_as_the_toy_scores_it(folders: tuple[Path, Path]) -> None:
    toy = open_generator(f"hf-seq2seq:{folders[0]}", CPU)
    made = open_generator(f"ctranslate2:{folders[1]}#suffix=</s>", CPU)
    outputs = ["the plot", "a film"]
    plain = toy.force(SOURCES[:2], outputs)  # type: ignore[attr-defined]
    assert made.force(SOURCES[:2], outputs) == pytest.approx(plain, abs=1e-3)  # type: ignore[attr-defined]


def test_a_folder_without_pieces_is_told(folders: tuple[Path, Path], tmp_path: Path) -> None:
    bare = tmp_path / "above" / "bare"
    shutil.copytree(folders[1], bare, ignore=shutil.ignore_patterns("*.spm"))
    with pytest.raises(UserError, match="put it there as"):
        open_generator(f"ctranslate2:{bare}", CPU)
