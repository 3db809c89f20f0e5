"""Annotations of Label Studio: import them into the desk's store, export the desk's as tasks.

A project's labelling configuration is free, so a mapping says which of its controls holds the
matches, the words that say a nugget, and the clusters.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.errors import UsageError
from tseval.io import JSON
from tseval.io.faults import FaultList
from tseval.io.forms import row_input
from tseval.io.inputs import Input
from tseval.io.json_text import elements
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.pool import Item

Record = dict[str, Any]
TASK_CURE = "export the project from Label Studio as JSON, and name its fields with --mapping"
UPDATE_CURE = "name the fields of topic and update in --mapping"
LABEL_CURE = "name the nugget by its id or its text, or map the label in --mapping: [labels]"
CONTROL_CURE = "say in --mapping which control is match, words or cluster, or list it in ignore"


@frozen
class TaskMapping:
    """The names of fields and controls in a project; a file of it is TOML with these names."""

    topic: str = "topic"
    update: str = "update_id"
    match: str = "match"
    words: str = "words"
    cluster: str = "cluster"
    ignore: tuple[str, ...] = ()
    """Controls that hold neither nuggets nor clusters."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The nuggets of labels that are neither ids nor texts of nuggets."""
    assessors: Mapping[str, str] = field(default_factory=dict)
    """The names of assessors by the tool's users."""

    @classmethod
    def read(cls, path: Path) -> TaskMapping:
        """Read a mapping from a file; an unknown name is refused."""
        try:
            content = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{path} is no mapping: {error}") from error
        types = {each.name: type(getattr(cls(), each.name)) for each in fields(cls)}
        for name, value in content.items():
            expected = types.get(name)
            if expected is None or not isinstance(value, list if expected is tuple else expected):
                raise UsageError(f"{path}: {name} is none of {', '.join(types)}, or no such value")
        content["ignore"] = tuple(content.get("ignore", ()))
        return cls(**content)


class Label(NamedTuple):
    """A label that an assessor gave an update, or words of it, with a control."""

    control: str
    name: str
    start: int | None
    end: int | None


def import_annotations(
    desk: Desk, path: Path, mapping: TaskMapping, assessor: str | None
) -> dict[str, int]:
    """Put the annotations of a file into the store; return each assessor's number of updates.

    The annotations of an assessor are one act. If anything in the file is faulty, nothing is
    stored. Annotations without a user are those of `assessor`.
    """
    source = row_input(Input(path), JSON)
    faults = FaultList(source)
    reader = _TaskReader(desk, mapping, assessor, faults)
    for row, task in elements(source, faults, as_rows=True):
        reader.read(row, task)
    faults.check()
    for decisions in reader.decisions.values():
        desk.decide(*decisions)
    return dict(sorted(reader.updates.items()))


