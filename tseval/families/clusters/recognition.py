"""The forms in which assessors' clusters come, other than the plain table.

    two columns          cluster post, one pair a line, divided by white space or a comma
    Microblog 2015       {"topics": {T: {"clusters": [[post, …], …]}}}
    RTS 2016             {"topics": {T: {"clusters": {C: [post, …]}}}}
    RTS 2017             {T: {"clusters": {C: {"description": …, "tweets": [post, …]}}}}
    CrisisFACTS          [{"collapsed_fact_id": C, "fact_text": …, "relevant_facts": [post, …]}, …],
                         or one such object a line

None of them tells times. What cannot be read is a fault; what can be read but is odd is a *remark*:
a post in two clusters of a topic, a cluster without posts. Both name their line, or in JSON their
path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.errors import Fault
from tseval.files.faults import FaultList
from tseval.files.json_text import doubled
from tseval.files.parquet import MAGIC
from tseval.files.plain import recognise
from tseval.files.spreadsheet import MAGIC as SPREADSHEET
from tseval.files.tsv import UTF8_CURE, not_utf8
from tseval.tables.schema import CLUSTERS

if TYPE_CHECKING:
    from tseval.files.inputs import Input

FACT = "collapsed_fact_id"
FACT_MARK = "-collapsed-"
"""What stands in the name of a collapsed fact between its topic and its number."""
FORMS = (
    "the plain table, two columns (cluster, post), and the JSON of Microblog 2015, RTS 2016, "
    "RTS 2017 and CrisisFACTS"
)
TWO_CLUSTERS_CURE = "it counts in both for `proposal`, and in the last for the push editions"
POST_NAMES = ("post_id", "post", "update_id")
"""What the second column is called where a list of two columns has a header."""
STRING_CURE = 'write ids as strings: "891161183016820736"'


class Members(list[tuple[str, Any]]):
    """A JSON object as its members in order, so that a key that stands twice is not lost."""

    def get(self, key: str) -> Any:
        """The last value of a key; None if it is not there."""
        return dict(self).get(key)


Place: TypeAlias = "int | str"
"""A line's number, or a path in JSON."""


@dataclass
class ClusterLines:
    """The (topic, cluster, post) of a file, in its order, each with its place."""

    faults: FaultList
    topics: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    posts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    remarks: list[Fault] = field(default_factory=list)
    _first: dict[tuple[str, str], tuple[str, Place]] = field(default_factory=dict)
    """Where each (topic, post) stood first."""
    _pairs: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, topic: str, cluster: str, post: Any, place: Place, text: str = "") -> None:
        """Take a post of a cluster, unless it is no id or stands there already."""
        reason, cure, code = _refused(post)
        if not reason and (topic, cluster, post) in self._pairs:
            reason, cure = f'post "{post}" stands twice in its cluster', "remove one of them"
            code = "duplicate-id"
        if reason:
            self.note(place, reason, cure, code)
            return
        self._pairs.add((topic, cluster, post))
        other, where = self._first.setdefault((topic, post), (cluster, place))
        if other != cluster:
            said = f'post "{post}" is in two clusters: "{other}" ({_words(where)}) and "{cluster}"'
            self.remark(place, said, TWO_CLUSTERS_CURE, "conflicting-rows")
        self.topics.append(topic)
        self.clusters.append(cluster)
        self.posts.append(post)
        self.texts.append(text)
        self.places.append(place)

    def note(self, place: Place, reason: str, cure: str, code: str) -> None:
        """Note a fault."""
        self.faults.extend([self._fault(place, reason, cure, code)])

    def remark(self, place: Place, reason: str, cure: str, code: str) -> None:
        """Note what is odd."""
        self.remarks.append(self._fault(place, reason, cure, code))

    def _fault(self, place: Place, reason: str, cure: str, code: str) -> Fault:
        file = self.faults.source.path
        if isinstance(place, int):
            return Fault(file, place, reason, cure, code)
        return Fault(file, None, f"{place}: {reason}" if place else reason, cure, code)


def _words(place: Place) -> str:
    return f"line {place}" if isinstance(place, int) else place


