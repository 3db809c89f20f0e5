"""Answers of language models, kept in a database: no question is paid for twice.

A row is one answer, or the way in which a question failed, with everything that it was asked with,
so that a row can be checked against its own name. Any number of processes may read and write one
database at the same time. Rows travel to other machines as JSON lines.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from matchers.errors import MatcherError
from matchers.questions import canonical, key_of, labels_of
from matchers.vectors import CACHE, cache_folder

FILE = "answers.sqlite"
EDITION = 1
"""The edition of the table, as the database itself holds it."""
ANSWERED = "answered"
FAILURES = ("refused", "cut off", "malformed", "timed out", "error")
"""The states of a question that was asked and has no answer."""
WAIT = 60.0
"""So many seconds one process waits for another to finish writing."""
_TYPES = {"TEXT": (str,), "INTEGER": (int,), "REAL": (int, float)}
_AT_ONCE = 500  # keys in one query


@dataclass(frozen=True)
class Answer:
    """What came of one question. Of a failure `reply` says more, and `answered` is empty."""

    question: str
    """The hash of what follows up to `parameters`."""
    model: str
    prompt: str
    messages: str
    parameters: str
    answered: str
    """The model that answered, as the endpoint calls it."""
    state: str
    reply: str
    tokens_in: int
    tokens_out: int
    seconds: float
    asked: str
    """When it was asked, in UTC."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each nugget."""
        return labels_of(self.reply, len(json.loads(self.parameters)["schema"]["required"]))


COLUMNS = tuple(each.name for each in fields(Answer))
_KINDS = {"tokens_in": "INTEGER", "tokens_out": "INTEGER", "seconds": "REAL"}


