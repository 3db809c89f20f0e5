"""`tseval.score_clusters`: from runs and clusters to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from tseval.caveats import count, listed, not_in_seconds, run_spans, spans, years_apart
from tseval.clusters.evaluation import (
    GROUPS,
    REMARKS_SHOWN,
    ClusterEvaluation,
    ClusterSources,
    Selection,
    need_of,
    read,
)
from tseval.errors import MissingTopics, Reason, UsageError
from tseval.formats.forms import Forms
from tseval.measures import Measure, pools
from tseval.measures import measures as listed_measures
from tseval.measures.accounts import Values
from tseval.measures.clusters import FAMILY, MEAN
from tseval.measures.grouping import ClusterIndex
from tseval.measures.measure import with_times
from tseval.measures.push import LIVE, OF_LISTS, OF_LIVE, Taken
from tseval.measures.pushes import PushIndex
from tseval.measures.values import moments
from tseval.scores import Overall, Scores
from tseval.tables import ABSENT, all_names, natural_order
from tseval.tables.arrow import strings
from tseval.units import ALONE, Sharing, shared

if TYPE_CHECKING:
    from tseval.clusters.evaluation import Given, Index
    from tseval.engine import Engine
    from tseval.measures.live import LiveIndex
    from tseval.tables.columns import BoolArray, FloatArray

OnMissing: TypeAlias = Literal["zero", "skip", "error"]
Undefined: TypeAlias = Literal["skip", "zero"]


def score_clusters(
    runs: Given | Sequence[Given],
    clusters: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    edition: str = "proposal",
    qrels: Given | None = None,
    epochs: Given | None = None,
    live: Given | None = None,
    live_epochs: Given | None = None,
    selected: Given | None = None,
    sample: int | None = None,
    sampling: str = "confidence",
    seed: int = 0,
    times: str | None = None,
    topic: str | None = None,
    rules: Mapping[str, str] | None = None,
    at: str | Sequence[str] = (),
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
) -> Scores:
    """Score one or more runs over clusters of posts that carry the same information.

    Every table may be a path, `-`, or a pandas frame. Clusters may have any form that
    `docs/clusters.md` lists; the parameters are the options of `tseval clusters`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    several: Sequence[Given] = runs if isinstance(runs, list | tuple) else [runs]  # type: ignore[list-item]
    sources = ClusterSources(
        several, clusters, qrels, epochs, live, live_epochs, selected, times, topic, input_format
    )
    wanted = [measures] if isinstance(measures, str | Measure) else list(measures or ())
    selection = Selection(sample, sampling, seed)
    with shared(engine, jobs, scheduler) as sharing:
        evaluation = prepare(sources, wanted, edition, selection, rules, sharing)
    return scores_of(evaluation, chosen_measures(evaluation, wanted, at), on_missing, undefined)


def prepare(
    sources: ClusterSources,
    wanted: Sequence[str | Measure] = (),
    edition_name: str = "proposal",
    selection: Selection | None = None,
    given_rules: Mapping[str, str] | None = None,
    sharing: Sharing = ALONE,
) -> ClusterEvaluation:
    """Read what these measures need, or the edition's."""
    asked = listed_measures(wanted, FAMILY)
    only_live = sources.live is not None and (
        all(need_of(each) == LIVE for each in asked) if asked else sources.qrels is None
    )
    needed = not only_live
    return read(
        sources, edition_name, selection, given_rules, clusters_needed=needed, sharing=sharing
    )


def chosen_measures(
    evaluation: ClusterEvaluation,
    wanted: Sequence[str | Measure],
    at: str | Sequence[str] = (),
) -> list[Measure]:
    """The measures asked for, or those that the edition has for such inputs."""
    chosen = listed_measures(wanted, FAMILY) or listed_measures(_defaults(evaluation), FAMILY)
    times = [at] if isinstance(at, str) else at
    if times and all(need_of(each) != GROUPS or each.at is not None for each in chosen):
        raise UsageError("no measure can be taken at another time here")
    dated = [each for each in chosen if need_of(each) == GROUPS]
    return list(dict.fromkeys([*chosen, *with_times(dated, times)]))