def _refused(post: Any) -> tuple[str, str, str]:
    """Why this is no post's id; nothing if it is one."""
    if not isinstance(post, str):
        return f"a {_kind(post)} where a post's id is expected", STRING_CURE, "json-type"
    if not post.strip():
        return "an empty post id", "give the post its id, or remove it", "empty-value"
    if any(mark in post for mark in "\t\n\r"):
        return "a post id with a tab or a line's end", "remove it", "id-format"
    return "", "", ""


def _kind(value: Any) -> str:
    kinds = {str: "text", int: "number", float: "number", bool: "truth value", list: "list"}
    return "object" if isinstance(value, Members) else kinds.get(type(value), "null")


def is_listing(source: Input) -> bool:
    """Whether an input is one of these forms, and no plain table, by its first bytes."""
    head = source.head().lstrip()
    if head.startswith((MAGIC, SPREADSHEET)):
        return False
    if head.startswith(b"["):
        return bool(CLUSTERS.missing(recognise(source)[1]))
    if not head.startswith(b"{"):
        return len(_first_pair(source)) == 2
    line = _parsed(head.partition(b"\n")[0].decode("utf-8", "replace"))
    return not isinstance(line, Members) or line.get("cluster_id") is None


def tells_posts(source: Input) -> bool:
    """Whether a listing is more than any two columns: the second is called posts, or has numbers.

    Asked where nobody has said that an input holds clusters.
    """
    post = _first_pair(source)[-1:] if is_list_of_pairs(source) else []
    return all(name in POST_NAMES or any(map(str.isdigit, name)) for name in post)


def _first_pair(source: Input) -> list[str]:
    line = source.head().lstrip().partition(b"\n")[0]
    return _divided(line.decode("utf-8", "replace"))


def read_listing(source: Input, topic: str | None = None) -> ClusterLines:
    """Read any of these forms; a form that is none of them, and any fault, is raised.

    A list of two columns has one topic: the one given here, else the file's name up to its first
    dot.
    """
    listing = ClusterLines(FaultList(source))
    if is_list_of_pairs(source):
        _read_pairs(source, listing, topic or source.name.partition(".")[0])
    else:
        _read_json(source, listing)
    listing.faults.check()
    return listing


def is_list_of_pairs(source: Input) -> bool:
    """Whether clusters that are no table are in two columns: then they name no topic."""
    return source.head().lstrip()[:1] not in (b"{", b"[")


def _divided(line: str) -> list[str]:
    """The two fields of a line, or as many as it has."""
    fields = line.strip().split(",") if line.count(",") == 1 else line.split()
    return [each.strip() for each in fields]


def _read_pairs(source: Input, listing: ClusterLines, topic: str) -> None:
    number = 0
    for block in source.blocks():
        for line in block.split(b"\n")[:-1]:
            number += 1
            reason = not_utf8(line)
            fields = [] if reason else _divided(line.decode())
            if reason:
                listing.note(number, reason, UTF8_CURE, "encoding")
            elif len(fields) == 2:
                if number > 1 or fields[1] not in POST_NAMES:
                    listing.add(topic, fields[0], fields[1], number)
            elif any(fields):
                noun = "field" if len(fields) == 1 else "fields"
                reason = f"{len(fields)} {noun} where there are two: cluster post"
                listing.note(number, reason, "", "field-count")


def _parsed(text: str) -> Any:
    """A JSON document; None if it is none."""
    try:
        return json.loads(text, object_pairs_hook=Members)
    except (ValueError, RecursionError):
        return None


def _read_json(source: Input, listing: ClusterLines) -> None:
    content = source.whole_lines()
    reason = not_utf8(content)
    if reason:
        listing.note("", reason, UTF8_CURE, "encoding")
        return
    text = content.decode("utf-8-sig")
    document = _parsed(text)
    _note_doubled(document, "", listing)
    if document is None:
        _read_lines(text, listing)
    elif isinstance(document, list) and not isinstance(document, Members):
        for at, fact in enumerate(document):
            _read_fact(fact, f"[{at}]", listing)
    elif document.get(FACT) is not None:
        _read_fact(document, "", listing)
    else:
        _read_topics(document, listing)


