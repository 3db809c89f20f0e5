"""The store: one SQLite file with what is assessed and every decision, in the order they were made.

Decisions are appended and never changed. Each is on the disk before whoever made it is told so, so
that a process may be killed at any moment. Several processes may write at once.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, fields, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from tseval.desk.decisions import Decision
from tseval.errors import TsevalError, UsageError
from tseval.records import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = 0x7453456C
"""By which a store is known among SQLite's files."""
FORM = 1
"""Rises when what a store holds changes its meaning."""
PATIENCE = 20.0
"""How many seconds to wait for another process that is writing."""

COLUMNS = tuple(each.name for each in fields(Decision))
KINDS = set(product(*(get_args(kind) or (kind,) for kind in get_type_hints(Decision).values())))
"""The types that a decision's columns may have together."""
NAMED = ", ".join(f'"{name}"' for name in COLUMNS)
SCHEMA = f"""
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE inputs (
    name TEXT PRIMARY KEY, files TEXT NOT NULL, sha256 TEXT NOT NULL, content BLOB NOT NULL
);
CREATE TABLE decisions (
    {NAMED}, PRIMARY KEY (store, rev)
) WITHOUT ROWID;
CREATE INDEX newest ON decisions (at);
"""
READ = f"SELECT {NAMED} FROM decisions"
ADD = f"INSERT OR IGNORE INTO decisions VALUES ({', '.join('?' * len(COLUMNS))})"


class StoreError(TsevalError):
    """A store that cannot be read, or could not be written: then nothing of it was kept."""


@frozen
class Settings:
    """What a store was made with, beside its inputs."""

    matcher: str
    depth: int | None
    """How many updates of each run and topic are pooled; None for all."""
    fold: str
    unjudged: str
    """What a pair counts as that nobody judged: `matcher` as the matcher has it, `no` no match."""
    double: float
    """The share of items that two assessors read."""


@frozen
class Kept:
    """A table of the inputs as the store holds it."""

    files: tuple[str, ...]
    sha256: str
    """The hash of the files' hashes."""
    content: bytes


