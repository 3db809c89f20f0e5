"""Files of other annotation tools: what each says of an update, in one shape, there and back.

Label Studio, doccano, Prodigy, Argilla and Potato. Their task schemas are free: a mapping says
which control of a task holds matches, which words, and which clusters.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any, NamedTuple

from tseval.errors import Fault, InputError, UsageError, input_error
from tseval.files.inputs import all_of_file
from tseval.records import frozen

DIVIDER = "::"
"""Between topic and update in the names of instances that have no other fields."""


@frozen
class Controls:
    """What a task calls things; a file of it is TOML with these names."""

    topic: str = "topic"
    update: str = "update_id"
    match: str = "match"
    words: str = "words"
    cluster: str = "cluster"
    ignore: tuple[str, ...] = ()
    """Controls that say nothing of nuggets or clusters."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What labels stand for which nuggets, where they are neither their ids nor their texts."""
    assessors: Mapping[str, str] = field(default_factory=dict)
    """What the tool's users are called here."""

    @classmethod
    def read(cls, path: Path) -> Controls:
        """The mapping of a file; what it does not know is refused."""
        try:
            given = tomllib.loads(all_of_file(path).decode())
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{path} is no mapping: {error}") from error
        known = {each.name: type(getattr(cls(), each.name)) for each in fields(cls)}
        for name, value in given.items():
            fits = known.get(name)
            if fits is None or not isinstance(value, list if fits is tuple else fits):
                raise UsageError(f"{path}: {name} is none of {', '.join(known)}, or no such value")
        given["ignore"] = tuple(given.get("ignore", ()))
        return cls(**given)


class Label(NamedTuple):
    """A label that somebody gave an update, or words of it, by a control."""

    control: str
    label: str
    start: int | None = None
    end: int | None = None


@frozen
class Annotation:
    """What somebody says of an update."""

    place: int
    """The line, or the number of the record."""
    topic: str
    update: str
    assessor: str
    """Nobody, if the file does not say."""
    labels: tuple[Label, ...]
    text: str | None = None


Record = dict[str, Any]
Reader = Callable[[Record, Controls], Iterator[tuple[Record, str, list[Label]]]]
"""From a record to what names its update, whoever it is by, and the labels."""


def _label_studio(record: Record, _: Controls) -> Iterator[tuple[Record, str, list[Label]]]:
    for each in record.get("annotations", ()):
        if each.get("was_cancelled"):
            continue
        labels = []
        for result in each.get("result", ()):
            value, control = result["value"], result["from_name"]
            start, end = value.get("start"), value.get("end")
            given = value.get("choices", value.get("labels", value.get("text", ())))
            labels += [Label(control, str(label), start, end) for label in given]
        by = each.get("completed_by", "")
        yield (
            record["data"],
            str(by.get("email", by.get("id")) if isinstance(by, dict) else by),
            labels,
        )


def _doccano(record: Record, controls: Controls) -> Iterator[tuple[Record, str, list[Label]]]:
    labels = []
    for each in record["label"] if "label" in record else record["labels"]:
        if isinstance(each, str):
            labels.append(Label(controls.match, each))
        else:
            start, end, label = each
            labels.append(Label(controls.words, str(label), start, end))
    labels += _own_cluster(record, controls)
    yield {**record, **record.get("meta", {})}, "", labels


def _prodigy(record: Record, controls: Controls) -> Iterator[tuple[Record, str, list[Label]]]:
    if record.get("answer", "accept") == "ignore":
        return
    labels = []
    if record.get("answer", "accept") == "accept":
        labels = [Label(controls.match, str(each)) for each in record.get("accept", ())]
        labels += [
            Label(controls.words, str(each["label"]), each["start"], each["end"])
            for each in record.get("spans", ())
        ]
    named = {**record, **record.get("meta", {})}
    labels += _own_cluster(named, controls)
    yield named, str(record.get("_annotator_id", record.get("_session_id", "")) or ""), labels


def _own_cluster(named: Record, controls: Controls) -> list[Label]:
    """The cluster, where a field of the record names one."""
    given = named.get(controls.cluster)
    return [] if given in (None, "") else [Label(controls.cluster, str(given))]


def _argilla(record: Record, controls: Controls) -> Iterator[tuple[Record, str, list[Label]]]:
    named = {**record.get("fields", {}), **(record.get("metadata") or {})}
    found: dict[str, list[Label]] = {}
    for control, each in _responses(record.get("responses") or (), controls):
        if each.get("status", "submitted") == "submitted":
            values = each["value"] if isinstance(each["value"], list) else [each["value"]]
            own = found.setdefault(str(each.get("user_id", "") or ""), [])
            for value in values:
                if isinstance(value, dict):
                    own.append(Label(control, str(value["label"]), value["start"], value["end"]))
                else:
                    own.append(Label(control, str(value)))
    for user, labels in found.items():
        yield named, user, labels


