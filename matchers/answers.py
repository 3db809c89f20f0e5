"""What a language model is asked, how its replies are read, and the database that keeps them.

A question shows the whole of one update and a list of nuggets, and asks for a label of each. It is
known by a hash of everything that can change the reply: the model, the prompt, the messages and
the parameters. A reply counts only if it has exactly one known label for each nugget.

A row of the database is one answer, or the way in which a question failed, with everything that it
was asked with, so that a row can be checked against its own name. Any number of processes may read
and write one database at the same time. Rows travel to other machines as JSON lines.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from matchers.cache import CACHE, cache_folder, expanded
from matchers.errors import MatcherError

LABELS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The labels that a nugget can have, and the score of each."""

OWN_PROMPTS = Path(__file__).with_name("prompts")
SUFFIX = ".txt"
DIVIDER = "\n---\n"
"""In a prompt's file what comes before it is the system's message, what follows the user's."""
PLACES = ("update", "nuggets", "count")
"""What stands in braces where a prompt wants it filled in."""

_PLACE = re.compile("{(" + "|".join(PLACES) + ")}")
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_LINE_END = re.compile("[\x7f-\x9f\u2028\u2029]")  # what JSON leaves as it is
_LINE = re.compile(r"\s*(\d+)\s*[:.]\s*(\w+)\s*")


class Malformed(ValueError):
    """A reply that is not one known label for each nugget; its text says what is wrong."""


class Prompt(NamedTuple):
    """What is said to a model around the texts; `sha256` is that of the file."""

    system: str
    user: str
    sha256: str

    def messages(self, update: str, nuggets: Sequence[str]) -> list[dict[str, str]]:
        """The messages of one question, texts as JSON strings, which nothing in them can leave."""
        numbered = (f"{number}: {quoted(text)}" for number, text in enumerate(nuggets, 1))
        filled = {
            "update": quoted(update),
            "nuggets": "\n".join(numbered),
            "count": str(len(nuggets)),
        }
        user = _PLACE.sub(lambda place: filled[place[1]], self.user)
        parts = [("system", self.system), ("user", user)]
        return [{"role": role, "content": text} for role, text in parts if text]


