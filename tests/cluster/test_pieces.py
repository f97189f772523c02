"""What jobs on other machines read and write, and what they may ask of a node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster import jobs
from tests.cluster.conftest import Nodes

from unfool.parallel import Cause, Folder, Workers, cluster_told, on_cluster, on_this_machine, works_here

pytestmark = pytest.mark.cluster


@pytest.fixture
def connected(standing: Nodes) -> Iterator[Nodes]:
    with on_cluster(standing.address):
        yield standing


def test_what_a_job_writes_comes_back_and_what_is_there_goes_with_it(connected: Nodes, tmp_path: Path) -> None:
    def made(name: str) -> list[Path]:
        return [tmp_path / "made" / name]

    names = ["a", "b", "c", "d"]
    for times in (1, 2):
        with Workers(3, tmp_path, folders=[Folder(tmp_path)]) as workers:
            done = {each.job: each.result for each in workers.do(jobs.write, names, pieces=made)}
        assert done == {name: tmp_path / "made" / name for name in names}
        assert {path.name: len(path.read_text()) for path in (tmp_path / "made").iterdir()} == dict.fromkeys(
            names, times
        )
    assert {path.name for path in tmp_path.iterdir()} == {"made"}
    assert cluster_told().startswith("3 nodes, jobs a minute: ")


def test_what_a_job_left_before_it_failed_is_kept(connected: Nodes, tmp_path: Path) -> None:
    with Workers(2, tmp_path, folders=[Folder(tmp_path)]) as workers:
        found = workers.do(jobs.stumble, ["user", "bug"], pieces=lambda name: [tmp_path / "made" / name])
        done = {each.job: each.problem for each in found}
    assert done["user"]
    assert done["bug"]
    assert (done["user"].cause, str(done["user"])) == (Cause.USER_ERROR, "the user said so")
    assert (done["bug"].cause, str(done["bug"])) == (Cause.BUG, "ValueError: nobody thought of this")
    assert "in stumble" in done["bug"].traceback
    assert {path.name for path in (tmp_path / "made").iterdir()} == {"user", "bug"}


def test_a_model_goes_from_cache_to_cache_and_never_over_another(
    standing: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    monkeypatch.setenv("UNFOOL_OTHER_HOME", str(there))
    (here / "mine").mkdir(parents=True)
    (here / "mine" / "weights").write_text("made here")
    (there / "both").mkdir(parents=True)
    (there / "both" / "weights").write_text("made there")
    (here / "both").mkdir()
    (here / "both" / "weights").write_text("made here")
    with on_cluster(standing.address), Workers(2, None, folders=[Folder(here, jobs.home)]) as workers:
        found = workers.do(jobs.train, ["mine", "both", "new"], pieces=lambda name: [here / name])
        assert {each.job: each.result for each in found} == {name: here / name for name in ("mine", "both", "new")}
    assert (there / "mine" / "weights").read_text() == "made here"
    assert (there / "both" / "weights").read_text() == "made there"
    assert (here / "both" / "weights").read_text() == "made here"
    assert (here / "new" / "weights").read_text() == (there / "new" / "weights").read_text()


def test_a_job_that_ends_its_worker_every_time_has_no_result_and_the_others_have(connected: Nodes) -> None:
    with Workers(2, None) as workers:
        done = {each.job: each for each in workers.do(jobs.end, ["first", "fatal", "last"])}
    assert done["first"].result == "first"
    assert done["last"].result == "last"
    assert done["fatal"].problem
    assert done["fatal"].problem.cause is Cause.ENDED_EARLY


def test_jobs_that_need_a_gpu_share_the_ones_there_are(nodes: Nodes) -> None:
    nodes.add(num_cpus=2, num_gpus=1)
    with on_cluster(nodes.address):
        with Workers(2, None, device="cuda") as workers:
            found = [each.result for each in workers.do(jobs.where, [1.0, 1.0])]
        assert [gpus for gpus, _ in filter(None, found)] == [[0], [0]]
        assert len({process for _, process in filter(None, found)}) == 2
        with Workers(2, None, device="cpu") as workers:
            found = [each.result for each in workers.do(jobs.where, [0.0, 0.0])]
        assert [gpus for gpus, _ in filter(None, found)] == [[], []]


def test_work_can_stay_on_this_machine(connected: Nodes) -> None:
    assert not works_here(1)
    with on_this_machine():
        assert works_here(1)
    assert not works_here(1)
