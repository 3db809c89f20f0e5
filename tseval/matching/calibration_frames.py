"""Calibrations as frames, for people, programs and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tseval.matching.asking import answer_traits
from tseval.matching.calibration import Calibration, Measured
from tseval.matching.graded_agreement import GradedAgreement
from tseval.matching.sampling import PAIRS

if TYPE_CHECKING:
    import pandas as pd

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
            _summary
        ),
        "By threshold": _by_threshold,
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
    return [f"By {name_of(each)} at its threshold {each.recall.said()}." for each in found]


def name_of(each: Calibration) -> str:
    """The matcher without a threshold, which plays no part."""
    return each.matcher.named(without="threshold")


def answered_name(each: Calibration) -> str:
    """The same, with the hash of what the matcher was answered if it asks a model."""
    traits = [f"{name}:{value}" for name, value in answer_traits(each.matcher).items()]
    return "|".join([name_of(each), *traits])


def _summary(each: Calibration) -> Iterator[dict[str, Any]]:
    low, high = each.threshold.interval
    yield {
        "AUC": _ranged(each.auc),
        "AP": _ranged(each.average_precision),
        "threshold": f"{each.threshold.value:.2f} [{low:.2f}, {high:.2f}]",
        "F1": _ranged(each.left_out["F1"]),
        "kappa": _ranged(each.left_out["kappa"]),
    }


def _by_threshold(each: Calibration) -> Iterator[dict[str, Any]]:
    for point in each.curve(SHOWN_STEP):
        yield point | {"threshold": f"{point['threshold']:.2f}"}


def _ranged(number: Measured) -> str:
    low, high = number.interval
    return f"{number.value:.3f} [{low:.3f}, {high:.3f}]"


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
    import pandas as pd

    rows = [
        (name_of(each), measure, point["threshold"], value, each.threshold.value)
        for each in found
        for point in each.curve(DRAWN_STEP)
        for measure, value in point.items()
        if measure != "threshold"
    ]
    return pd.DataFrame(rows, columns=["matcher", "measure", "threshold", "value", "chosen"])


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
    named |= {"bias of recall": each.recall.bias}
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
    numbers = {
        "AUC": each.auc,
        "AP": each.average_precision,
        "threshold": each.threshold,
        **each.left_out,
    }
    return {name: _plain(_measured({}, number)) for name, number in numbers.items()}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in values.items()}
