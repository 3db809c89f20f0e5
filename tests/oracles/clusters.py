"""The measures of `proposal` over clusters, slowly: loops over posts, and nothing shared.

Written from the definitions alone. It imports nothing of the program and no numerical library; all
numbers are fractions, so equal means equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

Value = Fraction | None
"""A measure's value; None is undefined."""
Parts = tuple[Fraction, int]
"""What is added up in a topic, and what it is divided by."""
MINUTES = {"s": Fraction(1, 60), "min": Fraction(1), "h": Fraction(60)}


@dataclass(frozen=True)
class Post:
    """A post that a run returned; `order` is its place in the file."""

    run: str
    topic: str
    post_id: str
    time: int
    order: int
    confidence: int = 0
    selected: bool = False
    own: str = ""
    """The cluster that was made for it, if the run names one."""


@dataclass(frozen=True)
class Member:
    """A post of a cluster, with the time at which it was made."""

    topic: str
    cluster_id: str
    post_id: str
    time: int


@dataclass(frozen=True)
class Case:
    """Runs and clusters. `named` says whether the runs themselves select posts."""

    posts: list[Post]
    members: list[Member]
    named: bool = False
    runs: list[str] = field(default_factory=list)


def clusters_of(case: Case, topic: str) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {}
    for member in case.members:
        if member.topic == topic:
            found.setdefault(member.cluster_id, []).append(member)
    return found


def topics(case: Case) -> list[str]:
    return sorted({member.topic for member in case.members})


def returned(case: Case, run: str, topic: str, t: Fraction | None = None) -> list[Post]:
    """The posts that a run returned on a topic before t, in the order in which they came."""
    found = [
        post
        for post in case.posts
        if post.run == run and post.topic == topic and (t is None or post.time < t)
    ]
    return sorted(found, key=lambda post: (post.time, post.order))


def in_a_cluster(case: Case, post: Post) -> bool:
    for member in case.members:
        if member.topic == post.topic and member.post_id == post.post_id:
            return True
    return False


def sample(case: Case, run: str, topic: str, size: int) -> set[str]:
    """The posts of highest confidence; ties go to the earlier, then to the lesser id."""
    candidates = [post for post in returned(case, run, topic) if in_a_cluster(case, post)]
    ranked = sorted(candidates, key=lambda post: (-post.confidence, post.time, post.post_id))
    return {post.post_id for post in ranked[:size]}


def assessors_sample(posts: list[Post], size: int, per: str) -> set[tuple[str, str, str]]:
    """What assessors get of each system, or of each system and topic, before there are clusters.

    The posts of highest confidence; ties go to the earlier, then to the lesser id, then topic.
    """
    groups: dict[tuple[str, ...], list[Post]] = {}
    for post in posts:
        key = (post.run,) if per == "system" else (post.run, post.topic)
        groups.setdefault(key, []).append(post)
    taken = set()
    for left in groups.values():
        for _ in range(min(size, len(left))):
            best = left[0]
            for post in left[1:]:
                if post.confidence != best.confidence:
                    best = post if post.confidence > best.confidence else best
                elif (post.time, post.post_id, post.topic) < (best.time, best.post_id, best.topic):
                    best = post
            left.remove(best)
            taken.add((best.run, best.topic, best.post_id))
    return taken


def is_selected(case: Case, post: Post, size: int | None) -> bool:
    if size is not None:
        return post.post_id in sample(case, post.run, post.topic, size)
    return post.selected if case.named else in_a_cluster(case, post)


def scored_in(case: Case, post: Post, size: int | None) -> dict[str, list[Member]]:
    """The clusters in which a post counts: none, its own, or all that it is in."""
    if not is_selected(case, post, size):
        return {}
    inside = {
        name: members
        for name, members in clusters_of(case, post.topic).items()
        if any(member.post_id == post.post_id for member in members)
    }
    if case.named and size is None and post.own:
        return {post.own: inside[post.own]}
    return {post.post_id: inside[post.post_id]} if post.post_id in inside else inside


