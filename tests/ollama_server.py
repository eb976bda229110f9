"""A loopback server that speaks Ollama's HTTP protocol (tags, show, chat as NDJSON, embed), with scripted answers and faults.

The real ollama and langchain-ollama clients talk to it. Shapes follow https://github.com/ollama/ollama/blob/main/docs/api.md.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.bedrock_server import length_vector

DETAILS = {"format": "gguf", "family": "llama", "families": ["llama"], "parameter_size": "8B", "quantization_level": "Q4_0"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "OllamaServer"

    def log_message(self, *arguments) -> None:
        pass

    def do_GET(self) -> None:
        assert self.path == "/api/tags", self.path
        models = [
            {
                "name": name,
                "model": name,
                "modified_at": "2025-01-01T00:00:00Z",
                "size": 1,
                "digest": digest,
                "details": DETAILS,
            }
            for name, digest in self.server.models.items()
        ]
        self.send_json(200, {"models": models})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        with self.server.lock:
            self.server.requests.append(body)
            fault = self.server.faults.pop(0) if self.server.faults else {}
        if "status" in fault:
            return self.send_json(fault["status"], {"error": fault["error"]})
        if not {body["model"], f"{body['model']}:latest"} & set(self.server.models):
            return self.send_json(404, {"error": f"model '{body['model']}' not found"})
        if self.path == "/api/embed":
            return self.send_json(200, {"model": body["model"], "embeddings": [length_vector(t, 64) for t in body["input"]]})
        if self.path == "/api/show":
            return self.send_json(200, {"details": DETAILS, "model_info": {"nomic-bert.context_length": 2048}})
        assert self.path == "/api/chat", self.path
        self.stream(body, fault)

    def send_json(self, status: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, body: dict, fault: dict) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for number, word in enumerate(fault.get("words", self.server.words)):
                if number == fault.get("after") and self.strike(fault):
                    return
                self.send_line({"model": body["model"], "message": {"role": "assistant", "content": word}, "done": False})
                time.sleep(self.server.pause)
            last = {"done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 5, **fault.get("last", {})}
            self.send_line({"model": body["model"], "message": {"role": "assistant", "content": ""}, **last})
            self.send_chunk(b"")
            self.server.finished += 1
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up.set()

    def strike(self, fault: dict) -> bool:
        """Whether the answer ends here."""
        if "error" in fault:
            self.send_line({"error": fault["error"]})
        if "stall" in fault:
            self.server.released.wait(fault["stall"])
        if "cut" in fault:
            self.close_connection = True
            self.connection.close()
            return True
        self.send_chunk(b"")
        return True

    def send_line(self, body: dict) -> None:
        self.send_chunk(json.dumps(body).encode() + b"\n")

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


class OllamaServer(ThreadingHTTPServer):
    """`models` are those that were pulled, with their digests; `faults` are taken one a POST, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.models = {"llama3.1:8b": "sha256:abc", "nomic-embed-text:latest": "sha256:0123456789abcdef0123"}
        self.words = ["The limit ", "is ", "EUR 50,000 ", "[1]."]
        self.pause = 0.0
        self.faults: list[dict] = []
        self.requests: list[dict] = []
        self.finished = 0
        self.lock = threading.Lock()
        self.hung_up = threading.Event()
        self.released = threading.Event()

    def __enter__(self) -> "OllamaServer":
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *arguments) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()
