import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.lexicon import Vectors, published_vectors

ROWS = {"the": [0.5, -1.0, 2.0], "naïve": [1.0, 0.25, -0.125], "film": [3.0, 2.0, 1.0], ". .": [9.0, 8.0, 7.0]}
WANTED = ["film", "naïve", ".", "unseen"]


def binary(rows: dict[str, list[float]], *, newline: bytes, promised: int | None = None) -> bytes:
    body = b"".join(word.encode() + b" " + struct.pack("<3f", *row) + newline for word, row in rows.items())
    return f"{promised or len(rows)} 3\n".encode() + body


def text(rows: dict[str, list[float]], *, header: str = "", end: str = "\n") -> bytes:
    return (header + "".join(f"{word} {' '.join(map(str, row))}{end}" for word, row in rows.items())).encode()


GOOD = {
    "joined.bin": binary({word: row for word, row in ROWS.items() if " " not in word}, newline=b""),
    "lines.bin": binary({word: row for word, row in ROWS.items() if " " not in word}, newline=b"\n"),
    "plain.txt": text(ROWS),
    "counted.vec": text(ROWS, header="4 3\n", end=" \n"),
}


def check(vectors: Vectors) -> None:
    assert list(vectors.words) == ["naïve", "film"]
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(vectors.matrix, np.array([ROWS["naïve"], ROWS["film"]], np.float32))


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("zipped", [False, True])
def test_wanted_words_are_read_from_every_form(tmp_path: Path, name: str, zipped: bool) -> None:
    path = tmp_path / (name + ".gz" if zipped else name)
    path.write_bytes(gzip.compress(GOOD[name], mtime=0) if zipped else GOOD[name])
    check(published_vectors(path, WANTED))


@pytest.mark.parametrize("block", [8, 9, 20])
@pytest.mark.parametrize("name", ["joined.bin", "lines.bin"])
def test_words_may_lie_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, block: int
) -> None:
    monkeypatch.setattr("unfool.lexicon._vectors._BLOCK", block)
    (tmp_path / name).write_bytes(GOOD[name])
    check(published_vectors(tmp_path / name, WANTED))


def test_a_word_with_a_space_is_one_word(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_bytes(GOOD["plain.txt"])
    assert list(published_vectors(tmp_path / "plain.txt", [". ."]).words) == [". ."]


def test_of_a_word_listed_twice_the_first_counts(tmp_path: Path) -> None:
    (tmp_path / "twice.txt").write_bytes(b"a 1 2\nb 3 4\na 5 6\n")
    np.testing.assert_array_equal(published_vectors(tmp_path / "twice.txt", ["a"]).matrix, [[1, 2]])


NAN = {"film": [1.0, float("nan"), 0.0]}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("cut.bin", GOOD["lines.bin"][:-5], "ends after 2 of the 3 words"),
        ("empty.bin", b"", "first line is not the number of words"),
        ("prose.bin", b"once upon a time\n", "first line is not the number of words"),
        ("long.bin", binary(ROWS, newline=b"\n", promised=2), "goes on after the 2 words"),
        ("nan.bin", binary(NAN, newline=b""), "'film' holds a number that is not finite"),
        ("cut.vec", text({"the": ROWS["the"]}, header="4 3\n"), "ends after 1 of the 4 words"),
        ("only-counts.vec", b"4 3\n", "ends after 0 of the 4 words"),
        ("short.txt", b"the 1 2 3\nx 1\n", "line 2 holds fewer than 3 numbers"),
        ("prose.txt", b"once upon a time\n", "line 1 holds something that is no number"),
        ("letters.txt", b"the 1 2 3\nfilm 1 two 3\n", "line 2 holds something that is no number"),
        ("empty.txt", b"", "neither two counts nor a word"),
        ("cut.vec.gz", gzip.compress(GOOD["counted.vec"], mtime=0)[:-12], "damaged"),
        ("plain.vec.gz", GOOD["counted.vec"], "damaged"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=told) as refused:
        published_vectors(tmp_path / name, WANTED)
    assert name in str(refused.value)


def test_a_fasttext_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wiki.en.bin").write_bytes(struct.pack("<2i", 793712314, 12) + bytes(100))
    with pytest.raises(UserError, match=r"is a fastText model, .* give its \.vec file"):
        published_vectors(tmp_path / "wiki.en.bin", WANTED)


def test_other_endings_missing_files_and_wrong_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"must end in \.bin, \.vec or \.txt"):
        published_vectors(tmp_path / "vectors.model", WANTED)
    with pytest.raises(UserError, match=r"cannot read the word vectors .*No such file"):
        published_vectors(tmp_path / "missing.bin", WANTED)
    (tmp_path / "plain.txt").write_bytes(GOOD["plain.txt"])
    with pytest.raises(UserError, match="a vector for none of the 2 words"):
        published_vectors(tmp_path / "plain.txt", ["haus", "hund"])