def _defaults(evaluation: ClusterEvaluation) -> list[str]:
    chosen, tables = evaluation.edition, evaluation.tables
    if chosen.push is None:
        return list(chosen.measures)
    lists = tables.posts.day is not None
    batch = [each.name for each in OF_LISTS] if lists else list(chosen.measures)
    live = [each.name for each in OF_LIVE]
    if tables.live is None:
        return batch
    return live if tables.grades is None else [*batch, *live]


def taken(evaluation: ClusterEvaluation, measure: Measure) -> tuple[Index, Taken]:
    """A measure of every unit, with the index whose units these are."""
    index = evaluation.index_of(measure)
    whole = measure.whole
    found = whole.definition.account(index, whole)
    if isinstance(found, Taken):
        return index, found
    starts = index.starts[index.unit_topic] if isinstance(index, ClusterIndex) else np.zeros(0)
    times = moments(measure, starts)
    values: Values = found.before(times)
    if not evaluation.pools(measure):
        return index, Taken(values)
    overall = pools.pooled_before(found, times, len(index.topics))
    return index, Taken(values, overall, pools.weights(found, times))


def scores_of(
    evaluation: ClusterEvaluation,
    wanted: Sequence[Measure],
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
) -> Scores:
    """The scores of what was read; `on_missing` defaults to the edition's rule.

    The topics are those of the clusters for latency, redundancy and coverage, of the qrels for the
    measures of days, of the live judgments for theirs; a measure is undefined in the others.
    """
    if undefined not in get_args(Undefined):
        raise UsageError(f"undefined cannot be '{undefined}': choose skip or zero")
    columns = [taken(evaluation, measure) for measure in wanted]
    indexes = list({id(index): index for index, _ in columns}.values())
    runs = indexes[0].runs
    topics = all_topics(indexes)
    rule, counted, lost = missing_topics(evaluation, indexes, on_missing)
    placed = [_placed(index, each.values, topics) for index, each in columns]
    overall = _overall([each for _, each in columns], len(runs))
    if overall is not None:
        overall = replace(overall, weights=_weights(columns, topics))
    scores = Scores(
        runs=runs,
        topics=topics,
        measures=tuple(measure.name for measure in wanted),
        values=np.stack([each.value for each in placed], axis=2),
        defined=np.stack([each.defined for each in placed], axis=2),
        counted=counted,
        undefined_as_zero=undefined == "zero",
        signature=evaluation.signature(missing=rule, undefined=undefined),
        inputs=evaluation.inputs,
        warnings=(*caveats(evaluation, indexes, wanted), *lost),
        overall=overall,
    )
    more = (*_undefined(scores, columns), *_no_zeros(scores, columns))
    return replace(scores, warnings=scores.warnings + more)


def _present(indexes: Sequence[Index], topics: Sequence[str]) -> BoolArray:
    """Which (run, topic) have posts."""
    present = np.zeros((len(indexes[0].runs), len(topics)), bool)
    place = {topic: at for at, topic in enumerate(topics)}
    for index in indexes:
        present[:, [place[topic] for topic in index.topics]] |= index.present
    return present


def _placed(index: Index, values: Values, topics: Sequence[str]) -> Values:
    """The values of units as (runs, topics), for more topics than the index has."""
    place = {topic: at for at, topic in enumerate(topics)}
    at = [place[topic] for topic in index.topics]
    shape = (len(index.runs), len(index.topics))
    value = np.zeros((shape[0], len(topics)))
    defined = np.zeros(value.shape, bool)
    value[:, at] = values.value.reshape(shape)
    defined[:, at] = values.defined.reshape(shape)
    return Values(value, defined)


