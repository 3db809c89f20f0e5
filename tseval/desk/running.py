"""The desk as a program: the server, the links that it tells, and where it listens."""

from __future__ import annotations

import ipaddress
import math
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tseval.desk.door import Door
from tseval.errors import MissingExtra, TsevalError

if TYPE_CHECKING:
    from tseval.desk.desk import Desk

HERE = "127.0.0.1"
BETWEEN = 2.0
"""Seconds that pass, at least, before new links are told."""


def served(
    desk: Desk,
    assessors: Sequence[str],
    host: str,
    port: int,
    password: str | None,
    tell: Callable[[str], None],
) -> None:
    """Serve the desk until somebody stops it. `tell` is given the links, and what else to say."""
    uvicorn, application, room_of = _web()
    with closing(listening(host, port)) as listener:
        port = listener.getsockname()[1]
        address = f"http://{_in_brackets(host)}:{port}"
        door = Door(names_of(host, port), password, f"tseval-desk-{port}")

        told = -math.inf

        def links() -> None:
            nonlocal told
            if time.monotonic() - told < BETWEEN:
                return
            told = time.monotonic()
            for name in assessors:
                tell(f"{name}: {address}/enter?token={door.link_token(name)}")

        room = room_of(desk, door, links)
        if password is None:
            links()
        else:
            tell(f"{address} asks for a name and the password")
        tell("Ctrl-C ends it; every decision is saved when it is made")
        config = uvicorn.Config(
            application(room), log_level="critical", access_log=False, lifespan="off"
        )
        uvicorn.Server(config).run(sockets=[listener])


def _web() -> tuple[Any, ...]:
    """What serving takes, imported when it is asked for."""
    try:
        import uvicorn

        from tseval.desk.server import Room, application
    except ModuleNotFoundError as error:
        raise MissingExtra("assess", "the assessors' desk") from error
    return uvicorn, application, Room


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


def names_of(host: str, port: int) -> frozenset[str]:
    """What requests may call this host: by the address, and by names that lead here."""
    names = {host}
    if is_this_machine(host):
        names |= {HERE, "localhost", "::1"}
    elif host in ("0.0.0.0", "::"):
        own = socket.gethostname()
        names |= {own.lower(), HERE, "localhost"}
        names |= {str(info[4][0]) for info in _addresses(own)}
    return frozenset(f"{_in_brackets(name)}:{port}" for name in names)


def _addresses(name: str) -> list[tuple[Any, ...]]:
    try:
        return list(socket.getaddrinfo(name, None))
    except OSError:
        return []


def _in_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host
