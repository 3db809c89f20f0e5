"""From tables to rankings: the rules of the track, the faults of runs, and all items joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from tseval.core.frames import FrameIndex, Request
from tseval.core.kernel import KEY, divided, natural, quotient, running_total, total
from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count, listed
from tseval.errors import Fault
from tseval.families.changes.files import BAD_TAG, DAY_CURE, METADATA_CURE, NO_METADATA, real_days
from tseval.io.names import natural_order
from tseval.io.tables import Table
from tseval.io.times import UNITS, moment
from tseval.records import frozen

LEVELS = DOCUMENT_LEVEL, QUESTION_LEVEL = "documents", "questions"
"""Documents are ranked for each question, and the questions of a topic themselves."""
MOST = 100
"""How many documents a question may have on a day."""
ALL_QUESTIONS = "(questions)"
"""The qid of a ranking of questions."""
USUAL_P = 0.5
"""The persistence of readers in tRBP, if no other is asked for."""
SETS = OVERALL, HAS_ANSWER, NIL = "overall", "has-answer", "nil"
"""All units, those on which there is something to return, and the others."""


@frozen
class ChangeRules(RuleSet):
    """Every choice; the defaults are the plainest reading of the guidelines of 2026."""

    gains: str = choice(
        "a gain counts",
        raw="as it is judged: 1, 5, 10",
        scaled="divided by 10",
        binary="1 if it is above 0",
    )
    ap: str = choice(
        "what tAP divides by",
        paper="the sum of all relevant gains, and 1 for the end",
        ideal="what its sum is for the ideal ranking",
    )
    ties: str = choice(
        "what ties stands",
        file="as in the file",
        id="by its id",
        expected="in all orders: the mean over them",
    )
    order: str = choice(
        "the documents of a question stand",
        score="by falling score",
        list="as they are listed",
    )
    missing_date: str = choice(
        "on a day that a topic of a run lacks",
        silent="the run says nothing",
        tied="the run returns all questions, tied, without documents",
    )
    missing_topic: str = choice(
        "a topic that a run lacks (--on-missing zero)",
        silent="is one on which the run says nothing",
        zero="has 0 in all measures, on nil days too",
    )
    proposed: str = choice(
        "questions that a run proposes",
        drop="leave the ranking of the questions before it is scored",
        keep="stay there; from its first day on what one is worth is among what there is to return",
    )
    question_gain: str = choice(
        "a question is worth on a day",
        max="as much as the best of its documents of that day",
        judged="what it is judged to be (--questions)",
    )
    average: str = choice(
        "a mean is taken",
        nested="over days, then questions, then topics",
        units="over all units alike",
    )


TAG_CURE = "a runtag has 2 to 20 letters, digits and signs of _ - ., and no point in front"
QID_CURE = "ask a question of the topics, or propose one whose qid begins with the runtag"
REPEATED, NUMBER = "duplicate-id", "number-format"
FAULTS = {
    BAD_TAG: ("the runtag is no name", TAG_CURE, "id-format"),
    NO_METADATA: ("the first line has no runtag", METADATA_CURE, "record-format"),
    "unknown-topic": ('topic "{topic}" is not in the topics', "leave it out", "unknown-id"),
    "repeated-topic": ('topic "{topic}" has a line already', "write one line a topic", REPEATED),
    "bad-day": ('"{day}" is not a date', DAY_CURE, "date-format"),
    "day-outside": ("{day} is not in the collection", "leave it out", "time-range"),
    "bad-question": ('{day}, {qid}: no question of topic "{topic}"', QID_CURE, "unknown-id"),
    "repeated-question": ("{day}, {qid}: the question stands twice", "rank it once", REPEATED),
    "bad-rank": ("{day}, {qid}: the rank is no whole number of 0 or more", "write 0", NUMBER),
    "more-than-100": ("{day}, {qid}: more than 100 documents", "list the first 100", "too-large"),
    "repeated-document": ('{day}, {qid}: "{doc_id}" stands twice', "rank it once", REPEATED),
    "unknown-document": (
        '{day}, {qid}: "{doc_id}" is not in the collection',
        "rank documents of the day",
        "unknown-id",
    ),
    "wrong-day": (
        '{day}, {qid}: "{doc_id}" is of another day',
        "rank documents of that day alone",
        "time-range",
    ),
    "bad-score": ('{day}, {qid}: "{doc_id}" has no finite score', "write a number", NUMBER),
    "missing-topic": ('topic "{topic}" is not in the run', "write a line for it", "unknown-id"),
}
"""The reason, the cure and the code of each kind of fault, by its name."""
BESIDE_COLLECTION = {
    *("unknown-topic", "day-outside", "bad-question", "unknown-document", "wrong-day"),
    "missing-topic",
}
"""The kinds of faults that a run shows only beside its collection."""


class ValidRows(NamedTuple):
    """The rows of runs that break no rule of the track, and the faults of the others."""

    present: pl.DataFrame
    """`run topic` of all that stand in the runs."""
    dated: pl.DataFrame
    """`run topic day` of all that stand there."""
    questions: pl.DataFrame
    """The ranked questions, by their numbers in the column `question`."""
    documents: pl.DataFrame
    """Their documents: `question place id key`, ranked by rising key."""
    faults: dict[str, pl.DataFrame]
    """The faulty rows of each kind."""


def check_runs(runs: Table, known: Mapping[str, pl.DataFrame], order: str = "score") -> ValidRows:
    """Check every rule of the track; what is below something faulty is not checked any more.

    A fault is one of a topic's line, of a day in it, of a question of the day, or of a document.
    The collection has topics with their questions, documents with their days, and all days.
    """
    faults: dict[str, pl.DataFrame] = {}

    def left(rows: pl.DataFrame, name: str, wrong: pl.Expr, *whole: str) -> pl.DataFrame:
        faulty = rows.filter(wrong).unique(whole, keep="first", maintain_order=True)
        if faulty.height:
            rows = rows.join(faulty, on=whole, how="anti", nulls_equal=True, maintain_order="left")
            faults[name] = faulty.with_columns(pl.col(pl.String).fill_null(""))
        return rows

    rows = runs.frame.with_columns(question=pl.struct("file", "question").rle_id())
    number = pl.col("doc_id").count().over("question")
    asked = rows.with_columns(number=number).drop("doc_id", "score")
    asked = asked.unique("question", keep="first", maintain_order=True)
    marks = asked.unique("run", keep="first", maintain_order=True)
    for name in (BAD_TAG, NO_METADATA):
        left(marks.with_columns(line=1), name, pl.col("tag_fault") == name, "run")
    topic, day, days = pl.col("topic"), pl.col("day"), real_days(known["days"]["day"])
    line, of_question = ("run", "topic", "topic_line"), ["topic", "qid"]
    known_questions = known["topics"].select(*of_question, is_known=True)
    asked = asked.drop_nulls("topic")
    asked = asked.join(known_questions, on=of_question, how="left", maintain_order="left")
    asked = left(asked, "unknown-topic", ~topic.is_in(list(known["topics"]["topic"])), *line)
    again = pl.col("topic_line") != pl.col("topic_line").first().over("run", "topic")
    asked = left(asked, "repeated-topic", again, *line)
    present = asked.select("run", "topic").unique()
    is_wrong = (day.is_null() & pl.col("qid").is_not_null()) | ~day.is_in(real_days(asked["day"]))
    asked = left(asked, "bad-day", is_wrong, *line, "day")
    asked = left(asked, "day-outside", ~day.is_in(days), *line, "day")
    dated = asked.select("run", "topic", "day").unique()
    asked = asked.drop_nulls("qid")
    is_proposed = pl.col("qid").str.starts_with(pl.col("runtag")).fill_null(value=False)
    asked = left(asked, "bad-question", pl.col("is_known").is_null() & ~is_proposed, "question")
    again = ~pl.struct("run", "topic", "day", "qid").is_first_distinct()
    asked = left(asked, "repeated-question", again, "question")
    has_rank = (pl.col("question_rank") >= 0).fill_null(value=False)
    asked = left(asked, "bad-rank", ~has_rank, "question")

    calendar = day.cast(pl.Enum(days), strict=False)
    doc = pl.col("doc_id").cast(pl.Categorical)
    documents = known["documents"].select(doc, own_day=calendar, is_there=True)
    left(asked, "more-than-100", pl.col("number") > MOST, "question")
    docs = rows.drop_nulls("doc_id").with_columns(doc, calendar).with_row_index("place")
    docs = docs.join(asked, on="question", how="semi", maintain_order="left")
    docs = docs.join(documents, on="doc_id", how="left", maintain_order="left")
    again = ~pl.struct("question", "doc_id").is_first_distinct()
    docs = left(docs, "repeated-document", again, "place")
    docs = left(docs, "unknown-document", pl.col("is_there").is_null(), "place")
    docs = left(docs, "wrong-day", pl.col("own_day").ne_missing(day), "place")
    docs = left(docs, "bad-score", pl.col("score").is_null(), "place")
    key = pl.col("place").cast(pl.Float64) if order == "list" else 0.0 - pl.col("score")
    docs = docs.select("question", "place", id="doc_id", key=key)
    if "more-than-100" in faults:
        docs = docs.sort("question", "key", "place")
        docs = docs.filter(pl.int_range(pl.len()).over("question") < MOST)
    topics, files = natural_order(set(known["topics"]["topic"])), enumerate(runs.sources)
    every = ((file, run, t) for file, own in files for run in own.runs or runs.runs for t in topics)
    missing = pl.DataFrame(every, ["file", *KEY], orient="row").cast(dict.fromkeys(KEY, pl.String))
    missing = missing.join(present, on=KEY, how="anti", maintain_order="left")
    left(missing.with_columns(line=None), "missing-topic", pl.lit(value=True), *KEY)
    return ValidRows(present, dated, asked, docs, faults)


def tell_faults(runs: Table, faults: Mapping[str, pl.DataFrame]) -> Iterator[Fault]:
    """Yield the faults of runs, each with its line, day and question."""
    for name, rows in faults.items():
        reason, cure, code = FAULTS[name]
        yield from runs.faults(rows, f"{name}: {reason}", cure, code)


def faults_in_itself(runs: Table) -> Iterator[tuple[str, bool]]:
    """Yield the faults that runs show by themselves, whatever their collection is."""
    topics = runs.frame.unique(["topic", "qid"]).drop_nulls("topic")
    documents = runs.frame.select("doc_id", "day").unique("doc_id")
    own = {"topics": topics, "documents": documents, "days": runs.frame}
    faults = check_runs(runs, own).faults
    alone = {name: faults[name] for name in faults if name not in BESIDE_COLLECTION}
    return ((str(fault), True) for fault in tell_faults(runs, alone))


def collection_faults(tables: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the faults that runs show beside their topics, documents and days."""
    frames = {each.name: each.frame for each in reversed(tables) if isinstance(each, Table)}
    for runs in tables if {"questions", "documents"} <= set(frames) else ():
        if isinstance(runs, Table) and runs.name == "rankings":
            known = {"days": runs.frame, **frames, "topics": frames["questions"]}
            faults = check_runs(runs, known).faults
            beside = {name: faults[name] for name in faults if name in BESIDE_COLLECTION}
            yield from ((str(fault), True) for fault in tell_faults(runs, beside))