def divide(above: Fraction | int, below: int) -> Value:
    return None if below == 0 else Fraction(above) / below


def latency(
    case: Case, run: str, topic: str, t: Fraction | None, size: int | None, unit: str = "min"
) -> Parts:
    delays: list[Fraction] = []
    for post in returned(case, run, topic, t):
        for members in scored_in(case, post, size).values():
            for member in members:
                if member.post_id == post.post_id:
                    earliest = min(each.time for each in members)
                    delays.append(Fraction(member.time - earliest, 60) / MINUTES[unit])
    return sum(delays, Fraction(0)), len(delays)


def redundancy(case: Case, run: str, topic: str, t: Fraction | None, size: int | None) -> Parts:
    posts = returned(case, run, topic, t)
    others = 0
    for post in posts:
        for members in scored_in(case, post, size).values():
            ids = {member.post_id for member in members}
            for other in posts:
                if other.post_id in ids and other.post_id != post.post_id:
                    others += 1
    return Fraction(others), len(posts)


def redundancy_unique(case: Case, run: str, topic: str, t: Fraction | None, _: int | None) -> Parts:
    posts = returned(case, run, topic, t)
    reported: set[str] = set()
    repeats = 0
    for post in posts:
        held = {
            name
            for name, members in clusters_of(case, topic).items()
            if any(member.post_id == post.post_id for member in members)
        }
        if held & reported:
            repeats += 1
        reported |= held
    return Fraction(repeats), len(posts)


def coverage(case: Case, run: str, topic: str, t: Fraction | None, size: int | None) -> Parts:
    clusters = [
        frozenset(member.post_id for member in members)
        for members in clusters_of(case, topic).values()
    ]
    if made_for_posts(case, run, size):
        clusters = list(set(clusters))
    ids = {post.post_id for post in returned(case, run, topic, t)}
    return Fraction(sum(not ids.isdisjoint(each) for each in clusters)), len(clusters)


def made_for_posts(case: Case, run: str, size: int | None) -> bool:
    """Whether a cluster is called as a post in it, or the run names posts' own ones."""
    if any(member.cluster_id == member.post_id for member in case.members):
        return True
    return (
        case.named
        and size is None
        and any(post.run == run and post.own and post.topic in topics(case) for post in case.posts)
    )


MEASURES = {
    "latency": latency,
    "latency(unit=s)": lambda *case: latency(*case, unit="s"),
    "latency(unit=h)": lambda *case: latency(*case, unit="h"),
    "redundancy": redundancy,
    "redundancy(unique)": redundancy_unique,
    "coverage": coverage,
}


def start(case: Case, topic: str) -> int:
    """When a topic starts: with the earliest post that is in a cluster of it."""
    return min(member.time for member in case.members if member.topic == topic)


def score(
    case: Case,
    run: str,
    name: str,
    after: int | None = None,
    size: int | None = None,
    undefined: str = "skip",
    pooled: bool = True,
) -> dict[str, Value]:
    """The measure of every topic, `after` seconds from its start, and `all`.

    That is the mean over topics, or, of latency and redundancy, what the sums over topics give.
    """
    values: dict[str, Value] = {}
    parts = []
    for topic in topics(case):
        t = None if after is None else Fraction(start(case, topic) + after)
        parts.append(MEASURES[name](case, run, topic, t, size))
        values[topic] = divide(*parts[-1])
    whole = mean(values.values(), undefined)
    if pooled and name != "coverage":
        whole = divide(sum((above for above, _ in parts), Fraction(0)), sum(n for _, n in parts))
    return values | {"all": whole}


def mean(values: Iterable[Value], undefined: str) -> Value:
    numbers = []
    for value in values:
        if value is not None:
            numbers.append(value)
        elif undefined == "zero":
            numbers.append(Fraction(0))
    return divide(sum(numbers, Fraction(0)), len(numbers))
