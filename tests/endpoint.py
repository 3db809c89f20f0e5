"""A server on 127.0.0.1 that answers like a language model, and misbehaves when it is told to.

It reads what it is shown: a nugget is supported if the update has all its words, and partly if it
has some. So its answers can be told beforehand, whatever else is asked in the same call.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORD = re.compile(r"\w+")
SCORES = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def label(update: str, nugget: str) -> str:
    said, wanted = (set(WORD.findall(text.lower())) for text in (update, nugget))
    return ("support" if wanted <= said else "partial_support") if wanted & said else "not_support"


class Call:
    """One request, as it came."""

    def __init__(self, body: dict[str, Any], headers: dict[str, str]) -> None:
        self.body, self.headers, self.at = body, headers, time.monotonic()
        lines = body["messages"][-1]["content"].splitlines()
        self.update: str = json.loads(lines[lines.index("Update:") + 1])
        facts = [line.partition(": ") for line in lines if re.match(r"\d+: ", line)]
        self.nuggets: list[str] = [json.loads(text) for _, _, text in facts]

    @property
    def labels(self) -> list[str]:
        return [label(self.update, nugget) for nugget in self.nuggets]

    @property
    def numbered(self) -> dict[str, str]:
        return {str(number): each for number, each in enumerate(self.labels, 1)}


Reply = Callable[[Call], dict[str, Any]]
"""What a misbehaviour sends: `status`, `headers`, `body` (JSON or bytes), `sleep`, `cut`."""


def completion(
    content: Any, finish: str = "stop", model: str = "reader-2026", **message: Any
) -> dict[str, Any]:
    """A reply in the form of the protocol."""
    told = {"role": "assistant", "content": content, **message}
    return {
        "body": {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "finish_reason": finish, "message": told}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    }


def well(call: Call) -> dict[str, Any]:
    """A good answer."""
    return completion(json.dumps(call.numbered))


class Endpoint:
    """The server: what it was asked, and what it does next."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.next: list[Reply] = []
        """How the next calls are answered, one each; then `always`."""
        self.always: Reply = well
        self.most = self.now = 0
        """The most calls at the same time."""
        self.lock = threading.Lock()
        self.url = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(call.update, nugget) for call in self.calls for nugget in call.nuggets]

    def take(self, call: Call) -> dict[str, Any]:
        with self.lock:
            self.calls.append(call)
            self.now += 1
            self.most = max(self.most, self.now)
            reply = self.next.pop(0) if self.next else self.always
        try:
            return reply(call)
        finally:
            with self.lock:
                self.now -= 1


@contextmanager
def serving() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = endpoint.take(Call(body, {k.lower(): v for k, v in self.headers.items()}))
            content = told.get("body", b"")
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(told.get("status", 200))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in told.get("headers", {}).items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(data[: len(data) // 2] if told.get("cut") else data)
            except OSError:
                self.close_connection = True
            if told.get("cut"):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
