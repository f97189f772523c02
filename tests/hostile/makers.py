"""Files that strangers may hand us: each would run code, hang or fill the machine if it were believed."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

VADER = "py:unfool.victims.vader:probabilities"
MEGABYTE = 1 << 20


class Place(NamedTuple):
    """Where a case makes its files, and what no case may ever make."""

    folder: Path
    canary: Path
    good: Path
    """A good model (``model``), pipeline (``pipeline.skops``) and run (``run``), to spoil copies of."""

    @property
    def code(self) -> str:
        """A line of Python that gives itself away."""
        return f"open({str(self.canary)!r}, 'w').close()\n"

    def copy(self, name: str) -> Path:
        """Return a copy of something good."""
        target = self.folder / name
        source = self.good / name
        return Path(shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target))


class Case(NamedTuple):
    """A file and the command that meets it."""

    name: str
    make: Callable[[Place], list[object]]
    said: str
    """What the line must say."""


class RunsWhenLoaded:
    """What a pickle can do."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.canary}",)


def attack(place: Place, victim: object = VADER, data: object = None) -> list[object]:
    """Return the arguments of an attack."""
    source = place.good / "reviews.csv" if data is None else data
    given = ["--victim", victim, "--data", source, "--attack", "random:trials=2", "--n", 2]
    return ["attack", *given, "--out", place.folder / "out", "--quiet"]


def edited(file: Path, **changes: object) -> None:
    """Change keys of a file of JSON."""
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


# Models


def model_with(file: str, **changes: object) -> Callable[[Place], list[object]]:
    """Return what makes a model folder with other settings, and code beside it."""

    def make(place: Place) -> list[object]:
        model = place.copy("model")
        (model / "evil.py").write_text(place.code)
        edited(model / file, **changes)
        return attack(place, f"hf:{model}")

    return make


def model_of(name: str, content: Callable[[Place], bytes]) -> Callable[[Place], list[object]]:
    """Return what makes a model folder with one file of other content."""

    def make(place: Place) -> list[object]:
        model = place.copy("model")
        if name == "pytorch_model.bin":
            (model / "model.safetensors").unlink()
        (model / name).write_bytes(content(place))
        return attack(place, f"hf:{model}")

    return make


def compressed_weights(place: Place) -> list[object]:
    model = place.copy("model")
    (model / "model.safetensors").unlink()
    with zipfile.ZipFile(model / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as parts:
        parts.writestr("archive/data/0", bytes(400 * MEGABYTE))
    return attack(place, f"hf:{model}")


def a_pipe_for_a_file(place: Place) -> list[object]:
    model = place.copy("model")
    (model / "tokenizer.json").unlink()
    os.mkfifo(model / "tokenizer.json")
    return attack(place, f"hf:{model}")


def skops_with_a_class_of_others(place: Place) -> list[object]:
    """numpy's modules hold `pathlib.Path`, and some of them `subprocess.Popen`: neither is numpy's."""
    source, target = place.good / "pipeline.skops", place.folder / "evil.skops"
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w") as evil:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "schema.json":
                content = content.replace(b'"numpy.polynomial.polynomial"', b'"numpy.f2py.crackfortran"')
                content = content.replace(b'"Polynomial"', b'"Path"')
            evil.writestr(name, content)
    return attack(place, f"skops:{target}")


def skops_bomb(place: Place) -> list[object]:
    target = place.folder / "bomb.skops"
    with (
        zipfile.ZipFile(place.good / "pipeline.skops") as whole,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as evil,
    ):
        for name in whole.namelist():
            if name.endswith(".npy"):
                with evil.open(name, "w", force_zip64=True) as array:
                    array.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118))
                    array.write(
                        b"{'descr': '<f8', 'fortran_order': False, 'shape': (39321600,), }".ljust(117) + b"\n"
                    )
                    for _ in range(300):
                        array.write(bytes(MEGABYTE))
            else:
                evil.writestr(name, whole.read(name))
    return attack(place, f"skops:{target}")


def joblib(place: Place) -> list[object]:
    (place.folder / "evil.joblib").write_bytes(pickle.dumps(RunsWhenLoaded(place.canary)))
    return attack(place, f"joblib:{place.folder / 'evil.joblib'}")


