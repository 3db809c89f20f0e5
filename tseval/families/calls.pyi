"""The types of the calls; written by `python -m tseval.families.calls`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.files.columns import Columns
from tseval.files.forms import Forms
from tseval.files.reading import Given, Runs
from tseval.parallel.engine import Engine

def score_changes(
    runs: Runs,
    qrels: Given,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    *,
    topics: Given,
    days: Given | None = ...,
    documents: Given | None = ...,
    questions: Given | None = ...,
    lenient: bool = ...,
    at: str | Sequence[str] | None = ...,
    edition: str = ...,
    rules: Mapping[str, str] | None = ...,
    on_missing: OnMissing | None = ...,
    undefined: Undefined = ...,
    jobs: int | None = ...,
    engine: str | Engine = ...,
    scheduler: str | None = ...,
    input_format: Forms = ...,
    columns: Columns = ...,
) -> Scores: ...
def score_clusters(
    runs: Runs,
    clusters: Given,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    *,
    qrels: Given | None = ...,
    epochs: Given | None = ...,
    live: Given | None = ...,
    live_epochs: Given | None = ...,
    selected: Given | None = ...,
    times: str | None = ...,
    topic: str | None = ...,
    sample: int | None = ...,
    sampling: str | None = ...,
    seed: int | None = ...,
    at: str | Sequence[str] | None = ...,
    edition: str = ...,
    rules: Mapping[str, str] | None = ...,
    on_missing: OnMissing | None = ...,
    undefined: Undefined = ...,
    jobs: int | None = ...,
    engine: str | Engine = ...,
    scheduler: str | None = ...,
    input_format: Forms = ...,
    columns: Columns = ...,
    time_format: str | None = ...,
    time_zone: str | None = ...,
    clock: Literal["relative"] | None = ...,
) -> Scores: ...
def score_crisisfacts(
    facts: Runs,
    gold: Given,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    *,
    requests: Given | None = ...,
    at: str | Sequence[str] | None = ...,
    edition: str = ...,
    rules: Mapping[str, str] | None = ...,
    on_missing: OnMissing | None = ...,
    undefined: Undefined = ...,
    jobs: int | None = ...,
    engine: str | Engine = ...,
    scheduler: str | None = ...,
    input_format: Forms = ...,
    columns: Columns = ...,
) -> Scores: ...
def score_responses(
    runs: Runs,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    *,
    nuggets: Runs = ...,
    topics: Given | None = ...,
    at: str | Sequence[str] | None = ...,
    edition: str = ...,
    rules: Mapping[str, str] | None = ...,
    on_missing: OnMissing | None = ...,
    undefined: Undefined = ...,
    jobs: int | None = ...,
    engine: str | Engine = ...,
    scheduler: str | None = ...,
    input_format: Forms = ...,
    columns: Columns = ...,
    time_format: str | None = ...,
    time_zone: str | None = ...,
    clock: Literal["relative"] | None = ...,
) -> Scores: ...
def score_values(
    runs: Runs,
    gold: Given,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    *,
    topics: Given | None = ...,
    at: str | Sequence[str] | None = ...,
    on_missing: OnMissing | None = ...,
    undefined: Undefined = ...,
    jobs: int | None = ...,
    engine: str | Engine = ...,
    scheduler: str | None = ...,
    input_format: Forms = ...,
    columns: Columns = ...,
    time_format: str | None = ...,
    time_zone: str | None = ...,
    clock: Literal["relative"] | None = ...,
) -> Scores: ...