class _TaskReader:
    """Turns tasks into decisions, and notes their faults."""

    def __init__(
        self, desk: Desk, mapping: TaskMapping, assessor: str | None, faults: FaultList
    ) -> None:
        self.decisions: dict[str, list[Decision]] = {}
        self.updates: Counter[str] = Counter()
        self._state, self._mapping, self._faults = desk.state, mapping, faults
        self._assessor = assessor or ""
        self._first_of_cluster: dict[tuple[str, str], Item] = {}
        self._items: dict[tuple[str, str], set[int]] = {}
        ids = desk.pool.frame["update_id"].to_list()
        for at, item in enumerate(desk.pool.items):
            for row in item.rows:
                key = item.topic, ids[row]
                self._items.setdefault(key, set()).add(at)
        for key, at in desk.pool.place.items():
            self._items[key] = {at}

    def read(self, row: int, task: Record) -> None:
        """Add the decisions of a task."""
        try:
            annotations = []
            for each in task["annotations"]:
                user = each.get("completed_by") or ""
                name = str(user.get("email", user.get("id")) if isinstance(user, dict) else user)
                name = self._mapping.assessors.get(name, name) or self._assessor
                if not each.get("was_cancelled"):
                    annotations.append((name, _labels(each)))
            if not annotations:
                return
            topic = str(task["data"].get(self._mapping.topic, ""))
            update, text = str(task["data"][self._mapping.update]), task["data"].get("text")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            detail = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            reason = f"is not a task of Label Studio: {detail}"
            self._faults.add(row, reason, TASK_CURE, "record-format")
            return
        item = self._find_item(row, topic, update)
        if item is None:
            return
        has_same_text = not isinstance(text, str) or text == item.text
        for assessor, labels in annotations:
            if not assessor:
                cure = "say with --assessor whose annotations these are"
                self._faults.add(row, "an annotation names nobody", cure, "empty-value")
                continue
            own = self.decisions.setdefault(assessor, [])
            own += self._decide(row, item, assessor, labels, has_same_text=has_same_text)
            self.updates[assessor] += 1

    def _find_item(self, row: int, topic: str, update: str) -> Item | None:
        topics = list(self._state.pool.of_topic)
        topic = topic or (topics[0] if len(topics) == 1 else "")
        found = self._items.get((topic, update), set())
        if len(found) == 1:
            return self._state.pool.items[next(iter(found))]
        if found:
            reason = f'the update "{update}" of topic "{topic}" is in several runs with other texts'
            self._faults.add(row, reason, "name it as the desk does: UPDATE@RUN", "ambiguous-id")
        else:
            reason = f'the pool has no update "{update}" of topic "{topic}"'
            self._faults.add(row, reason, UPDATE_CURE, "unknown-id")
        return None

    def _decide(
        self, row: int, item: Item, assessor: str, labels: list[Label], *, has_same_text: bool
    ) -> list[Decision]:
        """Return an assessor's decisions on an update; earlier matches that lack are withdrawn."""
        matches: dict[str, Label] = {}
        decisions: list[Decision] = []
        for label in labels:
            if label.control == self._mapping.cluster:
                decisions += self._cluster(item, label.name, assessor)
            elif label.control in (self._mapping.match, self._mapping.words):
                self._match(row, item, label, matches, has_same_text=has_same_text)
            elif label.control not in self._mapping.ignore:
                reason = f"the control '{label.control}' is unknown"
                self._faults.add(row, reason, CONTROL_CURE, "unknown-label")
        decisions += [
            Decision(assessor, kinds.MATCH, item.topic, item.name, nugget, label.start, label.end)
            for nugget, label in matches.items()
        ]
        before = self._state.choices.get(self._state.pool.place[item.topic, item.name], {})
        decisions += [
            Decision(assessor, kinds.NO_MATCH, item.topic, item.name, nugget)
            for nugget, choice in before.get(assessor, {}).items()
            if choice.match and nugget not in matches
        ]
        written = sorted(each.name for each in self._state.live(item.topic) if each.written)
        value = json.dumps(written) if written else ""
        done = Decision(assessor, kinds.DONE, item.topic, item.name, value=value, shown_by="import")
        return [*decisions, done]

    def _match(
        self, row: int, item: Item, label: Label, matches: dict[str, Label], *, has_same_text: bool
    ) -> None:
        """Add the nugget of a label to the matches; marked words go before a bare match."""
        name = self._mapping.labels.get(label.name, label.name)
        nuggets = self._state.live(item.topic)
        ids = [each.name for each in nuggets if each.name == name]
        ids += [each.name for each in nuggets if each.text == " ".join(name.split())]
        if not ids:
            reason = f"the label '{label.name}' is no nugget of {item.topic}"
            self._faults.add(row, reason, LABEL_CURE, "unknown-id")
        elif label.start is None or label.end is None or not has_same_text:
            matches.setdefault(ids[0], label._replace(start=None, end=None))
        elif not 0 <= label.start < label.end <= len(item.text):
            reason = f"{label.start} to {label.end} is not in the update"
            self._faults.add(row, reason, "mend the span", "number-range")
        elif ids[0] not in matches or matches[ids[0]].start is None:
            matches[ids[0]] = label

    def _cluster(self, item: Item, name: str, assessor: str) -> list[Decision]:
        """Put an update into the cluster of the first update with the same label."""
        first = self._first_of_cluster.get((item.topic, name))
        if first is None:
            self._first_of_cluster[item.topic, name] = item
            return [Decision(assessor, kinds.ALONE, item.topic, item.name)]
        if first is item:
            return []
        return [Decision(assessor, kinds.TOGETHER, item.topic, item.name, value=first.name)]


def _labels(annotation: Record) -> list[Label]:
    labels = []
    for result in annotation.get("result", ()):
        value = result["value"]
        if "startOffset" in value:
            raise ValueError("its spans count characters of HyperText or Paragraphs, not of Text")
        start, end = (int(value[key]) if key in value else None for key in ("start", "end"))
        names = value.get("choices", value.get("labels", value.get("text", ())))
        labels += [Label(result["from_name"], str(name), start, end) for name in names]
    return labels


def export_tasks(desk: Desk, assessor: str | None) -> bytes:
    """Return every update of the pool as a task, with the annotations of all or one assessor."""
    assessors = sorted(desk.state.assessors) if assessor is None else [assessor]
    tasks = [
        {
            "id": at + 1,
            "data": {
                "topic": item.topic,
                "update_id": item.name,
                "time": item.time,
                "text": item.text,
                "nuggets": [
                    {"id": each.name, "text": each.text} for each in desk.state.live(item.topic)
                ],
            },
            "annotations": [
                {
                    "result": _results(desk, at, each),
                    "was_cancelled": False,
                    "ground_truth": False,
                    "completed_by": each,
                }
                for each in assessors
                if each in desk.state.read.get(at, {})
            ],
        }
        for at, item in enumerate(desk.pool.items)
    ]
    return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode()


def _results(desk: Desk, at: int, assessor: str) -> list[Record]:
    """Return what an assessor decided about an update, as results of Label Studio."""
    item = desk.pool.items[at]
    live = {each.name for each in desk.state.live(item.topic)}
    choices = desk.state.choices.get(at, {}).get(assessor, {})
    matches = [(name, each) for name, each in sorted(choices.items()) if each.match]
    matches = [(name, each) for name, each in matches if name in live]
    results = [_result("match", "choices", {"choices": [name for name, _ in matches]})]
    for name, each in matches:
        if each.start is not None:
            words = item.text[each.start : each.end]
            span = {"start": each.start, "end": each.end, "text": words, "labels": [name]}
            results.append(_result("words", "labels", span))
    cluster = desk.state.cluster.get(at)
    if cluster is not None:
        names = [desk.pool.items[cluster].name]
        results.append(_result("cluster", "choices", {"choices": names}))
    return results


def _result(control: str, kind: str, value: Record) -> Record:
    return {"from_name": control, "to_name": "text", "type": kind, "value": value}
