import logging
import os
import shutil
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag import flashrank_model
from rag.config import load_config
from rag.errors import RerankerUnavailable
from rag.flashrank_model import FlashrankScorer, open_flashrank, windows
from tests.rag.tiny_reranker import HIT, MISS, write_model

NAME, FILE = "ms-marco-MiniLM-L-12-v2", "flashrank-MiniLM-L-12-v2_Q.onnx"


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch):
    monkeypatch.setattr(flashrank_model, "opened", {})


def settings(cache, **values):
    return load_config().with_values(rerank={"cache": cache, "model": NAME, **values}).rerank


@pytest.mark.model
def test_scores_texts_in_their_order_and_changes_nothing_outside(tmp_path):
    write_model(tmp_path / NAME, FILE)
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    scorer = open_flashrank(settings(tmp_path))
    texts = ["no", "yes", "no no"]
    assert scorer.score("is it yes ?", texts) == pytest.approx([MISS, HIT, MISS], abs=1e-3)
    assert texts == ["no", "yes", "no no"]
    assert scorer.score("is it", []) == []
    assert (list(logging.getLogger().handlers), logging.getLogger().level) == (handlers, level)
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == [NAME]


@pytest.mark.model
def test_a_long_text_is_scored_by_its_best_window(tmp_path):
    write_model(tmp_path / NAME, FILE)
    long = "no " * 2000 + "yes"  # far behind the 512 tokens that the model reads
    assert open_flashrank(settings(tmp_path)).score("is it", [long, "no"]) == pytest.approx([HIT, MISS], abs=1e-3)


@pytest.mark.model
def test_a_damaged_model_says_which_folder_to_delete(tmp_path):
    write_model(tmp_path / NAME, FILE)
    (tmp_path / NAME / FILE).write_bytes(b"not a model")
    with pytest.raises(RerankerUnavailable, match="delete that folder"):
        FlashrankScorer(tmp_path / NAME)


def test_windows_overlap_and_lose_nothing():
    text = " ".join(f"word{n}" for n in range(1000))
    parts = windows(text)
    assert len(parts) > 3
    assert all(len(part) <= flashrank_model.WINDOW_CHARACTERS for part in parts)
    assert {word for part in parts for word in part.split()} == set(text.split())
    assert windows("short") == ["short"]
    assert len(windows("x" * 4000)) == 4  # without a space to cut at


def test_an_unknown_model_names_the_known_ones(tmp_path):
    with pytest.raises(RerankerUnavailable, match="ms-marco-TinyBERT-L-2-v2"):
        open_flashrank(settings(tmp_path, model="my-model"))


def test_without_download_the_folder_is_named(tmp_path):
    with pytest.raises(RerankerUnavailable, match="put its files there"):
        open_flashrank(settings(tmp_path, download=False))


class Hub:
    """A model hub on the loopback interface; `asked` counts its requests."""

    def __init__(self, monkeypatch, respond) -> None:
        self.asked = 0

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler):
                self.asked += 1
                respond(handler)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        monkeypatch.setattr("flashrank.Config.model_url", f"http://127.0.0.1:{self.server.server_port}/{{}}.zip")


@pytest.fixture
def hub(monkeypatch):
    hubs = []

    def start(respond):
        hubs.append(Hub(monkeypatch, respond))
        return hubs[-1]

    yield start
    for each in hubs:
        each.server.shutdown()
        each.server.server_close()


def answering(content: bytes):
    def respond(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return respond


@pytest.mark.model
def test_a_missing_model_is_fetched_once_and_kept(tmp_path, hub):
    write_model(tmp_path / "served" / NAME, FILE)
    archive = shutil.make_archive(str(tmp_path / "model"), "zip", tmp_path / "served")
    served = hub(answering(Path(archive).read_bytes()))
    cache = tmp_path / "cache"
    assert open_flashrank(settings(cache)).score("?", ["yes"]) == pytest.approx([HIT], abs=1e-3)
    flashrank_model.opened.clear()
    open_flashrank(settings(cache))
    assert served.asked == 1
    assert [path.name for path in cache.iterdir()] == [NAME]


@pytest.mark.parametrize(
    ("model", "content", "reason"),
    [(NAME, b"no archive", "damaged"), ("ms-marco-TinyBERT-L-2-v2", b"anything", "not the published one")],
)
def test_a_wrong_archive_is_refused(tmp_path, hub, model, content, reason):
    hub(answering(content))
    with pytest.raises(RerankerUnavailable) as refused:
        open_flashrank(settings(tmp_path, model=model))
    assert reason in (tmp_path / f"{model}.failed").read_text(encoding="utf-8")
    assert reason not in str(refused.value), "that is for the log"
    assert not (tmp_path / model).exists()


def test_a_failure_is_remembered_in_the_process_and_on_disk(tmp_path, hub):
    served = hub(lambda handler: handler.send_error(404))
    for _ in range(2):
        with pytest.raises(RerankerUnavailable, match="could not be fetched"):
            open_flashrank(settings(tmp_path))
    flashrank_model.opened.clear()  # another process
    with pytest.raises(RerankerUnavailable, match="a day later"):
        open_flashrank(settings(tmp_path))
    assert served.asked == 1
    flashrank_model.opened.clear()
    old = time.time() - flashrank_model.RETRY_AFTER_SECONDS - 1
    os.utime(tmp_path / f"{NAME}.failed", (old, old))
    with pytest.raises(RerankerUnavailable, match="could not be fetched"):
        open_flashrank(settings(tmp_path))
    assert served.asked == 2


def test_a_hub_that_never_answers_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(flashrank_model, "CONNECT_SECONDS", 0.2)
    monkeypatch.setattr(flashrank_model, "DOWNLOAD_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setattr("flashrank.Config.model_url", f"http://127.0.0.1:{silent.getsockname()[1]}/{{}}.zip")
        with pytest.raises(RerankerUnavailable, match="could not be fetched"):
            open_flashrank(settings(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}.failed"]
