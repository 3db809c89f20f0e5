"""The desk as a web page on this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tseval.desk import views
from tseval.desk.actions import ACTIONS, Refused
from tseval.desk.queue import READING, Next, Queue
from tseval.desk.store import StoreError
from tseval.desk.suggestions import Foresight
from tseval.errors import TsevalError
from tseval.reporting import palette
from tseval.reporting.page.markup import shown
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.door import Door

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
PAGES = {
    "": ("Assess", "assess"),
    "nuggets": ("Nuggets", "assess"),
    "cluster": ("Cluster", "cluster"),
    "adjudicate": ("Adjudicate", "adjudicate"),
    "what-if": ("What if", "whatif"),
}
"""Each page by its address, with its title and its script."""
SCRIPTS = ("desk", *dict.fromkeys(script for _, script in PAGES.values()))
STEP = re.compile(r"-?[0-9]{1,9}")
LARGEST = 1_000_000
"""So many bytes has a request at most."""


class Room:
    """A desk with its queue, for requests that come at once: one is done after the other."""

    def __init__(self, desk: Desk, door: Door, on_stranger: Callable[[], None]) -> None:
        self.desk, self.door = desk, door
        self.on_stranger = on_stranger
        """Called when somebody without a cookie asks for a page."""
        store = desk.store
        self.queue = Queue(desk.pool, store.seed, store.settings.double)
        self.foresight = Foresight(desk.matcher, desk.pool)
        self.lock = Lock()
        self.foresight.of(desk.state.version, desk.gold())

    def next(self, assessor: str, asked: Mapping[str, str]) -> views.View:
        """The update that an assessor reads next."""
        desk, topic = self.desk, asked.get("topic", "")
        item = _number(asked, "item")
        if item is not None and item >= len(desk.pool.items):
            raise Refused("there is no such update")
        if asked.get("by") == "time":
            step = _step(asked)
            found = views.next_in_time(desk, assessor, topic) if item is None else item
            if found is not None and step:
                found = views.neighbour(desk, found, step)
            given = None if found is None else Next(found, READING)
        elif item is not None and asked.get("step") is None:
            given = views.chosen(item)
        else:
            gold = desk.gold()
            hints = self.foresight.of(desk.state.version, gold)
            given = self.queue.next(desk.state, gold, hints, assessor, topic, item)
        left = int(self.queue.left(desk.state, assessor, topic).sum())
        told = {"left": left, "nuggets": len(desk.gold().table)}
        return told | {"reading": None if given is None else views.reading(desk, assessor, given)}

    def posts(self, _: str, asked: Mapping[str, str]) -> views.View:
        """The posts of a topic around one."""
        return views.posts(self.desk, asked.get("topic", ""), _number(asked, "item"))

    def disputes(self, assessor: str, _: Mapping[str, str]) -> views.View:
        """What is to be settled."""
        return views.disputes(self.desk, assessor)

    def progress(self, *_: object) -> views.View:
        """How far everybody is."""
        return views.progress(self.desk)


def _number(asked: Mapping[str, str], name: str) -> int | None:
    """The item that a request names, as far as there may be one."""
    given = asked.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 10 else None


def _step(asked: Mapping[str, str]) -> int:
    """How many updates further a request asks for; 0 where it names no number."""
    given = asked.get("step", "0")
    return int(given) if STEP.fullmatch(given) else 0


def application(room: Room) -> Starlette:
    """The desk as an application."""
    environment = Environment(
        loader=PackageLoader("tseval.desk", "pages"), autoescape=True, trim_blocks=True
    )
    routes = [
        *(Route(f"/{name}", _page(room, environment, name)) for name in PAGES),
        *(Route(f"/{name}.js", _asset(room, _beside(f"{name}.js"), "js")) for name in SCRIPTS),
        Route("/desk.css", _asset(room, _style(), "css")),
        Route("/enter", _enter(room, environment), methods=["GET", "POST"]),
        Route("/api/next", _shown(room, room.next)),
        Route("/api/posts", _shown(room, room.posts)),
        Route("/api/disputes", _shown(room, room.disputes)),
        Route("/api/progress", _shown(room, room.progress)),
        Route("/api/what-if", _what_if(room)),
        *(Route(f"/api/{name}", _act(room, name), methods=["POST"]) for name in ACTIONS),
    ]
    return Starlette(routes=routes)


def _beside(name: str) -> str:
    return files("tseval.desk").joinpath("pages", name).read_text(encoding="utf-8")


def _style() -> str:
    """The style of the report, its palette, and what only the desk has."""
    report = files("tseval.reporting.page").joinpath("page.css").read_text(encoding="utf-8")
    return report + palette.style() + _beside("desk.css")


def _refuse(status: int, words: str) -> Response:
    return JSONResponse({"error": shown(words)}, status, HEADERS)


def _foreign(room: Room, request: Request) -> Response | None:
    """What a request is told that does not come from here."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if room.door.from_here(host, origin, writes=request.method != "GET"):
        return None
    return _refuse(403, "this request does not come from the desk's own page")