class Answers:
    """An open database."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._connection = connection
        self._where = where
        self._lock = Lock()

    def get(self, questions: Iterable[str]) -> dict[str, Answer]:
        """What is known of each question; of several answers the one that was asked first."""
        keys = list(dict.fromkeys(questions))
        found: dict[str, Answer] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            for answer in self._select(f"WHERE question IN ({marks})", part):
                self._check(answer)
                best = found.get(answer.question)
                if best is None or _order(answer) < _order(best):
                    found[answer.question] = answer
        return found

    def put(self, answers: Sequence[Answer]) -> int:
        """Keep answers, and failures of what has no answer; the number of rows that are new.

        The first answer of a model to a question stays. It takes the place of a failure.
        """
        new = 0
        with self._database_errors(), self._lock, self._connection:
            for answer in answers:
                if answer.state == ANSWERED:
                    self._connection.execute(
                        "DELETE FROM answers WHERE question = ? AND answered = ''",
                        (answer.question,),
                    )
                elif self._connection.execute(
                    "SELECT 1 FROM answers WHERE question = ? AND state = ?",
                    (answer.question, ANSWERED),
                ).fetchone():
                    continue
                way = "IGNORE" if answer.state == ANSWERED else "REPLACE"
                marks = ",".join("?" * len(COLUMNS))
                new += self._connection.execute(
                    f"INSERT OR {way} INTO answers VALUES ({marks})", astuple(answer)
                ).rowcount
        return new

    def rows(self, model: str | None = None) -> Iterator[Answer]:
        """Every row, or those of the questions to one model, in an order of their own."""
        where, values = ("", []) if model is None else ("WHERE model = ?", [model])
        yield from self._select(f"{where} ORDER BY question, answered", values)

    def _check(self, answer: Answer) -> None:
        try:
            _check_row(answer)
        except ValueError as error:
            raise MatcherError(
                f"{self._where}: the row of the question {answer.question} {error}: take it out of "
                f"the table, remove the file, or set {CACHE} to another folder"
            ) from error

    def _select(self, where: str, values: Sequence[str]) -> Iterator[Answer]:
        with self._database_errors():
            query = f"SELECT {', '.join(COLUMNS)} FROM answers {where}"
            for row in self._connection.execute(query, values):
                yield Answer(*row)

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise MatcherError(_unusable(self._where, error)) from error


def _order(answer: Answer) -> tuple[bool, str, str]:
    return answer.state != ANSWERED, answer.asked, answer.answered


def _unusable(where: str, error: Exception) -> str:
    return (
        f"{where}: answers cannot be kept there ({error}); make room or let it be written to, set "
        f"{CACHE} to another folder, or remove the file if it is damaged"
    )


def database() -> Path | None:
    """Where answers are kept; None where nothing is to be kept on disk."""
    folder = cache_folder()
    return None if folder is None else folder / FILE


@contextmanager
def opened(*, reading: bool = False) -> Iterator[Answers]:
    """The database of this machine, made if there is none; in memory where none is to be kept.

    For `reading` alone nothing is made or changed: where there is none, it is an empty one.
    """
    path = database()
    if path is None or (reading and not path.exists()):
        path = None
    where = "memory" if path is None else str(path)
    try:
        connection = _connected(path, reading)
    except (OSError, sqlite3.Error) as error:
        raise MatcherError(_unusable(where, error)) from error
    try:
        yield Answers(connection, where)
    finally:
        with suppress(sqlite3.Error):
            connection.close()


def _connected(path: Path | None, reading: bool) -> sqlite3.Connection:
    if path is None:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
    elif reading:
        # Where nobody may write, nobody does: then SQLite need not lay its own files beside it.
        fixed = "" if os.access(path.parent, os.W_OK) else "&immutable=1"
        address = f"file:{quote(str(path))}?mode=ro{fixed}"
        connection = sqlite3.connect(address, timeout=WAIT, check_same_thread=False, uri=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=WAIT, check_same_thread=False)
    try:
        _prepare(connection, reading and path is not None)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, reading: bool) -> None:
    """Make the table where there is none; an edition that is not ours is refused."""
    edition = connection.execute("PRAGMA user_version").fetchone()[0]
    if edition not in (0, EDITION):
        raise sqlite3.DatabaseError(f"it is of edition {edition}, this program writes {EDITION}")
    if reading:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if edition == 0:
        columns = ", ".join(f"{name} {_KINDS.get(name, 'TEXT')} NOT NULL" for name in COLUMNS)
        with connection:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS answers ({columns}, PRIMARY KEY (question, answered))"
            )
            connection.execute(f"PRAGMA user_version = {EDITION}")


def line_of(answer: Answer) -> str:
    """A row as a line of JSON; the messages and parameters are JSON in it."""
    told = asdict(answer)
    for name in ("messages", "parameters"):
        told[name] = json.loads(told[name])
    return json.dumps(told)


def answer_of(line: str) -> Answer:
    """The row of a line that `line_of` wrote; a ValueError says what is wrong with any other."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON") from None
    if not isinstance(told, dict) or set(told) != set(COLUMNS):
        raise ValueError(f"is no answer: one has the fields {', '.join(COLUMNS)}")
    told = told | {name: canonical(told[name]) for name in ("messages", "parameters")}
    answer = Answer(**told)
    _check_row(answer)
    return answer


def _check_row(answer: Answer) -> None:
    """Raises ValueError for what cannot be the answer to its question."""
    for name in COLUMNS:
        if type(getattr(answer, name)) not in _TYPES[_KINDS.get(name, "TEXT")]:
            raise ValueError(f"has no {name} of the right kind")
    asked_with = (answer.model, answer.prompt, answer.messages, answer.parameters)
    if answer.question != key_of(*asked_with):
        raise ValueError("is not what was written: its question is not the hash of what was asked")
    _check_state(answer)


def _check_state(answer: Answer) -> None:
    if answer.state not in (ANSWERED, *FAILURES):
        raise ValueError(f"has the unknown state {answer.state!r}")
    if (answer.state == ANSWERED) != bool(answer.answered):
        raise ValueError("names a model that answered, but is a failure, or the other way round")
    if answer.state == ANSWERED:
        try:
            answer.labels  # noqa: B018 - reading them is the check
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("has parameters that no question has") from error