def _responses(given: Any, controls: Controls) -> Iterator[tuple[str, Record]]:
    """Each answer to a question: of a list of answers, of users' answers, or by question."""
    if isinstance(given, dict):
        for control, answers in given.items():
            for each in answers:
                yield control, each
        return
    for each in given:
        if "values" in each:
            for control, value in (each["values"] or {}).items():
                yield control, {**each, **value}
        else:
            yield each.get("question_name", controls.match), each


def _potato(record: Record, controls: Controls) -> Iterator[tuple[Record, str, list[Label]]]:
    labels = record.get("instance_id_to_label_to_value", {})
    spans = record.get("instance_id_to_span_to_value", {})
    for instance in dict.fromkeys((*labels, *spans)):
        topic, _, update = instance.rpartition(DIVIDER)
        found = []
        for control, label, value in _by_schema(labels.get(instance, {})):
            if value not in (False, None, "", "false"):
                found.append(Label(control, label))
        of_words = spans.get(instance, {})
        for control, each in _spans(of_words):
            found.append(
                Label(control, str(each.get("label", each.get("name"))), each["start"], each["end"])
            )
        named = {controls.topic: topic, controls.update: update, "instance": instance}
        yield named, str(record.get("user_id", "")), found


def _by_schema(given: Any) -> Iterator[tuple[str, str, Any]]:
    """The labels of an instance, as versions of Potato keep them: pairs, or by schema."""
    if isinstance(given, list):
        for label, value in given:
            yield label["schema"], str(label["name"]), value
        return
    for schema, values in given.items():
        inside = values.get("labels", values) if isinstance(values, dict) else {values: True}
        for label, value in inside.items():
            yield schema, str(label), value


def _spans(given: Any) -> Iterator[tuple[str, Record]]:
    if isinstance(given, list):
        for span, _ in given:
            yield span["schema"], span
        return
    for schema, spans in given.items():
        for span in spans:
            yield schema, span


TOOLS: dict[str, Reader] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
    "argilla": _argilla,
    "potato": _potato,
}


def read_annotations(path: Path, tool: str, controls: Controls) -> list[Annotation]:
    """Everything that a file says of updates; what is no file of the tool is an `InputError`."""
    found, unit = [], "line"
    for place, unit, record in _records(path):
        try:
            for named, who, labels in TOOLS[tool](record, controls):
                found.append(
                    Annotation(
                        place,
                        str(named.get(controls.topic, "")),
                        str(named[controls.update]),
                        controls.assessors.get(who, who),
                        tuple(labels),
                        named["text"] if isinstance(named.get("text"), str) else None,
                    )
                )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            lacks = (
                f"lacks {error}" if isinstance(error, KeyError) else f"has no such form: {error}"
            )
            shown = json.dumps(record, ensure_ascii=False)
            cure = "name the tool that wrote it with --from, and its fields with --mapping"
            reason = f"as a record of {tool} it {lacks}"
            fault = Fault(str(path), place, reason, cure, "record-format", shown, unit)
            raise InputError([fault]) from error
    return found


def _records(path: Path) -> Iterator[tuple[int, str, Record]]:
    """The records of a file with their places: JSON lines, or JSON of one or several."""
    try:
        text = all_of_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
        )
        raise input_error(str(path), None, reason, "", "unreadable-file") from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        whole = None
        if text.lstrip()[:1] == "[":
            at = getattr(error, "lineno", 1)
            shown = text.splitlines()[at - 1 : at] or [""]
            fault = Fault(str(path), at, f"is no JSON: {error}", "", "json-syntax", shown[0])
            raise InputError([fault]) from error
    if isinstance(whole, list):
        yield from ((at, "row", each) for at, each in enumerate(whole, start=1))
    elif isinstance(whole, dict):
        inside = whole.get("items", whole.get("records"))
        records = inside if isinstance(inside, list) else [whole]
        yield from ((at, "row", each) for at, each in enumerate(records, start=1))
    else:
        for at, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    yield at, "line", json.loads(line)
                except (ValueError, RecursionError) as error:
                    fault = Fault(str(path), at, f"is no JSON: {error}", "", "json-syntax", line)
                    raise InputError([fault]) from error
