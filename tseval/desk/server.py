"""The desk as a web page on this machine: its requests and their answers."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from tseval.desk import views
from tseval.desk.access import AccessControl, host_names, in_brackets, listening
from tseval.desk.actions import ACTIONS, Refused
from tseval.desk.queue import CHOSEN, READING, Next, Queue, Suggestions
from tseval.desk.store import StoreError
from tseval.errors import TsevalError
from tseval.reporting import palette
from tseval.reporting.page.markup import visible_text
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.desk.desk import Desk

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
"""The most bytes of a request."""
BETWEEN = 2.0
"""The least seconds between new links."""
Query = Mapping[str, str]


class RequestHandlers:
    """A desk with its queue, for requests that come at once: one is done after the other."""

    def __init__(self, desk: Desk, access: AccessControl, on_stranger: Callable[[], None]) -> None:
        self.desk, self.access = desk, access
        self.on_stranger = on_stranger
        """Called when somebody without a cookie asks for a page."""
        store = desk.store
        self.queue = Queue(desk.pool, store.seed, store.settings.double)
        self.suggestions = Suggestions(desk.matcher, desk.pool)
        self.lock = Lock()
        self.suggestions.hints(desk.gold())
        self.pages = Environment(
            loader=PackageLoader("tseval.desk", "pages"), autoescape=True, trim_blocks=True
        )

    def routes(self) -> list[BaseRoute]:
        """Return every address with what answers it."""
        shown = {"next": self.next, "posts": self.posts, "disputes": self.disputes}
        shown |= {"progress": self.progress, "what-if": self.what_if}
        assets = {f"{name}.js": ("text/javascript", _page_file(f"{name}.js")) for name in SCRIPTS}
        report = files("tseval.reporting.page").joinpath("page.css").read_text(encoding="utf-8")
        style = report + palette.style() + _page_file("desk.css")
        assets["desk.css"] = "text/css", style
        stranger = partial(_refuse, 401, "open the link that the terminal shows")
        return [
            *(self._route(name, partial(self._page, name), self._enter_page) for name in PAGES),
            *(self._route(name, partial(_asset, *each)) for name, each in assets.items()),
            self._route("enter", self._enter, methods=["GET", "POST"]),
            *(
                self._route(f"api/{name}", partial(self._show, answer), stranger)
                for name, answer in shown.items()
            ),
            *(
                self._route(f"api/{name}", partial(self._act, name), stranger, methods=["POST"])
                for name in ACTIONS
            ),
        ]

    def _route(
        self,
        address: str,
        handle: Callable[[Request, str], Awaitable[Response]],
        stranger: Callable[[], Response] | None = None,
        methods: list[str] | None = None,
    ) -> Route:
        """Return a route whose requests come from the desk's own pages.

        `stranger` answers those without a cookie; without it they are answered as all others.
        """

        async def respond(request: Request) -> Response:
            host, origin = request.headers.get("host"), request.headers.get("origin")
            if not self.access.is_trusted_request(host, origin, writes=request.method != "GET"):
                return _refuse(403, "this request does not come from the desk's own page")
            assessor = self.access.assessor(request.cookies.get(self.access.cookie))
            if assessor is None and stranger is not None:
                return stranger()
            return await handle(request, assessor or "")

        return Route(f"/{address}", respond, methods=methods)

    # Pages.

    async def _page(self, name: str, _: Request, assessor: str) -> Response:
        title, script = PAGES[name]
        content = self.pages.get_template("page.html").render(
            title=title,
            name=name,
            script=script,
            pages={each: title for each, (title, _) in PAGES.items()},
            topics=self.desk.pool.of_topic,
            assessor=assessor,
            version=VERSION,
            store=self.desk.store.path.name,
        )
        return Response(content, media_type="text/html", headers=HEADERS)

    def _enter_page(self, words: str = "", status: int = 401) -> Response:
        """Return the page for somebody who has no cookie."""
        has_password = self.access.password is not None
        if not has_password:
            self.on_stranger()
        template = self.pages.get_template("enter.html")
        content = template.render(password=has_password, words=words)
        return Response(content, status, HEADERS, "text/html")

    async def _enter(self, request: Request, _: str) -> Response:
        if request.method == "GET":
            session = self.access.enter_by_token(request.query_params.get("token", ""))
            words = "This link is invalid or has already been used."
        else:
            form = parse_qs((await _body(request) or b"").decode("utf-8", "replace"))
            name, password = (form.get(field, [""])[0] for field in ("name", "password"))
            session = self.access.enter_by_password(name.strip(), password)
            words = "Wrong password, or no name; after five tries wait half a minute."
        if session is None:
            return self._enter_page(words, 403)
        response = RedirectResponse("/", 303, HEADERS)
        # Lax: a link that was followed from elsewhere leads in; writes are asked for their origin.
        response.set_cookie(self.access.cookie, session, path="/", httponly=True, samesite="lax")
        return response

    # What pages ask for.

    async def _show(
        self, answer: Callable[[str, Query], views.View], request: Request, assessor: str
    ) -> Response:
        return await _answer(partial(answer, assessor, dict(request.query_params)))

    async def _act(self, name: str, request: Request, assessor: str) -> Response:
        try:
            asked = json.loads(await _body(request) or b"")
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _refuse(400, "the request is no JSON object")

        def work() -> views.View:
            with self.lock:
                made = ACTIONS[name](self.desk, assessor, asked)
            names = [each.nugget for each in made if each.verdict == "write"]
            return {"rev": made[-1].rev if made else 0, "written": names}

        return await _answer(work)

    def next(self, assessor: str, query: Query) -> views.View:
        """Return the update that an assessor reads next."""
        with self.lock:
            desk, topic, item = self.desk, query.get("topic", ""), _number(query, "item")
            if item is not None and item >= len(desk.pool.items):
                raise Refused("there is no such update")
            if query.get("by") == "time":
                text = query.get("step", "0")
                step = int(text) if STEP.fullmatch(text) else 0
                found = views.next_in_time(desk, assessor, topic) if item is None else item
                if found is not None and step:
                    found = views.neighbour(desk, found, step)
                given = None if found is None else Next(found, READING)
            elif item is not None and query.get("step") is None:
                given = Next(item, CHOSEN)
            else:
                gold = desk.gold()
                hints = self.suggestions.hints(gold)
                given = self.queue.next(desk.state, gold, hints, assessor, topic, item)
            return {
                "left": int(self.queue.left(desk.state, assessor, topic).sum()),
                "nuggets": len(desk.gold().names),
                "reading": None if given is None else views.reading(desk, assessor, given),
            }

    def posts(self, _: str, query: Query) -> views.View:
        """Return the posts of a topic around one."""
        with self.lock:
            return views.posts(self.desk, query.get("topic", ""), _number(query, "item"))

    def disputes(self, assessor: str, _: Query) -> views.View:
        """Return what is to be settled."""
        with self.lock:
            return views.disputes(self.desk, assessor)

    def progress(self, *_: object) -> views.View:
        """Return how far everybody is."""
        with self.lock:
            return views.progress(self.desk)

    def what_if(self, *_: object) -> views.View:
        """Return all scores; only what they start from is taken while nobody else decides."""
        with self.lock:
            standing = self.desk.scored_state()
        return {} if standing is None else views.comparison(self.desk.what_if(standing))


def serve(
    desk: Desk,
    assessors: Sequence[str],
    host: str,
    port: int,
    password: str | None,
    tell: Callable[[str], None],
) -> None:
    """Serve the desk until somebody stops it. `tell` is given the links, and what else to say."""
    with closing(listening(host, port)) as listener:
        port = listener.getsockname()[1]
        address = f"http://{in_brackets(host)}:{port}"
        access = AccessControl(host_names(host, port), password, f"tseval-desk-{port}")
        last = -math.inf

        def tell_links() -> None:
            nonlocal last
            if time.monotonic() - last < BETWEEN:
                return
            last = time.monotonic()
            for name in assessors:
                tell(f"{name}: {address}/enter?token={access.link_token(name)}")

        handlers = RequestHandlers(desk, access, tell_links)
        if password is None:
            tell_links()
        else:
            tell(f"{address} asks for a name and the password")
        tell("Ctrl-C ends it; every decision is saved when it is made")
        app = Starlette(routes=handlers.routes())
        config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
        uvicorn.Server(config).run(sockets=[listener])


def _number(query: Query, name: str) -> int | None:
    """Return the item that a request names, if there may be one of the number."""
    text = query.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _page_file(name: str) -> str:
    return files("tseval.desk").joinpath("pages", name).read_text(encoding="utf-8")


async def _asset(media: str, content: str, *_: object) -> Response:
    return Response(content, media_type=media, headers=HEADERS)


def _refuse(status: int, words: str) -> Response:
    return JSONResponse({"error": visible_text(words)}, status, HEADERS)


async def _answer(work: Callable[[], views.View]) -> Response:
    """Return what work gives, or why it could not be done."""
    try:
        return JSONResponse(await run_in_threadpool(work), headers=HEADERS)
    except TsevalError as error:
        return _refuse(507 if isinstance(error, StoreError) else 422, str(error))


async def _body(request: Request) -> bytes | None:
    """Return the body of a request; None if it is too large."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            return None
    return bytes(found)