# Rankings.


def collect(tables: Mapping[str, Table]) -> dict[str, pl.DataFrame]:
    """Return all tables by the names of the inputs, with documents and days in any case.

    A document without a day is of the first day on which a run returns it. Without days, those of
    judgments and runs count. Judgments without any gain are left out.
    """
    known = {name: table.frame for name, table in tables.items()}
    met = pl.Series("day", real_days(known["runs"]["day"]), pl.String)
    if "documents" not in known:
        days = pl.Enum((known["days"]["day"] if "days" in known else met).unique().sort())
        returned = known["runs"].select("doc_id", pl.col("day").cast(days, strict=False))
        returned = returned.drop_nulls("doc_id")
        known["documents"] = returned.group_by("doc_id").agg(pl.col("day").min())
    documents = known["documents"].select(pl.col("doc_id", "day").cast(pl.String))
    undated = known["qrels"].join(documents, on="doc_id", how="anti", maintain_order="left")
    if "documents" in tables:
        reason, cure = 'document "{doc_id}" has no day', "it belongs to --documents too"
        tables["qrels"].refuse(undated, reason, cure, "unknown-id")
    documents = documents.drop_nulls("day")  # which runs return on days outside the collection
    known |= {"undated": undated, "documents": documents}
    known["qrels"] = known["qrels"].join(documents, on="doc_id")
    judged = [name for name in ("qrels", "questions") if name in known]
    known |= {name: known[name].filter(pl.col("gain") > 0) for name in judged}
    if "days" not in known:
        known["days"] = pl.concat([met, *(known[name]["day"] for name in judged)]).to_frame()
    known["days"] = known["days"].select("day").unique().sort("day")
    return known


