"""Corrections: somebody's verdicts on single pairs, laid over what a matcher finds.

A verdict is on one update and one nugget, by their ids. It holds for that update, and for every
update of any run with the same topic and the same words. An accepted pair is a match, with the
matcher's score if the matcher found it, else with none; a rejected pair is no match. Every other
pair stays as the matcher has it, so later updates need no verdicts.

A review file has pairs with both texts for somebody to accept or reject, as spreadsheets open it:
what the matcher found, what it just missed, and what was judged before. Filled in, it is a file of
corrections as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tseval.errors import UsageError
from tseval.io import SPREADSHEET_FORMS
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.rows import rows_bytes
from tseval.io.tables import Table
from tseval.matching.matching import PAIRS, evidence, join_pairs

if TYPE_CHECKING:
    import pandas as pd

    import matchers

ACCEPT, REJECT = "accept", "reject"
WORD = pl.col("verdict").str.strip_chars().str.to_lowercase().replace({"yes": ACCEPT, "no": REJECT})
"""A verdict in whatever letters: `yes` and `no` mean the same as the words that tseval writes."""

VERDICT_CURE = f"write {ACCEPT} or {REJECT}, or leave it blank to change nothing"
OPPOSED_CURE = "keep one of the two, or give each row the run that it is about"
SAME_TEXT_CURE = "keep one of the two: a verdict holds for every update with its text"
UPDATE_CURE = (
    "give every run that the corrections speak of, or remove the line; spreadsheets change ids "
    "such as 007 or 1-2: have them read columns as text"
)
NUGGET_CURE = "give the nuggets that the pair was judged with, or remove the line"
TEXT_CURE = (
    "judge the pair again and write its present text, or remove the line; if ids have changed, "
    "`tseval match RUN... NUGGETS --review FILE` with this file carries its verdicts over"
)
IDS = ["topic", "update_id", "nugget_id"]
NAMED = 'the pair of update "{}" and nugget "{}" of topic "{}"'
FAULTS = {"row": pl.UInt32, "told": pl.String, "cure": pl.String, "code": pl.String}
"""The columns of what is wrong with rows, by their places."""


class Decisions(NamedTuple):
    """The pairs that verdicts decide, and the rows that decide nothing or contradict another."""

    pairs: pl.DataFrame
    """`update nugget accepted`, by numbers of rows."""
    idle: pl.Series
    """The rows that decide no pair, and those that another row overrules."""
    lost: pl.DataFrame
    """The rows whose update is missing by id and by text, or whose nugget is: `FAULTS`."""
    wrong: pl.DataFrame
    """What texts show: changed pairs and opposite verdicts, `FAULTS`."""


def check_verdicts(corrections: Table) -> Table:
    """Return the rows that have a verdict, with the column `accepted`.

    A verdict that is none, or opposes another, is an `InputError`. Columns that the table lacks
    are blank: `run`, `update_text`, `nugget_text`.
    """
    blank = {name: pl.lit("") for name in ("run", "update_text", "nugget_text")}
    lacking = {name: cell for name, cell in blank.items() if name not in corrections.frame.columns}
    frame = corrections.frame.with_columns(**lacking).with_columns(
        pl.col("topic", "run").cast(pl.String), accepted=WORD == ACCEPT
    )
    every = replace(corrections, frame=frame)
    odd = frame.with_row_index("row").filter(~WORD.is_in([ACCEPT, REJECT, ""]))
    told = pl.format(f'the verdict "{{}}" is neither {ACCEPT} nor {REJECT}', "verdict")
    refuse_rows(every, _faults(odd, told, VERDICT_CURE, "unknown-label"))
    decided = replace(every, frame=frame.filter(WORD != ""))
    keys = decided.frame.with_row_index("row").with_columns(key=pl.struct(IDS).rank("dense"))
    refuse_rows(decided, find_opposed(decided, keys, by_text=False))
    return decided


def _faults(rows: pl.DataFrame, told: pl.Expr, cure: str, code: str) -> pl.DataFrame:
    """Return what is wrong with rows."""
    return rows.select("row", told=told, cure=pl.lit(cure), code=pl.lit(code)).cast(FAULTS)  # type: ignore[arg-type]


def refuse_rows(corrections: Table, wrong: pl.DataFrame) -> None:
    """Refuse what is wrong with rows, with the lines that they stand on."""
    rows = corrections.frame.select("file", "line", *IDS)
    shown = replace(corrections, frame=rows)
    found = wrong.join(rows.with_row_index("row"), on="row", maintain_order="left")
    shown.refuse(found, "{told}", "", "")


def find_opposed(c: Table, rows: pl.DataFrame, *, by_text: bool) -> pl.DataFrame:
    """Return rows whose verdict an earlier one with the same key opposes: `row key accepted`.

    By ids it has to be one of the same run, or of every run. A row may have several keys.
    """
    both = pl.col("accepted").any() & ~pl.col("accepted").all()
    doubtful = rows.select("row", "key", "accepted").filter(both.over("key")).unique()
    found, before = [], dict[tuple[int, bool], dict[str, int]]()
    runs = c.frame["run"].str.strip_chars()
    for row, key, accepted in doubtful.sort("row", "key").iter_rows():
        run = "" if by_text else runs[row]
        before.setdefault((key, accepted), {}).setdefault(run, row)
        others = before.get((key, not accepted), {})
        opposed = [own for name, own in others.items() if not (name and run) or name == run]
        if opposed:
            first = min(opposed)
            does, did = ("accepts", "rejects") if accepted else ("rejects", "accepts")
            topic, update, nugget = c.frame.select(IDS).row(row)
            pair = NAMED.format(update, nugget, topic)
            told = f"{does} {pair}, which {c.place(first)} {did}"
            if by_text:
                told += f' for update "{c.frame["update_id"][first]}" with the same text'
            cure = SAME_TEXT_CURE if by_text else OPPOSED_CURE
            found.append((row, told, cure, "conflicting-rows"))
    return pl.DataFrame(found, schema=FAULTS, orient="row")


def words_of(texts: pl.Series) -> pl.Series:
    """Return texts as they are compared; those without words are blank."""
    from matchers import normalised

    return pl.Series([normalised(text) for text in texts], dtype=pl.String)


def decide_pairs(
    corrections: Table, updates: pl.DataFrame, nuggets: pl.DataFrame, pool: pl.DataFrame | None
) -> pl.DataFrame:
    """Return the pairs that verdicts decide, `update nugget accepted` by numbers of rows.

    An unknown pair, and one that changed, is a fault. An update that is in no run is known all the
    same if it is in the pool. A verdict on a run that is not here holds only by the text that was
    judged, if the corrections have it.
    """
    held = hold(corrections, updates, nuggets)
    lost = held.lost
    if pool is not None:
        known = pool.select(pl.col("topic").cast(pl.String), "update_id")
        rows = corrections.frame.with_row_index("row")
        pooled = rows.join(known, on=["topic", "update_id"], how="semi")
        is_pooled = pl.col("row").is_in(pooled["row"].implode())
        lost = lost.filter((pl.col("cure") == NUGGET_CURE) | ~is_pooled)
    refuse_rows(corrections, pl.concat([lost, held.wrong]))
    return held.pairs


def hold(
    corrections: Table, updates: pl.DataFrame, nuggets: pl.DataFrame, *, moved: bool = False
) -> Decisions:
    """Find the pairs that each verdict holds for: those of its update, and those of its text.

    A row whose id is there has that update's text, else it has the text that was judged. With
    `moved` so has a row whose update reads otherwise now; and one whose nugget does holds nowhere.
    """
    rows = corrections.frame.with_row_index("row").with_columns(
        pl.col("run").str.strip_chars(),
        words=words_of(corrections.frame["update_text"]),
        nugget_words=words_of(corrections.frame["nugget_text"]),
    )
    gold = nuggets.select(
        pl.col("topic").cast(pl.String), "nugget_id", nugget_now="text"
    ).with_row_index("nugget")
    gold = gold.unique(["topic", "nugget_id"], keep="last")
    said = updates.select(
        pl.col("topic", "run").cast(pl.String), "update_id", now="text"
    ).with_row_index("update")
    runs = said["run"].unique().implode()
    said = said.join(rows, on="topic", how="semi", maintain_order="left")
    said = said.with_columns(words_now=words_of(said["now"]))
    same = pl.col("update").first().over("topic", "words_now")
    said = said.with_columns(text=pl.when(pl.col("words_now") == "").then("update").otherwise(same))
    known = rows.join(gold, on=["topic", "nugget_id"], maintain_order="left")
    update = ["topic", "update_id"]
    of_run = (pl.col("run") == "") | (pl.col("run") == pl.col("run_now"))
    there = said.rename({"run": "run_now"})
    by_id = known.join(there, on=update, maintain_order="left_right").filter(of_run)
    was_judged = pl.col("update_text").str.strip_chars() != ""
    is_other = was_judged & (pl.col("words") != pl.col("words_now"))
    changed = by_id.filter(is_other).unique("row", keep="last").sort("row")
    wrong = [_changed(changed, "update", "now")]
    if moved:
        by_id = by_id.filter(~is_other)
    texts = said.filter(pl.col("words_now") != "").unique("text", keep="first")
    texts = texts.select("topic", "text", words="words_now")
    alone = known.join(by_id, on="row", how="anti").join(texts, on=["topic", "words"])
    columns = [*rows.columns, "nugget", "nugget_now", "text"]
    held = pl.concat(
        [by_id.select(*columns, by_id=True), alone.sort("row").select(*columns, by_id=False)]
    )
    held = held.with_columns(nugget_words_now=words_of(held["nugget_now"]))
    is_other = (pl.col("nugget_text").str.strip_chars() != "") & (
        pl.col("nugget_words") != pl.col("nugget_words_now")
    )
    changed = held.filter(is_other).unique("row", keep="last", maintain_order=True)
    wrong.append(_changed(changed, "nugget", "nugget_now"))
    held = held.filter(~is_other).with_columns(key=pl.struct("text", "nugget").rank("dense"))
    deciding = held.filter(pl.col("by_id") | ~pl.col("by_id").any().over("key"))
    wrong.append(find_opposed(corrections, deciding, by_text=True))
    decided = deciding.unique("key", keep="first", maintain_order=True)
    decided = decided.select("key", "text", "nugget", decision="accepted")
    pairs = decided.join(said.select("text", "update"), on="text").sort("text", "nugget", "update")
    pairs = pairs.select(pl.col("update", "nugget").cast(pl.Int64), accepted="decision")
    agreeing = held.join(decided, on="key").filter(pl.col("accepted") == pl.col("decision"))
    idle = rows.join(agreeing, on="row", how="anti")["row"]
    of_no_run = (pl.col("run") != "") & ~pl.col("run").is_in(runs)
    by_any = rows.join(there, on=update).filter(of_run)
    lost_nugget = rows.join(gold, on=["topic", "nugget_id"], how="anti")
    lost_update = (
        rows.join(lost_nugget, on="row", how="anti")
        .filter(~of_no_run)
        .join(by_any, on="row", how="anti")
        .join(alone, on="row", how="anti")
    )
    told = 'a verdict on the unknown {} "{{}}" of topic "{{}}"'
    lost = pl.concat(
        _faults(each, pl.format(told.format(what), f"{what}_id", "topic"), cure, "unknown-id")
        for each, what, cure in (
            (lost_nugget, "nugget", NUGGET_CURE),
            (lost_update, "update", UPDATE_CURE),
        )
    )
    return Decisions(pairs, idle, lost, pl.concat(wrong))


def _changed(rows: pl.DataFrame, what: str, now: str) -> pl.DataFrame:
    """Return rows of pairs that read otherwise now than when they were judged."""
    reason = f"since {NAMED} was judged, the text of the {what} has changed: it is now "
    told = pl.format(f'{reason}"{{}}"', "update_id", "nugget_id", "topic", now)
    return _faults(rows, told, TEXT_CURE, "changed-rows")


def lay_over(pairs: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs without those that are rejected, and with those that are accepted.

    What the matcher did not find has no score.
    """
    key = ["update", "nugget"]
    kept = pairs.join(verdicts.filter(~pl.col("accepted")), on=key, how="anti")
    accepted = verdicts.filter("accepted").select(key).unique()
    added = accepted.join(pairs, on=key, how="anti")
    return join_pairs([kept, added.with_columns(score=pl.lit(None, PAIRS["score"]))])


