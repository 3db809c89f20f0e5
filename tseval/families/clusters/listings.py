"""The forms in which assessors' clusters come, other than the plain table.

    two columns          cluster post, one pair a line, divided by white space or a comma
    Microblog 2015       {"topics": {T: {"clusters": [[post, …], …]}}}
    RTS 2016             {"topics": {T: {"clusters": {C: [post, …]}}}}
    RTS 2017             {T: {"clusters": {C: {"description": …, "tweets": [post, …]}}}}
    CrisisFACTS          [{"collapsed_fact_id": C, "fact_text": …, "relevant_facts": [post, …]}, …],
                         or one such object a line

None of them has times. What cannot be read is a fault; what can be read but is odd is a *remark*:
a post in two clusters of a topic, a cluster without posts. Both name their line, or in JSON their
path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import polars as pl

from tseval.errors import Fault
from tseval.io.binary import MAGIC as SPREADSHEET
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.json_tables import KINDS
from tseval.io.json_text import doubled
from tseval.io.schema import CLUSTERS
from tseval.io.tables import TrackRows, frame_of_rows, lacks_columns
from tseval.io.text_lines import UTF8_CURE, not_utf8

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
Place: TypeAlias = "int | str"
"""A line's number, or a path in JSON."""


class Members(dict[str, Any]):
    """A JSON object that knows which of its keys stand twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.doubled = list(doubled(pairs)) if len(self) < len(pairs) else []


@dataclass
class Listing:
    """The posts of a file in its order, each with its place, its topic and its cluster."""

    faults: FaultList
    rows: list[tuple[int | None, str, str, str, str, str]] = field(default_factory=list)
    """The line or the path of each post, its topic, its cluster, its id, and a text."""
    remarks: list[Fault] = field(default_factory=list)
    places: dict[tuple[str, str], tuple[str, Place]] = field(default_factory=dict)
    """The first cluster of each (topic, post), and its place there."""
    pairs: set[tuple[str, str, str]] = field(default_factory=set)

    def fault(self, place: Place, reason: str, cure: str, code: str) -> Fault:
        """Return a fault of a place."""
        line, path = (place, "") if isinstance(place, int) else (None, place)
        reason = f"{path}: {reason}" if path else reason
        return Fault(self.faults.source.path, line, reason, cure, code)

    def refuse(self, place: Place, reason: str, cure: str, code: str) -> None:
        """Note a fault."""
        self.faults.extend([self.fault(place, reason, cure, code)])

    def add(self, topic: str, cluster: str, post: Any, place: Place, text: str = "") -> None:
        """Add a post of a cluster; refuse what is no id or stands there already."""
        if not isinstance(post, str):
            reason = f"a {kind_of(post)} where a post's id is expected"
            self.refuse(place, reason, STRING_CURE, "json-type")
        elif not post.strip():
            self.refuse(
                place, "an empty post id", "give the post its id, or remove it", "empty-value"
            )
        elif any(mark in post for mark in "\t\n\r"):
            self.refuse(place, "a post id with a tab or a line's end", "remove it", "id-format")
        elif (topic, cluster, post) in self.pairs:
            reason = f'post "{post}" stands twice in its cluster'
            self.refuse(place, reason, "remove one of them", "duplicate-id")
        else:
            self.pairs.add((topic, cluster, post))
            other, where = self.places.setdefault((topic, post), (cluster, place))
            if other != cluster:
                first = f"line {where}" if isinstance(where, int) else where
                reason = f'post "{post}" is in two clusters: "{other}" ({first}) and "{cluster}"'
                odd = self.fault(place, reason, TWO_CLUSTERS_CURE, "conflicting-rows")
                self.remarks.append(odd)
            line, path = (place, "") if isinstance(place, int) else (None, place)
            self.rows.append((line, path, topic, cluster, post, text))

    def add_posts(self, topic: str, cluster: str, posts: Any, place: Place, text: str = "") -> None:
        """Add the posts of a cluster, which RTS 2017 has beside a description."""
        if isinstance(posts, Members):
            posts, place = posts.get("tweets"), f"{place}.tweets"
        if not isinstance(posts, list):
            reason = f"a {kind_of(posts)} where a list of posts is expected"
            self.refuse(place, reason, "", "json-type")
            return
        if not posts:
            reason = f'cluster "{cluster}" has no posts'
            self.remarks.append(self.fault(place, reason, "it is left out", "no-rows"))
        for at, post in enumerate(posts):
            self.add(topic, cluster, post, inside(place, f"[{at}]"), text)

    def add_fact(self, fact: Any, place: Place) -> None:
        """Add a collapsed fact of CrisisFACTS: a cluster of the facts that say the same."""
        members = fact if isinstance(fact, Members) else {}
        name, posts, text = (members.get(k) for k in (FACT, "relevant_facts", "fact_text"))
        if isinstance(name, str) and name.strip() and isinstance(posts, list):
            topic = name.rpartition(FACT_MARK)[0] or name
            self.add_posts(topic, name, posts, place, text if isinstance(text, str) else "")
        else:
            wanted = f'an object with "{FACT}" and the list "relevant_facts"'
            reason = f"no collapsed fact: {wanted} is expected"
            self.refuse(place, reason, "", "record-format")

    def add_topics(self, document: Members) -> None:
        """Add the topics of Microblog and RTS."""
        wrapped = document.get("topics")
        root = "topics" if isinstance(wrapped, Members) else ""
        topics = wrapped if isinstance(wrapped, Members) else document
        for topic, content, path in self.members(topics, root):
            clusters = content.get("clusters") if isinstance(content, Members) else None
            within = f"{path}.clusters"
            if isinstance(clusters, Members):
                for name, posts, where in self.members(clusters, within):
                    self.add_posts(topic, name, posts, where)
            elif isinstance(clusters, list):
                for at, posts in enumerate(clusters):
                    self.add_posts(topic, str(at + 1), posts, f"{within}[{at}]")
            else:
                self.refuse(path, 'no "clusters"', f"looked for {FORMS}", "record-format")
        if not topics:
            self.refuse(root, "no topics", f"looked for {FORMS}", "no-rows")

    def members(self, members: Members, path: str) -> Iterator[tuple[str, Any, str]]:
        """Yield each member with its path; refuse an empty key."""
        for key, value in members.items():
            where = inside(path, f".{key}")
            if key.strip():
                yield key, value, str(where)
            else:
                cure = "give the topic or cluster its id"
                self.refuse(where, "an empty name", cure, "empty-value")

    def check_keys(self, document: Any, place: Place) -> None:
        """Refuse every key that stands twice in an object, however deep."""
        left = [(document, place)]
        while left:
            value, where = left.pop()
            if isinstance(value, Members):
                for key in value.doubled:
                    reason, cure = (
                        f'"{key}" stands twice',
                        "JSON keeps one of them: rename the other",
                    )
                    self.refuse(inside(where, f".{key}"), reason, cure, "duplicate-key")
                left += [(v, inside(where, f".{key}")) for key, v in reversed(value.items())]
            elif isinstance(value, list):
                parts = [(each, inside(where, f"[{at}]")) for at, each in enumerate(value)]
                left += reversed(parts)


def inside(place: Place, step: str) -> Place:
    """Return the place of what lies in another: a line's is the line."""
    return place if isinstance(place, int) else f"{place}{step}".lstrip(".")