def _overall(columns: Sequence[Taken], runs: int) -> Overall | None:
    """What `all` is for the measures that are no means over topics."""
    given = np.array([each.overall is not None for each in columns])
    if not given.any():
        return None
    none = Values(np.zeros(runs), np.zeros(runs, bool))
    overall = [each.overall or none for each in columns]
    return Overall(
        np.column_stack([each.value for each in overall]),
        np.column_stack([each.defined for each in overall]),
        np.broadcast_to(given, (runs, len(given))),
    )


def _weights(columns: Sequence[tuple[Index, Taken]], topics: Sequence[str]) -> FloatArray | None:
    """The weights of pooled measures as (runs, topics, measures); None if there is none."""
    if all(each.weights is None for _, each in columns):
        return None
    found = []
    for index, each in columns:
        shape = (len(index.runs), len(topics))
        if each.weights is None:
            found.append(np.full(shape, np.nan))
        else:
            every = np.ones(len(each.weights), bool)
            found.append(_placed(index, Values(each.weights, every), topics).value)
    return np.stack(found, axis=2)


def missing_topics(
    evaluation: ClusterEvaluation, indexes: Sequence[Index], on_missing: str | None
) -> tuple[str, BoolArray, list[str]]:
    """What becomes of judged topics that a run lacks: the rule, which count, and warnings."""
    rule = on_missing or evaluation.edition.on_missing
    if rule not in get_args(OnMissing):
        known = ", ".join(get_args(OnMissing))
        raise UsageError(f"on_missing cannot be '{rule}': choose one of {known}")
    runs, topics = indexes[0].runs, all_topics(indexes)
    present = _present(indexes, topics)
    how = "left out of the mean" if rule == "skip" else "counted as an empty system"
    warnings = []
    for run, there in zip(runs, present, strict=True):
        lost = [topics[at] for at in np.flatnonzero(~there).tolist()]
        said = count(len(lost), "judged topic")
        if lost and rule == "error":
            raise MissingTopics(f"run {run} has no posts for {said}: {listed(lost)}")
        if lost:
            warnings.append(f"run {run}: no posts for {said}, {how}: {listed(lost)}")
    return rule, present if rule == "skip" else np.ones_like(present), warnings


def all_topics(indexes: Sequence[Index]) -> tuple[str, ...]:
    """The judged topics of any of these."""
    return tuple(natural_order({topic for index in indexes for topic in index.topics}))


def over_time(evaluation: ClusterEvaluation, wanted: Sequence[str | Measure]) -> list[Measure]:
    """The measures to follow over time: those asked for, or the edition's that have one."""
    chosen = chosen_measures(evaluation, wanted)
    followed = [each for each in chosen if need_of(each) == GROUPS]
    if not followed or (wanted and len(followed) < len(chosen)):
        raise UsageError("only latency, redundancy and coverage have curves over clusters")
    return followed


def _undefined(scores: Scores, columns: Sequence[tuple[Index, Taken]]) -> Iterator[str]:
    """A line for each run and set of topics, with the measures that are undefined there."""
    pooled = {
        name
        for name, (_, each) in zip(scores.measures, columns, strict=True)
        if each.weights is not None
    }
    own = dict(zip(scores.measures, (set(index.topics) for index, _ in columns), strict=True))
    together: dict[tuple[str, tuple[str, ...], bool], list[str]] = {}
    for run, name, topics in scores.undefined():
        judged = tuple(topic for topic in topics if topic in own[name])
        if judged:
            together.setdefault((run, judged, name in pooled), []).append(name)
    for (run, where, is_pooled), names in together.items():
        how = "counted as 0" if scores.undefined_as_zero else "left out of the mean"
        how = "which add nothing to `all`" if is_pooled else how
        verb = "is" if len(names) == 1 else "are"
        noun = count(len(where), "topic")
        yield f"run {run}: {', '.join(names)} {verb} undefined in {noun}, {how}: {listed(where)}"