COLUMNS = (
    *("verdict", "matched", "score", "topic", "nugget_text", "update_text"),
    *("found", "missing", "run", "nugget_id", "update_id"),
)
LEAST = 1e-10
"""The least score of a pair that has anything in common."""
NEAR = 0.1
"""How far below the threshold a pair is a near miss."""
KEEP_CURE = (
    "give the runs and nuggets that it was made for, name another file, or discard all verdicts of "
    "this file with --overwrite"
)
FORMULA = "=+-@"
"""What begins with one of these, a spreadsheet takes for a formula, unless a quote is before it."""


def spreadsheet_form(path: PurePath, what: str = "a review") -> str:
    """The form of a file for a spreadsheet by its suffix; another one is a `UsageError`."""
    form = path.suffix.lstrip(".").lower()
    if form not in SPREADSHEET_FORMS:
        raise UsageError(f"{what} is for a spreadsheet: call it {path.stem}.csv or {path.stem}.tsv")
    return form


def spreadsheet_bytes(frame: pd.DataFrame, form: str) -> bytes:
    """Rows as spreadsheets open them: CSV begins with a byte order mark, which says UTF-8."""
    content = rows_bytes(frame, form, "")
    return BYTE_ORDER_MARK + content if form == "csv" else content


def lowered(matcher: matchers.Matcher, near: float) -> matchers.Matcher:
    """The matcher that lets near misses in, too; itself if it has no threshold."""
    threshold: float | None = getattr(matcher, "threshold", None)
    if threshold is None:
        return matcher
    return matcher.with_threshold(min(threshold, max(threshold - near, LEAST)))


