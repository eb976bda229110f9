"""A loopback server that speaks Bedrock's wire protocol (ConverseStream, InvokeModel), with scripted answers and faults.

The real boto3 and langchain-aws talk to it. Frames follow the AWS event-stream encoding:
https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream
"""

import json
import re
import struct
import threading
import time
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STATUS = {
    "ThrottlingException": 429, "ValidationException": 400, "AccessDeniedException": 403, "ExpiredTokenException": 403,
    "UnrecognizedClientException": 403, "ResourceNotFoundException": 404, "ModelTimeoutException": 408,
    "ServiceUnavailableException": 503,
}  # fmt: skip


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """Total length, headers length, checksum of both; headers; payload; checksum of all before."""
    head = b"".join(
        struct.pack("!B", len(name)) + name.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack("!II", 16 + len(head) + len(payload), len(head))
    before = prelude + struct.pack("!I", zlib.crc32(prelude)) + head + payload
    return before + struct.pack("!I", zlib.crc32(before))


def event(name: str, body: dict) -> bytes:
    return frame(
        {":event-type": name, ":content-type": "application/json", ":message-type": "event"}, json.dumps(body).encode()
    )


def exception(name: str, body: dict) -> bytes:
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps(body).encode())


def text_delta(text: str) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}})


def reasoning_delta(text: str) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": text}}})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "BedrockServer"

    def log_message(self, *arguments) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        match = re.fullmatch(r"/model/(.+)/(converse-stream|invoke)", path)
        assert match, path
        with self.server.lock:
            self.server.requests.append(body)
            fault = self.server.faults.pop(0) if self.server.faults else {}
        if "http" in fault:
            code, message = fault["http"]
            return self.send_json(STATUS[code], {"message": message}, {"x-amzn-ErrorType": f"{code}:http://amazon.com/"})
        if match[2] == "invoke":
            return self.send_json(200, self.server.embed(match[1], body))
        self.stream(fault)

    def send_json(self, status: int, body: dict, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, fault: dict) -> None:
        """The scripted words, one event each; a fault strikes after `after` of them."""
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.amazon.eventstream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self.send_chunk(event("messageStart", {"role": "assistant"}))
            for word in fault.get("thinking", ()):
                self.send_chunk(reasoning_delta(word))
            for number, word in enumerate(self.server.words):
                if number == fault.get("after") and self.strike(fault):
                    return
                self.send_chunk(text_delta(word))
                time.sleep(self.server.pause)
            self.send_chunk(event("contentBlockStop", {"contentBlockIndex": 0}))
            self.send_chunk(event("messageStop", {"stopReason": fault.get("stop", "end_turn")}))
            self.send_chunk(
                event("metadata", {"usage": {"inputTokens": 9, "outputTokens": 5, "totalTokens": 14}, "metrics": {}})
            )
            self.send_chunk(b"")
            self.server.finished += 1
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up.set()

    def strike(self, fault: dict) -> bool:
        """Whether the answer ends here."""
        if "exception" in fault:
            self.send_chunk(exception(*fault["exception"]))
        if "stall" in fault:
            self.server.released.wait(fault["stall"])
        if "cut" in fault:
            self.close_connection = True
            self.connection.close()
            return True
        self.send_chunk(b"")
        return True

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


class BedrockServer(ThreadingHTTPServer):
    """`faults` are taken one a request, in order; `requests` are the bodies received."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.words = ["The limit ", "is ", "EUR 50,000 ", "[1]."]
        self.pause = 0.0
        self.faults: list[dict] = []
        self.requests: list[dict] = []
        self.finished = 0
        self.lock = threading.Lock()
        self.hung_up = threading.Event()  # a client closed its connection before the end
        self.released = threading.Event()  # ends a stall

    def embed(self, model: str, body: dict) -> dict:
        """A vector of a text: its number of characters first, then zeros."""
        if "titan" in model:
            return {"embedding": length_vector(body["inputText"], body.get("dimensions", 1024)), "inputTextTokenCount": 1}
        size = body.get("output_dimension", 1024)
        vectors = [length_vector(text, size) for text in body["texts"]]
        return {"embeddings": {"float": vectors} if "embedding_types" in body else vectors}

    def __enter__(self) -> "BedrockServer":
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *arguments) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()


def length_vector(text: str, size: int) -> list[float]:
    """Points to the text's length: 3 characters, third place."""
    return [2.0 if place == len(text) % size else 0.0 for place in range(size)]
