"""Looking into objects of JSON: what is there, what has to be, and of which kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from tseval.families.responses.tables import NO_TIME
from tseval.files import json_text
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.jsonl import HALF, HALVES_CURE, KINDS, OBJECT_CURE, holds_half, objects
from tseval.files.limits import DOCUMENT
from tseval.files.plain import BY_KEYS, recognise
from tseval.files.text_lines import whole_text
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.tables.times import TIME_CURE, NotANumber, implausible, number, why_implausible

Object: TypeAlias = Mapping[str, Any]
TOPIC_KEYS = ("topic_id", "narrative_id", "qid", "query_id")
"""Where the topic stands, the first of these; then the same in `metadata`."""
ALL_TOPIC_KEYS = (*TOPIC_KEYS, "request_id")
OWN_TOPIC_KEYS = (*TOPIC_KEYS, "turn")
"""Of CONE-RAG, whose topics are turns."""
METADATA = "metadata"
ONE_OBJECT = "a document of JSON over several lines is one object"


class WrongRecordError(Exception):
    """A record that cannot be read: why, and what to do; perhaps for several reasons."""

    def __init__(
        self, reason: str, cure: str = "", others: Sequence[str] = (), code: str = "record-format"
    ) -> None:
        super().__init__(reason)
        self.reasons, self.cure, self.code = (reason, *others), cure, code

    def noted(self, faults: FaultList, line: int) -> None:
        """Note every reason as a fault of a line."""
        for reason in self.reasons:
            faults.add(line, reason, self.cure, self.code)


def documents(source: Input, faults: FaultList) -> Iterator[tuple[int, Object]]:
    """Every object of a file with its line: one a line; or one, or a list of them, over all lines.

    Those of a list count as in the first line.
    """
    found = _whole(source, faults) if _is_whole(source) else objects(source, faults)
    yield from ((line, _with_seconds(record, source)) for line, record in found)


def _with_seconds(value: Any, source: Input) -> Any:
    """The same with each time in seconds, at any depth; for one that is none, with its error."""
    if isinstance(value, list):
        return [_with_seconds(each, source) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_seconds(each, source) for key, each in value.items()}
    given, relative = found.get("time"), source.times.relative
    if isinstance(given, int | float | str) and not isinstance(given, bool):
        try:
            found["time"] = source.time_parser(str(given))
            if implausible(found["time"], relative=relative):
                why = why_implausible(found["time"], relative=relative)
                found["time"] = _wrong_time(given, *why)
        except NotANumber as error:
            found["time"] = _wrong_time(given, error, *source.times.cure([str(given)]))
    return found


def _wrong_time(given: Any, reason: object, cure: str, code: str) -> WrongRecordError:
    return WrongRecordError(f'time "{given}" {reason}', cure, code=code)


def _is_whole(source: Input) -> bool:
    """Whether a file is one JSON document, and not one object a line."""
    first = source.first_line(DOCUMENT).removeprefix(BYTE_ORDER_MARK).strip()
    if first == b"{" or first.startswith(b"["):
        return True
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return first.startswith(b"{") and _parses(source)
    return False


def _parses(source: Input) -> bool:
    try:
        json.loads(source.whole_lines().removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        return False
    return True


def _whole(source: Input, faults: FaultList) -> Iterator[tuple[int, Object]]:
    text = whole_text(source, faults)
    try:
        found = json_text.load(text)
    except (ValueError, RecursionError) as error:
        faults.add(*json_text.fault_of(text, error, ONE_OBJECT))
        return
    for each in found if isinstance(found, list) else [found]:
        if holds_half(each):
            faults.add(1, HALF, HALVES_CURE, "encoding")
        elif isinstance(each, dict):
            yield 1, each
        else:
            faults.add(1, f"{kind_of(each)} where an object is expected", OBJECT_CURE, "json-type")


def is_json(source: Input) -> bool:
    """Whether a file looks like JSON."""
    return recognise(source)[0] in BY_KEYS


def first_object(source: Input) -> Object | None:
    """The first object of a file; None if there is none."""
    return next((record for _, record in documents(source, FaultList(source))), None)


def kind_of(value: Any) -> str:
    """What JSON calls a value, with its article."""
    kind = KINDS.get(type(value), "value")
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def listed(record: Object, key: str, *, may_lack: bool = False) -> list[Any]:
    """A list; a missing one is empty if it may be, and so is null."""
    value = record.get(key)
    if value is None and (may_lack or key in record):
        return []
    if not isinstance(value, list):
        what = f'"{key}" is {kind_of(value)}' if key in record else f'no "{key}"'
        raise WrongRecordError(what, f'"{key}" must be a list')
    return value


def members(record: Object, key: str, *, may_lack: bool = False) -> list[Object]:
    """A list of objects."""
    found = listed(record, key, may_lack=may_lack)
    for each in found:
        if not isinstance(each, dict):
            raise WrongRecordError(
                f'"{key}" holds {kind_of(each)}', f'"{key}" must be a list of objects'
            )
    return found


def text_of(record: Object, key: str, default: str | None = None) -> str:
    """A text."""
    value = record.get(key, default)
    if not isinstance(value, str):
        what = f'"{key}" is {kind_of(value)}' if key in record else f'no "{key}"'
        raise WrongRecordError(what, f'"{key}" must be a text')
    return value


def name_of(value: Any, key: str) -> str:
    """A name: a text that is not blank, or a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise WrongRecordError(f'"{key}" is {kind_of(value)}', "give a text")
    if not value.strip():
        raise WrongRecordError(f"empty {key}", f"give every response its {key}")
    if any(sign in value for sign in "\t\n\r"):
        raise WrongRecordError(f"{key} holds a tab or a line's end", "remove it")
    return value


def topic_of(record: Object) -> str:
    """The topic, by the first key that is there."""
    for where, keys in ((record, OWN_TOPIC_KEYS), (metadata(record), ALL_TOPIC_KEYS)):
        for key in keys:
            if where.get(key) is not None:
                topic = name_of(where[key], key)
                if topic == "all":
                    reason = 'a topic is called "all", the name of the mean over topics'
                    raise WrongRecordError(reason, "give the topic another name")
                return topic
    raise WrongRecordError("no topic", f"name it as one of {', '.join(ALL_TOPIC_KEYS)}")


def run_of(record: Object, default: str) -> str:
    """The run; without any name that of the file."""
    more = metadata(record)
    for where, key in ((record, "run_id"), (more, "run_id"), (more, "team_id")):
        if where.get(key) is not None:
            return name_of(where[key], key)
    return default


def metadata(record: Object) -> Object:
    """The object `metadata`; an empty one where there is none."""
    found = record.get(METADATA)
    if found is not None and not isinstance(found, dict):
        raise WrongRecordError(f'"{METADATA}" is {kind_of(found)}', "it must be an object")
    return found or {}


def own_time(record: Object) -> float:
    """The time of a record, or of a sentence; `NO_TIME` where none is given."""
    given = record.get("time")
    if given is None and METADATA in record:
        given = metadata(record).get("time")
    if given is None:
        return NO_TIME
    if isinstance(given, WrongRecordError):
        raise given
    if not isinstance(given, float):
        raise WrongRecordError(f'"time" is {kind_of(given)}', TIME_CURE)
    return given


def number_of(value: Any, key: str) -> float:
    """A finite number, or a text of one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise WrongRecordError(f'"{key}" is {kind_of(value)}', "give a number")
    try:
        return number(str(value))
    except NotANumber as error:
        raise WrongRecordError(f'{key} "{value}" {error}', "give a number") from None