def kind_of(value: Any) -> str:
    """Return what JSON calls a value."""
    return KINDS[dict if isinstance(value, dict) else type(value)]


def parse(text: str) -> Any:
    """Return a JSON document, None if it is none."""
    try:
        return json.loads(text, object_pairs_hook=Members)
    except (ValueError, RecursionError):
        return None


def divide(line: str) -> list[str]:
    """Return the two fields of a line, or as many as it has."""
    fields = line.strip().split(",") if line.count(",") == 1 else line.split()
    return [each.strip() for each in fields]


def first_pair(source: Input) -> list[str]:
    """Return the fields of the first line."""
    return divide(source.head().lstrip().partition(b"\n")[0].decode("utf-8", "replace"))


def is_list_of_pairs(source: Input) -> bool:
    """Return whether clusters that are no table are in two columns: then they name no topic."""
    return source.head().lstrip()[:1] not in (b"{", b"[")


def is_listing(source: Input) -> bool:
    """Return whether an input is one of these forms, and no plain table, by its first bytes."""
    head = source.head().lstrip()
    if head.startswith((b"PAR1", SPREADSHEET)):
        return False
    if head.startswith(b"["):
        return lacks_columns(source, CLUSTERS)
    if not head.startswith(b"{"):
        return len(first_pair(source)) == 2
    line = parse(head.partition(b"\n")[0].decode("utf-8", "replace"))
    return not isinstance(line, Members) or line.get("cluster_id") is None


