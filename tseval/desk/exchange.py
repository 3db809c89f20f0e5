"""Annotations of other tools into the store, and out of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tseval.desk import decisions as kinds
from tseval.desk.annotations import DIVIDER, Annotation, Controls, Label, read_annotations
from tseval.desk.decisions import Decision
from tseval.errors import Fault, InputError, UsageError

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.pool import Item
    from tseval.desk.state import Choice

Record = dict[str, Any]
LABEL_CURE = "name the nugget by its id or its text, or map the label in --mapping: [labels]"
CONTROL_CURE = "say in --mapping which control is match, words or cluster, or list it in ignore"


def take_in(
    desk: Desk, path: Path, tool: str, controls: Controls, assessor: str | None
) -> dict[str, int]:
    """Put what a file says into the store: how many updates by each assessor.

    What each assessor says is one act. Nothing is put in if any of it cannot be understood.
    """
    annotations = read_annotations(path, tool, controls)
    reading = _Reading(desk, controls, path)
    by_name: dict[str, list[Decision]] = {}
    number: dict[str, int] = {}
    for each in annotations:
        who = each.assessor or assessor or ""
        if not who:
            cure = "say with --assessor whose annotations these are"
            reading.refuse(each, "names nobody", cure, "empty-value")
            continue
        rows = reading.decisions(each, who)
        by_name.setdefault(who, []).extend(rows)
        number[who] = number.get(who, 0) + 1
    if reading.faults:
        raise InputError(reading.faults)
    for rows in by_name.values():
        desk.decide(*rows)
    return dict(sorted(number.items()))


class _Reading:
    """Annotations as decisions, with what is wrong with them."""

    def __init__(self, desk: Desk, controls: Controls, path: Path) -> None:
        self.faults: list[Fault] = []
        self._state, self._controls, self._path = desk.state, controls, path
        self._first: dict[tuple[str, str], Item] = {}
        self._items: dict[tuple[str, str], set[int]] = {}
        updates = desk.pool.updates
        for at, item in enumerate(desk.pool.items):
            for row in item.rows:
                key = item.topic, updates.update_id[row]
                self._items.setdefault(key, set()).add(at)
        for (topic, name), at in desk.pool.place.items():
            self._items[topic, name] = {at}

    def refuse(self, each: Annotation, reason: str, cure: str, code: str) -> None:
        """Note a fault of an annotation."""
        self.faults.append(Fault(str(self._path), each.place, reason, cure, code, unit="row"))

    def decisions(self, each: Annotation, who: str) -> list[Decision]:
        """What somebody says of an update, as decisions; none if it cannot be understood."""
        item = self._item(each)
        if item is None:
            return []
        chosen: dict[str, Label] = {}
        rows: list[Decision] = []
        for label in each.labels:
            if label.control == self._controls.cluster:
                rows += self._clustered(item, label.label, who)
            elif label.control in (self._controls.match, self._controls.words):
                self._choose(each, item, label, chosen)
            elif label.control not in self._controls.ignore:
                reason = f"the control '{label.control}' is unknown"
                self.refuse(each, reason, CONTROL_CURE, "unknown-label")
        before = self._state.choices.get(self._state.pool.place[item.topic, item.name], {})
        said = [(name, known) for name, known in before.get(who, {}).items() if known.match]
        rows += [
            Decision(who, kinds.MATCH, item.topic, item.name, name, label.start, label.end)
            for name, label in chosen.items()
        ]
        rows += [
            Decision(who, kinds.NO_MATCH, item.topic, item.name, name)
            for name, _ in said
            if name not in chosen
        ]
        written = sorted(n.name for n in self._state.live(item.topic) if n.written)
        shown = json.dumps(written) if written else ""
        done = Decision(who, kinds.DONE, item.topic, item.name, value=shown, shown_by="import")
        return [*rows, done]

    def _item(self, each: Annotation) -> Item | None:
        topics = self._state.pool.topics
        topic = each.topic or (topics[0] if len(topics) == 1 else "")
        found = self._items.get((topic, each.update), set())
        if len(found) == 1:
            return self._state.pool.items[next(iter(found))]
        if found:
            reason = (
                f'the update "{each.update}" of topic "{topic}" is in several runs with other texts'
            )
            self.refuse(each, reason, "name it as the desk does: UPDATE@RUN", "ambiguous-id")
        else:
            reason = f'the pool has no update "{each.update}" of topic "{topic}"'
            cure = "name the fields of topic and update in --mapping"
            self.refuse(each, reason, cure, "unknown-id")
        return None

    def _choose(self, each: Annotation, item: Item, label: Label, chosen: dict[str, Label]) -> None:
        called = self._controls.labels.get(label.label, label.label)
        live = self._state.live(item.topic)
        text = " ".join(called.split())
        name = next((n.name for n in live if n.name == called), None)
        name = name or next((n.name for n in live if n.text == text), None)
        if name is None:
            reason = f"the label '{label.label}' is no nugget of {item.topic}"
            self.refuse(each, reason, LABEL_CURE, "unknown-id")
            return
        if label.start is None or label.end is None:
            chosen.setdefault(name, label)
            return
        if each.text is not None and each.text != item.text:
            chosen.setdefault(name, Label(label.control, label.label))
        elif not 0 <= label.start < label.end <= len(item.text):
            reason = f"{label.start} to {label.end} is not in the update"
            self.refuse(each, reason, "mend the span", "number-range")
        elif name not in chosen or chosen[name].start is None:
            chosen[name] = label

    def _clustered(self, item: Item, label: str, who: str) -> list[Decision]:
        first = self._first.get((item.topic, label))
        if first is None:
            self._first[item.topic, label] = item
            return [Decision(who, kinds.ALONE, item.topic, item.name)]
        if first is item:
            return []
        return [Decision(who, kinds.TOGETHER, item.topic, item.name, value=first.name)]


# Out of the store.


def given_out(desk: Desk, tool: str, assessor: str | None) -> bytes:
    """What assessors said of updates, as a tool has it.

    Label Studio and Argilla get every update of the pool as a task. The others cannot tell an
    update that nobody read from one that says nothing: they get those that were read. doccano and
    Potato keep the annotations of one person in a file: `assessor` says whose.
    """
    people = [assessor] if assessor is not None else sorted(desk.state.assessors)
    if tool in OF_ONE and len(people) != 1:
        raise UsageError(f"a file of {tool} is one person's: say whose with --assessor")
    return WRITERS[tool](desk, people)


def _said(desk: Desk, item: int, who: str) -> list[tuple[str, Choice]] | None:
    """The nuggets that somebody chose; None if they have not read the update."""
    if who not in desk.state.read.get(item, {}):
        return None
    topic = desk.pool.items[item].topic
    chosen = desk.state.choices.get(item, {}).get(who, {})
    live = {each.name for each in desk.state.live(topic)}
    return [(name, each) for name, each in sorted(chosen.items()) if each.match and name in live]


def _cluster(desk: Desk, item: int) -> str | None:
    own = desk.state.cluster.get(item)
    return None if own is None else desk.pool.items[own].name


def _read_by(desk: Desk, people: Sequence[str]) -> Iterator[tuple[int, Item, list[str]]]:
    """Every item with those of these people who have read it."""
    for at, item in enumerate(desk.pool.items):
        yield at, item, [who for who in people if who in desk.state.read.get(at, {})]


def _options(desk: Desk, topic: str) -> list[Record]:
    return [{"id": each.name, "text": each.text} for each in desk.state.live(topic)]


def _named(item: Item) -> Record:
    return {"topic": item.topic, "update_id": item.name, "time": item.time}


def _marked(said: list[tuple[str, Choice]]) -> list[Record]:
    return [
        {"start": each.start, "end": each.end, "label": name}
        for name, each in said
        if each.start is not None
    ]


def _label_studio(desk: Desk, people: Sequence[str]) -> bytes:
    tasks = []
    for at, item, readers in _read_by(desk, people):
        annotations = []
        for who in readers:
            said = _said(desk, at, who) or []
            result: list[Record] = []

            def add(control: str, kind: str, value: Record, into: list[Record] = result) -> None:
                into.append({"from_name": control, "to_name": "text", "type": kind, "value": value})

            add("match", "choices", {"choices": [name for name, _ in said]})
            for each in _marked(said):
                words = item.text[each["start"] : each["end"]]
                span = {"start": each["start"], "end": each["end"], "text": words}
                add("words", "labels", span | {"labels": [each["label"]]})
            if (cluster := _cluster(desk, at)) is not None:
                add("cluster", "choices", {"choices": [cluster]})
            annotations.append(
                {
                    "result": result,
                    "was_cancelled": False,
                    "ground_truth": False,
                    "completed_by": who,
                }
            )
        data = {**_named(item), "text": item.text, "nuggets": _options(desk, item.topic)}
        tasks.append({"id": at + 1, "data": data, "annotations": annotations})
    return _json(tasks)


def _doccano(desk: Desk, people: Sequence[str]) -> bytes:
    lines = []
    for at, item, readers in _read_by(desk, people):
        record = {"id": at + 1, "text": item.text, **_named(item)}
        if readers:
            said = _said(desk, at, readers[0]) or []
            spans = [[e["start"], e["end"], e["label"]] for e in _marked(said)]
            record["label"] = [name for name, each in said if each.start is None] + spans
            record |= _with_cluster(desk, at)
        lines.append(record)
    return _lines(each for each in lines if "label" in each)


def _prodigy(desk: Desk, people: Sequence[str]) -> bytes:
    lines = []
    for at, item, readers in _read_by(desk, people):
        for who in readers:
            said = _said(desk, at, who) or []
            lines.append(
                {
                    "text": item.text,
                    "meta": _named(item) | _with_cluster(desk, at),
                    "options": _options(desk, item.topic),
                    "accept": [name for name, _ in said],
                    "spans": _marked(said),
                    "answer": "accept",
                    "_annotator_id": who,
                }
            )
    return _lines(iter(lines))


def _argilla(desk: Desk, people: Sequence[str]) -> bytes:
    records = []
    for at, item, readers in _read_by(desk, people):
        responses = []
        for who in readers:
            said = _said(desk, at, who) or []
            values: Record = {"match": {"value": [name for name, _ in said]}}
            values["words"] = {"value": _marked(said)}
            if (cluster := _cluster(desk, at)) is not None:
                values["cluster"] = {"value": cluster}
            responses.append({"values": values, "user_id": who, "status": "submitted"})
        records.append(
            {
                "id": at + 1,
                "external_id": f"{item.topic}{DIVIDER}{item.name}",
                "fields": {"text": item.text},
                "metadata": _named(item),
                "responses": responses,
                "suggestions": [],
            }
        )
    return _json(records)


def _potato(desk: Desk, people: Sequence[str]) -> bytes:
    labels: Record = {}
    spans: Record = {}
    for at, item, readers in _read_by(desk, people):
        if readers:
            said = _said(desk, at, readers[0]) or []
            name = f"{item.topic}{DIVIDER}{item.name}"
            labels[name] = {"match": {nugget: True for nugget, _ in said}}
            if (cluster := _cluster(desk, at)) is not None:
                labels[name]["cluster"] = {cluster: True}
            if marked := _marked(said):
                spans[name] = {"words": marked}
    whole = {"user_id": people[0], "instance_id_to_label_to_value": labels}
    return _json(whole | {"instance_id_to_span_to_value": spans})


def _with_cluster(desk: Desk, item: int) -> Record:
    cluster = _cluster(desk, item)
    return {} if cluster is None else {"cluster": cluster}


def _json(content: object) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _lines(records: Iterator[Record]) -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()


WRITERS: dict[str, Callable[[Desk, Sequence[str]], bytes]] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
    "argilla": _argilla,
    "potato": _potato,
}
OF_ONE = {"doccano", "potato"}
