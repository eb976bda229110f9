"""The web app that `streamlit run app.py` finds: starts what all pages share once per process, serves pages and PDFs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from ingestion.watcher import Watcher
from ui.services import services, stop_services
from ui.visitor import PageHeaders

BASE = st.get_option("server.baseUrlPath").strip("/")  # Streamlit puts it before its own routes only


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, Any]]:
    shared = await anyio.to_thread.run_sync(services)
    watcher = Watcher(shared.config, on_change=shared.refresh)
    shared.watch_problem = lambda: watcher.state.error
    watcher.start()
    yield {}
    await anyio.to_thread.run_sync(watcher.stop)
    await anyio.to_thread.run_sync(stop_services)


async def ready(request: Request) -> JSONResponse:
    """200 once questions can be answered; until then 503 with the reason. /_stcore/health only says that the server runs."""
    shared = services()
    problem = "loading" if not shared.loaded.is_set() else shared.problem or shared.index_problem()
    snapshot = shared.snapshot()
    body = {"ready": not problem, "problem": problem, "generation": snapshot.generation if snapshot else ""}
    return JSONResponse(body, status_code=503 if problem else 200)


async def document(request: Request) -> Response:
    """A PDF of the live index, by its content hash: who may search may open, and nothing else of the folder can be had."""
    snapshot = services().snapshot()
    wanted = request.path_params["sha256"]
    record = next((record for record in snapshot.files if record.sha256 == wanted), None) if snapshot else None
    path = services().document_path(record.path) if record else None
    if path is None or not path.is_file():
        return Response("This document is not in the index.", status_code=404, media_type="text/plain")
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    return FileResponse(
        path, media_type="application/pdf", filename=path.name, content_disposition_type="inline", headers=headers
    )


def route(path: str) -> str:
    return f"/{BASE}{path}" if BASE else path


routes = [Route(route("/api/ready"), ready), Route(route("/api/documents/{sha256}/{name}"), document)]
page = Path(__file__).parent / "ui" / "shell.py"
app = st.App(page, lifespan=lifespan, routes=routes, middleware=[Middleware(PageHeaders, base=BASE)])

if __name__ == "__main__":
    app.run()
