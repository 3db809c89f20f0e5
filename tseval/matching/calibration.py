"""One matcher against the assessors: scores into tallies, tallies into numbers and frames.

Every different update of a topic is held against every nugget of the topic. A pair that assessors
matched is true, any other is not. Scores go into bins of a ten-thousandth, one tally a topic, and
all that is asked later comes from the tallies: memory does not grow with the pairs. Matchers that
give labels are held against each other too: two models, or two runs of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tseval.core.input_warnings import columns_trait
from tseval.io.inputs import SHORT_HASH
from tseval.matching.asking import answer_traits
from tseval.matching.in_units import match_in_units
from tseval.matching.judged_pairs import (
    BINS,
    STEP,
    Disagreement,
    JudgedUpdates,
    Tally,
    scored,
)
from tseval.matching.matching import all_scores, get_matcher
from tseval.matching.sampling import DEPTH, PAIRS
from tseval.parallel.sharing import ALONE, Progress, Sharing
from tseval.records import frozen
from tseval.statistics import agreement, bootstrap, ranks
from tseval.statistics.bootstrap import Interval, seeded
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    import matchers
    from tseval.arrays import FloatArray, IntArray

    OfTallies: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

HUNDREDTHS = BINS // STEP


class Measured(NamedTuple):
    """A number, and its interval over resampled topics."""

    value: float
    interval: Interval


@frozen
class RecallError:
    """What follows for recall: how far the matcher's is from the assessors', as a mean over runs.

    `spread` is the standard deviation of whether a run says a nugget that is drawn by its weight in
    recall; its square is the mean over runs.
    """

    bias: Measured
    spread: float

    @classmethod
    def of(cls, ours: FloatArray, theirs: FloatArray, draws: IntArray) -> RecallError:
        """From the recalls of runs x topics; undefined ones are NaN."""
        known = np.array([not np.isnan(topic).all() for topic in theirs.T])
        differs = np.zeros(len(known))
        differs[known] = np.nanmean(ours[:, known] - theirs[:, known], axis=0)
        number = np.maximum(draws @ known, 1)
        means = np.nanmean(theirs, axis=1)
        return cls(
            Measured(
                differs.sum() / max(known.sum(), 1), _interval(draws @ differs / number, draws)
            ),
            float(np.sqrt((means * (1 - means)).mean())),
        )

    def after(self, judgments: int) -> float:
        """The standard error of recall by so many judgments, if each nugget takes `DEPTH` of them.

        It is that of nuggets drawn one by one, each time by their weight, without strata and with
        nothing foretold. What a sample gains by these it does not count.
        """
        return self.spread / float(np.sqrt(max(judgments / DEPTH, 1.0)))

    def sentence(self) -> str:
        """The same in a sentence; nothing of a single topic."""
        if np.isnan(self.bias.interval.low):
            return "one topic does not show how far recall will come out wrong"
        return (
            f"recall will come out {_off(*self.bias.interval)}; judging {PAIRS} pairs of a run "
            f"(tseval sample) would leave an error of about {self.after(PAIRS):.2f}, that of "
            f"{PAIRS // DEPTH} nuggets drawn by their weight"
        )


def _off(low: float, high: float) -> str:
    """How far too low or too high something is that lies between these differences."""
    least, most = round(low, 2), round(high, 2)
    if least == most == 0:
        return "as high as by hand"
    if most <= 0:
        return f"{-most:.2f} to {-least:.2f} too low"
    if least >= 0:
        return f"{least:.2f} to {most:.2f} too high"
    return f"between {-least:.2f} too low and {most:.2f} too high"


@frozen(eq=False)
class Calibration:
    """What was found out about one matcher.

    `thresholds` holds for each topic the threshold that the other topics chose, `left_out` the F1
    and kappa of all pairs when every topic is judged by that one. `nuggets` counts who found them
    at the `threshold` that all topics chose. `tau` is empty where there is one run alone.
    `candidates` counts pairs and matches, and of both what the matcher's candidates let through; it
    is empty where all pairs are read.
    """

    matcher: matchers.Matcher
    tally: Tally
    auc: Measured
    average_precision: Measured
    threshold: Measured
    thresholds: dict[str, float]
    left_out: dict[str, Measured]
    nuggets: dict[str, int]
    tau: dict[str, Measured]
    candidates: dict[str, int]
    recall: RecallError
    disagreements: tuple[Disagreement, ...]

    @property
    def numbers(self) -> dict[str, Measured]:
        """The numbers that sum the matcher up, by name."""
        overall = {"AUC": self.auc, "AP": self.average_precision, "threshold": self.threshold}
        return overall | self.left_out

    @property
    def calibrated(self) -> matchers.Matcher:
        """The matcher with the threshold that all topics chose."""
        return self.matcher.with_threshold(self.threshold.value)

    def curve(self, step: int) -> Iterator[dict[str, float]]:
        """Precision, recall, F1 and kappa at every `step`-th hundredth, from 0 to 1.

        What is undefined, as the precision of nothing, is NaN.
        """
        points = agreement.agreement(self.tally.true.sum(axis=0), self.tally.other.sum(axis=0))
        for place in range(0, BINS + 1, step * STEP):
            shown = (points.precision, points.recall, points.f1, points.kappa)
            named = zip(("precision", "recall", "F1", "kappa"), shown, strict=True)
            yield {"threshold": place / BINS} | {name: float(of[place]) for name, of in named}


def calibrate(
    judged: JudgedUpdates,
    name: str,
    seed: int = 0,
    progress: Progress | None = None,
    sharing: Sharing = ALONE,
    terms: matchers.Terms | None = None,
) -> Calibration:
    """Hold a matcher, by its name, against the assessors; the same seed gives the same intervals.

    The matcher's own threshold plays no part. Whatever `sharing` says, the result is the same.
    With `terms` it is a matcher that asks a model, on these.
    """
    matcher = get_matcher(name, 0, terms)
    tally, extremes = scored(judged, matcher, sharing, progress)
    draws = bootstrap.resamples(len(judged.topics), seed if seed >= 0 else seeded(seed))
    coarse, occupied = tally.coarse(), tally.occupied()
    threshold = _over_topics(_best_threshold, coarse, draws)
    calibrated = matcher.with_threshold(threshold.value)
    found = match_in_units(calibrated, judged.updates, judged.nuggets, sharing)
    ours, theirs = judged.recalls(judged, found), judged.recalls(judged, judged.pairs)
    cuts, _ = agreement.left_out(*coarse)
    return Calibration(
        matcher=matcher,
        tally=tally,
        auc=_over_topics(agreement.auc, occupied, draws),
        average_precision=_over_topics(agreement.average_precision, occupied, draws),
        threshold=threshold,
        thresholds=dict(zip(judged.topics, (cuts / HUNDREDTHS).tolist(), strict=True)),
        left_out=_left_out(coarse, draws),
        nuggets=extremes.count_nuggets(threshold.value),
        tau=_tau(ours, theirs, draws) if len(judged.runs) > 1 else {},
        recall=RecallError.of(ours, theirs, draws),
        candidates=_let_through(judged, matcher, sharing),
        disagreements=tuple(extremes.disagreements(judged, calibrated)),
    )


def _over_topics(number: OfTallies, tally: Tally, draws: IntArray) -> Measured:
    """A number of all topics together, with its interval."""
    whole = number(tally.true.sum(axis=0), tally.other.sum(axis=0))
    drawn = [number(*tally.drawn(part)) for part in np.array_split(draws, 10)]
    return Measured(float(whole), _interval(np.concatenate(drawn), draws))


def _interval(drawn: FloatArray, draws: IntArray) -> Interval:
    """The interval of a number in the draws; none where one topic is drawn again and again."""
    return bootstrap.interval(drawn if draws.shape[1] > 1 else drawn[:0])


def _best_threshold(true: FloatArray, other: FloatArray) -> FloatArray:
    return np.asarray(agreement.best_threshold(true, other) / HUNDREDTHS, np.float64)


def _left_out(tally: Tally, draws: IntArray) -> dict[str, Measured]:
    """F1 and kappa with each topic judged by the threshold that the others chose."""
    cuts, whole = agreement.left_out(*tally)
    found, wrong = (
        np.array([counts[cut:].sum() for counts, cut in zip(side, cuts, strict=True)])
        for side in tally
    )
    true, other = (side.sum(axis=1) for side in tally)
    drawn = agreement.judged(draws @ found, draws @ wrong, draws @ true, draws @ other)
    return {
        "F1": Measured(float(whole.f1), _interval(drawn.f1, draws)),
        "kappa": Measured(float(whole.kappa), _interval(drawn.kappa, draws)),
    }


def _tau(ours: FloatArray, theirs: FloatArray, draws: IntArray) -> dict[str, Measured]:
    """How alike matcher and assessors rank the runs, at three levels."""
    drawn = ranks.kendall_drawn(ours, theirs, np.vstack([np.ones_like(draws[:1]), draws]))
    return {
        level: Measured(float(tau[0]), _interval(tau[1:], draws)) for level, tau in drawn.items()
    }


def _let_through(
    judged: JudgedUpdates, matcher: matchers.Matcher, sharing: Sharing
) -> dict[str, int]:
    """How many pairs and matches there are, and how many the matcher's candidates let through."""
    cheap = getattr(matcher, "candidates", None)
    if cheap is None:
        return {}
    tally, _ = scored(judged, cheap, sharing, None)
    true, other = (side.sum(axis=0).astype(int) for side in tally)
    first = max(1, round(getattr(cheap, "threshold", 0.0) * BINS))
    return {
        "pairs": int((true + other).sum()),
        "pairs let through": int((true + other)[first:].sum()),
        "matches": int(true.sum()),
        "matches let through": int(true[first:].sum()),
    }


