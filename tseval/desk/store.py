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
from dataclasses import asdict, astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tseval.core.declared import option
from tseval.desk.decisions import Decision
from tseval.errors import TsevalError, UsageError
from tseval.families.temporal.evaluation import DEFAULT_MATCHER
from tseval.records import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = 0x7453456C
"""By which a store is known among SQLite's files."""
FORM, OLDEST = 2, 1
"""The form of new stores, and the oldest that is read; the texts of form 1 are short strings."""
PATIENCE = 20.0
"""How many seconds to wait for another process that is writing."""

COLUMNS = tuple(each.name for each in fields(Decision))
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


def pool_depth(text: str) -> int | None:
    """How many updates of each run and topic are pooled; None for all."""
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise UsageError(f"--pool is a number above 0, or all, and not '{text}'")
    return None if text == "all" else int(text)


@frozen
class Settings:
    """What a store is made with, beside its inputs."""

    matcher: str = option(
        "The matcher that suggests matches; they also count for pairs that nobody judged.",
        default=DEFAULT_MATCHER,
        metavar="NAME",
    )
    depth: int | None = option(
        "--pool",
        "Read N updates of each run and topic: the most confident, or else the earliest.",
        default="all",
        metavar="N|all",
        kind=pool_depth,
    )
    fold: str = option(
        "Read updates with the same words once. A matcher such as `fuzzy(threshold=0.9)` also "
        "groups updates that match each other and have the same numbers.",
        default="words",
        metavar="words|MATCHER",
    )
    unjudged: str = option(
        "How to count a pair that nobody judged: as the matcher decides, or as no match.",
        default="matcher",
        choices=("matcher", "no"),
    )
    double: float = option(
        "The share of updates that two assessors read.", default=0.2, at_least=0, at_most=1
    )


@frozen
class StoredTable:
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
        with _refusals(self.path, "read"):
            about = dict(connection.execute("SELECT name, value FROM about").fetchall())
            self.name: str = about["store"]
            self.seed = int(about["seed"])
            saved = json.loads(about["settings"])
            self.settings = Settings(*(saved[each.name] for each in fields(Settings)))

    @classmethod
    def create(
        cls, path: Path, settings: Settings, inputs: Mapping[str, StoredTable], seed: int = 0
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
            with _refusals(path, "made"), closing(_connect(made)) as connection:
                connection.executescript(SCHEMA)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORM}")
                connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
                for name, each in inputs.items():
                    row = name, json.dumps(each.files), each.sha256, each.content
                    connection.execute("INSERT INTO inputs VALUES (?, ?, ?, ?)", row)
            with _refusals(path, "made"):
                try:
                    os.link(made, path)
                except FileExistsError:
                    raise
                except OSError:  # where a file can have one name alone
                    made.rename(path)
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
        with _refusals(path, "opened"):
            connection = _connect(path, write=write)
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

    def inputs(self) -> dict[str, StoredTable]:
        """What is assessed, by its name."""
        with _refusals(self.path, "read"):
            rows = self._connection.execute("SELECT * FROM inputs ORDER BY name").fetchall()
            return {row[0]: StoredTable(tuple(json.loads(row[1])), row[2], row[3]) for row in rows}

    def decisions(self, after: int = 0) -> list[Decision]:
        """Those made after a time, in their order."""
        with _refusals(self.path, "read"):
            rows = self._connection.execute(
                f"{READ} WHERE at > ? ORDER BY at, store, rev", (after,)
            ).fetchall()
            return [Decision(*row) for row in rows]

    def size(self) -> int:
        """How many decisions there are."""
        with _refusals(self.path, "read"):
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
            connection.executemany(ADD, map(astuple, made))
        return made

    def take_in(self, decisions: Sequence[Decision]) -> int:
        """Add decisions of other stores; how many were new."""
        with self._writing() as connection:
            before = connection.total_changes
            connection.executemany(ADD, map(astuple, decisions))
            return connection.total_changes - before

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees no other begin before it ends."""
        with _refusals(self.path, "written: nothing was saved"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _connect(path: Path, *, write: bool = True) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time.

    One that only reads writes nothing beside the store either, unless somebody has it open.
    """
    mode = "rwc" if write else "ro"
    if not write and not path.with_name(f"{path.name}-wal").exists():
        mode = "ro&immutable=1"
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
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
    if not OLDEST <= form <= FORM:
        cure = "upgrade tseval" if form > FORM else "export it with the tseval that made it"
        raise StoreError(f"{path} has form {form}, and this tseval reads {FORM}: {cure}")


@contextmanager
def _refusals(path: Path, done: str) -> Iterator[None]:
    """Say in words that tell what to do why a store could not be read or written."""
    try:
        yield
    except FileExistsError:
        raise
    except (sqlite3.DatabaseError, OSError) as error:
        known = {
            "full": "the disk is full: make room, then do it again",
            "not a database": "it is no store of `tseval assess`",
            "malformed": "it is damaged",
            "locked": "another program holds it: close that, then do it again",
            "readonly": "it may not be written",
            "unable to open": "there is no such folder, or it may not be written",
            "disk I/O error": "the disk does not take it",
        }
        reason = str(getattr(error, "strerror", None) or error)
        words = next((told for sign, told in known.items() if sign in reason), reason.lower())
        raise StoreError(f"{path} could not be {done}: {words}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path} could not be {done}: it is damaged") from error


def merge_stores(into: Store, other: Store) -> tuple[int, int]:
    """Bring in the decisions of another store; return how many were new, of how many.

    A store of other runs, nuggets or another pool is refused: its decisions are of other things.
    """
    one, two = into.inputs(), other.inputs()
    for name in sorted({*one, *two}):
        if name not in one or name not in two or one[name].sha256 != two[name].sha256:
            raise UsageError(f"{other.path} was made with other {name} than {into.path}")
    for name, flag in (("depth", "pool"), ("fold", "fold")):
        mine, theirs = (getattr(each.settings, name) for each in (into, other))
        if mine != theirs:
            raise UsageError(
                f"{other.path} was made with --{flag} {theirs or 'all'}, {into.path} with "
                f"--{flag} {mine or 'all'}: their updates are not the same"
            )
    decisions = other.decisions()
    return into.take_in(decisions), len(decisions)