def _no_zeros(scores: Scores, columns: Sequence[tuple[Index, Taken]]) -> Iterator[str]:
    """A word where undefined topics should count as 0, and no mean over topics is taken."""
    pooled = [
        name
        for name, (_, each) in zip(scores.measures, columns, strict=True)
        if each.weights is not None
    ]
    if scores.undefined_as_zero and pooled:
        yield (
            f"{listed(pooled)}: `all` is that of all topics' posts, so no topic counts as 0 "
            "(--rule mean=topics takes means over topics)"
        )


def caveats(
    evaluation: ClusterEvaluation, indexes: Sequence[Index], wanted: Sequence[Measure]
) -> Iterator[str]:
    """What is not wrong, but what a reader of these scores should know."""
    by_selection = any(reads_selection(each) for each in wanted)
    clusters = evaluation.tables.clusters
    remarks = () if clusters is None else clusters.remarks
    yield from (str(remark) for remark in remarks[:REMARKS_SHOWN])
    if len(remarks) > REMARKS_SHOWN:
        yield f"{len(remarks) - REMARKS_SHOWN} more such remarks; `tseval validate` lists all"
    yield from _milliseconds(evaluation)
    yield from _years_apart(evaluation, indexes)
    yield from _unjudged_topics(evaluation, indexes)
    chosen = evaluation.named is not None or evaluation.selection.sample is not None
    if chosen and not by_selection:
        yield "none of these measures reads which posts are selected"
    for index in indexes:
        if isinstance(index, ClusterIndex):
            yield from _unclustered(index)
            yield from _other_times(index)
            yield from _constant_confidences(evaluation, index)
            if by_selection:
                yield from evaluation.unread
                yield from _in_several(index)
        elif isinstance(index, PushIndex):
            yield from _dropped(index)
            yield from _outside(evaluation, index)
            yield from _ungraded_topics(evaluation, index)
        else:
            yield from _without_judgments(index)


def reads_selection(measure: Measure) -> bool:
    """Whether a measure is one of the selected posts."""
    return measure.definition.reads == MEAN and not measure.has("unique")


def _in_several(index: ClusterIndex) -> Iterator[str]:
    """Selected posts that count more than once, since none of their clusters is their own."""
    times = np.bincount(index.reports.post[index.scored], minlength=len(index.posts))
    several = times > 1
    for code, run in enumerate(index.posts.run.vocabulary()):
        number = int((several & (index.posts.run.codes == code)).sum())
        if number:
            verb = "is" if number == 1 else "are"
            counts = "counts" if number == 1 else "count"
            yield (
                f"run {run}: {count(number, 'selected post')} {verb} in several clusters and "
                f"{counts} once for each; a column cluster_id beside the selected posts names the "
                "one that was made for a post (--selected)"
            )


def _milliseconds(evaluation: ClusterEvaluation) -> Iterator[str]:
    """Times that can hardly be seconds, of the runs and of each table beside them."""
    tables = evaluation.tables
    for code, run in enumerate(tables.posts.run.vocabulary()):
        own = tables.posts.run.codes == code
        yield from not_in_seconds(f"run {run}", tables.posts.time[own].max(initial=-np.inf))
    apart = None if tables.live_epochs is tables.epochs else tables.live_epochs
    timed = {"clusters": tables.clusters, "epochs": tables.epochs, "live epochs": apart}
    for name, table in timed.items():
        if table is not None:
            yield from not_in_seconds(name, table.time.max(initial=-np.inf))


def _years_apart(evaluation: ClusterEvaluation, indexes: Sequence[Index]) -> Iterator[str]:
    """Topics whose times, in the runs and in the clusters, are not of one time."""
    posts, clusters = evaluation.tables.posts, evaluation.tables.clusters
    if posts.day is not None:  # daily lists have no times
        return
    found = [*run_spans(posts.run, posts.topic, posts.time)]
    if clusters is not None:
        found += spans("clusters", clusters.topic, clusters.time)
    yield from years_apart(found, (topic for index in indexes for topic in index.topics))