# Packed models


def parcel(members: Callable[[Place], Iterator[tuple[str, bytes]]]) -> Callable[[Place], list[object]]:
    """Return what makes a file to unpack."""

    def make(place: Place) -> list[object]:
        file = place.folder / "models.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for name, content in members(place):
                packed.writestr(name, content)
        return ["unpack", file]

    return make


def weights_of(header: dict[str, Any], content: bytes = b"") -> bytes:
    told = json.dumps({"__metadata__": {"whole": "[]"}, **header}).encode()
    return len(told).to_bytes(8, "little") + told + content


def three_thousand_of_nothing(_: Place) -> Iterator[tuple[str, bytes]]:
    for seed in range(3000):
        for file in ("config.json", "vocabulary.json"):
            yield f"CNN-W-Random-1@x#{seed}/{file}", b"{}"
        yield f"CNN-W-Random-1@x#{seed}/model.safetensors", weights_of({})


def a_net(sizes: dict[str, Any], rows: int = 4) -> Callable[[Place], Iterator[tuple[str, bytes]]]:
    """Return a net whose description asks for any size."""

    def members(_: Place) -> Iterator[tuple[str, bytes]]:
        front = {"kind": "Vectors", "sizes": {"rows": rows, "dimensions": 4}}
        told = {"data": "x", "seed": 0}
        described = {"net": "CNN", "sizes": sizes, "front": front, "recipe": None, "frozen": "", "training": told}
        vocabulary = {"kind": "words", "max_length": 9, "words": ["a", "b"]}
        yield "CNN-W-Random-1@x/config.json", json.dumps({**described, "labels": ["no", "yes"]}).encode()
        yield "CNN-W-Random-1@x/vocabulary.json", json.dumps(vocabulary).encode()
        yield "CNN-W-Random-1@x/model.safetensors", weights_of({})

    return members


def grows(_: Place) -> Iterator[tuple[str, bytes]]:
    yield "NB@x/config.json", b"{}"
    yield "NB@x/model.safetensors", bytes(100 * MEGABYTE)


def encoder_with_code(place: Place) -> Iterator[tuple[str, bytes]]:
    for path in sorted((place.good / "model").glob("*.json")):
        content = path.read_bytes()
        if path.name == "config.json":
            content = json.dumps(
                json.loads(content) | {"auto_map": {"AutoConfig": "someone/evil--code.C"}}
            ).encode()
        yield f"BERT@x/{path.name}", content
    yield "BERT@x/training.json", b'{"data": "x"}'
    yield "BERT@x/model.safetensors", weights_of({})


def members(*each: tuple[str, bytes]) -> Callable[[Place], Iterator[tuple[str, bytes]]]:
    return lambda _: iter(each)


# Runs, studies and rules


def run_with(file: str, content: bytes, *command: object) -> Callable[[Place], list[object]]:
    """Return what makes a run folder with one file of other content."""

    def make(place: Place) -> list[object]:
        run = place.copy("run")
        (run / file).write_bytes(content)
        return [*(command or ("show",)), run]

    return make


def run_where(file: str, *keys: str, value: object) -> Callable[[Place], list[object]]:
    """Return what makes a run folder with another value in one place; lines of JSON are changed in the first."""

    def make(place: Place) -> list[object]:
        path = place.copy("run") / file
        lines = path.read_text().split("\n") if path.suffix == ".jsonl" else [path.read_text()]
        record = inner = json.loads(lines[0])
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        path.write_text("\n".join([json.dumps(record), *lines[1:]]))
        return ["report", path.parent, "--out", place.folder / "page.html"]

    return make


def run_that_names_a_function(place: Place) -> list[object]:
    (place.folder.parent / "evil_module.py").write_text(place.code)  # where the command is given
    run = place.copy("run")
    edited(run / "config.json", victim="py:evil_module:probabilities")
    return ["report", run, "--overlays", "--out", place.folder / "page.html"]


def a_file(name: str, content: bytes, *command: object) -> Callable[[Place], list[object]]:
    """Return what makes a file and gives it to a command."""

    def make(place: Place) -> list[object]:
        (place.folder / name).write_bytes(content)
        return [*command, place.folder / name]

    return make


