"""A desk that is served by a process of its own, as people start it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.program import command


@dataclass
class Served:
    """The process and the links that it told, by assessor."""

    process: subprocess.Popen[str]
    links: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it listens: host and port."""
        return urlsplit(next(iter(self.links.values()))).netloc

    def told(self) -> str:
        """The next line that it says."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().rstrip("\n")


@contextmanager
def served(*arguments: object, assessors: tuple[str, ...] = ("ada",)) -> Iterator[Served]:
    """`tseval assess ARGUMENTS` for as long as the block takes."""
    named = [part for name in assessors for part in ("--assessor", name)]
    process = subprocess.Popen(
        command("assess", *arguments, *named, "--port", "0"), stderr=subprocess.PIPE, text=True
    )
    found = Served(process)
    try:
        for _ in range(len(assessors)):
            name, _, link = found.told().partition(": ")
            found.links[name] = link
        yield found
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        finally:
            process.kill()
            assert process.stderr is not None
            process.stderr.close()


@dataclass
class Visitor:
    """Somebody without a browser, who may lie about everything."""

    address: str
    cookie: str = ""

    def ask(
        self,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        method: str | None = None,
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of a request; one with a body comes from the desk's own page."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        sent = {"Cookie": self.cookie} if self.cookie else {}
        if body is not None:
            sent["Origin"] = f"http://{self.address}"
        sent |= dict(headers or {})
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method or ("GET" if body is None else "POST"), path, content, sent)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def enter(self, link: str) -> int:
        """Open a link and keep its cookie; the status."""
        parts = urlsplit(link)
        status, headers, _ = self.ask(f"{parts.path}?{parts.query}")
        self.cookie = headers.get("set-cookie", "").partition(";")[0]
        return status

    def get(self, path: str) -> Any:
        """What a request shows."""
        status, _, content = self.ask(path)
        assert status == 200, content
        return json.loads(content)

    def post(self, path: str, body: Any) -> Any:
        """What a request does."""
        status, _, content = self.ask(path, body)
        assert status == 200, content
        return json.loads(content)
