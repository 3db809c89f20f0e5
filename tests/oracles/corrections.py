"""Corrections laid over a matcher's pairs, one pair at a time."""

import re
from collections.abc import Iterable, Mapping

Update = tuple[str, str, str]
"""Run, topic, update."""
Pair = tuple[str, str, str, str]
"""Run, topic, update, nugget."""
Line = tuple[str, str, str, str, str, str]
"""Run (nothing for every run), topic, update, nugget, verdict, and the text that was judged."""
TextOf = Mapping[Update, str]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def named(line: Line, texts: TextOf) -> list[Update]:
    return [update for update in texts if update[1:] == line[1:3] and line[0] in ("", update[0])]


def same(one: Update, other: Update, texts: TextOf) -> bool:
    if one == other:
        return True
    equal = words(texts[one]) == words(texts[other]) != []
    return equal and one[1] == other[1]


def verdicts(pair: Pair, lines: Iterable[Line], texts: TextOf) -> set[str]:
    """The verdicts of lines that name an update with this text; else of lines with the text."""
    update: Update = pair[:3]
    by_id, by_text = set(), set()
    for line in lines:
        verdict = line[4].strip().lower()
        if not verdict or (line[1], line[3]) != (pair[1], pair[3]):
            continue
        if named(line, texts):
            if any(same(each, update, texts) for each in named(line, texts)):
                by_id.add(verdict)
        elif words(line[5]) and words(line[5]) == words(texts[update]):
            by_text.add(verdict)
    return by_id or by_text


def laid_over(
    found: Iterable[Pair], every: Iterable[Pair], lines: list[Line], texts: TextOf
) -> set[Pair]:
    kept, matched = set(), set(found)
    for pair in every:
        said = verdicts(pair, lines, texts)
        if said == {"accept"} or (not said and pair in matched):
            kept.add(pair)
    return kept


def refused(lines: list[Line], texts: TextOf, nuggets: Iterable[str]) -> bool:
    """Whether lines contradict each other, or one is on what is not there or reads otherwise."""
    lines = [line for line in lines if line[4].strip()]
    runs = {update[0] for update in texts}
    gone = any(
        not named(line, texts)
        and line[0] in ("", *runs)
        and not any(
            words(line[5]) == words(texts[each]) != [] and each[1] == line[1] for each in texts
        )
        for line in lines
    )
    changed = any(
        line[5].strip() and words(line[5]) != words(texts[each])
        for line in lines
        for each in named(line, texts)
    )
    opposed = any(
        one[1:4] == other[1:4]
        and (one[0] == other[0] or "" in (one[0], other[0]))
        and one[4].strip().lower() != other[4].strip().lower()
        for one in lines
        for other in lines
    )
    return (
        gone
        or changed
        or opposed
        or any(len(verdicts((*each, gold), lines, texts)) > 1 for each in texts for gold in nuggets)
    )