def review_bytes(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    near: pl.DataFrame,
    corrections: Table | None,
    before: Table | None,
    form: str,
) -> bytes:
    """Return the file: nugget by nugget, of each the likeliest pair first.

    `near` are the matcher's pairs by a threshold that lets near misses in, too. `before` are the
    verdicts that the file holds so far; one that would be lost is a fault.
    """
    import pandas as pd

    key = ["update", "nugget"]
    pairs = near.join(
        _find_known(corrections, before, updates, nuggets), on=key, how="full", coalesce=True
    )
    pairs = pairs.sort(
        "nugget", "score", "update", descending=[False, True, False], nulls_last=True
    )
    least = getattr(matcher, "threshold", None) or 0.0
    asked = nuggets["text"].gather(pairs["nugget"])
    said = updates["text"].gather(pairs["update"])
    cells = zip(pairs["score"], pairs["accepted"], asked, said, strict=True)
    words = {True: ACCEPT, False: REJECT, None: ""}
    rows = [
        row
        | {
            "verdict": words[accepted],
            "matched": "yes" if score is not None and score >= least else "no",
            "nugget_text": cell_of(nugget),
            "update_text": cell_of(update),
        }
        for row, (score, accepted, nugget, update) in zip(
            evidence(matcher, updates, nuggets, pairs), cells, strict=True
        )
    ]
    return spreadsheet_bytes(pd.DataFrame(rows, columns=list(COLUMNS)), form)


