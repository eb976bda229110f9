"""The real app in a process of its own, with documents and an index of its own, and a Chromium that looks at it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rag.config import PROJECT
from tests.ollama_server import OllamaServer
from tests.pdfs import HEIGHT, text_at, write_pdf

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
START_SECONDS = 120
SLOW = 30_000  # milliseconds; what the app may take on a machine that is busy with other things

expect.set_options(timeout=SLOW)


@dataclass
class RunningApp:
    url: str
    documents: Path
    index: Path


def rules(title: str, *sections: tuple[str, tuple[str, ...]]):
    """A page that looks like a policy: a title, numbered headings, numbered clauses."""

    def draw(canvas):
        text_at(canvas, 72, HEIGHT - 90, [title], size=20, font="Helvetica-Bold")
        y = HEIGHT - 140
        for heading, lines in sections:
            text_at(canvas, 72, y, [heading], size=14, font="Helvetica-Bold")
            text_at(canvas, 72, y - 28, lines, size=11, leading=16)
            y -= 60 + 16 * len(lines)

    return draw


def write_documents(folder: Path) -> None:
    folder.mkdir(parents=True)
    write_pdf(
        folder / "Purchasing_Rules.pdf",
        rules(
            "Purchasing Rules",
            (
                "1 Quotations",
                (
                    "1.1 One quotation is enough for a purchase of up to USD 5,000.",
                    "1.2 Three written quotations are required for every purchase above USD 5,000",
                    "and up to USD 50,000.",
                    "1.3 Quotations are kept in the purchase file for seven years.",
                ),
            ),
        ),
        rules(
            "Tenders",
            (
                "2 Open tender",
                (
                    "2.1 An open tender is published for every purchase above USD 50,000.",
                    "2.2 Bids for an open tender are received for at least 21 calendar days.",
                ),
            ),
        ),
    )
    write_pdf(
        folder / "Travel_Rules.pdf",
        rules("Travel Rules", ("1 Hotels", ("1.1 Hotel rooms are paid up to USD 180 a night, breakfast included.",))),
    )


def write_parking_rules(folder: Path) -> Path:
    clause = "1.1 A parking permit costs USD 35 a month and is ordered from Facility Services."
    return write_pdf(folder / "Parking_Rules.pdf", rules("Parking Rules", ("1 Permits", (clause,))))


@contextmanager
def running_app(folder: Path, *, backend: str, ollama: str = "http://127.0.0.1:9") -> Iterator[RunningApp]:
    """`streamlit run app.py` as a user starts it, with its folders under `folder`; yields when questions can be answered."""
    settings = (PROJECT / "config.toml").read_text(encoding="utf-8")
    for name, value in {
        "directory": folder / "documents",
        "index": folder / "index",
        "database": f"sqlite:///{folder}/history.sqlite",
        "backend": backend,
        "file": PROJECT / "glossary" / "glossary.csv",
    }.items():
        pattern = rf'^{name} = "(?:extractive|auto|data|index|sqlite[^"]*|glossary[^"]*)"'
        settings, changed = re.subn(pattern, f'{name} = "{value}"', settings, flags=re.MULTILINE)
        assert changed == 1, f"config.toml has no setting {name} to replace"
    settings = settings.replace("download = true", "download = false")
    (folder / "config.toml").write_text(settings, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "PROCUREMENT_CONFIG": str(folder / "config.toml"), "OLLAMA_HOST": ollama}
    with (folder / "app.log").open("w") as log:
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(process, url, folder / "app.log")
            yield RunningApp(url, folder / "documents", folder / "index")
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_until_ready(process: subprocess.Popen, url: str, log: Path) -> None:
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/api/ready", timeout=5) as answer:
                if json.load(answer)["ready"]:
                    return
        except (OSError, ValueError):
            pass  # not there yet, or 503 while it loads and indexes
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"The app did not become ready:\n{log.read_text()}")


@pytest.fixture(scope="session")
def app(tmp_path_factory) -> Iterator[RunningApp]:
    """Answers without a language model; indexes its documents when it starts."""
    folder = tmp_path_factory.mktemp("app")
    write_documents(folder / "documents")
    with running_app(folder, backend="extractive") as running:
        yield running


@pytest.fixture(scope="session")
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer() as server:
        yield server


@pytest.fixture(scope="session")
def model_app(app, ollama, tmp_path_factory) -> Iterator[RunningApp]:
    """The same documents, answered by a language model that says what the test lets it say."""
    folder = tmp_path_factory.mktemp("model_app")
    shutil.copytree(app.documents, folder / "documents")
    shutil.copytree(app.index, folder / "index")
    with running_app(folder, backend="ollama", ollama=ollama.url) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """`open_page(url, width=…)`: a visitor of their own; afterwards no request may have left this machine or failed."""
    contexts, requests, failed = [], [], []

    def open_page(url: str, *, width: int = 1280, height: int = 900) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        context.on("request", lambda request: requests.append(request.url))
        context.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
        page = context.new_page()
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    foreign = [url for url in requests if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))]
    assert requests
    assert foreign == []
    assert failed == []
