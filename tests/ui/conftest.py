"""The app's pages without a server: one Services for a test, with a scripted chat and an index of one document."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import ui.services
from rag.config import load_config
from tests.ui.fakes import FakeChat, FakeReader

SHELL = Path(__file__).parents[2] / "ui" / "shell.py"


@pytest.fixture
def config(tmp_path):
    (tmp_path / "documents").mkdir()
    config = load_config(documents=tmp_path / "documents", index=tmp_path / "index")
    return config.with_values(
        history={"database": f"sqlite:///{tmp_path}/history.sqlite"}, glossary={"file": tmp_path / "glossary.csv"}
    )


@pytest.fixture
def start(config, monkeypatch):
    """Starts the services of a test: `start(chat=…, reader=…)`."""
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def start(chat=None, reader=None, **ui_settings):
        chat, reader = chat or FakeChat(), reader or FakeReader()
        changed = config.with_values(ui=ui_settings)
        ui.services.started = ui.services.Services(changed, load=lambda _: (chat, reader))
        assert ui.services.started.loaded.wait(10)
        return ui.services.started

    yield start
    ui.services.stop_services()
    st.cache_data.clear()


@pytest.fixture
def open_app():
    """A page as a new visitor sees it: `open_app(chat=…)` for the query parameters, `page=` for another page."""

    def open_app(page="", **query_params):
        app = AppTest.from_file(str(SHELL), default_timeout=30)
        for name, value in query_params.items():
            app.query_params[name] = value
        app.run()
        if page:
            app.switch_page(page).run()
        assert not app.exception
        return app

    return open_app
