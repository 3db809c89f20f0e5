"""The text files that the scripts of incident streams print: overall, per type, per event.

`<run>.results.<edition>.overall.txt` has the means, `.pertopic.txt` the report of each information
type (which the scripts call a topic), `.perevent.txt` the means within each event. The track called
its files otherwise; each edition knows how.

The folder `results` has what is the same in all such files, with measures in the place of numbers:
`{type.P}` stands for a value with all digits, `{type.P:.4f}` for one of four decimals. In
`2018.event.txt` precision and recall have each other's place, as in the script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import ViewRequest, Written
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.incidents.measures import confusion
from tseval.families.incidents.rules import FAMILY
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    import polars as pl

    from tseval.core.scores import Scores

RULE = "-" * 50
NUMBER = re.compile(r"\{(?:([\d.]+)\*)?(.+?)(:\.4f)?\}")
"""A number in the place of which a measure stands, perhaps with a factor."""


@frozen
class TrecFiles:
    """What an edition prints."""

    title: str
    """The first line: which of the track's programs prints such files."""
    name: str
    """The name of its files in the folder `results`."""
    averages: tuple[str, ...] = ("accuracy", "macro avg", "weighted avg")
    """The last lines of the report of a type."""
    track_name: str = ""
    """What the track's file names have for the edition; nothing in 2018 and 2019."""

    def text(self, part: str) -> str:
        """Return what is the same in all overall files, or in the lines of an event."""
        folder = files("tseval.families.incidents").joinpath("results")
        return folder.joinpath(f"{self.name}.{part}.txt").read_text("utf-8").removesuffix("\n")


FILES = {
    "2018": TrecFiles("TREC-IS 2018 Notebook Evaluator v1.0", "2018", ("avg / total",)),
    "2018v2": TrecFiles("TREC-IS 2018 Notebook Evaluator v2.0", "alerts"),
    "2019a": TrecFiles("TREC-IS 2019-A Notebook Evaluator v2.0", "alerts"),
    "2019b": TrecFiles("TREC-IS 2019-B Notebook Evaluator v2.3", "alerts"),
    "2021": TrecFiles("TREC-IS 2021a Notebook Evaluator v2.8", "2021", track_name="2021a"),
}
"""What the scripts of each edition print; the others had no script."""


def _fill(text: str, scores: Scores, run: str, topic: str = "all") -> str:
    """The text with numbers as the scripts have them, to whom nothing is undefined."""

    def number(found: re.Match[str]) -> str:
        factor, measure, form = found.groups()
        value = (scores.value(measure, topic, run) or 0.0) * float(factor or 1)
        return f"{value:.4f}" if form else repr(value)

    return NUMBER.sub(number, text)


def _head(part: str) -> list[str]:
    title = "EVALUATON: Information Type Categorization (Multi-type)"
    return [RULE, title, f"{part} Performance", RULE]


def _per_event(scores: Scores, text: str, run: str, events: Sequence[str]) -> Iterator[str]:
    yield from _head("Per Event")
    for event in events:
        yield from (event, _fill(text, scores, run, event), "")
    yield ""


def _per_type(counts: pl.DataFrame, averages: Sequence[str]) -> Iterator[str]:
    yield from _head("Per Information Type")
    for name, *numbers in counts.select("type", "both", "given", "true", "posts").iter_rows():
        yield name
        yield from _report(name, averages, *numbers)
        yield from ["", ""]
    yield ""


def _report(
    name: str, averages: Sequence[str], both: int, given: int, true: int, posts: int
) -> Iterator[str]:
    """The table of one type against all others, with its averages."""
    neither = posts - given - true + both
    rows = {
        "Other Classes": _shares(neither, posts - given, posts - true),
        name: _shares(both, given, true),
    }
    supports = {"Other Classes": posts - true, name: true}
    width = max(map(len, (*rows, averages[-1])))
    columns = ("precision", "recall", "f1-score", "support")
    yield f"{'':>{width}} " + "".join(f" {column:>9}" for column in columns)
    yield ""
    weights = np.array([*supports.values()], np.float64)
    values = np.array([*rows.values()])
    means = {"macro avg": np.average(values, axis=0).tolist()}
    others = (weights @ values / max(posts, 1)).tolist()
    for words, shares in (*rows.items(), *((each, means.get(each, others)) for each in averages)):
        if words == averages[0]:
            yield ""
        cells = "".join(f" {share:>9.2f}" for share in shares)
        if words == "accuracy":
            cells = f" {'':>9} {'':>9} {(neither + both) / max(posts, 1):>9.2f}"
        yield f"{words:>{width}} {cells} {supports.get(words, posts):>9}"


def _shares(both: int, given: int, true: int) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    pairs = ((both, given), (both, true), (2 * both, given + true))
    precision, recall, f1 = (above / below if below else 0.0 for above, below in pairs)
    return precision, recall, f1


def official_files(evaluation: Any, asked: ViewRequest[Any], _: str) -> Written:
    """The files of every run by their names; a `UsageError` if the edition has none."""
    edition, stream = evaluation.edition.name, evaluation.index
    if edition not in FILES:
        known = ", ".join(FILES)
        raise UsageError(f"edition {edition} has no files of the track; these have: {known}")
    kind = FILES[edition]
    overall, event = kind.text("overall"), kind.text("event")
    names = [found[1] for found in NUMBER.findall(overall + event)]
    wanted = measures(list(dict.fromkeys(names)), FAMILY)
    evaluation.check_request(wanted)
    scores = scores_of(evaluation, wanted, asked.on_missing)
    counts = stream.add_up(confusion)[1].sort("unit", "type")
    written: dict[str, bytes] = {}
    for at, run in enumerate(stream.runs):
        if "/" in run or "\0" in run or run.startswith("."):
            raise UsageError(f"run '{run}' cannot name a file: call it otherwise")
        texts = {
            "overall": [_fill(overall, scores, run).replace("$run", run)],
            "pertopic": _per_type(counts.filter(unit=at), kind.averages),
            "perevent": _per_event(scores, event, run, stream.topics),
        }
        head = (f"{kind.title} (as computed by tseval {VERSION})", f"Run: {run}", "")
        for part, lines in texts.items():
            named = kind.track_name if asked.options.track_names else edition
            name = ".".join(filter(None, (run, "results", named, part, "txt")))
            written[name] = "".join(f"{line}\n" for line in (*head, *lines)).encode()
    return Written(files=written, warnings=scores.warnings)
