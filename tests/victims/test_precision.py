"""The search runs in the fastest precision that is good on a device, and what is begun in one stays in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.toy_models import save_bert
from tests.toys import BagOfWords, labelled

from unfool import devices
from unfool.attacks.parts.constrain import cosines
from unfool.data import Dataset, from_texts
from unfool.defences.evaluate import Evaluation, evaluate
from unfool.devices import Half, measured_half, runs_in_half
from unfool.engine import Ask, Budget, Floats, Goal, Later, Oracle, attack_samples, run_together
from unfool.errors import UserError
from unfool.job import attack
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.transfer import study
from unfool.victims import Ensemble, Options, Transformer, open_victim, searches_in_half

FAST, SLOW, BAD = Half(4.0, 0.003), Half(0.9, 0.003), Half(4.0, 0.2)
Measured = Callable[[Half], None]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measured:
    """What this machine's bfloat16 is like."""
    return lambda half: monkeypatch.setattr(devices, "measured_half", lambda device: half)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def data(folder: Path) -> Dataset:
    texts = [f"a {word} film and the plot is {other}" for word in ("good", "dull") for other in ("lovely", "awful")]
    victim = Transformer(str(folder), device="cpu")
    labels = victim.confirm([(text,) for text in texts]).values.argmax(1).tolist()
    return from_texts(texts, labels, names=victim.labels)


def attacked(
    folder: Path, data: Dataset, out: Path | None, dtype: str = "auto", *, defence: str = "", **more: Any
) -> Run:
    options = Options("cpu", dtype)
    return attack(f"{defence}hf:{folder}", data, "key:draws=3", out=out, options=options, progress=False, **more)


def test_this_machine_says_how_good_it_is_at_half_precision() -> None:
    found = measured_half(torch.device("cpu"))
    assert found.times > 0
    assert 0 < found.error < 0.1, "products in bfloat16 have eight bits, no fewer"


def test_what_reads_vectors_in_full_precision_does_not_say_otherwise(folder: Path) -> None:
    half = Options("cpu", "bf16")
    assert searches_in_half(open_victim(f"smooth:hf:{folder}", half))
    assert searches_in_half(Ensemble([open_victim(f"smooth:hf:{folder}", half)]))
    assert not searches_in_half(open_victim(f"five:hf:{folder}", half))


@pytest.mark.parametrize(("half", "expected"), [(FAST, True), (SLOW, False), (BAD, False)])
def test_auto_is_half_where_that_is_fast_and_good(half: Half, expected: bool, measured: Measured) -> None:
    measured(half)
    place = torch.device("cpu")
    assert runs_in_half("auto", place) is expected
    assert (runs_in_half("bf16", place), runs_in_half("fp32", place)) == (True, False)


def test_auto_is_the_default_and_full_precision_on_a_slow_machine(folder: Path, measured: Measured) -> None:
    assert Options().dtype == "auto"
    measured(SLOW)
    assert not open_victim(f"hf:{folder}").approximate
    measured(FAST)
    assert open_victim(f"hf:{folder}", Options("cpu")).approximate


@pytest.mark.parametrize(("begun", "later"), [(FAST, SLOW), (SLOW, FAST)])
def test_a_resumed_run_keeps_its_precision(
    begun: Half, later: Half, folder: Path, data: Dataset, tmp_path: Path, measured: Measured
) -> None:
    measured(begun)
    first = attacked(folder, data, tmp_path / "run")
    assert first.config["approximate"] is (begun is FAST)
    measured(later)
    goes_on(first, data, partial(attacked, folder))
    named = "bf16" if begun is SLOW else "fp32"
    with pytest.raises(UserError, match="the search was in"):
        attacked(folder, data, tmp_path / "run", named, resume=True)


@pytest.mark.parametrize(
    ("defence", "eot"), [("smooth[copies=2]:", 1), ("smooth[copies=2]:", 2), ("fuse[words=1]:", 2)]
)
def test_what_is_begun_around_a_net_in_half_precision_goes_on_so(
    defence: str, eot: int, folder: Path, data: Dataset, tmp_path: Path
) -> None:
    again = partial(attacked, folder, defence=defence, eot=eot)
    first = again(data, tmp_path / "run", "bf16")
    assert first.config["approximate"] is True
    goes_on(first, data, again)


def goes_on(first: Run, data: Dataset, attacked: Callable[..., Run]) -> None:
    """Forget all but two outcomes of a run and go on with it, no precision named."""
    log = first.folder / "outcomes.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    resumed = attacked(data, first.folder, resume=True)
    assert resumed.config == first.config
    assert len(resumed) == len(data)