def build_index(
    runs: Table, valid: ValidRows, known: Mapping[str, pl.DataFrame], rules: ChangeRules
) -> FrameIndex:
    """Return every unit of both levels with its measures, and the items that were ranked."""
    names, days = runs.runs, list(known["days"]["day"])
    types: dict[str, Any] = {"run": pl.Enum(names), "topic": natural(known["topics"]["topic"])}
    types |= {"day": pl.Enum(days), **dict.fromkeys(("doc_id", "qid", "level"), pl.Categorical())}

    def coded(frame: pl.DataFrame) -> pl.DataFrame:
        own = {name: types[name] for name in types if name in frame.columns}
        return frame.cast(own, strict=False)  # type: ignore[arg-type]

    gain, question, of_day = pl.col("gain"), ["topic", "qid"], [*KEY, "day"]
    worth = {"raw": gain, "scaled": quotient(gain, 10.0), "binary": pl.lit(1.0)}[rules.gains]
    gold = coded(known["qrels"]).with_columns(gain=worth)
    present, dated, ranked = map(coded, (valid.present, valid.dated, valid.questions))

    asked = coded(known["topics"].select(question)).with_row_index("slot")
    topics = asked.select("topic").unique().sort("topic")
    of_topics = topics.with_columns(qid=pl.lit(ALL_QUESTIONS), level=pl.lit(QUESTION_LEVEL))
    of_questions = asked.with_columns(level=pl.lit(DOCUMENT_LEVEL))
    rankings = pl.concat([coded(of_questions), coded(of_topics)], how="diagonal")
    times = coded(pl.DataFrame({"day": days, "time": [moment(day) for day in days]}))
    own = rankings.join(times, how="cross").with_row_index("best")
    units = coded(pl.DataFrame({"run": names})).join(own, how="cross").with_row_index("unit")
    counted = present.with_columns(counted=True)
    units = units.join(counted, on=KEY, how="left", maintain_order="left")
    is_alike = rules.proposed == "drop"
    if not is_alike:  # what there is to return is not the same for all runs
        own = units = units.with_columns(best="unit")

    is_question = pl.col("level") == QUESTION_LEVEL
    place = pl.col("id" if rules.ties == "id" else "place")
    columns = ("unit", "key", place.alias("place"))
    judged = gold.join(asked, on=question).select("slot", "day", "gain", id="doc_id")
    items = ranked.join(units, on=[*of_day, "qid"]).select("question", "unit", "slot")
    documents = valid.documents.join(items, on="question").select(*columns, "slot", "id")
    gains = [documents.join(judged, on=["slot", "id"])]
    documents = documents.select(columns)
    relevant = [own.filter(~is_question).join(judged, on=["slot", "day"])]

    of_day_units = units.filter(is_question).select("unit", *of_day)
    worths = gold.group_by(*question, "day").agg(gain.max())
    if rules.question_gain == "judged":
        worths = coded(known["questions"]).with_columns(gain=worth)
    answers = worths.join(asked, on=question)
    relevant.append(answers.join(own.filter(is_question), on=["topic", "day"]))
    if is_alike:
        ranked = ranked.drop_nulls("is_known")
    else:
        proposed = ranked.filter(pl.col("is_known").is_null())
        first = proposed.group_by("run", *question).agg(first=pl.col("day").min())
        later = first.join(worths, on=question).filter(pl.col("day") >= pl.col("first"))
        relevant.append(later.join(units.filter(is_question), on=of_day))
    items = ranked.join(of_day_units, on=of_day)
    items = items.rename({"question_rank": "key", "question": "place", "qid": "id"})
    lacking = of_day_units.join(present, on=KEY, how="semi", maintain_order="left")
    lacking = lacking.join(dated, on=of_day, how="anti", maintain_order="left")
    if rules.missing_date == "tied":
        more = lacking.join(asked, on="topic").with_columns(key=0.0)
        more = more.rename({"slot": "place", "qid": "id"})
        items = pl.concat([items, more], how="diagonal")
    worths = worths.rename({"qid": "id"})
    gains.append(items.with_columns(columns).join(worths, on=["topic", "id", "day"]))
    outputs = documents.select("unit").join(units, on="unit").select(*KEY, "time")
    items = pl.concat([documents, items.select(columns)])

    # After its last item a ranking has one more, the end, which is worth the share of all gain that
    # was returned, and 1 where there was none to return. Of tied items every order is as likely.
    size, rank, place, mean = (pl.col(name) for name in ("size", "rank", "place", "mean"))
    so_far, whole, squares = pl.col("so_far"), pl.col("sum"), pl.col("squares")
    is_expected = rules.ties == "expected"
    positive = pl.concat(each.select("unit", "place", "gain") for each in gains)
    ranked = items.join(positive, on="unit", how="semi")
    ranked = ranked.sort("unit", "key", "place").with_columns(
        rank=place_in("unit"),
        tie=pl.struct("unit", "key").rle_id() if is_expected else pl.int_range(pl.len()),
    )
    returned = ranked.join(positive, on=["unit", "place"], maintain_order="left")
    returned = returned.with_columns(so_far=running_total(gain, "unit"))
    worthy = returned.group_by("tie", maintain_order=True).agg(
        pl.col("unit").first(),
        before=(so_far - gain).first(),
        sum=total(gain),
        squares=total(gain * gain),
        worthy=pl.len(),
    )
    sizes = ranked.group_by("tie").agg(rank.min(), size=pl.len())
    worthy = worthy.join(sizes, on="tie", maintain_order="left").with_columns(
        is_first=pl.col("unit").is_first_distinct(),
        mean=quotient(whole, size),
        products=quotient(whole**2 - squares, (size * (size - 1)).clip(1)),
        place=pl.int_ranges(size),
    )
    worthy = worthy.explode("place").with_columns(rank=rank + place)
    first = worthy.filter("is_first").with_columns(
        chance=quotient(pl.col("worthy"), size - place).clip(0, 1)
    )
    first = first.with_columns(left=(1 - pl.col("chance")).cum_prod().over("unit"))
    waiting = pl.when(place > 0).then(pl.col("left").shift()).otherwise(1.0)
    first = first.with_columns(first=quotient(pl.col("chance") * waiting, rank))
    product = mean * pl.col("before") + quotient(squares, size) + place * pl.col("products")
    best = pl.concat([each.select("gain", "best") for each in relevant])
    best = best.sort("best", "gain", descending=[False, True])
    best = best.with_columns(rank=place_in("best"), so_far=running_total(gain, "best"))
    best_discounted = running_total(quotient(gain, (rank + 1).log(2)), "best")
    until = best.select("best", "rank", best_discounted=best_discounted)
    best = best.group_by("best").agg(
        number=pl.len(), total=total(gain), best_precision=total(quotient(gain * so_far, rank))
    )
    sums = [
        items.group_by("unit").agg(depth=pl.len()),
        best,
        returned.group_by("unit").agg(returned=so_far.last()),
        first.group_by("unit").agg(total(pl.col("first"))),
        worthy.group_by("unit").agg(
            discounted=total(quotient(mean, (rank + 1).log(2))),
            precision=total(quotient(product, rank)),
        ),
    ]
    is_counted = pl.col("counted").fill_null(rules.missing_topic == "silent")
    units = units.with_columns(is_counted.cast(pl.Float64))
    values = units.select("unit", "counted", "best")
    for each in sums:
        values = values.join(each, on=each.columns[0], how="left", maintain_order="left")
        if each is best:  # where nothing is returned, of nothing, all is worth the end
            values = values.filter(~pl.all_horizontal(pl.col("depth", "number").is_null()))
    values = values.with_columns(pl.selectors.numeric().fill_null(0)).with_columns(
        end=pl.col("counted") * divided("returned", "total", 1.0),
        rank=pl.min_horizontal(pl.col("depth") + 1, "number"),
    )
    values = values.join(until, on=["best", "rank"], how="left", maintain_order="left")
    values = values.select(
        *("unit", "depth", "total", "end"),
        tRR=reciprocal_rank(),
        tNDCG=discounted_gain(),
        tAP=average_precision(rules.ap),
        **{"tAP(ideal)": average_precision("ideal")},
    )
    values = persistent_gains(values, worthy, USUAL_P)
    slot = pl.col("slot").fill_null(0) if rules.average == "nested" else pl.lit(0)
    units = units.drop("best").with_columns(slot=slot)
    start, latest = moment(days[0]), moment(days[-1])
    limits = topics.with_columns(start=start, latest=latest, end=latest + 24 * UNITS["h"])
    frames = {"items": items, "gains": positive, "worthy": worthy.select("unit", "rank", "mean")}
    frames |= {"present": present, "lacking": lacking}
    for level in LEVELS:
        of_level = units.filter(pl.col("level") == level)
        of_level = of_level.join(values, on="unit", how="left", maintain_order="left")
        of_level = of_level.with_columns(
            pl.col("depth", "total").fill_null(0),
            pl.col(values.columns[3:]).fill_null(pl.col("counted")),
            silent=pl.col("depth").fill_null(0) == 0,
        )
        frames[f"{level} {HAS_ANSWER}"] = of_level.filter(pl.col("total") > 0)
        frames[f"{level} {NIL}"] = of_level.filter(pl.col("total") == 0)
    frames["missing"] = valid.faults.get("missing-topic", valid.present.clear())
    return FrameIndex.of(names, limits, outputs, **frames)


