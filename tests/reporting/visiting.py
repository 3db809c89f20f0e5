"""Who opens a page in a browser."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

IDLE: defaultdict[Any, list[Any]] = defaultdict(list)
"""Of each browser, the windows whose visits have ended: a new one is as much work as a page."""
WINDOW = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"}
"""What a window that is used again can change, and how it is where nothing is said."""


class Visit:
    """A page opened from disk, with all that it asked for and complained about."""

    def __init__(self, browser: Any, path: Path, url: str = "", **options: Any) -> None:
        self.idle = IDLE[browser] if options.keys() <= WINDOW.keys() else None
        self.page = self.idle.pop() if self.idle else _window(browser, self.idle, options)
        if self.idle is not None:
            look = WINDOW | options
            self.page.set_viewport_size(look["viewport"])
            self.page.emulate_media(media="null", color_scheme=look["color_scheme"])
        self.asked: list[str] = []
        self.told: list[str] = []
        self.heard = {
            "request": lambda request: self.asked.append(request.url),
            "console": lambda message: self.told.append(message.text),
            "pageerror": lambda error: self.told.append(str(error)),
        }
        for event, heard in self.heard.items():
            self.page.on(event, heard)
        self.url = url or path.as_uri()
        self.page.goto(self.url)

    def check_width(self) -> None:
        """Nothing is wider than the window."""
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.page.viewport_size["width"]

    def check_controls(self, controls: str) -> int:
        """Those of these controls that are seen are large enough and have names: how many."""
        seen = [each for each in self.page.locator(controls).all() if each.is_visible()]
        for each in seen:
            box = each.bounding_box()
            assert min(box["width"], box["height"]) >= 24, each.inner_text()
            assert each.evaluate("e => (e.labels?.[0] ?? e).textContent").strip()
        return len(seen)

    def check(self) -> None:
        """Nothing but the file was asked for, and nobody complained."""
        asked = [each for each in self.asked if not each.startswith("data:")]
        assert asked == [self.url.split("#")[0]]
        assert self.told == []
        self.close()

    def close(self) -> None:
        """Leave the window to another visit, if another can have it."""
        if self.idle is None:
            self.page.context.close()
            return
        for event, heard in self.heard.items():
            self.page.remove_listener(event, heard)
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.idle.append(self.page)


def _window(browser: Any, idle: list[Any] | None, options: dict[str, Any]) -> Any:
    """A new window, which has these options for good if it is for one visit alone."""
    own = options if idle is None else {}
    return browser.new_context(offline=True, accept_downloads=True, **own).new_page()
