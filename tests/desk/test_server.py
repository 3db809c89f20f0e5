"""The desk over its server: who may come in, what is shown to whom, and what is refused."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.desk.making import files, made
from tests.desk.serving import Served, Visitor, served
from tests.program import tseval
from tseval.desk.access import AccessControl, host_names, is_name
from tseval.desk.store import Store

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def desk(folder: Path) -> Iterator[Served]:
    runs, nuggets = files(folder)
    store = folder / "desk.tseval"
    with served(
        *runs, nuggets, "--store", store, "--double", "1", assessors=("ada", "ben", "cy")
    ) as running:
        yield running


@pytest.fixture(scope="module")
def people(desk: Served) -> dict[str, Visitor]:
    found = {}
    for name, link in desk.links.items():
        found[name] = Visitor(desk.address)
        assert found[name].enter(link) == 303
    return found


class TestDoor:
    def test_a_link_works_once(self, desk: Served, people: dict[str, Visitor]) -> None:
        assert people["ada"].ask("/")[0] == 200
        late = Visitor(desk.address)
        assert late.enter(desk.links["ada"]) == 403
        assert late.cookie == ""
        assert late.ask("/")[0] == 401
        assert late.ask("/api/next")[0] == 401
        assert late.ask("/api/save", {})[0] == 401

    def test_a_stranger_makes_the_program_tell_new_links(self, desk: Served) -> None:
        time.sleep(2.1)  # before that none are told
        for _ in range(5):
            assert Visitor(desk.address).ask("/")[0] == 401
        while not (line := desk.told()).startswith("ada: "):
            pass
        fresh = Visitor(desk.address)
        assert fresh.enter(line.removeprefix("ada: ")) == 303
        assert fresh.ask("/")[0] == 200

    def test_the_cookie_is_for_this_page_alone(self, folder: Path) -> None:
        with served("--store", folder / "desk.tseval") as second:
            parts = second.links["ada"].partition("/enter")
            status, headers, _ = Visitor(second.address).ask(parts[1] + parts[2])
        assert status == 303
        assert "HttpOnly" in headers["set-cookie"]
        assert "SameSite=lax" in headers["set-cookie"]
        assert f"desk-{second.address.rpartition(':')[2]}=" in headers["set-cookie"]

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Host": "evil.example", "Origin": "http://evil.example"},
            {"Host": "evil.example"},
            {"Origin": "https://127.0.0.1"},
        ],
        ids=str,
    )
    def test_a_write_from_elsewhere_is_refused(
        self, people: dict[str, Visitor], headers: dict[str, str]
    ) -> None:
        status, _, content = people["ada"].ask("/api/undo", {}, headers)
        assert status == 403
        assert b"does not come from the desk" in content

    def test_a_write_that_does_not_say_where_from_is_refused(
        self, people: dict[str, Visitor]
    ) -> None:
        assert people["ada"].ask("/api/undo", b"{}", {"Origin": ""})[0] == 403

    def test_another_name_for_this_machine_is_no_way_in(self, people: dict[str, Visitor]) -> None:
        for path in ("/", "/api/next", "/desk.js", "/desk.css"):
            assert people["ada"].ask(path, headers={"Host": "rebound.example:80"})[0] == 403

    def test_every_answer_forbids_all_that_is_not_its_own(self, people: dict[str, Visitor]) -> None:
        for path in ("/", "/nuggets", "/desk.js", "/api/next", "/api/nix", "/enter"):
            _, headers, _ = people["ada"].ask(path)
            if path == "/api/nix":
                continue  # the framework's own "Not Found", plain text
            assert headers["content-security-policy"].startswith("default-src 'none'; ")
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"

    def test_only_a_password_opens_other_addresses(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "word").write_text("open sesame\n")
        store = folder / "desk.tseval"
        asked = ("--host", "127.0.0.1", "--password-file", tmp_path / "word")
        with served("--store", store, *asked, assessors=()) as running:
            address = running.told().split()[0].removeprefix("http://")
            visitor = Visitor(address)
            assert b'type="password"' in visitor.ask("/")[2]
            wrong = b"name=dot&password=open"
            assert visitor.ask("/enter", wrong)[0] == 403
            status, headers, _ = visitor.ask("/enter", b"name=dot&password=open+sesame")
            assert status == 303
            visitor.cookie = headers["set-cookie"].partition(";")[0]
            assert b"<bdi>dot</bdi>" in visitor.ask("/")[2]
            for _ in range(4):
                visitor.ask("/enter", wrong)
            assert visitor.ask("/enter", b"name=dot&password=open+sesame")[0] == 403

    def test_a_password_file_has_to_hold_one(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "word").write_text("\n")
        done = tseval(
            *("assess", "--store", folder / "desk.tseval", "--host", "0.0.0.0"),
            *("--password-file", tmp_path / "word"),
        )
        assert done.code == 2
        assert "its first line is empty" in done.err

    def test_names(self) -> None:
        assert "127.0.0.1:80" in host_names("localhost", 80)
        assert host_names("10.1.2.3", 80) == {"10.1.2.3:80"}
        assert "[::1]:80" in host_names("::1", 80)
        assert is_name("Ada Ünal")
        assert not is_name("  ")
        assert not is_name("a\nb")
        assert not is_name("x" * 41)
        door = AccessControl(frozenset({"h:1"}))
        assert door.enter_by_password("ada", "") is None


def read_all(visitor: Visitor, choose: Any) -> int:
    """Read everything that the queue gives; how much that was."""
    number = 0
    while (reading := visitor.get("/api/next?topic=")["reading"]) is not None:
        chosen = [{"nugget": each} for each in choose(reading)]
        shown = [each["nugget"] for each in reading["nuggets"]]
        asked = {"item": reading["item"], "chosen": chosen, "shown": shown}
        visitor.post("/api/save", asked | {"shown_by": reading["shown_by"]})
        number += 1
        assert number < 100
    return number


class TestWork:
    def test_what_is_shown_tells_nothing_that_could_sway(self, people: dict[str, Visitor]) -> None:
        reading = people["ada"].get("/api/next")["reading"]
        shown = json.dumps(reading)
        assert not {"run", "one", "two", "score", "confidence"} & set(
            shown.replace('"', " ").split()
        )
        assert set(reading["nuggets"][0]) == {
            *("nugget", "text", "importance", "time", "set", "written"),
            *("suggested", "chosen", "start", "end"),
        }

    def test_two_read_disagree_and_a_third_settles(
        self, people: dict[str, Visitor], folder: Path
    ) -> None:
        def first_suggested(reading: Any) -> list[str]:
            return [each["nugget"] for each in reading["nuggets"] if each["suggested"] == 0]

        assert read_all(people["ada"], first_suggested) == 7
        assert read_all(people["ben"], lambda _: []) == 7
        assert people["ben"].get("/api/disputes")["disputes"] == []
        told = people["cy"].get("/api/disputes")
        assert len(told["disputes"]) > 2
        first = told["disputes"][0]
        assert [(each["assessor"], each["match"]) for each in first["said"]] == [
            ("ada", True),
            ("ben", False),
        ]
        pair = {"item": first["item"], "nugget": first["nugget"]}
        status, _, content = people["ada"].ask("/api/settle", pair | {"match": True})
        assert status == 422
        assert b"a third person settles it" in content
        people["cy"].post("/api/settle", pair | {"match": True})
        assert len(people["cy"].get("/api/disputes")["disputes"]) == len(told["disputes"]) - 1
        by_name = {
            each["assessor"]: each for each in people["cy"].get("/api/progress")["assessors"]
        }
        assert by_name["ada"]["read"] == 7
        read = [
            each
            for each in Store.open(folder / "desk.tseval").decisions()
            if each.verdict == "done"
        ]
        # The matcher is sure of most; what may say a nugget that a run seems to miss comes first.
        assert {each.shown_by for each in read} == {"random", "missed"}

    def test_what_if_is_what_tseval_score_says(
        self, people: dict[str, Visitor], folder: Path, tmp_path: Path
    ) -> None:
        shown = people["cy"].get("/api/what-if")
        out = tmp_path / "out"
        assert tseval("assess", "export", folder / "desk.tseval", "-o", out).code == 0
        scored = tseval(
            *("score", folder / "one.tsv", folder / "two.tsv", out / "nuggets.tsv"),
            *("--matches", out / "matches.tsv", "-f", "json", "--quiet"),
        )
        told = json.loads(scored.out)
        assert shown["signature"] == told["signature"]
        found = {
            (run["run"], name): value["decided"]
            for run in shown["runs"]
            for name, value in zip(shown["measures"], run["values"], strict=True)
        }
        assert found == {
            (each["run"], each["measure"]): each["value"]
            for each in told["records"]
            if each["topic"] == "all"
        }

    @pytest.mark.parametrize(
        ("path", "body", "words"),
        [
            ("save", {"item": 99}, "no such update"),
            ("save", {"item": True}, "no such update"),
            ("save", {"item": 2, "chosen": [{"nugget": "nix"}]}, "load the page again"),
            ("save", {"item": 2, "chosen": "n1"}, "no list"),
            ("save", {"item": 2, "note": 7}, "no text"),
            (
                "save",
                {"item": 2, "chosen": [{"nugget": "n1", "start": 5, "end": 9999}]},
                "not in the update",
            ),
            ("write", {"topic": "flood", "text": "  "}, "has to say something"),
            ("write", {"topic": "nix", "text": "x"}, "there is no topic"),
            ("write", {"topic": "flood", "text": "x", "importance": "-1"}, "not below 0"),
            ("write", {"topic": "flood", "text": "x", "importance": "nan"}, "not a finite"),
            ("write", {"topic": "flood", "text": "x", "time": "soon"}, "ISO 8601"),
            ("write", {"topic": "flood", "text": "x", "time": "12"}, "before 1990"),
            ("write", {"topic": "flood", "text": "x", "time": "1699921800000"}, "milliseconds"),
            ("change", {"topic": "flood", "nugget": "n1"}, "nothing was changed"),
            ("split", {"topic": "flood", "nugget": "n1", "texts": ["one"]}, "two parts or more"),
            ("merge", {"topic": "flood", "nugget": "n1", "into": "n1"}, "with itself"),
            ("cluster", {"item": 2, "verdict": "eaten"}, "is none of"),
            ("cluster", {"item": 2, "other": 0, "verdict": "together"}, "of its topic"),
            ("settle", {"item": 2, "nugget": "n3", "match": True}, ""),
            ("save", {"item": 2, "chosen": [1]}, "names no nugget"),
            ("save", {"item": 2, "chosen": [{"nugget": []}]}, "names no nugget"),
            ("save", {"item": 2, "chosen": [{}]}, "names no nugget"),
            ("write", {"topic": "flood", "text": "x", "time": "\ud800"}, "the time '\ufffd'"),
        ],
    )
    def test_what_cannot_be_done_is_told(
        self, people: dict[str, Visitor], path: str, body: Any, words: str
    ) -> None:
        status, _, content = people["ada"].ask(f"/api/{path}", body)
        assert status == 422
        assert words in json.loads(content)["error"]

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("next?item=99999999", 422),
            ("next?by=time&item=9999&step=1", 422),
            ("next?by=time&step=soon", 200),
            ("next?by=time&step=" + "9" * 5000, 200),
            ("posts?item=99999", 200),
        ],
    )
    def test_numbers_that_name_nothing_break_nothing(
        self, people: dict[str, Visitor], path: str, status: int
    ) -> None:
        assert people["ada"].ask(f"/api/{path}")[0] == status

    def test_a_body_that_is_none_is_refused(self, people: dict[str, Visitor]) -> None:
        assert people["ada"].ask("/api/save", b"[1]")[0] == 400
        assert people["ada"].ask("/api/save", b"\xff")[0] == 400
        assert people["ada"].ask("/api/save", b" " * 1_000_001)[0] == 400
        assert people["ada"].ask("/api/save", headers={}, method="GET")[0] == 405

    def test_many_at_once(self, people: dict[str, Visitor], folder: Path) -> None:
        before = Store.open(folder / "desk.tseval").size()

        def post(number: int) -> int:
            who = ("ada", "ben", "cy")[number % 3]
            body = {"item": 2 + number % 5, "verdict": "selected"}
            return people[who].ask("/api/cluster", body)[0]

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(post, range(48))) == {200}
        found = Store.open(folder / "desk.tseval").decisions()
        assert len(found) == before + 48
        assert [each.rev for each in found] == list(range(1, len(found) + 1))


def test_killed_between_any_two_requests(tmp_path: Path) -> None:
    """Whatever was answered is there when it is opened again."""
    runs, nuggets = files(tmp_path)
    store = tmp_path / "desk.tseval"
    arguments: tuple[object, ...] = (*runs, nuggets)
    saved = 0
    for _ in range(4):
        with served(*arguments, "--store", store) as running:
            visitor = Visitor(running.address)
            visitor.enter(running.links["ada"])
            found = visitor.get("/api/next")["reading"]
            visitor.post("/api/save", {"item": found["item"], "chosen": [], "shown": []})
            saved += 1
            running.process.send_signal(signal.SIGKILL)
        arguments = ()
        assert Store.open(store, write=False).size() == saved
        assert len({each.update for each in Store.open(store).decisions()}) == saved


def test_a_second_desk_on_the_same_store(folder: Path, people: dict[str, Visitor]) -> None:
    with served("--store", folder / "desk.tseval", assessors=("dot",)) as second:
        dot = Visitor(second.address)
        dot.enter(second.links["dot"])
        dot.post("/api/write", {"topic": "ferry", "text": "A lifeboat came", "item": 1})
        told = people["ada"].get("/api/next?item=1")["reading"]["nuggets"]
        assert "A lifeboat came" in [each["text"] for each in told]
        dot.post("/api/undo", {})
        told = people["ada"].get("/api/next?item=1")["reading"]["nuggets"]
        assert "A lifeboat came" not in [each["text"] for each in told]


def test_an_address_that_is_taken_is_told(folder: Path, desk: Served) -> None:
    port = desk.address.rpartition(":")[2]
    done = tseval("assess", "--store", folder / "desk.tseval", "--port", port)
    assert done.code == 1
    assert "address already in use; choose another --port" in done.err


def test_what_the_command_refuses(here: Path) -> None:
    runs, nuggets = files(here)
    made(here)
    (here / "empty.tseval").write_bytes(b"")
    for arguments, words in (
        (["--store", "new.tseval"], "There is no store new.tseval yet"),
        ([runs[0], "--store", "desk.tseval"], "was made of other"),
        ([*runs, "--store", "desk.tseval"], "was made of other nuggets: nuggets.tsv"),
        (["--store", "desk.tseval", "--fold", "exact"], "was made with --fold words"),
        (["--store", "desk.tseval", "--pool", "3"], "was made with --pool all"),
        ([*runs, nuggets, "--store", "a.tseval", "--pool", "0"], "--pool is a number above 0"),
        ([nuggets, "--store", "a.tseval"], "holds nuggets: name the runs before it"),
        ([*runs, "--store", "a.tseval", "--matcher", "fuzy"], "fuzy"),
        ([*runs, "--store", "nix/a.tseval"], "there is no such folder"),
        (["--store", "desk.tseval", "-m", "nix"], "nix"),
        (["--store", "desk.tseval", "--assessor", " "], "Nobody can be called"),
        (["--store", "desk.tseval", "--host", "0.0.0.0"], "needs --password-file"),
        (["--store", "empty.tseval"], "empty.tseval is empty"),
        (["exprot", "desk.tseval"], "did you mean export?"),
    ):
        done = tseval("assess", *arguments, "--port", "0")
        assert done.code in (1, 2), arguments
        assert words in done.err, (arguments, done.err)
        assert "Traceback" not in done.err
