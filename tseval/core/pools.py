"""Measures of a run as a whole: not the mean over topics, but the score of the sums over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import Batches
from tseval.core.ledgers import Account, Ledger
from tseval.core.results import Values

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

MEAN = ("mean",)
"""The rule that a measure reads of which `all` may be taken so: its definition's `reads`."""


def pooled(account: Account, starts: FloatArray, topics: int) -> Account:
    """The account of runs from that of (run, topic), whose topics start at these times.

    Dates become seconds since the start of their topic, so that all topics run side by side.
    """
    ledgers = tuple(_side_by_side(each, starts, topics) for each in account.ledgers)
    return Account(ledgers, account.score, account.undivided)


def _side_by_side(ledger: Ledger, starts: FloatArray, topics: int) -> Ledger:
    return Ledger.of(ledger.unit // topics, ledger.time - starts[ledger.unit], ledger.amount)


def pooled_before(account: Account, starts: FloatArray, times: FloatArray, topics: int) -> Values:
    """The measure of each run, of what is dated before the time of each (run, topic).

    It is added up in the order of a curve, which has the same value then to the last bit.
    """
    runs = len(times) // topics
    totals = []
    for ledger in account.ledgers:
        if _is_exact(ledger.amount):
            totals.append(ledger.before(times).reshape(runs, topics).sum(axis=1, dtype=np.float64))
            continue
        counts = ledger.time < times[ledger.unit]
        kept = Ledger(ledger.unit[counts], ledger.time[counts], ledger.amount[counts])
        totals.append(_side_by_side(kept, starts, topics).before(np.full(runs, np.inf)))
    return account.score(totals, np.arange(runs))


def _is_exact(amounts: FloatArray) -> bool:
    """Whether these have the same sum in any order: whole numbers that are not too large."""
    return bool((amounts == np.rint(amounts)).all() and np.abs(amounts).sum() < 2.0**53)


def pooled_within(account: Account, batches: Batches, topics: int) -> Values:
    """The measure of each run in each batch since the topics' starts, as (runs, most)."""
    shape = (len(batches.start) // topics, batches.most)
    totals = [
        batches.sums(ledger).reshape(shape[0], topics, shape[1]).sum(axis=1).ravel()
        for ledger in account.ledgers
    ]
    values = account.score(totals, np.repeat(np.arange(shape[0]), shape[1]))
    value, defined = values.value.reshape(shape), values.defined.reshape(shape)
    return Values(np.where(defined, value, 0.0), defined)


def weights(account: Account, times: FloatArray) -> FloatArray:
    """What the value of each (run, topic) is divided by: the weight that it has in the whole."""
    return account.ledgers[-1].before(times)