def _find_known(
    corrections: Table | None, before: Table | None, updates: pl.DataFrame, nuggets: pl.DataFrame
) -> pl.DataFrame:
    """Return the verdicts so far, `update nugget accepted`; those of `before` are all kept."""
    given = [each for each in (before, corrections) if each is not None and each.frame.height]
    if not given:
        kinds = {"update": PAIRS["update"], "nugget": PAIRS["nugget"], "accepted": pl.Boolean}
        return pl.DataFrame(schema=kinds)
    every = join_verdicts(given)
    held = hold(every, updates, nuggets, moved=True)
    if before is not None:
        told = (
            'the verdict on update "{}" and nugget "{}" of topic "{}" would be lost: these runs '
            "and nuggets have no such pair, or another verdict overrules it"
        )
        rows = every.frame.with_row_index("row").head(before.frame.height)
        lost = rows.filter(pl.col("row").is_in(held.idle.implode())).select(
            "row",
            told=pl.format(told, "update_id", "nugget_id", "topic"),
            cure=pl.lit(KEEP_CURE),
            code=pl.lit("lost-verdict"),
        )
        opposed = held.wrong.filter(pl.col("code") == "conflicting-rows")
        refuse_rows(every, pl.concat([opposed, lost]))
    return held.pairs


def join_verdicts(tables: Sequence[Table]) -> Table:
    """Return the verdicts of several files, one below the other."""
    columns = ["line", "run", *IDS, "update_text", "nugget_text", "accepted"]
    frames = [
        each.frame.select(*columns, file=pl.lit(at, pl.Int32)) for at, each in enumerate(tables)
    ]
    sources = tuple(each.sources[0] for each in tables)
    return replace(tables[0], frame=pl.concat(frames), sources=sources)


def cell_of(text: str) -> str:
    """A text in one line, and none that a spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in FORMULA and line else line