def _who(room: Room, request: Request) -> str | None:
    return room.door.assessor(request.cookies.get(room.door.cookie))


def _page(room: Room, environment: Environment, name: str) -> Callable[[Request], Any]:
    title, script = PAGES[name]

    async def page(request: Request) -> Response:
        if (foreign := _foreign(room, request)) is not None:
            return foreign
        assessor = _who(room, request)
        if assessor is None:
            return _stranger(room, environment)
        content = environment.get_template("page.html").render(
            title=title,
            name=name,
            script=script,
            pages={each: shown for each, (shown, _) in PAGES.items()},
            topics=room.desk.pool.topics,
            assessor=assessor,
            version=VERSION,
            store=room.desk.store.path.name,
        )
        return Response(content, media_type="text/html", headers=HEADERS)

    return page


def _stranger(room: Room, environment: Environment, words: str = "", status: int = 401) -> Response:
    """The page for somebody who has no cookie: the way in."""
    if room.door.password is None:
        room.on_stranger()
    content = environment.get_template("enter.html").render(
        password=room.door.password is not None, words=words
    )
    return Response(content, status, HEADERS, "text/html")


def _enter(room: Room, environment: Environment) -> Callable[[Request], Any]:
    async def enter(request: Request) -> Response:
        if (foreign := _foreign(room, request)) is not None:
            return foreign
        if request.method == "GET":
            session = room.door.by_token(request.query_params.get("token", ""))
            words = "This link has been used, or never was one."
        else:
            body = await _body(request)
            form = {
                name: values[0]
                for name, values in parse_qs((body or b"").decode("utf-8", "replace")).items()
            }
            session = room.door.by_password(form.get("name", "").strip(), form.get("password", ""))
            words = "That is not the password, or no name; after five tries wait half a minute."
        if session is None:
            return _stranger(room, environment, words, 403)
        response = RedirectResponse("/", 303, HEADERS)
        # Lax: a link that was followed from elsewhere leads in; writes are asked for their origin.
        response.set_cookie(room.door.cookie, session, path="/", httponly=True, samesite="lax")
        return response

    return enter


def _asset(room: Room, content: str, kind: str) -> Callable[[Request], Any]:
    media = {"js": "text/javascript", "css": "text/css"}[kind]

    async def asset(request: Request) -> Response:
        foreign = _foreign(room, request)
        return foreign or Response(content, media_type=media, headers=HEADERS)

    return asset


Answer = Callable[[str, Mapping[str, str]], views.View]


def _guarded(room: Room, request: Request) -> Response | str:
    """Who asks, or what they are told."""
    foreign = _foreign(room, request)
    if foreign is not None:
        return foreign
    return _who(room, request) or _refuse(401, "open the link that the terminal shows")


def _shown(room: Room, answer: Answer) -> Callable[[Request], Any]:
    async def show(request: Request) -> Response:
        who = _guarded(room, request)
        if isinstance(who, Response):
            return who
        asked = dict(request.query_params)

        def work() -> views.View:
            with room.lock:
                return answer(who, asked)

        return await _told(work)

    return show


def _what_if(room: Room) -> Callable[[Request], Any]:
    """Scoring takes a while: only what it starts from is taken while nobody else decides."""

    async def show(request: Request) -> Response:
        who = _guarded(room, request)
        if isinstance(who, Response):
            return who

        def work() -> views.View:
            with room.lock:
                standing = room.desk.standing()
            return {} if standing is None else views.comparison(room.desk.what_if(standing))

        return await _told(work)

    return show


def _act(room: Room, name: str) -> Callable[[Request], Any]:
    action = ACTIONS[name]

    async def act(request: Request) -> Response:
        who = _guarded(room, request)
        if isinstance(who, Response):
            return who
        body = await _body(request)
        try:
            asked = json.loads(body) if body is not None else None
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _refuse(400, "the request is no JSON object")

        def work() -> views.View:
            with room.lock:
                made = action(room.desk, who, asked)
            names = [each.nugget for each in made if each.verdict == "write"]
            return {"rev": made[-1].rev if made else 0, "written": names}

        return await _told(work)

    return act


async def _told(work: Callable[[], views.View]) -> Response:
    """What work gives, or why it could not be done."""
    try:
        return JSONResponse(await run_in_threadpool(work), headers=HEADERS)
    except Refused as error:
        return _refuse(422, str(error))
    except StoreError as error:
        return _refuse(507, str(error))
    except TsevalError as error:
        return _refuse(422, str(error))


async def _body(request: Request) -> bytes | None:
    """The body of a request; None if it is too large."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            return None
    return bytes(found)