def test_a_resumed_run_keeps_its_precision_in_the_usual_folder(
    folder: Path, data: Dataset, tmp_path: Path, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    measured(FAST)
    first = attacked(folder, data, None)
    measured(SLOW)
    resumed = attacked(folder, data, None, resume=True)
    assert resumed.folder == first.folder
    assert resumed.config["approximate"] is True
    with pytest.raises(UserError, match="the search was in"):
        attacked(folder, data, None, "fp32", resume=True)


def test_shards_are_in_full_precision_unless_another_is_named(
    folder: Path, data: Dataset, tmp_path: Path, measured: Measured
) -> None:
    measured(FAST)
    assert not attacked(folder, data, tmp_path / "auto", shard="1/2").config["approximate"]
    assert attacked(folder, data, tmp_path / "named", "bf16", shard="1/2").config["approximate"]


def test_a_resumed_study_keeps_its_precision(folder: Path, data: Dataset, tmp_path: Path) -> None:
    def studied(dtype: str) -> str:
        study(
            [f"hf:{folder}"],
            data,
            "key:draws=3",
            out=tmp_path,
            options=Options("cpu", dtype),
            resume=dtype == "auto",
            progress=False,
        )
        found: str = json.loads((tmp_path / "study.json").read_text())["settings"]["dtype"]
        return found

    assert (studied("fp32"), studied("auto")) == ("fp32", "fp32")


@pytest.mark.parametrize(("begun", "later"), [(FAST, SLOW), (SLOW, FAST)])
def test_a_resumed_evaluation_keeps_its_precision(
    begun: Half, later: Half, folder: Path, data: Dataset, tmp_path: Path, measured: Measured
) -> None:
    def evaluated(dtype: str = "auto", resume: bool = False) -> Evaluation:
        options = Options("cpu", dtype)
        return evaluate(
            f"hf:{folder}", data, ["key:draws=3"], out=tmp_path, options=options, resume=resume, progress=False
        )

    def searches() -> set[bool]:
        return {bool(Run.open(place).config["approximate"]) for place in (tmp_path / "runs").iterdir()}

    measured(begun)
    first = evaluated()
    assert searches() == {begun is FAST}
    for made in (*tmp_path.glob("*.json"), *(tmp_path / "runs").glob("*/summary.json")):
        if made.name != "evaluation.json":
            made.unlink()
    measured(later)
    assert evaluated(resume=True).attacks == first.attacks
    assert searches() == {begun is FAST}
    with pytest.raises(UserError, match="precision"):
        evaluated("bf16" if begun is SLOW else "fp32", resume=True)


class Near:
    """An encoder whose cosines with ``here`` are given, and in its quick form all a little lower."""

    def __init__(self, cosines: dict[str, float], off: float = 0.0) -> None:
        self._cosines, self._off = cosines, off
        self.asked: list[str] = []
        self.quick: Near = Near(cosines, 0.005) if not off else self

    def launch(self, requests: Sequence[Sequence[str]]) -> Later[list[Floats]]:
        self.asked += [string for strings in requests for string in strings]
        return Later.of([np.array([*map(self._vector, strings)], np.float32) for strings in requests])

    def _vector(self, string: str) -> tuple[float, float]:
        cosine = self._cosines.get(string, 1.0)
        cosine -= self._off * (cosine < 1)
        return cosine, float(np.sqrt(1 - cosine**2))


class Hurried(BagOfWords):
    """A victim whose search is in half precision."""

    approximate = True


def test_only_cosines_near_what_decides_are_asked_at_full_precision() -> None:
    encoder: Any = Near({"clear": 0.95, "close": 0.803, "low": 0.5})
    pairs = [("here", word) for word in ("clear", "close", "low")]
    ask = Ask(Sample(0, Text.of("a film"), 0), Oracle(Hurried()), Goal(), Budget(), 0)

    def asked() -> list[float]:
        ((found,),) = run_together([cosines(ask, encoder, pairs, 0.8)], 1)
        return [round(cosine, 3) for cosine in found.tolist()]

    assert asked() == [0.945, 0.803, 0.495]
    assert encoder.asked == ["here", "close"]
    ask.deciding = True
    assert asked() == [0.95, 0.803, 0.5]


def test_a_constraint_that_decides_is_asked_at_full_precision() -> None:
    told = list[bool]()

    async def constraint(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
        told.append(ask.approximate)
        return [True] * len(texts)

    async def recipe(sample: Sample, ask: Ask) -> Text:
        text = sample.text.replace(0, "awful")
        assert await ask.permitted(text) == [0]
        return text

    samples = labelled(Hurried(), ["a good film"])
    assert [*attack_samples(Hurried(), samples, recipe, constraints=[constraint])]
    assert told == [True, False]
