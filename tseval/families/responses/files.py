"""The files of responses: tables of labels, records of JSON, and what they are held against."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import polars as pl

from tseval.core.wording import count, count_words
from tseval.errors import Fault, Reason, did_you_mean, input_error
from tseval.families.responses import records
from tseval.families.responses.records import ResponseRules, Sort
from tseval.io import JSON, tables
from tseval.io.faults import FaultList, text_lines
from tseval.io.formats import Import, Line
from tseval.io.forms import names_of, recognise
from tseval.io.inputs import Input, first_row
from tseval.io.schema import ALL_TOPICS, NUGGET_ID, RUN, TOPIC, Column, Kind, Schema
from tseval.io.topics import TOPICS_READER

# Tables.

blank = partial(Column, kind=Kind.ID, may_be_blank=True)
QID = replace(TOPIC, aliases=(*TOPIC.aliases, "qid", "narrative_id"))
TIME = Column("time", Kind.TIME, required=False, may_be_blank=True)
NAMED_RUN = replace(RUN, required=True)
SUPPORT_MEANING = "`support`, `partial_support`, anything else is no support"
IMPORTANCE_MEANING = "`vital` or `okay`, without a list of nuggets"
VERSION_MEANING = "of which response of a run on a topic it is"
VERDICT_MEANING = "`satisfied`, `partially_satisfied` or `not_satisfied`"
GRADES = Schema(
    "grades",
    (
        QID,
        replace(NUGGET_ID, meaning="that of the nugget list"),
        blank("label", aliases=("assignment", "grade"), meaning=SUPPORT_MEANING),
        RUN,
        replace(TIME, meaning="the time of the response"),
        Column("version", Kind.ID, required=False, default="1", meaning=VERSION_MEANING),
        blank("importance", required=False, meaning=IMPORTANCE_MEANING),
    ),
    row="the grade of a nugget in a response",
)
NUGGETS = Schema(
    "nugget-list",
    (
        QID,
        NUGGET_ID,
        blank("importance", meaning="`vital` or `okay`"),
        replace(TIME, meaning="the time when the nugget was first known"),
        Column("text", Kind.TEXT, required=False),
    ),
    key=("topic", "nugget_id"),
    row="a nugget that an answer should say",
)
ANNOTATED = {"supports": 2, "partial": 1, "contradicts": 3, "none": 0}
"""The grades of annotations: the highest so far counts, so a contradiction stays."""
ANNOTATED_MEANING = "`supports`, `partial`, `contradicts` or `none`"
ANNOTATIONS = Schema(
    "annotations",
    (
        QID,
        NAMED_RUN,
        Column("answer_id", Kind.ID),
        Column("annotation", Kind.ID, aliases=("auto_assessment",), meaning=ANNOTATED_MEANING),
        replace(TIME, any_time=True),
    ),
    key=("run", "topic", "time", "answer_id"),
    row="an assessor's label of an answer to a question of the rubric (DRAGUN)",
)
COUNTS = Schema(
    "counts",
    (
        NAMED_RUN,
        Column("request_id", Kind.ID, meaning="the topic"),
        Column("metric", Kind.ID, meaning="such as `citations`"),
        Column("value", Kind.NUMBER),
    ),
    key=("run", "request_id", "metric"),
    row="a count of a report (Auto-ARGUE)",
)
NAMED_BY, NAME_MEANING = ("criterion_id", "text"), "the id or the text of the criterion"
STATUS_MEANING = "`failed`, without a verdict, leaves it out"
VERDICTS = Schema(
    "verdicts",
    (
        QID,
        blank("verdict", meaning=VERDICT_MEANING),
        Column("weight", Kind.NUMBER, may_be_blank=True, meaning="blank is 0"),
        blank("criterion", required=False, aliases=NAMED_BY, meaning=NAME_MEANING),
        blank("tier", required=False, meaning="`mandatory` or `optional`"),
        blank("status", required=False, meaning=STATUS_MEANING),
        RUN,
        TIME,
    ),
    row="the verdict on a response by a criterion of a rubric",
)
HITS = Schema(
    "hits",
    (
        Column("turn", Kind.ID, meaning="the topic"),
        Column("nugget", Kind.ID),
        NAMED_RUN,
        Column("label", Kind.NUMBER, meaning="1 says that it is there, 0 that it is not"),
    ),
    row="whether a response says a nugget (CONE-RAG)",
)
SCHEMAS = (GRADES, NUGGETS, ANNOTATIONS, COUNTS, HITS, VERDICTS)
TABLES = {
    Sort.ANNOTATIONS: ANNOTATIONS,
    Sort.COUNTS: COUNTS,
    Sort.HITS: HITS,
    Sort.VERDICTS: VERDICTS,
    Sort.GRADES: GRADES,
}
"""The plain tables of labels, in the order in which a header is held against them."""

# Plain tables of labels, as the same rows as records.

RENAMED = {
    Sort.GRADES: {"nugget_id": "text", "label": "word"},
    Sort.VERDICTS: {"criterion": "text", "verdict": "word", "tier": "importance"},
    Sort.ANNOTATIONS: {"answer_id": "answer"},
    Sort.COUNTS: {"request_id": "topic"},
    Sort.HITS: {"turn": "topic", "nugget": "text"},
}
"""The columns of tables that rows of labels call otherwise."""


def check_rows(
    cells: pl.DataFrame, faults: FaultList, sort: Sort, rules: ResponseRules
) -> pl.DataFrame:
    """Return a plain table as rows of labels; those of a run, topic and version are one response.

    Labels of nuggets may be words for support.
    """
    types = records.RESPONSE | records.TYPES[sort]
    known = pl.DataFrame(schema=types | records.WORD)
    rows = pl.concat([cells.rename(RENAMED[sort], strict=False), known], how="diagonal_relaxed")
    rows = rows.with_row_index("row").with_columns(pl.col(pl.String).fill_null(""), at=0)
    if sort is Sort.GRADES:
        words = records.LENIENT if rules.labels == "lenient" else records.GRADE_OF
        rows = records.grade_words(rows, sort, rules, faults, words).with_columns(place=-1)
    elif sort is Sort.VERDICTS:
        text = pl.when(pl.col("text") != "").then("text").otherwise(pl.col("row").cast(pl.String))
        rows = records.grade_words(rows, sort, rules, faults)
        rows = rows.with_columns(pl.col("weight").fill_null(0.0), text=text, place=0)
    elif sort is Sort.HITS:
        label, reason = pl.col("label"), "label {label:g} is neither 0 nor 1"
        wrong = rows.filter(~label.is_in([0.0, 1.0]))
        tables.add_faults(faults, wrong, reason, "1 says that a nugget is there", "unknown-label")
        rows = rows.with_columns(place="row", grade=2 * label, is_known=True, failed=False)
    elif sort is Sort.ANNOTATIONS:
        grade = pl.col("annotation").str.strip_chars().str.to_lowercase()
        grade = grade.replace_strict(ANNOTATED, default=None, return_dtype=pl.Int64)
        rows, cure = rows.with_columns(grade=grade), f"they are {', '.join(ANNOTATED)}"
        unknown = rows.filter(pl.col("grade").is_null())
        tables.add_faults(
            faults, unknown, 'unknown annotation "{annotation}"', cure, "unknown-label"
        )
    else:
        rows = rows.filter(pl.col("topic") != ALL_TOPICS)
    group = ["run", "topic", "version"]
    rows = tables.check_topics(rows, faults).with_columns(
        response=pl.col("row").first().over(group),
        at=pl.int_range(pl.len()).over(group),
        last=pl.col("time").max().over(group),
    )
    rows = rows.select("line", *types).cast(types).sort("response", maintain_order=True)
    return check_labels(rows.with_columns(sort=pl.lit(sort.name)), faults)


def check_labels(rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse labels by a rubric without any verdict."""
    is_verdicts = "sort" in rows and rows["sort"].first() == Sort.VERDICTS.name
    verdicts = rows.drop_nulls("at") if is_verdicts else rows.clear()
    if verdicts.height and not (verdicts["failed"] | (verdicts["word"] != "")).any():
        cure = "if this is a rubric, pass it as --nuggets FILE"
        faults.add(None, "no criterion has a verdict", cure, "missing-verdict")
    return rows


