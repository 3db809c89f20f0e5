"""The batch push measures of 2016 and 2017, slowly: dictionaries and loops, and nothing shared.

Written from the words of the definitions and of the documented rules. It imports nothing of the
program and no numerical library; all numbers are fractions, so equal means equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)
K = 10
"""How many posts a day a user wants."""
ALPHAS = {"GMP.33": Fraction(33, 100), "GMP.5": HALF, "GMP.66": Fraction(66, 100)}
MEASURES = (
    *("EG-0", "EG-1", "EG-p", "nCG-0", "nCG-1", "nCG-p"),
    *ALPHAS,
    *("latency-mean", "latency-median", "length"),
)


@dataclass(frozen=True)
class Habits:
    """In what the editions differ."""

    days: tuple[int, ...]
    gains: Mapping[int, Fraction]
    offset: int
    """The seconds that are added to every push."""


HABITS = {
    "rts2016": Habits(
        (*range(20160802, 20160812),),
        {-1: ZERO, 0: ZERO, 3: HALF, 4: ONE},
        139,
    ),
    "rts2017": Habits(
        (20170729, 20170730, 20170731, 20170801, 20170802, 20170803, 20170804, 20170805),
        {-2: ZERO, 0: ZERO, 1: HALF, 2: ONE},
        0,
    ),
}


@dataclass(frozen=True)
class World:
    """Pushes in the order of their file, and what is known of the posts."""

    edition: str
    pushes: list[tuple[str, str, str, int]]
    """Run, topic, post and time."""
    clusters: dict[str, dict[str, list[str]]]
    """The posts of each cluster of each topic, in the order of their file."""
    grades: dict[str, dict[str, int]]
    """The grade of each judged post of each topic."""
    created: dict[str, tuple[int, int]]
    """The day and the time of each post of the epochs file."""


@dataclass
class Tally:
    """What a run does on one topic: the measures by day, and the delays of posts that earn."""

    days: list[dict[str, Fraction]]
    delays: list[Fraction]
    length: int


def gain(world: World, topic: str, post: str) -> Fraction:
    grades = world.grades[topic]
    return HABITS[world.edition].gains[grades[post]] if post in grades else ZERO


def cluster_of(world: World, topic: str, post: str) -> str | None:
    """A post in several clusters is in the last of them."""
    found = None
    for name, posts in world.clusters.get(topic, {}).items():
        if post in posts:
            found = name
    return found


def posts_of_day(world: World, run: str, topic: str, day: int) -> list[tuple[str, int]]:
    """The posts created that day with their pushes; the unknown and the early are dropped.

    A post that is pushed twice stands there twice.
    """
    found = []
    for its_run, its_topic, post, pushed in world.pushes:
        if (its_run, its_topic) != (run, topic) or post not in world.created:
            continue
        its_day, its_time = world.created[post]
        time = pushed + HABITS[world.edition].offset
        if its_day == day and time >= its_time:
            found.append((post, time))
    return found


def best_of_day(world: World, topic: str, day: int, seen: set[str]) -> dict[str, Fraction]:
    """The largest gain that each cluster, not retrieved on an earlier day, could give that day."""
    best: dict[str, Fraction] = {}
    for name, posts in world.clusters.get(topic, {}).items():
        for post in posts:
            if cluster_of(world, topic, post) != name or name in seen:
                continue
            if post in world.created and world.created[post][0] == day:
                best[name] = max(best.get(name, ZERO), gain(world, topic, post))
    return best


def silent_day(posts: int) -> dict[str, Fraction]:
    values = dict.fromkeys(ALPHAS, ZERO)
    for name in ("EG", "nCG"):
        values[f"{name}-0"] = ZERO
        values[f"{name}-1"] = ONE if posts == 0 else ZERO
        values[f"{name}-p"] = 1 - Fraction(posts, K)
    return values


def eventful_day(gains: list[Fraction], ideal: list[Fraction]) -> dict[str, Fraction]:
    """`gains` has one number for each post of the day; the first ten posts gain, all may pain."""
    pain = sum(1 for each in gains if each == 0)
    total = sum(gains[:K], ZERO)
    best = sum(sorted(ideal, reverse=True)[:K], ZERO)
    values = {name: alpha * total - (1 - alpha) * pain for name, alpha in ALPHAS.items()}
    for variant in "01p":
        values[f"EG-{variant}"] = total / len(gains) if gains else ZERO
        values[f"nCG-{variant}"] = total / best
    return values


def tally(world: World, run: str, topic: str) -> Tally:
    result = Tally([], [], 0)
    seen: set[str] = set()
    for day in HABITS[world.edition].days:
        posts = posts_of_day(world, run, topic, day)
        best = best_of_day(world, topic, day, seen)
        if not best:
            result.days.append(silent_day(len(posts)))
            continue
        gains = []
        last = dict(posts)  # a post that is pushed again has the time of its later line
        for post, _ in posts:
            cluster = cluster_of(world, topic, post)
            if cluster is None or cluster in seen:
                gains.append(ZERO)
                continue
            seen.add(cluster)
            gains.append(gain(world, topic, post))
            first = world.clusters[topic][cluster][0]
            result.delays.append(Fraction(max(0, last[post] - world.created[first][1])))
        result.days.append(eventful_day(gains, list(best.values())))
        result.length += len(posts)
    return result


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, ZERO) / len(values) if values else ZERO


def median(values: list[Fraction]) -> Fraction:
    if not values:
        return ZERO
    ranked, middle = sorted(values), len(values) // 2
    return ranked[middle] if len(values) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def score(world: World, run: str) -> dict[tuple[str, str], Fraction]:
    """The value of every measure on every judged topic, and on `all`."""
    tallies = {topic: tally(world, run, topic) for topic in world.grades}
    values: dict[tuple[str, str], Fraction] = {}
    for topic, each in tallies.items():
        for name in each.days[0]:
            values[name, topic] = mean([day[name] for day in each.days])
        values["latency-mean", topic] = mean(each.delays)
        values["latency-median", topic] = median(each.delays)
        values["length", topic] = Fraction(each.length)
    for name in MEASURES:
        values[name, "all"] = mean([values[name, topic] for topic in tallies])
    delays = [delay for each in tallies.values() for delay in each.delays]
    values["latency-mean", "all"] = mean(delays)
    values["latency-median", "all"] = median(delays)
    values["length", "all"] = Fraction(sum(each.length for each in tallies.values()))
    return values