def signature(judged: JudgedUpdates, names: Sequence[str], seed: int) -> str:
    """One line that names all that can change a number; names come with what they were answered."""
    hashes = [f"sha256:{source.sha256[:SHORT_HASH]}" for source in judged.inputs]
    inputs = [*["updates"] * (len(hashes) - 2), "nuggets", "matches"]
    parts = [f"tseval:{VERSION}", *(f"matcher:{name}" for name in names)]
    parts += [f"{name}:{hash_}" for name, hash_ in zip(inputs, hashes, strict=True)]
    parts += [f"{name}:{value}" for name, value in columns_trait(judged.inputs).items()]
    return "|".join([*parts, f"seed:{seed}"])


class GradedAgreement(NamedTuple):
    """Two matchers' labels of the same pairs."""

    matcher: str
    other: str
    pairs: int
    same: float
    """The share of pairs with the same label."""
    kappa: float
    """Cohen's kappa of the labels; NaN where both give all pairs one label."""


def graded_agreements(
    judged: JudgedUpdates, using: Sequence[matchers.Matcher]
) -> list[GradedAgreement]:
    """Every two of the matchers that give labels, over all pairs of the judged updates."""
    found = []
    for one, other in combinations([matcher for matcher in using if matcher.grades], 2):
        levels = np.array(sorted({*one.grades, *other.grades}))
        counts = np.zeros((len(levels), len(levels)))
        for mine, theirs in zip(_scores(judged, one), _scores(judged, other), strict=True):
            rows, columns = np.searchsorted(levels, mine), np.searchsorted(levels, theirs)
            np.add.at(counts, (rows, columns), 1)
        names = (one.named(without="threshold"), other.named(without="threshold"))
        same, kappa = float(np.trace(counts) / counts.sum()), agreement.cohen_kappa(counts)
        found.append(GradedAgreement(*names, int(counts.sum()), same, float(kappa)))
    return found


