"""Nothing leaves the machine on its own: not from the libraries behind a question, not where their tracing is switched on."""

import os
import subprocess
import sys

SCRIPT = """
import socket, sys, time

reached = []

def refuse(host, *arguments, **options):
    reached.append(str(host))
    raise OSError("no network")

socket.getaddrinfo = refuse
socket.socket.connect = lambda self, address: refuse(address)

from rag.chat import Chat
from rag.config import load_config
from tests.rag.fakes import FakeReader, FakeRetriever, ScriptedModel, choosing, passage
import rag.retriever

found = FakeRetriever(passage("Bids stay valid for ninety days."))
chat = Chat(load_config(), retriever=found, index=FakeReader(), open_model=choosing(ScriptedModel("Ninety days [1].")))
*_, finished = chat.ask("How long do bids stay valid?")
assert finished.answer.text == "Ninety days [1].", finished
time.sleep(1.5)  # what a library sends, it sends from a thread of its own
sys.exit(f"reached for {reached}" if reached else 0)
"""


def test_a_question_reaches_for_no_other_machine(tmp_path):
    tracing = {
        "LANGSMITH_TRACING": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_API_KEY": "key",
        "LANGCHAIN_API_KEY": "key",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env={**os.environ, **tracing}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
