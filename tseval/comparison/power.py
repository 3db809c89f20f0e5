"""Discriminative power: how many pairs of runs a measure tells apart, and by which difference.

Sakai's method: every pair is tested by itself at one level. The measure that finds more
differences among the same runs on the same topics is the more sensitive one; it isn't a more
correct one for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tseval.comparison.board import Board, check_directions
from tseval.comparison.findings import FindingRows, Findings
from tseval.comparison.plan import Plan
from tseval.comparison.runs import (
    Tested,
    check_baseline,
    every_pair,
    paired_topics,
    signature,
    topic_draws,
    undetectable,
)
from tseval.core.wording import listed
from tseval.statistics import bootstrap, paired


class Power(NamedTuple):
    """What a measure tells apart, as counts and as shares of the pairs; None is undefined.

    `corrected` is what is left after the correction over the measure's own pairs. `needed` is the
    largest difference that chance brings about at this level, over all pairs; `typical` its median.
    """

    measure: str
    pairs: int
    found: int
    power: float | None
    found_corrected: int
    power_corrected: float | None
    needed: float | None
    typical: float | None


def discriminate_board(board: Board, plan: Plan) -> Findings:
    """The power of each measure, the most powerful first; ties by the order of the measures."""
    check_directions(board)
    check_baseline(board, plan)
    alone = replace(plan, family="measure")
    tested = every_pair(board, alone)
    rows = [_power(board, measure, each, plan) for measure, each in tested.items()]
    rows.sort(key=lambda row: -(row.power or 0.0))
    traits = plan.traits() | {"correction": f"{plan.correction}(measure)"}
    del traits["interval"]
    return Findings(
        parts={"power": FindingRows(Power, tuple(rows))},
        signature=signature("power", board.traits, traits),
        inputs=board.inputs,
        warnings=(*board.warnings, *_without_power(tested, alone)),
    )


def _without_power(tested: Mapping[str, Tested], plan: Plan) -> Iterator[str]:
    """A word for shares that are 0 whatever the scores: of single pairs, then of corrected ones."""
    single = undetectable(tested, replace(plan, correction="none"))
    corrected = undetectable(tested, plan)
    later = {name: why for name, why in corrected.items() if name not in single}
    for reasons, what in ((single, "the share is 0"), (later, "the corrected share is 0")):
        for reason in dict.fromkeys(reasons.values()):
            names = [name for name, own in reasons.items() if own == reason]
            where = "" if len(names) == len(tested) else f"{listed(names)}: "
            yield f"{where}{reason}, so {what} whatever the scores"


def _power(board: Board, measure: str, tested: Tested, plan: Plan) -> Power:
    """Return what a measure tells apart.

    The difference that a pair needs is what chance exceeds with the probability alpha: topics are
    drawn again and again from the pair's differences, moved to the mean 0.
    """
    judged = ~np.isnan(tested.p)
    number = int(judged.sum())
    found = int((tested.p[judged] <= plan.alpha).sum())
    adjusted = paired.corrected(tested.p, plan.correction)
    kept = int((adjusted[judged] <= plan.alpha).sum())
    needed = np.full(len(tested.p), np.nan)
    for columns, topics, differences in paired_topics(board, measure, tested.pairs):
        draws = topic_draws([board.topics[t] for t in topics.tolist()], plan)
        needed[columns] = bootstrap.chance_means(differences, draws, plan.level)
    needed = needed[judged]
    return Power(
        measure=measure,
        pairs=number,
        found=found,
        power=found / number if number else None,
        found_corrected=kept,
        power_corrected=kept / number if number else None,
        needed=float(needed.max()) if number else None,
        typical=float(np.median(needed)) if number else None,
    )