def _unclustered(index: ClusterIndex) -> Iterator[str]:
    """Runs of which no post is in a cluster: likely the clusters are of other posts."""
    judged = index.posts.run.codes[index.unit != ABSENT]
    found = set(index.posts.run.codes[index.reports.post].tolist())
    for code, run in enumerate(index.posts.run.vocabulary()):
        number = int((judged == code).sum())
        if number and code not in found:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics is in any cluster")


def _unjudged_topics(evaluation: ClusterEvaluation, indexes: Sequence[Index]) -> Iterator[str]:
    posts = evaluation.tables.posts
    judged = strings(sorted({topic for index in indexes for topic in index.topics}))
    unknown = posts.topic.within(judged) == ABSENT
    for code, run in enumerate(posts.run.vocabulary()):
        lost = unknown & (posts.run.codes == code)
        if lost.any():
            names = sorted(set(posts.topic.rows(lost).to_list()))
            yield f"run {run}: {count(len(names), 'topic')} not judged, ignored: {listed(names)}"


def _other_times(index: ClusterIndex) -> Iterator[str]:
    """Latency takes the clusters' times; say so where the run has others."""
    reports = index.reports
    differ = index.posts.time[reports.post] != index.clusters.time[reports.member]
    if differ.any():
        number = count(len(np.unique(reports.post[differ])), "post")
        yield f"{number} with another time in the run than in the clusters: latency takes theirs"


def _dropped(index: PushIndex) -> Iterator[str]:
    for run, unknown, early in zip(
        index.runs, index.unknown.tolist(), index.early.tolist(), strict=True
    ):
        if unknown:
            yield f"run {run}: {count(unknown, 'post')} not among the epochs, dropped"
        if early:
            yield f"run {run}: {count(early, 'post')} pushed before creation, dropped"
    for run, number in zip(index.runs, index.repeated.tolist(), strict=True):
        if number:
            yield f"run {run}: {again(number)}; each push counts (rule repeated-posts=keep)"
    if index.ungraded:
        yield f"{count(index.ungraded, 'post')} of clusters not in the qrels, worth nothing"


def again(number: int) -> str:
    """How many lines push a post once more, in words."""
    one = "line pushes a post" if number == 1 else "lines push posts"
    return f"{number:,} {one} that the run had pushed before within the topic"


def _outside(evaluation: ClusterEvaluation, index: PushIndex) -> Iterator[str]:
    """Posts that no day of the evaluation is the day of."""
    run = evaluation.tables.posts.run
    for code, name in enumerate(run.vocabulary()):
        number = int(index.outside[run.codes == code].sum())
        if number:
            yield f"run {name}: {count(number, 'post')} outside of {evaluation.days}, dropped"


def _without_judgments(index: LiveIndex) -> Iterator[str]:
    """Runs that nobody judged: likely the judgments are of other posts."""
    for run, number in zip(index.runs, index.unmet.tolist(), strict=True):
        if number:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics has a live judgment")


def _ungraded_topics(evaluation: ClusterEvaluation, index: PushIndex) -> Iterator[str]:
    """Topics whose clusters count for nothing, since the qrels don't have them."""
    clusters = evaluation.tables.clusters
    topics = set() if clusters is None else set(all_names(clusters.topic).to_pylist())
    lost = natural_order(topics - set(index.topics))
    if lost:
        yield f"{count(len(lost), 'topic')} of clusters not in the qrels, ignored: {listed(lost)}"


def _constant_confidences(evaluation: ClusterEvaluation, index: ClusterIndex) -> Iterator[str]:
    """A sample by confidence needs confidences that differ."""
    chosen, confidence = evaluation.selection, index.posts.confidence
    if chosen.sample is None or chosen.sampling != "confidence" or confidence is None:
        return
    for code, run in enumerate(index.posts.run.vocabulary()):
        own = confidence[index.posts.run.codes == code]
        if len(own) > 1 and (own == own[0]).all():
            yield f"run {run}: all confidences are equal; the sample takes the earliest posts"
