"""The filtering component of the track's proposal, slow and obvious.

For each entry of the ontology over the pooled, judged posts: precision, recall and accuracy =
(TP + TN) / pooled posts; overall the mean accuracy over the chosen entries. Precision or recall of
0/0 is 0. A post is known by its event and id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracles.incidents import Confusion, Label, confusion, ratio, united


@dataclass(frozen=True)
class Emission:
    """What a run emitted of a post: the entries, each with a confidence."""

    event: str
    post: str
    time: float
    confidences: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Hierarchy:
    """The entries of the ontology in order, and the parent of each that has one."""

    entries: tuple[str, ...]
    parents: Mapping[str, str] = field(default_factory=dict)


def with_ancestors(entries: Iterable[str], hierarchy: Hierarchy) -> frozenset[str]:
    """The entries and all above them; a circle of parents ends where it closes."""
    found = set()
    for entry in entries:
        above: str | None = entry
        while above is not None and above not in found:
            found.add(above)
            above = hierarchy.parents.get(above)
    return frozenset(found)


def emitted(
    run: Iterable[Emission], threshold: float = 0.0
) -> dict[tuple[str, str], frozenset[str]]:
    """The entries of at least the threshold's confidence of each post; of several lines, all."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for said in run:
        own = frozenset(e for e, confidence in said.confidences.items() if confidence >= threshold)
        found[said.event, said.post] = found.get((said.event, said.post), frozenset()) | own
    return found


def proposal_entries(
    labels: Sequence[Label],
    run: Sequence[Emission],
    hierarchy: Hierarchy,
    threshold: float = 0.0,
    roll_up: bool = False,
) -> dict[str, Confusion]:
    """The counts of each entry over the labelled posts; with `roll_up` on both sides."""
    said = emitted(run, threshold)
    pairs = []
    for label in united(labels):
        true, predicted = label.types, said.get(label.place, frozenset[str]())
        if roll_up:
            true = with_ancestors(true, hierarchy)
            predicted = with_ancestors(predicted, hierarchy)
        pairs.append((true, predicted))
    return {
        entry: confusion((entry in true, entry in predicted) for true, predicted in pairs)
        for entry in hierarchy.entries
    }


def proposal(
    labels: Sequence[Label],
    run: Sequence[Emission],
    hierarchy: Hierarchy,
    chosen: Sequence[str] | None = None,
    threshold: float = 0.0,
    roll_up: bool = False,
) -> dict[str, float]:
    """Means over the chosen entries, all by default; the accuracy is the proposal's overall."""
    counts = proposal_entries(labels, run, hierarchy, threshold, roll_up)
    own = [counts[entry] for entry in (hierarchy.entries if chosen is None else chosen)]
    return {
        "type.P": ratio(sum(c.precision for c in own), len(own)),
        "type.R": ratio(sum(c.recall for c in own), len(own)),
        "type.accuracy": ratio(sum(c.accuracy for c in own), len(own)),
    }


def own_pools(
    answers: Mapping[tuple[str, str, str], bool],
    run: Sequence[Emission],
    hierarchy: Hierarchy,
    threshold: float = 0.0,
    roll_up: bool = False,
) -> dict[str, Confusion]:
    """The counts of each entry over the posts that were judged for it, by (event, post, entry).

    With `roll_up` a post that has an entry has all above it, so it is as good as judged for those.
    """
    known = dict(answers)
    if roll_up:
        for (event, post, entry), yes in answers.items():
            for above in with_ancestors([entry], hierarchy) if yes else ():
                known[event, post, above] = True
    said = emitted(run, threshold)
    pairs: dict[str, list[tuple[bool, bool]]] = {entry: [] for entry in hierarchy.entries}
    for (event, post, entry), yes in known.items():
        predicted = said.get((event, post), frozenset[str]())
        if roll_up:
            predicted = with_ancestors(predicted, hierarchy)
        pairs[entry].append((yes, entry in predicted))
    return {entry: confusion(own) for entry, own in pairs.items()}


def mean_of_pools(counts: Mapping[str, Confusion]) -> dict[str, float | None]:
    """Means over the entries whose pools hold a post; None if none does."""
    own = [c for c in counts.values() if c.tp + c.fp + c.fn + c.tn]
    found: dict[str, float | None] = dict.fromkeys(("type.P", "type.R", "type.accuracy"))
    if own:
        found["type.P"] = sum(c.precision for c in own) / len(own)
        found["type.R"] = sum(c.recall for c in own) / len(own)
        found["type.accuracy"] = sum(c.accuracy for c in own) / len(own)
    return found


def drawn(
    runs: Mapping[str, Sequence[Emission]], entry: str, size: int | None, depth: int | None
) -> dict[str, set[str]]:
    """By event the posts of an entry's pool: the surest of each run, and the surest of those."""

    def surest(found: Mapping[str, tuple[float, float]], number: int | None) -> list[str]:
        return sorted(found, key=lambda p: (-found[p][0], found[p][1], p))[:number]

    pool: dict[str, dict[str, tuple[float, float]]] = {}
    for run in runs.values():
        of_run: dict[str, dict[str, tuple[float, float]]] = {}
        for said in run:
            if entry in said.confidences:
                of_run.setdefault(said.event, {})[said.post] = (said.confidences[entry], said.time)
        for event, found in of_run.items():
            for post in surest(found, depth):
                sure, time = pool.setdefault(event, {}).get(post, found[post])
                pool[event][post] = (max(sure, found[post][0]), min(time, found[post][1]))
    return {event: set(surest(found, size)) for event, found in pool.items()}


def pooled(
    runs: Iterable[Sequence[Emission]], threshold: float = 0.0
) -> dict[str, set[tuple[str, str]]]:
    """For each entry the posts that any run emitted for it."""
    pool: dict[str, set[tuple[str, str]]] = {}
    for run in runs:
        for place, entries in emitted(run, threshold).items():
            for entry in entries:
                pool.setdefault(entry, set()).add(place)
    return pool
