"""What stands beside scores: nuggets, updates, the official table, and what a report tells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core import blocks
from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.family import ViewRequest, ViewRows, Written
from tseval.core.frames import place_runs, to_pandas
from tseval.core.kernel import divided, quotient, total
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.core.sections import Reporting, Section, Setting, Volume
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, TemporalEvaluation, TemporalOptions
from tseval.families.temporal.rows import EarliestIndex, count_words
from tseval.io.times import UNITS

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.scores import Scores

HOUR = UNITS["h"]
ROWS, CHARACTERS, CUT = 20_000, 500_000, 600
"""A list has so many rows at most; texts that stand nowhere else on the page have so many
characters together, and so many each."""
ROOM, LONGEST, LEFT_OUT = 4_000_000, 2_000, "…"
"""So many characters have the texts of updates that say a nugget together, and so many each; what
stands for those that there is no room for."""
PARTS = ("first third", "middle third", "last third")
HEADS = {
    "run": Head("run", "run", is_filter=True),
    "topic": Head("topic", "name", is_filter=True),
    "at (h)": Head("at (h)", decimals=1),
    "part of topic": Head("part of topic", "text", is_filter=True, choices=PARTS),
    "weight": Head("weight", is_filter=True),
    "weight x late": Head("weight x late", decimals=1),
    "late (h)": Head("late (h)", decimals=1, is_filter=True),
    "said before (h)": Head("said before (h)", decimals=1),
    "missed by": Head("missed by", "count", is_filter=True),
    "runs": Head("runs", "runs", is_filter=True),
    "words": Head("words", "count", is_filter=True),
}
"""The columns of lists; the others are names."""
WHEN = ("topic", "at (h)", "part of topic")
MISSED = (*WHEN, "weight", "missed by", "runs", "words", "nugget", "its id")
LATE = ("run", *WHEN, "weight x late", "weight", "late (h)", "words", "said", "nugget", "update")
REPEATS = ("run", *WHEN, "weight", "said before (h)", "words", "said again", "nugget", "update")
IDLE = ("run", *WHEN, "words", "text", "update")
ROLES = {
    "earns": "first to say a nugget",
    "repeats": "repeats only",
    "nothing": "matches no nugget",
    "unjudged": "not judged",
}
"""What becomes of updates."""
VERBOSITY = "V"
WORDS_OF = "fuzzy"
"""Where assessors made the matches, this matcher tells which words are alike."""
STATISTICS: Mapping[str, Any] = {"AVG": np.mean, "STD": np.std, "MIN": np.min, "MAX": np.max}
"""How the official table sums up rows; the standard deviation is that of a population."""


def nuggets(evaluation: TemporalEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Nugget by nugget what happened."""
    index, key = evaluation.frames, ["run", "nugget"]
    every = index.pairs.join(index["nuggets"], on="topic", maintain_order="left")
    said = index["firsts"].filter("opens").select(*key, "update", "said", update_time="time")
    texts = index.updates.select("update", "update_id", update_text="text")
    last = index["firsts"].group_by(key).agg(pl.col("grade").last())
    rows = every.join(said.join(texts, on="update"), on=key, how="left").join(
        last, on=key, how="left"
    )
    stale = index.stale.group_by(key).agg(stale=pl.len().cast(pl.Int64))
    rows = rows.join(stale, on=key, how="left")
    is_said = pl.col("update").is_not_null()
    rows = rows.with_columns(
        pl.col("stale").fill_null(0),
        status=pl.when(is_said).then(pl.lit("said")).otherwise(pl.lit("missed")),
        hours_early=quotient(pl.col("time") - pl.col("update_time"), HOUR),
        repeats=pl.col("said").cast(pl.Int64).fill_null(1) - 1,
        grade=pl.col("grade").fill_null(0.0),
    ).sort("run", "topic", "time", pl.col("nugget_id").cast(pl.String), "nugget")
    grade = ["grade"] if (index["firsts"]["rise"] < 1).any() else []
    moment = ["update_id", "update_time", "hours_early", "repeats", *stale_column(index), *grade]
    told = ["time", "importance", "status", *moment, "text", "update_text"]
    return ViewRows(to_pandas(rows.select("run", "topic", "nugget_id", *told)))


