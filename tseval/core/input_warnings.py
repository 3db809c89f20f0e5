"""What readers should know of inputs: columns of other names, runs in two files, doubtful times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tseval.core.wording import count, listed
from tseval.io.names import natural_order
from tseval.io.times import UNITS, dated
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.inputs import InputRecord


def columns_trait(inputs: Iterable[InputRecord]) -> dict[str, str]:
    """The part of a signature that tells what columns were called by the caller's word."""
    said = (each for one in inputs for each in one.columns)
    told = dict.fromkeys(each.replace("|", "%7C").replace(",", "%2C") for each in said)
    return {"columns": ",".join(told)} if told else {}


def shared_runs(inputs: Iterable[InputRecord]) -> tuple[str, ...]:
    """Warn of several files that hold runs of one name, which count as one."""
    files: dict[str, dict[str, bool]] = {}
    for each in inputs:
        for run in each.runs:
            files.setdefault(run, {})[each.path] = len(each.runs) == 1
    shared = {run: paths for run, paths in files.items() if len(paths) > 1}
    if not shared:
        return ()
    alone = [path for paths in shared.values() for path, is_alone in paths.items() if is_alone]
    cure = f"pass --name {alone[-1]}=NAME" if alone else "use other names in the column run"
    names = f"{', '.join(list(shared)[:3])}{', …' if len(shared) > 3 else ''}"
    which = f"run {names} is" if len(shared) == 1 else f"{len(shared)} runs ({names}) are each"
    return (f"{which} in several files and counted as one run; to keep versions apart, {cure}",)


def column_mapping_notes(inputs: Iterable[InputRecord]) -> tuple[str, ...]:
    """What was made of common names, said once for files that have the same."""
    files: dict[tuple[str, ...], list[str]] = {}
    for each in inputs:
        if each.understood:
            files.setdefault(each.understood, []).append(Path(each.path).name)
    return tuple(
        f"{listed(list(dict.fromkeys(paths)))}: read {', '.join(names)}; --column says otherwise"
        for names, paths in files.items()
    )


def zone_warnings(inputs: Iterable[InputRecord]) -> Iterator[str]:
    """Warn of inputs whose times have no zone while other times have one."""
    known = [(time, zone, Path(each.path).name) for each in inputs for zone, time in each.zones]
    without, beside = sorted(k for k in known if not k[1]), sorted(k for k in known if k[1])
    if without and beside:
        names, others = (dict.fromkeys(k[2] for k in each) for each in (without, beside))
        apart = 0.0 if names.keys() & others else without[0][0] - beside[0][0]
        offset = _offset({zone for _, zone, _ in beside}, apart)
        cure = f"--time-zone {offset} may make them agree" if offset else "set it with --time-zone"
        told = f"{listed([*names])}: times without a zone are read as UTC; times of "
        yield f"{told}{listed([*others])} have a zone; {cure}"


def _offset(zones: set[str], apart: float) -> str:
    """The offset from UTC that times without a zone likely have; empty if nothing shows it."""
    hours = round(apart / UNITS["h"] * 2) / 2
    if len(zones) == 1 and zones != {"+00:00"}:
        return zones.pop()
    plausible = 0 < abs(hours) <= MOST_HOURS
    return f"{'-+'[hours > 0]}{int(abs(hours)):02}:{'30' if hours % 1 else '00'}" * plausible


MOST_HOURS = 14
"""The largest offset of a time zone from UTC."""
YEARS_APART = 2 * 365.25 * UNITS["d"]
"""No event is reported for as long as this, and no filtering track took as long."""


@frozen
class Span:
    """From when to when the times of a topic are in one table."""

    table: str
    topic: str
    first: float
    last: float


def years_apart(found: Iterable[Span], judged: Iterable[str]) -> Iterator[str]:
    """A warning of judged topics whose times lie years apart: some are likely not theirs."""
    of_topic: dict[str, list[Span]] = {name: [] for name in natural_order(set(judged))}
    for span in found:
        if span.topic in of_topic:
            of_topic[span.topic].append(span)
    told = []
    for topic, all_spans in of_topic.items():
        if not all_spans:
            continue
        low = min(all_spans, key=lambda span: span.first)
        high = max(all_spans, key=lambda span: span.last)
        if high.last - low.first > YEARS_APART:
            ends = f"{dated(low.first)} ({low.table}) to {dated(high.last)} ({high.table})"
            told.append(f"{topic} from {ends}")
    if told:
        yield f"times of {count(len(told), 'topic')} lie years apart: {listed(told)}"