def study_of(told: object) -> Callable[[Place], list[object]]:
    def make(place: Place) -> list[object]:
        (place.folder / "study.json").write_text(json.dumps(told))
        return ["transfer", "show", place.folder]

    return make


# Data


def data(name: str, content: Callable[[], Iterator[bytes]] | bytes) -> Callable[[Place], list[object]]:
    """Return what makes a data file and attacks over it."""

    def make(place: Place) -> list[object]:
        with (place.folder / name).open("wb") as file:
            for part in [content] if isinstance(content, bytes) else content():
                file.write(part)
        return attack(place, data=place.folder / name)

    return make


def long_line(before: bytes, after: bytes) -> Callable[[], Iterator[bytes]]:
    def parts() -> Iterator[bytes]:
        yield before
        for _ in range(150):
            yield b"x" * MEGABYTE
        yield after

    return parts


def other_keys_in_each_line() -> Iterator[bytes]:
    for line in range(1000):
        yield json.dumps({f"{line} {key}": 1 for key in range(1000)}).encode() + b"\n"


def parquet(column: Callable[[Any], Any], **options: Any) -> Callable[[Place], list[object]]:
    """Return what makes a parquet file whose texts are small there, and huge in memory."""

    def make(place: Place) -> list[object]:
        import pyarrow as pa
        from pyarrow import parquet as pq

        texts = column(pa)
        table = pa.table({"text": texts, "label": pa.nulls(len(texts), pa.string())})
        pq.write_table(table, place.folder / "bomb.parquet", compression="zstd", **options)
        return attack(place, data=place.folder / "bomb.parquet")

    return make


def one_long_text_a_million_times(pa: Any) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), ["x" * MEGABYTE])


DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
CODE = {"AutoConfig": "evil.C", "AutoModelForSequenceClassification": "evil.M"}