class Store:
    """An open store. Every call is a transaction of its own."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        with self._understood():
            about = dict(connection.execute("SELECT name, value FROM about").fetchall())
            self.name: str = about["store"]
            self.seed = int(about["seed"])
            self.settings = Settings(**json.loads(about["settings"]))

    @classmethod
    def create(
        cls, path: Path, settings: Settings, inputs: Mapping[str, Kept], seed: int = 0
    ) -> Store:
        """A new store, whole or not at all; one that is there is refused."""
        if path.exists():
            raise UsageError(f"{path} is there already")
        made = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        about = {
            "store": secrets.token_hex(4),
            "seed": str(seed),
            "settings": json.dumps(asdict(settings), sort_keys=True),
        }
        try:
            # It has no name yet under which anybody could open it: no transaction is needed.
            with _told(path, "made"), closing(_connected(made)) as connection:
                connection.executescript(SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORM}")
                connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
                rows = [
                    (name, json.dumps(each.files), each.sha256, each.content)
                    for name, each in inputs.items()
                ]
                connection.executemany("INSERT INTO inputs VALUES (?, ?, ?, ?)", rows)
            with _told(path, "made"):
                _placed(made, path)
        except FileExistsError:
            raise UsageError(f"{path} is there already") from None
        finally:
            made.unlink(missing_ok=True)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path, *, write: bool = True) -> Store:
        """The store in a file; what is none, or one of another form, is refused in clear words."""
        if not path.is_file():
            raise UsageError(
                f"{path}: there is no such store; `tseval assess RUN... --store` makes one"
            )
        with _told(path, "opened"):
            connection = _connected(path) if write else _reading(path)
            try:
                _check(path, connection)
                if write:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = FULL")
                return cls(path, connection)
            except BaseException:
                connection.close()
                raise

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def inputs(self) -> dict[str, Kept]:
        """What is assessed, by its name."""
        with self._understood():
            rows = self._connection.execute("SELECT * FROM inputs ORDER BY name").fetchall()
            return {row[0]: Kept(tuple(json.loads(row[1])), row[2], row[3]) for row in rows}

    def decisions(self, after: int = 0) -> list[Decision]:
        """Those made after a time, in their order."""
        with self._understood():
            rows = self._connection.execute(
                f"{READ} WHERE at > ? ORDER BY at, store, rev", (after,)
            ).fetchall()
            return [_decision(row) for row in rows]

    def size(self) -> int:
        """How many decisions there are."""
        with self._told("read"):
            row = self._connection.execute("SELECT COUNT(*) FROM decisions").fetchone()
        return int(row[0])

    def append(
        self, act: Sequence[Decision] | Callable[[int], Sequence[Decision]]
    ) -> list[Decision]:
        """Add the rows of one act, all or none; they are on the disk when this returns.

        An act that needs the number of its first row is a function of it.
        """
        with self._writing() as connection:
            row = connection.execute(
                "SELECT (SELECT COALESCE(MAX(rev), 0) FROM decisions WHERE store = ?), "
                "(SELECT COALESCE(MAX(at), 0) FROM decisions)",
                (self.name,),
            ).fetchone()
            first, at = row[0] + 1, max(row[1] + 1, time.time_ns() // 1000)
            made = [
                replace(each, store=self.name, rev=first + n, act=first, at=at + n)
                for n, each in enumerate(act(first) if callable(act) else act)
            ]
            connection.executemany(ADD, map(_row, made))
        return made

    def take_in(self, decisions: Sequence[Decision]) -> int:
        """Add decisions of other stores; how many were new."""
        with self._writing() as connection:
            before = connection.total_changes
            connection.executemany(ADD, map(_row, decisions))
            return connection.total_changes - before

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees no other begin before it ends."""
        with self._told("written: nothing was saved"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Read rows, and refuse those that no program of this form wrote."""
        try:
            with self._told("read"):
                yield
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path} could not be read: it is damaged") from error

    @contextmanager
    def _told(self, done: str) -> Iterator[None]:
        with _told(self.path, done):
            yield


def _placed(made: Path, path: Path) -> None:
    """Give the store its name; of two that make it at once, one is told that it is there."""
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except OSError:  # where a file can have one name alone
        made.rename(path)


def _decision(row: Sequence[Any]) -> Decision:
    """Raises TypeError for a row that nobody here wrote."""
    if tuple(map(type, row)) not in KINDS:
        raise TypeError(row)
    return Decision(*row)


def _row(decision: Decision) -> tuple[object, ...]:
    return tuple(getattr(decision, name) for name in COLUMNS)


def _connected(path: Path) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time."""
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


def _reading(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing, and nothing beside the store where nobody has it open."""
    alone = not path.with_name(f"{path.name}-wal").exists()
    more = "mode=ro&immutable=1" if alone else "mode=ro"
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{more}",
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is no store, or one of another form."""
    if not path.stat().st_size:
        raise StoreError(f"{path} is empty, and no store of `tseval assess`: remove it first")
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    form = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreError(f"{path} is no store of `tseval assess`, but another program's database")
    if form > FORM:
        raise StoreError(
            f"{path} was made by a later tseval: it has form {form}, and this one reads {FORM}; "
            "upgrade tseval"
        )
    if form != FORM:
        raise StoreError(
            f"{path} has form {form}, and this tseval reads {FORM}: export it with the tseval that "
            "made it"
        )


@contextmanager
def _told(path: Path, done: str) -> Iterator[None]:
    """What SQLite says of a store in words that tell what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        reason = str(error)
        known = {
            "full": "the disk is full: make room, then do it again",
            "not a database": "it is no store of `tseval assess`",
            "malformed": "it is damaged",
            "locked": "another program holds it: close that, then do it again",
            "readonly": "it may not be written",
            "unable to open": "there is no such folder, or it may not be written",
            "disk I/O error": "the disk does not take it",
        }
        words = next((told for sign, told in known.items() if sign in reason), reason)
        raise StoreError(f"{path} could not be {done}: {words}") from error
    except OSError as error:
        if isinstance(error, FileExistsError):
            raise
        raise StoreError(
            f"{path} could not be {done}: {(error.strerror or str(error)).lower()}"
        ) from error