def _read_lines(text: str, listing: ClusterLines) -> None:
    """One fact a line; or, if the first line is no JSON, the fault that the document has."""
    lines = text.split("\n")
    if _parsed(next((line for line in lines if line.strip()), "")) is None:
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            at = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            cure = "close what is open; no comma after the last"
            listing.note(at, f"not JSON: {error}", cure, "json-syntax")
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            fact = _parsed(line)
            _note_doubled(fact, number, listing)
            _read_fact(fact, number, listing)


def _note_doubled(document: Any, place: Place, listing: ClusterLines) -> None:
    """Every key that stands twice in an object, however deep, is a fault."""
    left = [(document, place)]
    while left:
        value, where = left.pop()
        if isinstance(value, Members):
            for key in doubled(value):
                reason, cure = f'"{key}" stands twice', "JSON keeps one of them: rename the other"
                listing.note(_within(where, f".{key}"), reason, cure, "duplicate-key")
            left += [(each, _within(where, f".{key}")) for key, each in reversed(value)]
        elif isinstance(value, list):
            inside = [(each, _within(where, f"[{at}]")) for at, each in enumerate(value)]
            left += reversed(inside)


def _within(place: Place, step: str) -> Place:
    """The place of what lies in another: a line's is the line."""
    return place if isinstance(place, int) else f"{place}{step}".lstrip(".")


def _read_fact(fact: Any, place: Place, listing: ClusterLines) -> None:
    """A collapsed fact of CrisisFACTS: a cluster of the facts that say the same."""
    name = fact.get(FACT) if isinstance(fact, Members) else None
    posts = fact.get("relevant_facts") if isinstance(fact, Members) else None
    if not isinstance(name, str) or not name.strip() or not isinstance(posts, list):
        wanted = f'an object with "{FACT}" and the list "relevant_facts"'
        listing.note(place, f"no collapsed fact: {wanted} is expected", "", "record-format")
        return
    topic = name.rpartition(FACT_MARK)[0] or name
    text = fact.get("fact_text")
    _read_posts(posts, (topic, name), place, listing, text if isinstance(text, str) else "")


def _read_topics(document: Members, listing: ClusterLines) -> None:
    """The topics of Microblog and RTS."""
    wrapped = document.get("topics")
    root = "topics" if isinstance(wrapped, Members) else ""
    topics = wrapped if isinstance(wrapped, Members) else document
    for topic, content, path in _members(topics, root, listing):
        clusters = content.get("clusters") if isinstance(content, Members) else None
        within = f"{path}.clusters"
        if isinstance(clusters, Members):
            for name, posts, where in _members(clusters, within, listing):
                _read_cluster(posts, (topic, name), where, listing)
        elif isinstance(clusters, list):
            for at, posts in enumerate(clusters):
                _read_cluster(posts, (topic, str(at + 1)), f"{within}[{at}]", listing)
        else:
            listing.note(path, 'no "clusters"', f"looked for {FORMS}", "record-format")
    if not topics:
        listing.note(root, "no topics", f"looked for {FORMS}", "no-rows")


def _members(members: Members, path: str, listing: ClusterLines) -> Iterator[tuple[str, Any, str]]:
    """Each member with its path; an empty key is a fault."""
    for key, value in members:
        where = f"{path}.{key}" if path else key
        if not key.strip():
            listing.note(where, "an empty name", "give the topic or cluster its id", "empty-value")
        else:
            yield key, value, where


def _read_cluster(content: Any, ids: tuple[str, str], path: str, listing: ClusterLines) -> None:
    """The posts of a cluster, which RTS 2017 puts beside a description."""
    if isinstance(content, Members):
        content, path = content.get("tweets"), f"{path}.tweets"
    if isinstance(content, list) and not isinstance(content, Members):
        _read_posts(content, ids, path, listing)
    else:
        reason = f"a {_kind(content)} where a list of posts is expected"
        listing.note(path, reason, "", "json-type")


def _read_posts(
    posts: list[Any], ids: tuple[str, str], place: Place, listing: ClusterLines, text: str = ""
) -> None:
    if not posts:
        reason = f'cluster "{ids[1]}" has no posts'
        listing.remark(place, reason, "it is left out", "no-rows")
    for at, post in enumerate(posts):
        where = place if isinstance(place, int) else f"{place}[{at}]"
        listing.add(*ids, post, where, text)