def prompt(name: str) -> Prompt:
    """The prompt of a name, or that in the file of this path; a `MatcherError` where there is none.

    A name without a separator and a suffix is one of this package.
    """
    own = OWN_PROMPTS / f"{name}{SUFFIX}"
    is_name = "/" not in name and "\\" not in name and "." not in name
    file = own if is_name else expanded(name)
    try:
        content = file.read_bytes()
        text = content.decode("utf-8").replace("\r\n", "\n").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(each.stem for each in OWN_PROMPTS.glob(f"*{SUFFIX}")))
        raise MatcherError(
            f"llm: the prompt {name!r} cannot be read ({error}); give the path of a file in UTF-8, "
            f"such as ./mine.txt, or one of: {known}"
        ) from error
    system, divided, user = text.rpartition(DIVIDER)
    for place in ("update", "nuggets"):
        if f"{{{place}}}" not in user:
            where = f"after its line {DIVIDER.strip()!r}" if divided else "anywhere"
            raise MatcherError(f"llm: the prompt {str(file)!r} has no {{{place}}} {where}")
    return Prompt(system, user, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class Question:
    """One call: an update, some nuggets, and what they are asked with."""

    model: str
    prompt: Prompt
    update: str
    nuggets: tuple[str, ...]
    run: int
    """Which of several runs of the same questions it belongs to."""

    @cached_property
    def messages(self) -> str:
        """The messages as JSON."""
        return canonical(self.prompt.messages(self.update, self.nuggets))

    @cached_property
    def parameters(self) -> str:
        """The parameters of the call that can change the reply, as JSON."""
        return _parameters(self.run, len(self.nuggets))

    @property
    def request_parts(self) -> tuple[str, str, str, str]:
        """Everything that can change the reply."""
        return self.model, self.prompt.sha256, self.messages, self.parameters

    @cached_property
    def key(self) -> str:
        """The hash of everything that can change the reply."""
        return key_of(*self.request_parts)

    @property
    def tokens(self) -> tuple[int, int]:
        """About how many tokens go in and come out: four bytes each, and nine for each label."""
        return -(-len(self.messages.encode()) // 4) + 8, 5 + 9 * len(self.nuggets)


@lru_cache(maxsize=64)
def _parameters(run: int, count: int) -> str:
    return canonical({"run": run, "schema": schema(count), "temperature": 0})


def key_of(model: str, prompt_sha256: str, messages: str, parameters: str) -> str:
    """The name of a question in the cache, on any machine."""
    parts = canonical([model, prompt_sha256, messages, parameters])
    return hashlib.sha256(parts.encode()).hexdigest()


def canonical(value: object) -> str:
    """A value as the one JSON text that it has here."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=1 << 12)
def quoted(text: str) -> str:
    """A text as a JSON string on one line; what no encoding knows becomes a question mark."""
    shown = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return _LINE_END.sub(lambda end: f"\\u{ord(end[0]):04x}", shown)


@lru_cache(maxsize=16)
def schema(count: int) -> dict[str, Any]:
    """The JSON schema of a reply about so many nuggets."""
    numbers = [str(number) for number in range(1, count + 1)]
    return {
        "type": "object",
        "properties": {number: {"type": "string", "enum": list(LABELS)} for number in numbers},
        "required": numbers,
        "additionalProperties": False,
    }


def labels_of(reply: str, count: int) -> tuple[str, ...]:
    """The label of each nugget in their order; anything but exactly these is `Malformed`.

    A reply is a JSON object with a key for each number, a list of as many labels, or a line
    `NUMBER: LABEL` for each; it may stand in a fence.
    """
    fenced = _FENCE.fullmatch(reply)
    text = (fenced[1] if fenced else reply).strip()
    labels = _listed(text, count)
    if len(labels) != count:
        raise Malformed(f"{len(labels)} labels for {count} nuggets")
    for label in labels:
        if not isinstance(label, str) or label not in LABELS:
            raise Malformed(f"the label {str(label)[:40]!r}, which is none of {', '.join(LABELS)}")
    return tuple(labels)


def _listed(text: str, count: int) -> list[Any]:
    """What stands for labels in a reply, in order of the nuggets."""
    if text.startswith("["):
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise Malformed("a list that cannot be read") from None
        return listed if isinstance(listed, list) else [listed]
    if text.startswith("{"):
        try:
            pairs = json.loads(text, object_pairs_hook=list)
        except (ValueError, RecursionError):
            raise Malformed("JSON that cannot be read") from None
        if len(pairs) == 1 and pairs[0][0] == "labels" and isinstance(pairs[0][1], list):
            pairs = pairs[0][1]
            if not (pairs and isinstance(pairs[0], tuple)):
                return pairs
    else:
        found = [_LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
        if not found or not all(found):
            raise Malformed("neither a JSON object nor lines of number and label")
        pairs = [each.groups() for each in found if each]
    labels = dict(pairs)
    numbers = [str(number) for number in range(1, count + 1)]
    if len(labels) < len(pairs) or labels.keys() != set(numbers):
        names = ", ".join(str(name) for name, _ in pairs)[:80]
        raise Malformed(f"labels of {names!r}, not one of each of the {count} nuggets")
    return [labels[number] for number in numbers]


FILE = "answers.sqlite"
EDITION = 1
"""The edition of the table, as the database itself holds it."""
ANSWERED = "answered"
FAILURES = ("refused", "cut off", "malformed", "timed out", "error")
"""The states of a question that was asked and has no answer."""
WAIT = 60.0
"""So many seconds one process waits for another to finish writing."""
_TYPES = {"TEXT": (str,), "INTEGER": (int,), "REAL": (int, float)}


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

    @classmethod
    def of(
        cls,
        question: Question,
        state: str,
        reply: str,
        *,
        answered: str = "",
        tokens: tuple[int, int] = (0, 0),
        seconds: float = 0.0,
    ) -> Answer:
        """What came of a question that was asked so many seconds ago."""
        asked = datetime.now(UTC) - timedelta(seconds=seconds)
        took = (*tokens, round(seconds, 3), asked.isoformat(timespec="seconds"))
        return cls(question.key, *question.request_parts, answered, state, reply, *took)

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
        best_last = "ORDER BY state = ?, asked DESC, answered DESC"
        chosen = f"WHERE question IN (SELECT value FROM json_each(?)) {best_last}"
        found: dict[str, Answer] = {}
        for answer in self._select(chosen, [json.dumps(list(questions)), ANSWERED]):
            try:
                _check_row(answer)
            except ValueError as error:
                raise MatcherError(
                    f"{self._where}: the row of the question {answer.question} {error}: take it "
                    f"out of the table, remove the file, or set {CACHE} to another folder"
                ) from error
            found[answer.question] = answer
        return found

    def put(self, answers: Sequence[Answer]) -> int:
        """Keep answers, and failures of what has no answer; the number of rows that are new.

        The first answer of a model to a question stays. It takes the place of a failure.
        """
        marks = ",".join("?" * len(COLUMNS))
        known = "SELECT 1 FROM answers WHERE question = ? AND answered <> ''"
        new = 0
        with _database_errors(self._where), self._lock, self._connection:
            for answer in answers:
                self._connection.execute(
                    "DELETE FROM answers WHERE question = ? AND answered = ''", (answer.question,)
                )
                new += self._connection.execute(
                    f"INSERT OR IGNORE INTO answers SELECT {marks} WHERE ? OR NOT EXISTS ({known})",
                    (*astuple(answer), answer.state == ANSWERED, answer.question),
                ).rowcount
        return new

    def rows(self, model: str | None = None) -> Iterator[Answer]:
        """Every row, or those of the questions to one model, in an order of their own."""
        where, values = ("", []) if model is None else ("WHERE model = ?", [model])
        yield from self._select(f"{where} ORDER BY question, answered", values)

    def _select(self, where: str, values: Sequence[str]) -> Iterator[Answer]:
        with _database_errors(self._where):
            query = f"SELECT {', '.join(COLUMNS)} FROM answers {where}"
            for row in self._connection.execute(query, values):
                yield Answer(*row)


@contextmanager
def _database_errors(where: str) -> Iterator[None]:
    """Tell what to do about a database that cannot be used."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise MatcherError(
            f"{where}: answers cannot be kept there ({error}); make room or let it be written to, "
            f"set {CACHE} to another folder, or remove the file if it is damaged"
        ) from error


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
    if reading and path and not path.exists():
        path = None
    where = str(path or "memory")
    with _database_errors(where):
        connection = _connected(path, reading)
    with closing(connection):
        with _database_errors(where):
            _prepare(connection, reading and path is not None)
        yield Answers(connection, where)


def _connected(path: Path | None, reading: bool) -> sqlite3.Connection:
    address = ":memory:"
    if path is not None:
        address = path.absolute().as_uri()
        if not reading:
            path.parent.mkdir(parents=True, exist_ok=True)
        else:
            # Where nobody may write, nobody does: then SQLite need not lay its own files beside it.
            address += "?mode=ro" if os.access(path.parent, os.W_OK) else "?mode=ro&immutable=1"
    return sqlite3.connect(address, timeout=WAIT, check_same_thread=False, uri=path is not None)


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
    request_parts = (answer.model, answer.prompt, answer.messages, answer.parameters)
    if answer.question != key_of(*request_parts):
        raise ValueError("is not what was written: its question is not the hash of what was asked")
    if answer.state not in (ANSWERED, *FAILURES):
        raise ValueError(f"has the unknown state {answer.state!r}")
    if (answer.state == ANSWERED) != bool(answer.answered):
        raise ValueError("names a model that answered, but is a failure, or the other way round")
    try:
        _ = answer.state == ANSWERED and answer.labels
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("has parameters that no question has") from error
