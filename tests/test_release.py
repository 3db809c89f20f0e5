"""What goes with a release: its bill of materials, and what advisories say of what it rests on."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / ".ci" / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_the_bill_names_everything_that_is_needed(tmp_path: Path) -> None:
    wheel = tmp_path / "made.whl"
    wheel.write_bytes(b"a wheel")
    first, again = run("bill.py", wheel), run("bill.py", wheel)
    assert first.returncode == 0, first.stderr
    assert first.stdout == again.stdout
    bill = json.loads(first.stdout)
    own = bill["metadata"]["component"]
    assert own["hashes"][0]["content"] == hashlib.sha256(b"a wheel").hexdigest()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[<>=]", each)[0] for each in declared}
    parts = {each["name"]: each for each in bill["components"]}
    assert names <= set(parts)
    assert "mdurl" in parts  # what is needed by what is needed
    assert not {"pytest", "torch", "dask"} & set(parts)
    known = {own["bom-ref"], *(each["bom-ref"] for each in parts.values())}
    links = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert set(links) == known
    assert {ref for refs in links.values() for ref in refs} <= known
    assert {re.split("[/@]", ref)[1] for ref in links[own["bom-ref"]]} == names
    assert parts["numpy"]["purl"] == f"pkg:pypi/numpy@{parts['numpy']['version']}"


@pytest.fixture
def source() -> Iterator[Callable[[Callable[[list[Any]], Any]], str]]:
    """Makes a database of advisories on this machine that answers so, and gives its address."""
    servers: list[HTTPServer] = []

    def made(answer: Callable[[list[Any]], Any]) -> str:
        class Database(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(answer(asked["queries"])).encode())

            def log_message(self, *_: object) -> None:
                pass

        servers.append(HTTPServer(("127.0.0.1", 0), Database))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/"

    yield made
    for server in servers:
        server.shutdown()
        server.server_close()


def test_advisories_are_told_by_package(source: Callable[..., str]) -> None:
    def answer(queries: list[Any]) -> Any:
        found = {"vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}
        return {"results": [found if q["package"]["name"] == "numpy" else {} for q in queries]}

    told = run("audit.py", source(answer))
    assert told.returncode == 1
    assert re.search(r"^numpy \S+: CVE-1, CVE-2$", told.stdout, re.MULTILINE)
    assert re.search(r"^\d+ packages checked, 1 with advisories$", told.stdout, re.MULTILINE)
    quiet = run("audit.py", source(lambda queries: {"results": [{} for _ in queries]}))
    assert quiet.returncode == 0
    assert quiet.stdout.endswith(" packages checked, 0 with advisories\n")


@pytest.mark.parametrize("answer", [{"results": []}, {}, None])
def test_half_an_answer_checks_nothing(answer: Any, source: Callable[..., str]) -> None:
    told = run("audit.py", source(lambda _: answer))
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("NOT CHECKED: ")


def test_a_database_out_of_reach_is_called_so() -> None:
    told = run("audit.py", "http://127.0.0.1:1/")
    assert (told.returncode, told.stdout) == (2, "")
    assert "NOT CHECKED: no advisories can be had from http://127.0.0.1:1/" in told.stderr