CASES: list[Case] = [
    Case(
        "code in config", model_with("config.json", auto_map=CODE, model_type="evil"), "(evil.py); unfool does not"
    ),
    Case("code for a known kind", model_with("config.json", auto_map=CODE), "brings code of its own (evil.py)"),
    Case(
        "code in tokenizer",
        model_with("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]}, tokenizer_class="T"),
        "brings code of its own (evil.py)",
    ),
    Case("kernel of a hub", model_with("config.json", attn_implementation="a/kernel"), "its own (a/kernel)"),
    Case(
        "a billion layers", model_with("config.json", num_hidden_layers=10**9), "num_hidden_layers = 1,000,000,000"
    ),
    Case("a billion labels", model_with("config.json", num_labels=10**9), "num_labels = 1,000,000,000"),
    Case("a billion words", model_with("config.json", vocab_size=10**9), "do not belong together"),
    Case("labels out of order", model_with("config.json", id2label={"0": "a", "7": "b"}), "names other labels"),
    Case("deep config", model_of("config.json", lambda _: DEEP), "cannot read the model"),
    Case("deep tokenizer", model_of("tokenizer.json", lambda _: DEEP), "cannot read the model"),
    Case("no weights", model_of("model.safetensors", lambda _: b"\xff" * 99), "cannot read the model"),
    Case(
        "pickled weights",
        model_of("pytorch_model.bin", lambda place: pickle.dumps(RunsWhenLoaded(place.canary))),
        "hold more than weights, and that is not run",
    ),
    Case("compressed weights", compressed_weights, "is compressed"),
    Case("a pipe", a_pipe_for_a_file, "is no plain file"),
    Case("joblib", joblib, "runs whatever code is in it"),
    Case("skops, foreign class", skops_with_a_class_of_others, "which may run any code"),
    Case("skops bomb", skops_bomb, "would grow to more than"),
    Case("models of nothing", parcel(three_thousand_of_nothing), "is no such model"),
    Case("bomb of weights", parcel(grows), "would grow beyond measure"),
    Case("net of any size", parcel(a_net({"filters": 10**7})), "weights do not fit"),
    Case("net of any depth", parcel(a_net({"layers": 10**9})), "more than any net has"),
    Case("table of any size", parcel(a_net({"layers": 1}, rows=10**12)), "4 tokens, but 1000000000000 vectors"),
    Case("packed code", parcel(encoder_with_code), "brings code of its own (someone/evil--code.py)"),
    Case("out of the folder", parcel(members(("../../evil.json", b"{}"))), "no model or folder"),
    Case("script in a parcel", parcel(members(("NB@x/run.py", b"{}"))), "no part of a model"),
    Case("no parcel", a_file("models.zip", b"PK\x03\x04" + bytes(99), "unpack"), "cannot be unpacked"),
    Case("deep run", run_with("config.json", DEEP), "config.json is damaged"),
    Case("run in no encoding", run_with("config.json", b"\xff\xfe\x00"), "config.json is damaged"),
    Case("nested run", run_with("config.json", b'{"a":' * 500 + b"1" + b"}" * 500), "the settings of a run"),
    Case("labels of a run", run_with("config.json", b'{"labels": 5}'), "the settings of a run"),
    Case("huge outcome", run_with("outcomes.jsonl", b"[" * (60 * MEGABYTE) + b"\n"), "line 1 of"),
    Case("outcome of numbers", run_where("outcomes.jsonl", "original", value=[1]), "line 1 of"),
    Case("outcome of no label", run_where("outcomes.jsonl", "label", value=None), "line 1 of"),
    Case("outcome of notes", run_where("outcomes.jsonl", "notes", value={"a": "b"}), "line 1 of"),
    Case("summary of numbers", run_where("summary.json", "words_changed", value="\x1b[2J"), "is damaged"),
    Case("summary of shares", run_where("summary.json", "success_rate", value={"count": 5, "of": 2}), "is damaged"),
    Case("no sessions", run_with("environment.json", b'{"sessions": [5]}'), "environment.json does not tell"),
    Case("run that names a function", run_that_names_a_function, "--victim py:evil_module:probabilities"),
    Case("study of numbers", study_of({"settings": {}, "victims": [5], "twins": {}, "sources": []}), "a study"),
    Case("rules, deep", a_file("rules.jsonl", DEEP, "rules", "show"), "invalid JSON"),
    Case(
        "rules of infinity",
        a_file("rules.jsonl", b'{"unfool_rules": 1, "labels": ["a"], "x": Infinity}', "rules", "show"),
        "finite numbers",
    ),
    Case(
        "long line of CSV", data("a.csv", long_line(b"text,label\ngood,1\n", b",0\n")), "line 3: a row of 157.3 MB"
    ),
    Case("long header", data("a.csv", long_line(b"", b"\n")), "begins with a row of 157.3 MB"),
    Case(
        "long line of JSON",
        data("a.jsonl", long_line(b'{"text": "good", "label": 1}\n{"text": "', b'"}\n')),
        "line 2: a row of 157.3 MB",
    ),
    Case(
        "quote that is not closed",
        data("a.csv", lambda: iter([b'text,label\ngood,1\n"', *[b"xxxxxxx\n" * (MEGABYTE // 8)] * 40])),
        "line 3: a row of 10.0 MB",
    ),
    Case("deep line", data("a.jsonl", DEEP), "invalid JSON"),
    Case("keys without end", data("a.jsonl", other_keys_in_each_line), "has more than 10,000 keys"),
    Case("one text a million times", parquet(one_long_text_a_million_times), "would fill more than"),
    Case("nulls without end", parquet(lambda pa: pa.nulls(100_000_000, pa.string())), "would fill more than"),
    Case("no parquet", data("a.parquet", b"PAR1" + bytes(99) + b"PAR1"), "as parquet"),
    Case("program", data("a.csv", b"\x7fELF" + bytes(range(256)) * 99), "is a program, not text"),
    Case("picture", data("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 99), "is a PNG picture, not text"),
    Case("gzip", data("a.jsonl", gzip.compress(bytes(999))), "is compressed by gzip; unpack it first"),
    Case("zeros", data("a.csv", bytes(5000)), "is not text"),
    Case("no encoding", data("a.csv", bytes(n * n % 251 for n in range(5000))), "is not text"),
    Case("file that steers", data("\x1b[2J\u202evsc.csv", b"text\n"), "\\u202evsc.csv"),
]
if sys.platform != "linux":  # where peaks of memory are told otherwise
    CASES = []