def reciprocal_rank() -> pl.Expr:
    """Truncated reciprocal rank.

    The reciprocal rank of the first item with a gain.

    1 / the first rank with a gain above 0 among g1 to gd and t; 0 if there is none.
    """
    end = quotient(pl.col("end"), pl.col("depth") + 1)
    return pl.when(pl.col("total") > 0).then("first").otherwise(end)


def discounted_gain() -> pl.Expr:
    """Truncated normalised discounted cumulative gain.

    The discounted gain of the ranking and its end, divided by that of the ideal one.

    Sum of g_i / log2(i+1) over g1 to gd and t, divided by the same of all relevant gains, falling,
    then 1, cut after d+1 ranks.
    """
    depth, number = pl.col("depth"), pl.col("number")
    best_end = pl.when(number <= depth).then(1 / (number + 2).log(2)).otherwise(0.0)
    discounted = pl.col("discounted") + quotient(pl.col("end"), (depth + 2).log(2))
    return quotient(discounted, pl.col("best_discounted").fill_null(0) + best_end)


def average_precision(rule: str) -> pl.Expr:
    """Truncated average precision.

    The mean gain so far at each item with a gain, including the end.

    Sum of g_i (g1 + … + g_i) / i over g1 to gd and t, divided by R + 1.
    """
    end, depth, whole = pl.col("end"), pl.col("depth"), pl.col("total")
    precision = pl.col("precision") + quotient(end * (pl.col("returned") + end), depth + 1)
    ideal = pl.col("best_precision") + quotient(whole + 1, pl.col("number") + 1)
    return quotient(precision, ideal if rule == "ideal" else whole + 1)


