"""What a reader of the scores should know of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tseval.core.wording import count, listed
from tseval.families.crisisfacts.index import CrisisIndex, Judged, Pool
from tseval.families.crisisfacts.rules import CrisisRules
from tseval.tables import ABSENT, distinct


def caveats(held: Pool | Judged, index: CrisisIndex, rules: CrisisRules) -> Iterator[str]:
    """What of the files counts for nothing."""
    if isinstance(held, Pool):
        yield from _of_pool(held, index, rules)
    else:
        yield from _of_items(held, index)


def _of_pool(pool: Pool, index: CrisisIndex, rules: CrisisRules) -> Iterator[str]:
    """Labels that count for nothing, and requests that do not count."""
    unknown = np.flatnonzero(pool.labelled == ABSENT)
    if len(unknown):
        yield f"labels: {count(len(unknown), 'label')} of facts not in FACTS, ignored"
    beyond = distinct(pool.labelled[pool.labelled != ABSENT])
    lost = beyond[~pool.counts[beyond]]
    if len(lost):
        yield (
            f"labels: {count(len(lost), 'labelled fact')} beyond the first {rules.pool} of a "
            "request, ignored; --rule pool=all takes them"
        )
    if rules.events == "all":
        counting = {*index.requests}
        skipped = [name for name in pool.requests if name not in counting]
        if skipped:
            number = count(len(skipped), "request")
            yield f"{number} without a fact of worth, left out for all runs: {listed(skipped)}"


def _of_items(own: Judged, index: CrisisIndex) -> Iterator[str]:
    """Requests of runs without gold facts."""
    known = {*own.requests}
    strange = [name for name in dict.fromkeys(own.table.request.to_list()) if name not in known]
    if strange:
        yield f"{count(len(strange), 'request')} not in the gold facts, ignored: {listed(strange)}"
    counting = {*index.requests}
    dropped = [name for name in own.requests if name not in counting]
    if dropped and index.requests:
        yield f"{count(len(dropped), 'request')} left out by the rules: {listed(dropped)}"


def lacking(index: CrisisIndex) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Each run with the requests that it lacks of events of which it has others."""
    own = index.present[:, index.request_event]
    for run, lost in zip(index.runs, own & ~index.there, strict=True):
        names = [index.requests[at] for at in np.flatnonzero(lost).tolist()]
        if names:
            yield run, "request", names