HIT = re.compile(r"\d+_(\d+_\d+)_(\d+)_(\S+)\t([01])")
"""A line of CONE-RAG without a header: hit, turn, nugget and run, then the label."""


def is_hits(source: Input) -> bool:
    """Return whether a file has the lines of CONE-RAG, without a header."""
    return HIT.fullmatch(first_row(source).decode("utf-8", "replace").rstrip("\r\n")) is not None


def read_hit_lines(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read the lines of CONE-RAG as the table has them."""
    rows = []
    for line, text in text_lines(source, faults):
        match = HIT.fullmatch(text.rstrip("\r"))
        if match is not None:
            turn, nugget, run, label = match.groups()
            rows.append((line, turn, nugget, run, float(label)))
        elif text.strip():
            cure = "write hit_topic_turn_nugget_run, a tab, 0 or 1"
            faults.add(line, "no label of a turn", cure, "record-format")
    return tables.TrackRows(tables.frame_of_rows(rows, HITS))


# Whole files.


BY_KEYS = ("jsonl", JSON)


def holds_json(source: Input, form: str | None = None) -> bool:
    """Return whether an input is JSON, and is read in no other form."""
    is_json = not source.is_table and recognise(source)[0] in BY_KEYS
    return is_json and form in (None, *BY_KEYS)


def read_json(
    schema: Schema, read: Callable[[Input, FaultList], tables.TrackRows]
) -> tables.TableReader:
    """Return how records of JSON are read by this function."""
    # A track's file that declares a schema may be of a form that is named.
    track = tables.TrackFile(read=read, schema=lambda schema, _: schema)
    return tables.TableReader(schema=replace(schema, key=()), tracks=(track,), check=check_labels)


def choose_labels(source: Input, form: str | None, rules: ResponseRules) -> tables.TableReader:
    """Return the reader of a file of labels, or of responses.

    That of a table is the one that has all its columns, or else the nearest: the one that has most
    of the names, then the one that lacks least, then that of labels of nuggets. Reading it tells
    what is missing.
    """
    names = names_of(source)
    if form is not None and not source.is_table:
        from tseval.core.validation import names_in  # here, because few commands need it

        names = names_in(source, form)
    lacking = {sort: len(each.missing(names)) for sort, each in TABLES.items()}
    if all(lacking.values()) and holds_json(source, form):
        return read_json(GRADES, partial(records.read_labels, rules=rules))
    is_of_lines = form is None and not source.is_table and is_hits(source)
    nearness = {sort: (len(TABLES[sort].placed(names)), -lacking[sort]) for sort in TABLES}
    complete = (sort for sort in TABLES if not lacking[sort])
    sort = next(complete, max(reversed(TABLES), key=nearness.__getitem__))
    sort = Sort.HITS if is_of_lines else sort
    return tables.TableReader(
        schema=TABLES[sort],
        tracks=(tables.TrackFile(read=read_hit_lines),) if is_of_lines else (),
        check=partial(check_rows, sort=sort, rules=rules),
    )


def check_nuggets(rows: pl.DataFrame, _: FaultList, rules: ResponseRules) -> pl.DataFrame:
    """Return a plain table of nuggets as rows of gold."""
    rows = rows.rename({"nugget_id": "id", "time": "nugget_time"}, strict=False)
    rows = pl.concat([pl.DataFrame(schema=records.GOLD), rows], how="diagonal").with_columns(
        pl.col("text").fill_null(""),
        kind=pl.lit(records.LISTED),
        at=pl.int_range(pl.len()).over("topic"),
    )
    return rows.with_columns(place=records.place_of(rules, "topic"))


def choose_gold(source: Input, form: str | None, rules: ResponseRules) -> tables.TableReader:
    """Return the reader of a file of nuggets, banks or rubrics."""
    if holds_json(source, form) and tables.has_missing_columns(source, NUGGETS):
        return read_json(NUGGETS, partial(records.read_gold, rules=rules))
    return tables.TableReader(schema=NUGGETS, check=partial(check_nuggets, rules=rules))


def name_nuggets() -> pl.Expr:
    """Return the names of nuggets: their ids, else their topics and places."""
    place = pl.format("{}#{}", pl.col("topic").cast(pl.String), "at")
    return pl.when(pl.col("id").fill_null("") == "").then(place).otherwise("id")


def first_record(source: Input) -> records.Record:
    """Return the first object of JSON, an empty one where there is none."""
    every = records.documents(source, FaultList(source)) if holds_json(source) else iter(())
    return next((record for _, record in every), {})


def is_labelled(source: Input) -> bool:
    """Return whether a file holds labels of responses, or responses, by its content."""
    is_table = any(not tables.has_missing_columns(source, schema) for schema in TABLES.values())
    return is_table or is_hits(source) or records.sort_of(first_record(source)) is not None


def holds_gold(source: Input) -> bool:
    """Return whether a file holds nuggets, banks or rubrics, by its content."""
    return records.is_gold(first_record(source))


def is_nugget_list(source: Input) -> bool:
    """Return whether a plain table has importances in words, as lists of nuggets of answers do."""
    form, names = recognise(source)
    words = re.compile(rb"(^|[\t,])(vital|okay)([\t,\r]|$)")
    is_plain = form in ("tsv", "csv") and not NUGGETS.missing(names)
    return is_plain and any(map(words.search, source.head().split(b"\n")[1:]))


# What is told of them.

LABEL, VERDICT, IMPORTANCE, TIER = "label", "verdict", "importance", "tier"
KNOWN = {
    LABEL: (tuple(records.GRADE_OF), "counted 0"),
    VERDICT: (tuple(records.VERDICT_OF), "counted 0"),
    IMPORTANCE: ((records.VITAL, records.OKAY), "neither vital nor okay"),
    TIER: ((records.MANDATORY, records.OPTIONAL), "neither mandatory nor optional"),
}
"""For each place the known words, and how other words count."""
MOST_CITATIONS, MOST_WORDS = 3, 1024
"""What a sentence and a response of 2026 may have."""


def find_unknown_words(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the words that count as none: each with what it should be, and its line."""
    rows, word = rows.with_row_index("row"), pl.col("word")
    if "importance" not in rows:
        return pl.DataFrame(schema={"what": pl.String, "word": pl.String, "line": pl.Int64})
    kind = pl.col("kind" if "kind" in rows else "sort")
    is_rubric = kind.is_in([records.CRITERIA, Sort.VERDICTS.name])
    what = pl.when(is_rubric).then(pl.lit(TIER)).otherwise(pl.lit(IMPORTANCE))
    found = rows.select("row", "line", what=what, word="importance").filter(word != "")
    for each in (TIER, IMPORTANCE):
        found = found.filter((pl.col("what") != each) | ~word.is_in(KNOWN[each][0]))
    if "is_known" in rows:
        what = pl.when(is_rubric).then(pl.lit(VERDICT)).otherwise(pl.lit(LABEL))
        labels = rows.filter(~pl.col("is_known"), ~pl.col("failed")).drop_nulls("at")
        found = pl.concat([labels.select("row", "line", what=what, word="word"), found])
    return found.sort("row", maintain_order=True)


def warn_of_unknown(path: str, unknown: pl.DataFrame, labels: int) -> Iterator[str]:
    """Warn once of each kind of unknown word, with how often it stands and what it may mean.

    Of so many labels in all: if none is known, that explains scores of 0.
    """
    for what, (known, fate) in KNOWN.items():
        words = unknown.filter(what=what)["word"].to_list()
        shown = count_words(words, known)
        if words and what in (LABEL, VERDICT) and len(words) == labels:
            yield Reason(f"{path}: no {what} is known, so every score is 0: {shown}")
        elif words:
            yield f"{path}: {count(len(words), f'unknown {what}')}, {fate}: {shown}"


def warn_of_labels(path: str, rows: pl.DataFrame, rules: ResponseRules) -> Iterator[str]:
    """Warn of versions that nothing tells apart, of what a judge left out, of too long answers."""
    sort = rows["sort"].first()
    if sort == Sort.GRADES.name and rules.versions == "replace":
        plain = rows.filter(pl.col("version") == "", pl.col("place") < 0)
        times = plain.group_by("response").agg(pl.col("time").drop_nulls().n_unique())
        if (times["time"] > 1).any():
            yield (
                f"{path}: without a column version all labels of a run and topic are one response, "
                "of which --rule versions=replace replaces nothing"
            )
    if "failed" in rows and (failed := rows.filter("failed", pl.col("at").is_not_null()).height):
        yield f"{path}: left out {count(failed, 'failed answer')} of the judge"
    if sort == Sort.ANSWERS.name:
        sums = pl.col("words").cast(pl.Int64).sum(), pl.col("citations").max().cast(pl.Int64)
        responses = rows.group_by("response", "run", "topic", maintain_order=True).agg(*sums)
        for _, run, topic, words, most in responses.iter_rows():
            where, limit = f"run {run}, topic {topic}", "where TREC RAG 2026 takes"
            if words > MOST_WORDS:
                yield f"{where}: {words:,} words, {limit} {MOST_WORDS:,}"
            if (most or 0) > MOST_CITATIONS:
                yield f"{where}: a sentence has {most} citations, {limit} {MOST_CITATIONS}"


# What `tseval validate` and `tseval import` know of them.

RULES = ResponseRules()


def remark(table: tables.Table) -> Iterator[Line]:
    """Yield words that count as none as faults, and warnings; a missing word is no fault."""
    source, rows = table.sources[0], table.frame
    for what, word, line in find_unknown_words(rows).select("what", "word", "line").iter_rows():
        if word.strip():
            known = KNOWN[what][0]
            reason = f'unknown {what} "{word}"{did_you_mean(word, known)}'
            cure = f"write one of {', '.join(known)}"
            yield str(Fault(source.path, line, reason, cure, "unknown-label")), True
    if table.name != NUGGETS.table:
        yield from ((told, False) for told in warn_of_labels(source.path, rows, RULES))


def number_responses(rows: pl.DataFrame) -> pl.DataFrame:
    """Return labels of several files, in which no two responses have one number."""
    return rows.with_columns(pl.col("response") + pl.col("file").cast(pl.Int64) * 2**32)


def plain_labels(table: tables.Table) -> pl.DataFrame:
    """Return labels of nuggets as the columns of the plain table: a row a label."""
    graded = pl.col("sort").is_in([sort.name for sort in records.GRADED])
    for at, source in enumerate(table.sources):
        if not table.frame.filter(graded, file=at).drop_nulls("at").height:
            reason, cure = "holds no labels of nuggets", "give assignments of nuggets"
            raise input_error(source.path, None, reason, cure, "no-rows")
    version, place = pl.col("version"), pl.format("{}#{}", "topic", "at")
    number = pl.col("response").rank("dense").over("run", "topic").cast(pl.String)
    rows = number_responses(table.frame).with_columns(
        nugget_id=pl.when(pl.col("place") < 0).then("text").otherwise(place),
        label=pl.col("grade").replace_strict(records.LABEL_OF, return_dtype=pl.String),
        time=pl.coalesce("time", "last"),
        version=pl.when(version == "").then(number).otherwise(version),
    )
    return rows.drop_nulls("at").filter(~pl.col("failed"))


def plain_nuggets(table: tables.Table) -> pl.DataFrame:
    """Return lists of nuggets as the columns of the plain table."""
    rows = table.frame.filter(pl.col("kind") != records.QUESTIONS).drop_nulls("at")
    return rows.with_columns(nugget_id=name_nuggets(), time="nugget_time")


def readers_by(rules: ResponseRules) -> dict[str, tables.TableReader]:
    """Return how inputs are read by these rules."""
    labels = tables.TableReader(
        schema=GRADES,
        choose=partial(choose_labels, rules=rules),
        tracks=(tables.TrackFile(recognise=is_labelled),),
        remarks=remark,
        imports=(
            Import(
                name="response-labels",
                help="labels of nuggets: assignments of responses",
                columns=("run", "topic", "nugget_id", "label", "time", "version", "importance"),
                several=True,
                rows=plain_labels,
            ),
        ),
    )
    nuggets = tables.TableReader(
        schema=NUGGETS,
        choose=partial(choose_gold, rules=rules),
        tracks=(tables.TrackFile(recognise=lambda s: holds_gold(s) or is_nugget_list(s)),),
        remarks=remark,
        imports=(
            Import(
                name="response-nuggets",
                help="lists of nuggets of responses",
                columns=("topic", "nugget_id", "importance", "time", "text"),
                rows=plain_nuggets,
            ),
        ),
    )
    return {"runs": labels, "nuggets": nuggets, "topics": TOPICS_READER}


FORMATS = tuple(each for name in ("runs", "nuggets") for each in readers_by(RULES)[name].formats)