def _scores(judged: JudgedUpdates, matcher: matchers.Matcher) -> Iterator[FloatArray]:
    """The scores of all pairs of each topic, in an order that is the same for every matcher."""
    for topic in judged.by_topic():
        gold = judged.nuggets["text"].gather(topic.nuggets).to_list()
        every = all_scores(matcher, topic.texts, gold, judged.collection)
        yield np.concatenate([part.ravel() for _, part in every])


SHOWN_STEP, DRAWN_STEP = 5, 1
"""Thresholds are listed in steps of so many hundredths, and drawn in steps of so many."""

TIDY = ("matcher", "statistic", "topic", "threshold", "value", "low", "high")
CUT = 70
"""Where disagreements are listed for people, texts are cut to so many characters."""


def sections(
    found: Sequence[Calibration], agreements: Sequence[GradedAgreement] = ()
) -> dict[str, pd.DataFrame]:
    """What a person reads, heading by heading; a heading without rows is left out."""
    import pandas as pd

    listed = {
        "Agreement over all pairs, F1 and kappa with each topic judged by the others' threshold": (
            lambda each: [{name: _ranged(name, *number) for name, number in each.numbers.items()}]
        ),
        "By threshold": lambda each: [
            point | {"threshold": f"{point['threshold']:.2f}"} for point in each.curve(SHOWN_STEP)
        ],
        "Nuggets found at the threshold": lambda each: [each.nuggets],
        "What candidates let through": lambda each: [each.candidates] if each.candidates else [],
        "Rank correlation of the runs by recall, matcher against assessors (Kendall's tau)": (
            lambda each: [_measured({"level": level}, tau) for level, tau in each.tau.items()]
        ),
        "Worst disagreements": _disagreements,
    }
    frames = {
        heading: pd.DataFrame(
            [{"matcher": name_of(each)} | dict(row) for each in found for row in rows(each)]
        )
        for heading, rows in listed.items()
    }
    frames["Agreement of labels with each other, over all pairs"] = pd.DataFrame(agreements)
    return {heading: frame for heading, frame in frames.items() if len(frame)}


