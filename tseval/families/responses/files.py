"""The files of responses: tables of labels, records of JSON, and what they are held against."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from tseval.core.wording import count, count_words
from tseval.errors import Fault, Reason, did_you_mean
from tseval.families.responses.records import (
    BANK,
    CRITERIA,
    GOLD,
    GRADE,
    GRADE_OF,
    LABEL_OF,
    LISTED,
    MANDATORY,
    OKAY,
    OPTIONAL,
    QUESTIONS,
    RESPONSE,
    SUPPORTED,
    TYPES,
    VERDICT_OF,
    VITAL,
    ResponseRules,
    Sort,
    WrongRecordError,
    first_record,
    grade_of,
    is_gold,
    read_gold,
    read_labels,
    sort_of,
    support_word,
    verdict_of,
)
from tseval.files import JSON
from tseval.files.faults import FaultList
from tseval.files.formats import Format, Line, Rank
from tseval.files.given import run_names
from tseval.files.imports import Import, Imported
from tseval.files.inputs import Each, Input
from tseval.files.text_lines import first_row, text_lines
from tseval.io.cells import PlainTable, check_one_run
from tseval.io.forms import names_of, read_plain, recognise
from tseval.io.records import without_collector
from tseval.io.tables import Table, add_faults, frame_of_rows, lacks_columns, texts_of
from tseval.tables.schema import ALL_TOPICS, NUGGET_ID, RUN, TOPIC, Column, Kind, Schema

BY_KEYS = ("jsonl", JSON)

# Tables.

QID = replace(TOPIC, aliases=(*TOPIC.aliases, "qid", "narrative_id"))
TIME = Column("time", Kind.TIME, required=False, may_be_blank=True)
WORD = Column("word", Kind.ID, required=False, may_be_blank=True)
NAMED_RUN = replace(RUN, required=True)
GRADES = Schema(
    "grades",
    (
        QID,
        replace(NUGGET_ID, meaning="that of the nugget list"),
        Column(
            "label",
            Kind.ID,
            aliases=("assignment", "grade"),
            may_be_blank=True,
            meaning="`support`, `partial_support`, anything else is no support",
        ),
        RUN,
        replace(TIME, meaning="when it was said"),
        Column(
            "version",
            Kind.ID,
            required=False,
            default="1",
            meaning="of which response of a run on a topic it is",
        ),
        replace(
            WORD,
            name="importance",
            meaning="`vital` or `okay`, where no list of nuggets is given",
        ),
    ),
    row="how far a response says a nugget",
)
NUGGETS = Schema(
    "nugget-list",
    (
        QID,
        NUGGET_ID,
        Column("importance", Kind.ID, may_be_blank=True, meaning="`vital` or `okay`"),
        replace(TIME, meaning="when it was first known"),
        Column("text", Kind.TEXT, required=False),
    ),
    key=("topic", "nugget_id"),
    row="what an answer should say",
)
ANNOTATIONS = Schema(
    "annotations",
    (
        QID,
        NAMED_RUN,
        Column("answer_id", Kind.ID),
        Column(
            "annotation",
            Kind.ID,
            aliases=("auto_assessment",),
            meaning="`supports`, `partial`, `contradicts` or `none`",
        ),
        replace(TIME, any_time=True),
    ),
    row="what an assessor says of an answer to a question of the rubric (DRAGUN)",
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
VERDICTS = Schema(
    "verdicts",
    (
        QID,
        replace(
            WORD,
            name="verdict",
            required=True,
            meaning="`satisfied`, `partially_satisfied` or `not_satisfied`",
        ),
        Column("weight", Kind.NUMBER, may_be_blank=True, meaning="blank is 0"),
        replace(
            WORD,
            name="criterion",
            aliases=("criterion_id", "text"),
            meaning="the id or the text of the criterion",
        ),
        replace(WORD, name="tier", meaning="`mandatory` or `optional`"),
        replace(WORD, name="status", meaning="`failed`, without a verdict, leaves it out"),
        RUN,
        TIME,
    ),
    row="how far a response meets a criterion of a rubric",
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
TABLES = {
    Sort.ANNOTATIONS: ANNOTATIONS,
    Sort.COUNTS: COUNTS,
    Sort.HITS: HITS,
    Sort.VERDICTS: VERDICTS,
    Sort.GRADES: GRADES,
}
"""The plain tables of labels, in the order in which a header is held against them."""

ANNOTATED = {"supports": 2, "partial": 1, "contradicts": 3, "none": 0}
"""The grades of annotations: the highest so far counts, so a contradiction stays."""

# Plain tables of labels, as the same rows.


def label_rows(frame: pl.DataFrame, sort: Sort, **columns: pl.Expr) -> pl.DataFrame:
    """Return the rows of each run, topic and version as those of one response, in this order."""
    empty = {pl.String: pl.lit(""), pl.Boolean: pl.lit(value=False)}
    types = RESPONSE | TYPES[sort]
    lacking = {
        name: empty.get(kind, pl.lit(None)) for name, kind in types.items() if name not in frame
    }
    rows = frame.with_columns(**{**lacking, **columns})
    group = ["run", "topic", "version"]
    rows = rows.with_row_index("row").with_columns(
        response=pl.col("row").first().over(group),
        at=pl.int_range(pl.len()).over(group),
        whole=pl.col("time").max().over(group),
    )
    typed = (pl.col(name).cast(kind) for name, kind in types.items())
    return rows.select("line", *typed).sort("response", maintain_order=True)


def read_grades(frame: pl.DataFrame, faults: FaultList, rules: ResponseRules) -> pl.DataFrame:
    """Read labels of nuggets, which may be words for support."""
    known: dict[str, tuple[int, bool]] = {}
    for word in frame["label"].unique():
        named = SUPPORTED.get(support_word(word)) if rules.labels == "lenient" else None
        try:
            known[word] = grade_of(word if named is None else LABEL_OF[named], rules)
        except WrongRecordError as error:
            wrong = frame.filter(pl.col("label") == word)
            add_faults(faults, wrong, 'unknown label "{label}"', error.cure, error.code)
    grades = {word: grade for word, (grade, _) in known.items()}
    unknown = [word for word, (_, is_known) in known.items() if not is_known]
    label = pl.col("label")
    return label_rows(
        frame,
        Sort.GRADES,
        text=pl.col("nugget_id"),
        place=pl.lit(-1),
        grade=label.replace_strict(grades, default=0, return_dtype=pl.Int64),
        is_known=~label.is_in(unknown),
        word=label,
    )


def read_annotations(frame: pl.DataFrame, faults: FaultList, _: ResponseRules) -> pl.DataFrame:
    """Read annotations; an answer may have one of a run on a topic, or one at a time."""
    label = pl.col("annotation").str.strip_chars().str.to_lowercase()
    rows = frame.with_columns(annotation=label)
    unknown = rows.filter(~pl.col("annotation").is_in(list(ANNOTATED)))
    cure = f"they are {', '.join(ANNOTATED)}"
    add_faults(faults, unknown, 'unknown annotation "{annotation}"', cure, "unknown-label")
    key = [name for name in ("run", "topic", "answer_id", "time") if name in rows]
    rows = rows.with_columns(first=pl.col("line").first().over(key))
    again = rows.filter(pl.col("line") != pl.col("first"))
    again = again.with_columns(cure=pl.format("first in line {}: remove one of them", "first"))
    reason = 'answer "{answer_id}" is annotated twice'
    add_faults(faults, again, reason, "", "duplicate-id")
    grade = pl.col("annotation").replace_strict(ANNOTATED, default=0, return_dtype=pl.Int64)
    return label_rows(rows, Sort.ANNOTATIONS, answer=pl.col("answer_id"), grade=grade)


def read_counts(frame: pl.DataFrame, _: FaultList, __: ResponseRules) -> pl.DataFrame:
    """Read counts of reports without those of all topics together."""
    rows = frame.filter(pl.col("request_id") != ALL_TOPICS)
    return label_rows(rows, Sort.COUNTS, topic=pl.col("request_id"))


def read_hits(frame: pl.DataFrame, faults: FaultList, _: ResponseRules) -> pl.DataFrame:
    """Read labels of the nuggets of turns, each by itself."""
    wrong = frame.filter(~pl.col("label").is_in([0.0, 1.0]))
    cure = "1 says that a nugget is there"
    add_faults(faults, wrong, "label {label:g} is neither 0 nor 1", cure, "unknown-label")
    hit = {"topic": pl.col("turn"), "text": pl.col("nugget"), "place": pl.int_range(pl.len())}
    is_known, grade = pl.lit(value=True), 2 * pl.col("label")
    return label_rows(frame, Sort.HITS, **hit, grade=grade, is_known=is_known)


def read_verdicts(frame: pl.DataFrame, _: FaultList, __: ResponseRules) -> pl.DataFrame:
    """Read verdicts on the criteria of a rubric, which may have no name."""
    names = [name for name in ("criterion", "tier", "status") if name not in frame]
    rows = frame.with_columns(pl.lit("").alias(name) for name in names)
    told = map(verdict_of, rows["verdict"], rows["status"])
    rows = rows.hstack(pl.DataFrame(list(told), schema=GRADE, orient="row"))
    named = pl.when(pl.col("criterion") != "").then("criterion")
    return label_rows(
        rows,
        Sort.VERDICTS,
        text=named.otherwise(pl.int_range(pl.len()).cast(pl.String)),
        place=pl.lit(0),
        importance=pl.col("tier"),
        weight=pl.col("weight").fill_null(0.0),
    )


ROWS_OF: Mapping[Sort, Callable[[pl.DataFrame, FaultList, ResponseRules], pl.DataFrame]] = {
    Sort.GRADES: read_grades,
    Sort.ANNOTATIONS: read_annotations,
    Sort.COUNTS: read_counts,
    Sort.HITS: read_hits,
    Sort.VERDICTS: read_verdicts,
}
HIT = re.compile(r"\d+_(\d+_\d+)_(\d+)_(\S+)\t([01])")
"""A line of CONE-RAG without a header: hit, turn, nugget and run, then the label."""


def is_hits(source: Input) -> bool:
    """Return whether a file has the lines of CONE-RAG, without a header."""
    return HIT.fullmatch(first_row(source).decode("utf-8", "replace").rstrip("\r\n")) is not None


def read_hit_lines(source: Input, faults: FaultList, rules: ResponseRules) -> pl.DataFrame:
    """Read the lines of CONE-RAG."""
    rows = []
    for line, text in text_lines(source, faults):
        match = HIT.fullmatch(text.rstrip("\r"))
        if match is not None:
            turn, nugget, run, label = match.groups()
            rows.append((line, turn, nugget, run, float(label)))
        elif text.strip():
            cure = "write hit_topic_turn_nugget_run, a tab, 0 or 1"
            faults.add(line, "no label of a turn", cure, "record-format")
    return read_hits(frame_of_rows(rows, HITS), faults, rules)


# Whole files.


def holds_records(source: Input) -> bool:
    """Return whether an input is JSON, and no plain table of labels written as such."""
    is_json = not source.is_table and recognise(source)[0] in BY_KEYS
    return is_json and all(lacks_columns(source, schema) for schema in TABLES.values())


def table_of(source: Input, form: str | None) -> Sort:
    """Return the sort of the table that has all its columns in an input, or else the nearest.

    That is the one that has most of the names, then the one that lacks least, then that of labels
    of nuggets. Reading it tells what is missing.
    """
    names = names_of(source)
    if form is not None and not source.is_table:
        from tseval.core.nearest import names_in

        names = names_in(source, form)
    whole = [sort for sort, schema in TABLES.items() if not schema.missing(names)]

    def nearness(sort: Sort) -> tuple[int, int]:
        return len(TABLES[sort].placed(names)), -len(TABLES[sort].missing(names))

    return whole[0] if whole else max(reversed(TABLES), key=nearness)


def read_file(source: Input, name: str, rules: ResponseRules, form: str | None) -> Table:
    """Read the labels of a file, or its responses; a run without a name has this one.

    What the table is called says their sort. Its only note are banks that came with responses.
    """
    table, banks = PlainTable(source, GRADES), pl.DataFrame(schema=BANK)
    faults = table.faults
    with without_collector():
        if form is None and not source.is_table and is_hits(source):
            sort, frame = Sort.HITS, read_hit_lines(source, faults, rules)
        elif form in (None, *BY_KEYS) and holds_records(source):
            sort, frame, banks = read_labels(source, rules, faults)
        else:
            sort = table_of(source, form)
            plain, cells = read_plain(source, TABLES[sort], form)
            faults = plain.faults
            named = pl.col("run").fill_null(name) if "run" in cells else pl.lit(name)
            frame = ROWS_OF[sort](cells.with_columns(run=named), faults, rules)
    faults.check()
    frame = frame.with_columns(pl.col("run").fill_null(name), file=pl.lit(0))
    runs = frame["run"].unique(maintain_order=True).to_list()
    if source.run_name is not None:
        check_one_run(runs, faults)
        runs, frame = [source.run_name], frame.with_columns(run=pl.lit(source.run_name))
    verdicts = frame.drop_nulls("at") if sort is Sort.VERDICTS else frame.clear()
    if verdicts.height and not (verdicts["failed"] | (verdicts["word"] != "")).any():
        cure = "if this is a rubric, pass it as --nuggets FILE"
        faults.add(None, "no criterion has a verdict", cure, "missing-verdict")
    faults.check()
    source_record = replace(table.record(frame["response"].n_unique()), runs=tuple(runs))
    return Table(sort.name, frame, (source_record,), tuple(runs), (banks,))


def read_files(
    given: Sequence[Any], rules: ResponseRules, form: str | None = None, each: Each = map
) -> list[Table]:
    """Read every file of labels or responses."""
    return list(each(partial(read_file, rules=rules, form=form), given, run_names(given)))


def read_nuggets(given: Sequence[Input], rules: ResponseRules, form: str | None = None) -> Table:
    """Read the nuggets, banks or rubrics of all these files; of a topic the last file counts."""
    frames, sources = [], []
    for at, source in enumerate(given):
        names = names_of(source)
        is_json = not source.is_table and recognise(source)[0] in BY_KEYS
        if is_json and form in (None, *BY_KEYS) and NUGGETS.missing(names):
            table = PlainTable(source, NUGGETS)
            frame = read_gold(source, rules, table.faults)
            number = frame["topic"].n_unique()
        else:
            table, rows = read_plain(source, NUGGETS, form)
            lacking = {"text": pl.lit(""), "time": pl.lit(None)}
            lacking = {name: value for name, value in lacking.items() if name not in rows}
            place = pl.int_range(pl.len()).over("topic", "text")
            rows = rows.with_row_index("row")
            rows = rows.sort(pl.col("row").first().over("topic"), maintain_order=True)
            rows = rows.with_columns(**lacking).with_columns(
                kind=pl.lit(LISTED),
                at=pl.int_range(pl.len()).over("topic"),
                id="nugget_id",
                place=pl.lit(0) if rules.duplicates == "merge" else place,
                nugget_time="time",
            )
            own = {name: kind for name, kind in GOLD.items() if name in rows}
            frame = rows.select(pl.col(name).cast(kind) for name, kind in own.items())
            frame = pl.concat([pl.DataFrame(schema=GOLD), frame], how="diagonal")
            number = frame.height
        frames.append(frame.with_columns(file=pl.lit(at)))
        sources.append(table.record(number))
    return Table(NUGGETS.table, pl.concat(frames), tuple(sources))


def name_nuggets() -> pl.Expr:
    """Return the names of nuggets: their ids, else their topics and places."""
    place = pl.format("{}#{}", pl.col("topic").cast(pl.String), "at")
    return pl.when(pl.col("id").fill_null("") == "").then(place).otherwise("id")


def is_labelled(source: Input) -> bool:
    """Return whether a file holds labels of responses, or responses, by its content."""
    if is_hits(source) or any(not lacks_columns(source, schema) for schema in TABLES.values()):
        return True
    record = first_record(source) if recognise(source)[0] in BY_KEYS else None
    return record is not None and sort_of(record) is not None


def holds_gold(source: Input) -> bool:
    """Return whether a file holds nuggets, banks or rubrics, by its content."""
    record = first_record(source) if recognise(source)[0] in BY_KEYS else None
    return record is not None and is_gold(record)


def is_nugget_list(source: Input) -> bool:
    """Return whether a plain table has importances in words, as lists of nuggets of answers do."""
    form, names = recognise(source)
    words = re.compile(rb"(^|[\t,])(vital|okay)([\t,\r]|$)")
    is_plain = form in ("tsv", "csv") and not NUGGETS.missing(names)
    return is_plain and any(map(words.search, source.head().split(b"\n")[1:]))


# What is told of them.

LABEL, VERDICT, IMPORTANCE, TIER = "label", "verdict", "importance", "tier"
KNOWN = {
    LABEL: (tuple(GRADE_OF), "counted 0"),
    VERDICT: (tuple(VERDICT_OF), "counted 0"),
    IMPORTANCE: ((VITAL, OKAY), "neither vital nor okay"),
    TIER: ((MANDATORY, OPTIONAL), "neither mandatory nor optional"),
}
"""For each place the known words, and how other words count."""
MOST_CITATIONS, MOST_WORDS = 3, 1024
"""What a sentence and a response of 2026 may have."""


def find_unknown_words(table: Table) -> pl.DataFrame:
    """Return the words that count as none: each with what it should be, and its line."""
    rows, word = table.frame.with_row_index("row"), pl.col("word")
    if "importance" not in rows:
        return pl.DataFrame(schema={"what": pl.String, "word": pl.String, "line": pl.Int64})
    is_rubric = pl.lit(table.name == Sort.VERDICTS.name)
    is_rubric = pl.col("kind") == CRITERIA if "kind" in rows else is_rubric
    what = pl.when(is_rubric).then(pl.lit(TIER)).otherwise(pl.lit(IMPORTANCE))
    found = rows.select("row", "line", what=what, word="importance").filter(word != "")
    for each in (TIER, IMPORTANCE):
        found = found.filter((pl.col("what") != each) | ~word.is_in(KNOWN[each][0]))
    if "is_known" in rows:
        what = pl.when(is_rubric).then(pl.lit(VERDICT)).otherwise(pl.lit(LABEL))
        labels = rows.filter(~pl.col("is_known"), ~pl.col("failed"))
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


def warn_of_labels(table: Table, rules: ResponseRules) -> Iterator[str]:
    """Warn of versions that nothing tells apart, of what a judge left out, of too long answers."""
    rows, path = table.frame, table.sources[0].path
    if table.name == Sort.GRADES.name and rules.versions == "replace":
        plain = rows.filter(pl.col("version") == "", pl.col("place") < 0)
        times = plain.group_by("response").agg(pl.col("time").drop_nulls().n_unique())
        if (times["time"] > 1).any():
            yield (
                f"{path}: without a column version all labels of a run and topic are one response, "
                "of which --rule versions=replace replaces nothing"
            )
    if "failed" in rows and (failed := rows.filter("failed").height):
        yield f"{path}: left out {count(failed, 'failed answer')} of the judge"
    if table.name == Sort.ANSWERS.name:
        sums = pl.col("words").cast(pl.Int64).sum(), pl.col("citations").max().cast(pl.Int64)
        responses = rows.group_by("response", maintain_order=True).agg(
            pl.col("run", "topic").first(), *sums
        )
        for _, run, topic, words, most in responses.iter_rows():
            where = f"run {run}, topic {topic}"
            if words > MOST_WORDS:
                yield f"{where}: {words:,} words, where TREC RAG 2026 takes {MOST_WORDS:,}"
            if (most or 0) > MOST_CITATIONS:
                told = f"{most} citations, where TREC RAG 2026 takes {MOST_CITATIONS}"
                yield f"{where}: a sentence has {told}"


# What `tseval validate` and `tseval import` know of them.

RULES = ResponseRules()


def remark(table: Table) -> Iterator[Line]:
    """Yield words that count as none as faults, and warnings; a missing word is no fault."""
    source = table.sources[0]
    for what, word, line in find_unknown_words(table).select("what", "word", "line").iter_rows():
        if word.strip():
            known = KNOWN[what][0]
            reason = f'unknown {what} "{word}"{did_you_mean(word, known)}'
            cure = f"write one of {', '.join(known)}"
            yield str(Fault(source.path, line, reason, cure, "unknown-label")), True
    if table.name != NUGGETS.table:
        yield from ((told, False) for told in warn_of_labels(table, RULES))


def number_responses(rows: pl.DataFrame, file: int) -> pl.DataFrame:
    """Return rows of a file with numbers of responses that no other file has."""
    return rows.with_columns(pl.col("response") + file * 2**32, file=pl.lit(file))


def join_files(tables: Sequence[Table]) -> pl.DataFrame:
    """Return the labels of several files."""
    return pl.concat([number_responses(each.frame, at) for at, each in enumerate(tables)])


def import_labels(paths: Sequence[str], _: object) -> Imported:
    """Return labels of nuggets as the columns of the plain table: a row a label."""
    tables = [read_files([Input(path)], RULES)[0] for path in paths]
    for table in tables:
        if (
            "grade" not in table.frame
            or "place" not in table.frame
            or not table.frame["at"].count()
        ):
            reason, cure = "holds no labels of nuggets", "give assignments of nuggets"
            table.refuse_all(reason, cure, "no-rows")
    rows, version = join_files(tables), pl.col("version")
    number = pl.col("response").rank("dense").over("run", "topic").cast(pl.String)
    name = pl.when(pl.col("place") < 0).then("text").otherwise(pl.format("{}#{}", "topic", "at"))
    rows = rows.with_columns(
        nugget_id=name,
        label=pl.col("grade").replace_strict(LABEL_OF, return_dtype=pl.String),
        time=pl.coalesce("time", "whole"),
        version=pl.when(version == "").then(number).otherwise(version),
    )
    rows = rows.drop_nulls("at").filter(~pl.col("failed"))
    names = ("run", "topic", "nugget_id", "label", "time", "version", "importance")
    return Imported({name: texts_of(rows[name]) for name in names})


def import_nuggets(paths: Sequence[str], _: object) -> Imported:
    """Return lists of nuggets as the columns of the plain table."""
    rows = read_nuggets([Input(path) for path in paths], RULES).frame
    rows = rows.filter(pl.col("kind") != QUESTIONS).drop_nulls("at")
    rows = rows.with_columns(nugget_id=name_nuggets(), time="nugget_time")
    names = ("topic", "nugget_id", "importance", "time", "text")
    return Imported({name: texts_of(rows[name]) for name in names})


FORMATS = (
    Format(
        GRADES.table,
        lambda source, form, _: read_files([source], RULES, form)[0],
        is_labelled,
        rank=Rank.SURE,
        remarks=remark,
        imports=(
            Import(
                "response-labels",
                "labels of nuggets: assignments of responses",
                import_labels,
                several=True,
            ),
        ),
    ),
    Format(
        NUGGETS.table,
        lambda source, form, _: read_nuggets([source], RULES, form),
        lambda source: holds_gold(source) or is_nugget_list(source),
        rank=Rank.SURE,
        remarks=remark,
        imports=(Import("response-nuggets", "lists of nuggets of responses", import_nuggets),),
    ),
)
