"""Hub ids, through the real `datasets` library, with a local folder or a local server for the hub."""

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.data.conftest import Write

from unfool import data
from unfool.data.hub import open_hub
from unfool.errors import UserError

datasets = pytest.importorskip("datasets")
hub_constants = pytest.importorskip("huggingface_hub.constants")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def test_a_split_comes_with_its_columns_and_label_names() -> None:
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    for split, texts in {"train": ["a"], "test": ["b", "c"]}.items():
        rows = datasets.Dataset.from_dict({"text": texts, "label": [1] * len(texts)}, features)
        rows.to_parquet(f"films/{split}.parquet")

    source, split = open_hub("films", None)
    assert split == "test"
    assert source.columns == ("text", "label")
    assert source.class_names == {"label": ("neg", "pos")}
    rows = source.read(["text"], "label")
    assert rows.texts[0].to_pylist() == ["b", "c"]
    assert rows.labels.to_pylist() == ["1", "1"]
    assert rows.lines.tolist() == [1, 2]

    assert open_hub("films", "train")[1] == "train"
    with pytest.raises(UserError, match="'films' has no split 'dev'; there is train, test"):
        open_hub("films", "dev")

    assert data.load("films").labels == ("neg", "pos")  # the same names from the file itself


def test_a_configuration_is_named_after_a_colon(write: Write) -> None:
    configs = (b"- config_name: %s\n  data_files: %s.csv\n" % (name, name) for name in (b"one", b"two"))
    write("glue/README.md", b"---\nconfigs:\n" + b"".join(configs) + b"---\n")
    write("glue/one.csv", b"text,label\nfirst,0\n")
    write("glue/two.csv", b"text,label\nsecond,0\n")
    source, split = open_hub("glue:two", None)
    assert split == "train"
    assert source.read(["text"], "label").texts[0].to_pylist() == ["second"]
    with pytest.raises(UserError, match="'glue' cannot be loaded: Config name is missing"):
        open_hub("glue", None)


def test_a_hub_out_of_reach_is_one_line(monkeypatch: pytest.MonkeyPatch, no_sets_at_hand: Path) -> None:
    (no_sets_at_hand / "films.csv").write_text("text,label\na,0\n")
    monkeypatch.setattr(hub_constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(UserError) as refused:
        data.load("filns")
    message = str(refused.value)
    assert message.startswith(
        f"there is no file or folder 'filns' here or in '{no_sets_at_hand}' (UNFOOL_DATA), and"
    )
    assert "the hub cannot be reached" in message
    assert message.endswith("; did you mean 'films'?")
    assert "\n" not in message


@pytest.fixture
def hub_without_sets() -> Iterator[str]:
    class NotFound(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), NotFound)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_name_the_hub_does_not_know_is_one_line(monkeypatch: pytest.MonkeyPatch, hub_without_sets: str) -> None:
    monkeypatch.setattr(hub_constants, "ENDPOINT", hub_without_sets)
    with pytest.raises(
        UserError, match=r"no file or folder 'films' .*, and the hub has no such data set; there is movie"
    ):
        data.load("films")


def test_offline_only_the_cache_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="the hub's data set 'films' cannot be loaded: Couldn't reach 'films'"):
        data.load("films")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    said = r"no file or folder 'films' .*, and looking on the hub needs datasets: pip install 'unfool\[hub\]'"
    with pytest.raises(UserError, match=said):
        data.load("films")