def notes(found: Sequence[Calibration]) -> list[str]:
    """A sentence for each matcher on what follows for scores."""
    return [f"By {name_of(each)} at its threshold {each.recall.sentence()}." for each in found]


def name_of(each: Calibration) -> str:
    """The matcher without a threshold, which plays no part."""
    return each.matcher.named(without="threshold")


def answered_name(each: Calibration) -> str:
    """The same, with the hash of what the matcher was answered if it asks a model."""
    traits = [f"{name}:{value}" for name, value in answer_traits(each.matcher).items()]
    return "|".join([name_of(each), *traits])


def _ranged(name: str, value: float, interval: Interval) -> str:
    digits = 2 if name == "threshold" else 3
    low, high = interval
    ends = "–" if isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:.{digits}f} {ends}"


def _measured(labels: dict[str, Any], number: Measured) -> dict[str, Any]:
    low, high = number.interval
    return labels | {"value": number.value, "low": low, "high": high}


def _disagreements(each: Calibration) -> Iterator[dict[str, Any]]:
    for pair in each.disagreements:
        row = pair._asdict()
        row["says"] = f"only {pair.says}"
        yield row | {text: _cut(row[text]) for text in ("nugget", "update")}


def _cut(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= CUT else joined[: CUT - 1] + "…"


def curves(found: Sequence[Calibration]) -> pd.DataFrame:
    """Long rows of `matcher measure threshold value chosen`, for a chart."""
    rows = tidy(found).dropna(subset="threshold").rename(columns={"statistic": "measure"})
    rows["chosen"] = rows["matcher"].map({name_of(each): each.threshold.value for each in found})
    return rows[["matcher", "measure", "threshold", "value", "chosen"]].reset_index(drop=True)


def tidy(found: Sequence[Calibration], agreements: Sequence[GradedAgreement] = ()) -> pd.DataFrame:
    """Every number, one a row, in full precision; what is undefined is NaN."""
    import pandas as pd

    rows = [{"matcher": name_of(each)} | row for each in found for row in _numbers(each)]
    for each in agreements:
        for name, value in (("same label as", each.same), ("kappa with", each.kappa)):
            rows.append(
                {"matcher": each.matcher, "statistic": f"{name} {each.other}", "value": value}
            )
    return pd.DataFrame(rows, columns=list(TIDY))


def _numbers(each: Calibration) -> Iterator[dict[str, Any]]:
    named = {"AUC": each.auc, "AP": each.average_precision, "threshold": each.threshold}
    named["bias of recall"] = each.recall.bias
    left_out = {f"left-out {name}": number for name, number in each.left_out.items()}
    taus = {f"tau {level}": tau for level, tau in each.tau.items()}
    for name, number in (named | left_out | taus).items():
        yield _measured({"statistic": name}, number)
    for topic, threshold in each.thresholds.items():
        yield {"statistic": "left-out threshold", "topic": topic, "value": threshold}
    for found_by, nuggets in each.nuggets.items():
        yield {"statistic": f"nuggets {found_by}", "value": nuggets}
    for what, count in each.candidates.items():
        yield {"statistic": f"candidates: {what}", "value": count}
    for point in each.curve(DRAWN_STEP):
        cut = point.pop("threshold")
        for name, value in point.items():
            yield {"statistic": name, "threshold": cut, "value": value}


def record(each: Calibration, agreements: Sequence[GradedAgreement] = ()) -> dict[str, Any]:
    """Everything as plain values, the disagreements with their whole texts; NaN as None."""
    labels = [_plain(told._asdict()) for told in agreements if told.matcher == name_of(each)]
    return {
        "matcher": name_of(each),
        "calibrated": str(each.calibrated),
        **measured(each),
        "thresholds": each.thresholds,
        "nuggets": each.nuggets,
        "recall": {
            "bias": _plain(_measured({}, each.recall.bias)),
            "judgments": PAIRS,
            "error": each.recall.after(PAIRS),
        },
        "tau": {level: _plain(_measured({}, tau)) for level, tau in each.tau.items()},
        "curve": [_plain(point) for point in each.curve(DRAWN_STEP)],
        "disagreements": [pair._asdict() for pair in each.disagreements],
        **({"candidates": each.candidates} if each.candidates else {}),
        **({"labels": labels} if labels else {}),
    }


def measured(each: Calibration) -> dict[str, Any]:
    """The numbers that sum a matcher up, with their intervals; NaN as None."""
    return {name: _plain(_measured({}, number)) for name, number in each.numbers.items()}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in values.items()}
