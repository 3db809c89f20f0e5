"""Who may come in: links that work once, cookies, a password, and where requests come from."""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass, field

PATIENCE = 5
"""So many wrong passwords are borne"""
PAUSE = 30.0
"""in so many seconds."""
LONGEST_NAME = 40


@dataclass
class Door:
    """Tokens of links, sessions of cookies. It forgets both when the program ends."""

    hosts: frozenset[str]
    """What a request may call this host, with the port."""
    password: str | None = None
    cookie: str = "tseval-desk"
    """What its cookie is called: browsers send cookies to all ports of a machine alike."""
    _tokens: dict[str, str] = field(default_factory=dict)
    _sessions: dict[str, str] = field(default_factory=dict)
    _wrong: list[float] = field(default_factory=list)

    def link_token(self, assessor: str) -> str:
        """A new token for an assessor; it opens the door once."""
        token = secrets.token_urlsafe(24)
        self._tokens[token] = assessor
        return token

    def by_token(self, token: str) -> str | None:
        """The session that a token opens; None if it opens none, or none any more."""
        assessor = self._tokens.pop(token, None)
        return None if assessor is None else self._session(assessor)

    def by_password(self, assessor: str, password: str) -> str | None:
        """The session that name and password open; None if they are wrong, or asked too often."""
        now = time.monotonic()
        self._wrong = [at for at in self._wrong if now - at < PAUSE]
        if self.password is None or len(self._wrong) >= PATIENCE or not is_name(assessor):
            return None
        if not hmac.compare_digest(password.encode(), self.password.encode()):
            self._wrong.append(now)
            return None
        return self._session(assessor)

    def _session(self, assessor: str) -> str:
        name = secrets.token_urlsafe(24)
        self._sessions[name] = assessor
        return name

    def assessor(self, cookie: str | None) -> str | None:
        """Who holds a cookie; None if nobody does."""
        return self._sessions.get(cookie or "")

    def from_here(self, host: str | None, origin: str | None, *, writes: bool) -> bool:
        """Whether a request is for this desk, and if it writes, from one of its own pages."""
        if host is None or host.lower() not in self.hosts:
            return False
        if not writes and origin is None:
            return True
        return origin is not None and origin.lower() == f"http://{host.lower()}"


def is_name(name: str) -> bool:
    """Whether somebody can be called so."""
    return bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()