def stale_column(index: EarliestIndex) -> list[str]:
    """Return the name of the column that tells what is stale, if any nugget ends."""
    return ["stale"] * bool(index["nuggets"]["until"].count())


def describe_updates(evaluation: TemporalEvaluation) -> pl.DataFrame:
    """Return every update with its words, what became of it, and how many nuggets it repeats."""
    index = evaluation.frames
    rows = index.updates
    for name, frame in (("firsts", index["firsts"]), ("says", index["pairs"])):
        numbers = frame.group_by("update").agg(pl.len().cast(pl.Int64).alias(name))
        rows = rows.join(numbers, on="update", how="left", maintain_order="left")
    firsts, says = (pl.col(name).fill_null(0) for name in ("firsts", "says"))
    said = pl.when(firsts > 0).then(pl.lit("earns")).when(says > 0).then(pl.lit("repeats"))
    role = said.when("judged").then(pl.lit("nothing")).otherwise(pl.lit("unjudged"))
    return rows.with_columns(
        role=role, repeats=says - firsts, words=count_words(rows["text"], index.rules.words)
    )


def updates(evaluation: TemporalEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Update by update what happened."""
    index = evaluation.frames
    gold = index["nuggets"].select("nugget", "nugget_id", "importance", of_nugget="text")
    named = index["firsts"].join(gold, on="nugget", maintain_order="left")
    earned = named.group_by("update").agg(
        reward=total(pl.col("importance") * pl.col("rise")),
        earned=pl.col("nugget_id").cast(pl.String).str.join(" "),
        earned_text=pl.col("of_nugget").str.join(" | "),
    )
    ended = index.stale.join(gold, on="nugget", maintain_order="left").group_by("update")
    stale = ended.agg(stale=pl.col("nugget_id").cast(pl.String).str.join(" "))
    rows = describe_updates(evaluation)
    for told in (earned, stale):
        rows = rows.join(told, on="update", how="left", maintain_order="left")
    texts = pl.col("earned", "earned_text", "stale").fill_null("")
    rows = rows.with_columns(pl.col("reward").fill_null(0.0), texts)
    worth = ["role", "reward", "earned", "repeats", *stale_column(index)]
    order = ["run", "topic", "update_id", "time", *worth, "text", "earned_text"]
    return ViewRows(to_pandas(rows.select(order)))


def official_table(evaluation: TemporalEvaluation, asked: ViewRequest[Any], _: str) -> Written:
    """Write scores as the script of the edition's year prints them."""
    edition = evaluation.edition
    if not edition.titles:
        raise UsageError(f"edition {edition.name} has no official table: see --edition")
    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    content = print_table(scores, edition.titles, evaluation.teams)
    return Written(content, warnings=scores.warnings)


def print_table(
    scores: Scores,
    titles: Mapping[str, str],
    teams: Mapping[str, tuple[str, str]],
    decimals: int = 4,
) -> bytes:
    """Return a row for each topic and run, and what sums them up; `titles` name the columns.

    After each topic stand the mean, standard deviation, least and greatest value over runs; at the
    end the same for each run over its topics, and for all rows together. Rows come in the natural
    order of topics and runs; the scripts end in the order of a Python 2 dictionary. Where a measure
    is undefined it shows 0, as the scripts do.
    """
    if scores.measures != tuple(titles):
        raise UsageError("the official table has the measures of its edition, all and no others")
    values = np.where(scores.defined, scores.values, 0.0)
    lines = ["\t".join(["QueryID", "TeamID", "RunID", *titles.values()])]

    def add(names: tuple[str, ...], row: FloatArray) -> None:
        lines.append("\t".join([*names, *(f"{value:.{decimals}f}" for value in row.tolist())]))

    def sum_up(before: tuple[str, ...], behind: tuple[str, ...], rows: FloatArray) -> None:
        for name, statistic in STATISTICS.items() if len(rows) else ():
            add((*before, name, *behind), statistic(rows, axis=0))

    parts = (run.partition("-") for run in scores.runs)
    runs = [teams.get("".join(part), (part[0], part[2] or "-")) for part in parts]
    for t, topic in enumerate(scores.topics):
        present = np.flatnonzero(scores.counted[:, t])
        for r in present.tolist():
            add((topic, *runs[r]), values[r, t])
        sum_up((topic,), ("-",), values[present, t])
    for r, run in enumerate(runs):
        sum_up((), run, values[r, scores.counted[r]])
    sum_up((), ("ALL", "-"), values[scores.counted])
    return "".join(f"{line}\n" for line in lines).encode()


def choose_worst(rows: pl.DataFrame, badness: str, most: int) -> pl.DataFrame:
    """Return the worst rows, the worst first; of equal ones the first.

    Where their sizes come to more than `most` it is as many of each run, its worst.
    """
    turn = pl.col(badness).rank("ordinal", descending=True).over("run")
    ranked = rows.with_row_index("place").with_columns(turn=turn).sort("turn", "run")
    chosen = ranked.filter(pl.col("size").cast(pl.Int64).cum_sum() <= most)
    return chosen.sort(badness, "place", descending=[True, False])


def cut_text(name: str, most: int) -> pl.Expr:
    """Return texts, of long ones the beginning."""
    text = pl.col(name)
    begin = text.str.slice(0, most) + "…"
    return pl.when(text.str.len_chars() > most).then(begin).otherwise(text)


def hold_texts(index: EarliestIndex) -> tuple[pl.DataFrame, str]:
    """Return `update said room` of updates that say a nugget, and how many are left out or cut.

    The first to say a nugget stand before repetitions, and as many of each run. `room` is how many
    characters are there before the mark that a text goes on.
    """
    is_first = pl.col("update").is_in(index["firsts"]["update"].implode())
    rows = index.updates.join(index["pairs"], on="update", how="semi").sort("update")
    rows = rows.with_columns(
        is_first=is_first, size=pl.col("text").str.len_chars().clip(upper_bound=LONGEST)
    )
    held = choose_worst(rows, "is_first", ROOM)
    notes = []
    if held.height < rows.height:
        left = count(rows.height - held.height, "text")
        notes.append(
            f"{left} of {rows.height:,} left out, as there is room for {ROOM:,} characters"
        )
    if long := held.filter(pl.col("text").str.len_chars() > LONGEST).height:
        notes.append(f"{count(long, 'text')} cut after {LONGEST:,} characters")
    held = held.select("update", said=cut_text("text", LONGEST), room="size")
    held = rows.select("update").join(held, on="update", how="left")
    held = held.with_columns(pl.col("said").fill_null(LEFT_OUT), pl.col("room").fill_null(0))
    return held, f"Texts of updates: {'; '.join(notes)}." if notes else ""


def report_faults(evaluation: TemporalEvaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Show what was missed, late, said again or of no use, the worst first."""
    index, described = evaluation.frames, describe_updates(evaluation).drop("weight")
    gold = index["nuggets"].select(
        "topic", "nugget", "nugget_id", weight="importance", since="time", of_nugget="text"
    )
    first = index["firsts"].filter("opens").select("run", "update", "nugget", "time")
    first = first.join(gold, on="nugget", maintain_order="left")
    held, _ = hold_texts(index)
    said = described.select("update", "update_id", "words").join(held, on="update")
    changed: dict[str, dict[str, Any]] = {
        "topic": {"choices": index.topics},
        "weight": {"decimals": 2 * bool((gold["weight"] % 1 != 0).any())},
    }
    lists = []

    def add(name: str, note: str, total: int, rows: pl.DataFrame, *columns: str) -> None:
        if left := total - rows.height:
            verb = "is" if left == 1 else "are"
            kept = "the heaviest" if name == "Missed" else "the first of each run"
            note += f" {left:,} of them {verb} left out; the page holds {kept}."
        since, long = pl.col("time") - pl.col("start"), pl.col("end") - pl.col("start")
        long = pl.when((long > 0) & long.is_finite()).then(long).otherwise(np.inf)
        third = quotient(3 * since, long).clip(0, 2).cast(pl.UInt8).replace_strict(range(3), PARTS)
        where = {"at (h)": quotient(since, HOUR), "part of topic": third}
        rows = rows.join(index.times, on="topic", maintain_order="left").with_columns(**where)
        rows = place_runs(rows, setting) if "run" in columns else rows
        names = {"nugget": "of_nugget", "update": "update_id", "its id": "nugget_id"}
        rows = rows.select(pl.col(names.get(each, each)).alias(each) for each in columns)
        heads = (HEADS.get(each) or Head(each, "name") for each in columns)
        heads = (replace(each, **changed.get(each.head, {})) for each in heads)
        table = Rows(name, tuple(heads), tuple(rows.iter_rows()))
        lists.append(blocks.Listed(name, total, note, table))

    missed = index.pairs.join(gold, on="topic", maintain_order="left")
    missed = missed.join(first, on=["run", "nugget"], how="anti", maintain_order="left")
    of_runs = place_runs(missed.select("run", "nugget"), setting).sort("run")
    lost = of_runs.group_by("nugget").agg(pl.len().cast(pl.Int64).alias("missed by"), runs="run")
    lost = lost.join(gold.rename({"since": "time"}), on="nugget")
    note = (
        f"{count(lost.height, 'nugget')} of weight {math.fsum(lost['weight']):,.6g} together that"
    )
    if len(index.runs) == 1:
        note += " the run never said, the heaviest first."
    else:
        by_none = (lost["missed by"] == len(index.runs)).sum()
        note += f" some of {len(index.runs):,} runs never said, {count(missed.height, 'time')} in"
        note += f" all; no run said {by_none:,} of them."
        note += " The heaviest come first, of equal ones what most runs missed."
    shown = lost.sort("weight", "missed by", "nugget", descending=[True, True, False]).head(ROWS)
    shown = shown.with_columns(words=count_words(shown["of_nugget"], index.rules.words))
    add("Missed", note, lost.height, shown, *MISSED)

    delay = quotient(pl.col("time") - pl.col("since"), HOUR)
    late = first.with_columns(delay.alias("late (h)"), size=1).filter(pl.col("late (h)") > 0)
    late = late.with_columns((pl.col("weight") * pl.col("late (h)")).alias("weight x late"))
    median = np.median(late["late (h)"].to_numpy()) if late.height else 0.0
    middle = f", by {median:.1f} h at the median" if late.height else ""
    note = f"{count(late.height, 'nugget')} that a run first said after their time{middle}; the "
    shown = choose_worst(late, "weight x late", ROWS).join(said, on="update", maintain_order="left")
    note += "largest weight x delay first."
    add("Late", note, late.height, shown, *LATE)

    repeats = described.filter(role="repeats").with_columns(size=1)
    note = f"{count(repeats.height, 'update')} that say only what their run had said before, the "
    note += "longest first; of several nuggets the heaviest is named."
    heaviest = index["pairs"].select("update", "nugget").join(gold.drop("topic"), on="nugget")
    heaviest = heaviest.sort("weight", "nugget", descending=[True, False])
    heaviest = heaviest.unique("update", keep="first", maintain_order=True)
    before = first.select("run", "nugget", before="time")
    again = quotient(pl.col("time") - pl.col("before"), HOUR).alias("said before (h)")
    shown = choose_worst(repeats, "words", ROWS).join(heaviest, on="update", maintain_order="left")
    shown = shown.join(before, on=["run", "nugget"], maintain_order="left").with_columns(again)
    shown = shown.join(held, on="update", maintain_order="left").rename({"said": "said again"})
    add("Repeats", note, repeats.height, shown, *REPEATS)

    for name, role, what in (
        ("Noise", "nothing", "that match no nugget"),
        ("Not judged", "unjudged", "that nobody judged, so they may say a nugget or not"),
    ):
        # A text that is empty has a size, too, so that rows have a limit.
        size = pl.col("text").str.len_chars().clip(CHARACTERS // ROWS, CUT)
        idle = described.filter(role=role).with_columns(size=size)
        shown = choose_worst(idle, "words", CHARACTERS)
        note = f"{count(idle.height, 'update')} {what}; the longest first."
        if ended := shown.filter(pl.col("text").str.len_chars() > CUT).height:
            verb = "ends" if ended == 1 else "end"
            note += f" {count(ended, 'text')} of more than {CUT} characters {verb} there."
        if shown.height < idle.height:
            note += f" There is room for {CHARACTERS:,} characters of them."
        if name == "Noise" or idle.height:
            shown = shown.with_columns(cut_text("text", CUT))
            add(name, note, idle.height, shown, *IDLE)
    if any(each.total for each in lists):
        yield blocks.Searched(tuple(lists))
    else:
        yield Note("Nothing was missed, late, said again or of no use.")


def report_timelines(
    evaluation: TemporalEvaluation, setting: Setting[TemporalOptions]
) -> Iterator[Block]:
    """Show topic by topic what happened, and which update of which run says it."""
    from tseval.matching.matching import get_matcher, word_spans  # loads Arrow

    index, options = evaluation.frames, setting.options
    name = WORDS_OF if "matches" in evaluation.traits else options.matcher or DEFAULT_MATCHER
    matcher = get_matcher(name, options.threshold)
    held, note = hold_texts(index)
    place = pl.int_range(pl.len()).over("topic")
    since = quotient(pl.col("time") - pl.col("start"), HOUR)
    gold = index["nuggets"].join(index.times, on="topic")
    by_time = ("topic", "time", pl.col("nugget_id").cast(pl.String), "nugget")
    gold = gold.sort(by_time).with_columns(at=place, hours=since)
    sent = index.updates.join(held, on="update").join(index.times, on="topic")
    sent = sent.sort("topic", "update").with_columns(update_at=place, hours=since)
    keys = ["update", "nugget"]
    first = index["firsts"].select(*keys, "^(start|end)$", is_first=True)
    pairs = index["pairs"].select("topic", *keys, "time").join(first, on=keys, how="left")
    pairs = pairs.join(sent.select("update", "update_at", "text", "room"), on="update")
    pairs = pairs.join(gold.select("nugget", "at", of_nugget="text"), on="nugget")
    pairs = pairs.sort("topic", "at", "time", "update")
    sayings = dict[str, list[blocks.Saying]]()
    with setting.watched("finding words") as progress:
        texts = pairs.select("text", "of_nugget").rows()
        every = index["nuggets"]["text"].to_list()
        found = word_spans(matcher, texts, every, progress)
        for words, row in zip(found, pairs.iter_rows(named=True), strict=True):
            text, low, high = row["text"], row.get("start"), row.get("end")
            if high is not None and low is not None and high > low:
                if index.spans_in_bytes:  # a character that is cut is left out
                    parts = (text.encode()[: int(end)] for end in (low, high))
                    low, high = (len(part.decode("utf-8", "ignore")) for part in parts)
                high = min(int(high), len(text))
                words = ((int(low), high),) if low < high else words
            shown = tuple(each for each in words if each[1] <= row["room"])
            saying = blocks.Saying(row["at"], row["update_at"], bool(row["is_first"]), shown)
            sayings.setdefault(row["topic"], []).append(saying)
    sent = place_runs(sent, setting).select("run", "update_id", "hours", "said", "topic")
    gold = gold.select("nugget_id", "hours", "importance", "text", "topic")
    last = quotient(pl.col("end") - pl.col("start"), HOUR)
    last = pl.when(last.is_finite()).then(last.clip(0.0)).otherwise(0.0)
    timelines = tuple(
        blocks.Timeline(
            topic,
            end,
            tuple(blocks.Nugget(*row[:-1]) for row in gold.filter(topic=topic).iter_rows()),
            tuple(blocks.Update(*row[:-1]) for row in sent.filter(topic=topic).iter_rows()),
            tuple(sayings.get(topic, ())),
        )
        for topic, end in index.times.select("topic", last).iter_rows()
    )
    if timelines:
        yield blocks.Timelines(timelines)
    if note:
        yield Note(note)


def report_economy(
    evaluation: TemporalEvaluation, setting: Setting[TemporalOptions]
) -> Iterator[Block]:
    """Show what each run spent for what it said, best run first.

    Words are a mean over the updates whose texts are there, and all of a run's words by the nuggets
    that it said, where no text is lacking.
    """
    index, there = evaluation.frames, pl.col("text") != ""
    words = pl.when(there).then(pl.col("words")).cast(pl.Int64).sum()
    number = (pl.col("text") != "").sum()
    spent = {"each": divided(words, number), "all": pl.when(there.all()).then(words)}
    spent |= {role: (pl.col("role") == role).sum() for role in ROLES}
    runs = describe_updates(evaluation).group_by("run").agg(updates=pl.len(), **spent)
    said = index["firsts"].filter("opens").group_by("run").agg(said=pl.len())
    rows = index.pairs.select("run").unique().join(runs, on="run", how="left")
    rows = rows.join(said, on="run", how="left").with_columns(
        pl.col("updates", *ROLES, "said").fill_null(0), each_nugget=divided("all", "said")
    )
    roles = [role for role in ROLES if role != "unjudged" or (rows[role] > 0).any()]
    verbosity = []
    if index.has_texts and "start" in index["firsts"].columns:
        # Only where matches tell which words say something.
        scores = scores_of(evaluation, measures([VERBOSITY], evaluation.edition.family))
        values = {run: scores.value(VERBOSITY, run=run) for run in scores.runs}
        value = pl.col("run").cast(pl.String).replace_strict(values, return_dtype=pl.Float64)
        rows, verbosity = rows.with_columns(value.alias(VERBOSITY)), [VERBOSITY]
    parts = pl.concat_list(roles).alias("parts")
    columns = ["run", "updates", parts, *roles, "each", "each_nugget", *verbosity]
    rows = place_runs(rows, setting).sort("run").select(columns)
    heads = (
        Head("run", "run"),
        Head("updates", "count"),
        Head("what became of them", "parts", parts=tuple(ROLES[role] for role in roles)),
        *(Head(ROLES[role], "count") for role in roles),
        Head("words an update", decimals=1),
        Head("words a nugget said", decimals=1),
        *(Head(name, decimals=3) for name in verbosity),
    )
    table = ((*row[:2], tuple(row[2]), *row[3:]) for row in rows.iter_rows())
    yield Rows("Redundancy and verbosity of every run", heads, tuple(table))


def count_updates(evaluation: TemporalEvaluation) -> dict[str, int]:
    """Return how many updates each run sent."""
    index = evaluation.frames
    numbers = dict(index.outputs["run"].cast(pl.String).value_counts().iter_rows())
    return {run: numbers.get(run, 0) for run in index.runs}


def recall_options(traits: Mapping[str, str]) -> TemporalOptions:
    """Return the matcher that found the matches; none where they were read from a file."""
    return TemporalOptions(matcher=None if "matches" in traits else traits.get("matcher"))


def reporting() -> Reporting:
    """Return what a report has of it."""
    is_told = "is told from the runs and the nuggets"
    return Reporting(
        sections=(
            Section(
                "timeline",
                "What was said, and when",
                report_timelines,
                f"Who said what when {is_told}",
            ),
            Section(
                "wrong",
                "What went wrong",
                report_faults,
                f"What was missed, late, said again or of no use {is_told}",
            ),
            Section(
                "economy",
                "Redundancy and verbosity",
                report_economy,
                "Redundancy and verbosity are counted in the runs",
            ),
        ),
        takes=(
            *("matcher", "threshold"),
            *("ignore_unsampled", "binary", "matched_nuggets_only", "latency_from"),
        ),
        hint=", with --matches FILE or --matcher NAME",
        retold=recall_options,
        volume=Volume("updates", count_updates),
    )