def tells_posts(source: Input) -> bool:
    """Return whether a listing is more than any two columns: the second is named, or has numbers.

    Asked where nobody has said that an input holds clusters.
    """
    post = first_pair(source)[-1:] if is_list_of_pairs(source) else []
    return all(name in POST_NAMES or any(map(str.isdigit, name)) for name in post)


def read_listing(source: Input, faults: FaultList, topic: str | None = None) -> TrackRows:
    """Read any of these forms, with the remarks as the note.

    A list of two columns has one topic: the one given here, else the file's name up to its first
    dot.
    """
    listing = Listing(faults)
    if is_list_of_pairs(source):
        read_pairs(source, listing, topic or source.name.partition(".")[0])
    else:
        read_json(source, listing)
    names = ("topic", "cluster_id", "post_id", "text")
    rows = ((line, *ids, path) for line, path, *ids in listing.rows)
    frame = frame_of_rows(rows, CLUSTERS, *names, path=pl.String)
    return TrackRows(frame, listing.remarks)


def read_pairs(source: Input, listing: Listing, topic: str) -> None:
    """Read a cluster and a post a line."""
    lines = (line for block in source.blocks() for line in block.split(b"\n")[:-1])
    for number, line in enumerate(lines, start=1):
        reason = not_utf8(line)
        fields = [] if reason else divide(line.decode())
        if reason:
            listing.refuse(number, reason, UTF8_CURE, "encoding")
        elif len(fields) == 2:
            if number > 1 or fields[1] not in POST_NAMES:
                listing.add(topic, fields[0], fields[1], number)
        elif any(fields):
            reason = f"{len(fields)} field{'s' * (len(fields) > 1)} where there are two"
            listing.refuse(number, f"{reason}: cluster post", "", "field-count")


def read_json(source: Input, listing: Listing) -> None:
    """Read one document, or a fact a line."""
    content = source.whole_lines()
    reason = not_utf8(content)
    if reason:
        listing.refuse("", reason, UTF8_CURE, "encoding")
        return
    text = content.decode("utf-8-sig")
    document = parse(text)
    listing.check_keys(document, "")
    if document is None:
        read_lines(text, listing)
    elif isinstance(document, list):
        for at, fact in enumerate(document):
            listing.add_fact(fact, f"[{at}]")
    elif document.get(FACT) is not None:
        listing.add_fact(document, "")
    else:
        listing.add_topics(document)


def read_lines(text: str, listing: Listing) -> None:
    """Read a fact a line; if the first line is no JSON, refuse the document for its own fault."""
    lines = text.split("\n")
    if parse(next((line for line in lines if line.strip()), "")) is not None:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                fact = parse(line)
                listing.check_keys(fact, number)
                listing.add_fact(fact, number)
        return
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        at = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        cure = "close what is open; no comma after the last"
        listing.refuse(at, f"not JSON: {error}", cure, "json-syntax")
