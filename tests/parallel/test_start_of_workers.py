"""What a worker process finds when it starts: packages imported already, and the caller's surroundings of now."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from unfool.parallel import Workers


def surroundings(shared: None, name: str) -> str | None:
    return os.environ.get(name)


def is_imported(shared: None, name: str) -> bool:
    return name in sys.modules


def test_workers_have_the_variables_that_the_caller_has_now(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("before", "after"):
        monkeypatch.setenv("UNFOOL_TEST_OF_WORKERS", value)
        with Workers(2, None) as workers:
            done = workers.do(surroundings, ["UNFOOL_TEST_OF_WORKERS", "UNFOOL_TEST_OF_NOTHING"])
            assert {each.job: each.result for each in done} == {
                "UNFOOL_TEST_OF_WORKERS": value,
                "UNFOOL_TEST_OF_NOTHING": None,
            }


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_what_the_caller_has_imported_no_worker_imports_again() -> None:
    pytest.importorskip("torch")
    code = (
        "import torch\n"
        "from tests.parallel.test_start_of_workers import is_imported\n"
        "from unfool.parallel import Workers\n"
        "with Workers(2, None) as workers:\n"
        "    print(sorted((done.job, done.result) for done in workers.do(is_imported, ['torch', 'sklearn'])))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[('sklearn', False), ('torch', True)]"
