"""Who opens a page in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Visit:
    """A page opened from disk, with all that it asked for and complained about."""

    def __init__(self, browser: Any, path: Path, url: str = "", **options: Any) -> None:
        self.context = browser.new_context(offline=True, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.told: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.told.append(message.text))
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.url = url or path.as_uri()
        self.page.goto(self.url)

    def check(self) -> None:
        """Nothing but the file was asked for, and nobody complained."""
        asked = [each for each in self.asked if not each.startswith("data:")]
        assert asked == [self.url.split("#")[0]]
        assert self.told == []
        self.context.close()
