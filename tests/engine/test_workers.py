"""Several processes give what one gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.engine import Ask, Attack, Budget, Connection, Predictor, attack_in_workers
from unfool.errors import UserError
from unfool.text import Sample, Text

SAMPLES = labelled(BagOfWords(3), [f"film number {number} is so dull" for number in range(150)])


async def random_word(sample: Sample, ask: Ask) -> Text:
    variants = sample.text.variants(sample.text.editable, f"word{ask.random.integers(1000)}")
    answers = await ask.predict(variants)
    return variants[int(answers[:, sample.label].argmin())]


async def killed(sample: Sample, ask: Ask) -> Text:
    if sample.id == 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return sample.text


async def raises_user_error(sample: Sample, ask: Ask) -> Text:
    raise UserError("mend this")


def prepare(attack: Attack, line: Connection | None) -> tuple[Predictor, Attack]:
    return BagOfWords(3), attack


def cannot_prepare(line: Connection | None) -> tuple[Predictor, Attack]:
    raise RuntimeError("no such model")


def test_outcomes_do_not_depend_on_the_workers() -> None:
    budget = Budget(queries=9)
    steps = attack_in_workers(partial(prepare, random_word), SAMPLES, workers=2, budget=budget, seed=3, width=20)
    found = sorted((outcome for step in steps for outcome in step), key=lambda outcome: outcome.id)
    assert found == outcomes(BagOfWords(3), SAMPLES, random_word, budget=budget, seed=3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(prepare, raises_user_error), "mend this"),
        (cannot_prepare, "RuntimeError: no such model"),
        (partial(prepare, killed), "ended early"),
    ],
)
def test_a_lost_worker_is_one_line_not_a_hang(make: partial[tuple[Predictor, Attack]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(attack_in_workers(make, SAMPLES, workers=2))


def test_the_program_ends_though_nobody_takes_the_samples(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from unfool.engine import attack_in_workers\n"
        "from unfool.errors import UserError\n"
        "from unfool.text import Sample, Text\n"
        "def broken(line): raise UserError('cannot open')\n"
        "if __name__ == '__main__':\n"
        "    samples = (Sample(n, Text.of('a long text ' * 40), 0) for n in range(2000))\n"
        "    try:\n"
        "        list(attack_in_workers(broken, samples, workers=2))\n"
        "    except UserError as error:\n"
        "        print(error)\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=90, check=True)
    assert ended.stdout == "cannot open\n"


def test_children_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from unfool.engine import attack_in_workers\n"
        "from unfool.text import Sample, Text\n"
        f"here = Path({str(tmp_path)!r})\n"
        "def waits(line):\n"
        "    (here / f'{os.getpid()}.pid').touch()\n"
        "    time.sleep(600)\n"
        "if __name__ == '__main__':\n"
        "    list(attack_in_workers(waits, [Sample(0, Text.of('a'), 0)], workers=2))\n"
    )
    parent = subprocess.Popen([sys.executable, script])
    deadline = time.monotonic() + 60
    while len(children := list(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(children) == 2
    parent.kill()
    parent.wait()
    while any(Path("/proc", child.stem).exists() for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path("/proc", child.stem).exists() for child in children)