def persistent_gains(units: pl.DataFrame, worthy: pl.DataFrame, p: float) -> pl.DataFrame:
    """Truncated rank-biased precision.

    The expected gain of a reader who continues with probability p up to the ranking's end.

    (1 - p) * sum of g_i p^(i-1) + t p^d.
    """
    gain = (1 - p) * pl.col("mean") * pl.lit(p).pow(pl.col("rank") - 1)
    gains = worthy.group_by("unit").agg(tRBP=total(gain))
    units = units.join(gains, on="unit", how="left", maintain_order="left")
    end = pl.col("end") * pl.lit(p).pow(pl.col("depth"))
    return units.with_columns(pl.col("tRBP").fill_null(0.0) + end)


def place_in(group: str) -> pl.Expr:
    """Return the place of each row among those of its group, from 1."""
    return pl.col(group).rank("ordinal") - pl.col(group).rank("min") + 1


def find_warnings(
    request: Request, known: Mapping[str, pl.DataFrame], valid: ValidRows, index: FrameIndex
) -> Iterator[str]:
    """Yield what is not wrong, but what a reader should know."""
    tables, rules = request.tables, request.rules
    if request.inputs.questions is not None and "questions" not in tables:
        yield "--questions is not read: it counts with --rule question-gain=judged alone"
    if "documents" not in tables:
        number = count(known["undated"].height, "judgment")
        yield (
            "no --documents: a document is of the first day on which a run returns it; "
            f"{number} of documents that no run returns ignored"
        )
    if "days" not in tables:
        number = count(known["days"].height, "day")
        yield f"no --days: {number} of judgments and runs count; days silent in both are missing"
    for name, faulty in valid.faults.items():
        if name != "missing-topic":  # of which the driver tells
            fault = next(tell_faults(tables["runs"], {name: faulty}))
            yield f"{count(faulty.height, 'fault')} let pass by --lenient; {fault}"
    used = "" if rules.proposed == "drop" else " but for those that runs propose"
    for name in ("qrels", "questions"):
        if name in tables:
            unknown = tables[name].frame.join(known["topics"], on=["topic", "qid"], how="anti")
            lost = sorted(set(unknown.select(pl.format("{} {}", "topic", "qid")).to_series()))
            if lost:
                number = count(len(lost), "question")
                yield f"{name}: {number} not in the topics, ignored{used}: {listed(lost)}"
    outside = sorted(set(known["qrels"]["day"]) - set(known["days"]["day"]))
    if outside:
        number = count(len(outside), "day")
        yield f"qrels: relevant documents of {number} not in --days, ignored: {listed(outside)}"
    how = {"silent": "silent", "tied": "all questions, tied"}[rules.missing_date]
    lacking = index["lacking"].group_by("run", maintain_order=True)
    for run, *day, number in lacking.agg(pl.col("topic", "day").first(), pl.len()).iter_rows():
        days = f"{count(number, 'day')} of topics not in the run"
        yield f"run {run}: {days}, counted as {how}; first {', '.join(day)}"
