"""Where the desk listens, and who may come in: links that work once, cookies, a password."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field

from tseval.errors import TsevalError

MOST_WRONG = 5
"""The most wrong passwords"""
PAUSE = 30.0
"""in so many seconds."""
LONGEST_NAME = 40
HERE = "127.0.0.1"


@dataclass
class AccessControl:
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

    def enter_by_token(self, token: str) -> str | None:
        """The session that a token opens; None if it opens none, or none any more."""
        assessor = self._tokens.pop(token, None)
        return None if assessor is None else self._session(assessor)

    def enter_by_password(self, assessor: str, password: str) -> str | None:
        """The session that name and password open; None if they are wrong, or asked too often."""
        now = time.monotonic()
        self._wrong = [at for at in self._wrong if now - at < PAUSE]
        if self.password is None or len(self._wrong) >= MOST_WRONG or not is_name(assessor):
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

    def is_trusted_request(self, host: str | None, origin: str | None, *, writes: bool) -> bool:
        """Whether a request is for this desk, and if it writes, from one of its own pages."""
        if host is None or host.lower() not in self.hosts:
            return False
        if not writes and origin is None:
            return True
        return origin is not None and origin.lower() == f"http://{host.lower()}"


def is_name(name: str) -> bool:
    """Whether somebody can be called so."""
    return bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen()
    except OSError as error:
        found.close()
        reason = (error.strerror or str(error)).lower()
        cure = "choose another --port, or --port 0 for any that is free"
        raise TsevalError(f"cannot listen at {host}:{port}: {reason}; {cure}") from error
    return found


def is_this_machine(host: str) -> bool:
    """Whether nobody outside of this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_names(host: str, port: int) -> frozenset[str]:
    """What requests may call this host: by the address, and by names that lead here."""
    names = {host}
    if is_this_machine(host):
        names |= {HERE, "localhost", "::1"}
    elif host in ("0.0.0.0", "::"):
        own = socket.gethostname()
        names |= {own.lower(), HERE, "localhost"}
        with suppress(OSError):
            names |= {str(info[4][0]) for info in socket.getaddrinfo(own, None)}
    return frozenset(f"{in_brackets(name)}:{port}" for name in names)


def in_brackets(host: str) -> str:
    """Return a host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
