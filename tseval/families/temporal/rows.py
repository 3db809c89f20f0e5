"""From tables to rows: which updates and nuggets count, and which update is the first to say what.

`index_of` returns an `EarliestIndex`. Its frames have `run` and `topic` as Enums, in natural order;
the topics are those of the nuggets that count. An `update` is the place of its row among all that
were read (UInt32, the same for one row in all frames; of equal times the smaller one is earlier), a
`nugget` the place of its row in the file of nuggets (UInt32). What is not known is null.

`index.outputs`
: The updates that count, by run, topic, time, update: `run topic time update update_id sampled
  judged weight`; `text`, `length`, `cost` where there are such; where duplicates are
  given `original`, the update that is its M(u). `index.updates` has them with texts always.

`index["nuggets"]`
: The nuggets that count, as in their file: `topic nugget nugget_id time importance until
  replaced_by`; `text`, `length`, `cost` where given. `time` is since when a nugget could be known,
  `until` until when it is true; `replaced_by` is blank where nothing replaces it.

`index["pairs"]`
: Who says what, each once, by update and nugget: `run topic time update nugget`; `grade` where
  matches have grades; `start end` where they have spans.

`index["firsts"]`
: The earliest matches by run, topic, nugget, time: the columns of `pairs`, with `grade rise`
  always; `said`, how many updates of the unit say the nugget; `opens`, whether it is the first of
  its nugget; `since importance`, those of the nugget.

`index["present"]`
: `run topic` with any line of a run, counted or not.

`index.times`
: A row a topic: `topic start end latest`.

In `index.updates` an `update_id` is a String, elsewhere of the track's runs a pair of codes:
`files.join_ids`.

An `update_id` and a `text` are those of what stands for the update: of the pool's update that it
repeats. Ids and texts are Strings; `judged` is false where neither an assessor nor a matcher has
judged an update.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex, relative_start, spans, warn_of_topics
from tseval.core.input_warnings import years_apart
from tseval.core.kernel import (
    ARRIVAL,
    CONTRIBUTED,
    KEY,
    Contributions,
    divided,
    first,
    natural,
    quotient,
    running_total,
    sort_rows,
    total,
    value,
)
from tseval.core.wording import count, listed, none_of, percent
from tseval.errors import Doubt, InputError, Reason, UsageError
from tseval.families.temporal.files import (
    NUGGET,
    UPDATE,
    are_in_bytes,
    find_changes,
    has_header,
    is_published,
    join_ids,
    join_updates,
    maker_of,
    pack_codes,
)
from tseval.families.temporal.rules import Rules
from tseval.io.names import natural_order
from tseval.io.tables import Table
from tseval.records import frozen

ASSESSED = "assessed"
"""What matches of assessors are called."""
LATENCY_STEP = 6 * 3600.0
"""The seconds after which a nugget is worth half."""
INFINITE_CONFIDENCE = 1000.0
NO_DUPLICATE = "NULL"
"""What stands in a pool where an update repeats no other."""
LETTERS = "letters"
"""The words that a text costs: letters and digits after NFKC; matchers cut more finely."""
WORD = re.compile(r"\w+")
TOKEN = r"[^\t\n\v\f\r ]+"
TWO_IN_A_WORD = r"^[^\t\n\v\f\r ]{2}"


@frozen
class EarliestIndex(FrameIndex):
    """The earliest match of each nugget, shared by all measures.

    The sums for the track's measures are computed when a measure first needs them.
    """

    rules: Rules = Rules()
    has_texts: bool = True
    """Whether there are texts at all: a run of the track has none without a pool."""
    spans_in_bytes: bool = False
    """Whether the spans of matches count bytes, not characters."""

    def earned(self, reward: str) -> pl.DataFrame:
        """The earliest matches with their worth: the reward, by the rise of the grade."""
        rewards = weigh_nuggets(self["nuggets"], reward).select("nugget", "reward")
        firsts = self["firsts"].join(rewards, on="nugget", maintain_order="left")
        return firsts.with_columns(worth=pl.col("reward") * pl.col("rise"))

    def gold(self, reward: str) -> pl.DataFrame:
        """Every nugget with its reward, once for each run."""
        nuggets = weigh_nuggets(self["nuggets"], reward).select("topic", "time", below="reward")
        return self.pairs.join(nuggets, on="topic")

    @cached_property
    def stale(self) -> pl.DataFrame:
        """The pairs of an update with a nugget that had ended by then."""
        ends = self["nuggets"].select("nugget", "until")
        pairs = self["pairs"].join(ends, on="nugget", maintain_order="left")
        return pairs.filter(pl.col("time") > pl.col("until"))

    @cached_property
    def updates(self) -> pl.DataFrame:
        """The outputs with their ids and texts as such."""
        return add_texts(join_ids(self.outputs, "update_id"), self.frames.get("pool"))

    @cached_property
    def rewards(self) -> pl.DataFrame:
        """`topic rewards number`: what there was to gain on each topic, from how many nuggets."""
        nuggets = weigh_nuggets(self["nuggets"], self.rules.reward)
        return nuggets.group_by("topic").agg(rewards=total(pl.col("reward")), number=pl.len())

    @cached_property
    def best(self) -> pl.DataFrame:
        """`topic k best`: Z, the mean of the k largest rewards of each topic."""
        nuggets = weigh_nuggets(self["nuggets"], self.rules.reward)
        ranked = nuggets.sort("topic", "reward", descending=[False, True])
        ranked = ranked.with_columns(k=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic"))
        sums = ranked.select("topic", "k", best=running_total(pl.col("reward"), "topic"))
        return sums.with_columns(quotient(pl.col("best"), pl.col("k")))

    @cached_property
    def counts(self) -> pl.DataFrame:
        """What each update counts for."""
        sampled = pl.col("sampled").cast(pl.Float64)
        return self.outputs.select(*KEY, "time", "weight", count=1.0, sampled=sampled)

    @cached_property
    def words(self) -> pl.DataFrame:
        """V of each update: 1, and the words that say nothing new by the mean words of a nugget.

        Where no nugget of the topic has any word it is 1.
        """
        if not self.has_texts:
            raise UsageError(
                "verbosity needs the texts of the updates, which a run of the track does not hold: "
                "give the pool of judged updates (--pool)"
            )
        updates, rules, nuggets = self.outputs, self.rules, self["nuggets"]
        if "length" in updates.columns:
            words = updates["length"]
        elif "pool_row" in updates.columns:
            texts = self["pool"]["text"].fill_null("").extend_constant("", 1)
            words = count_words(texts, rules.words).gather(
                updates["pool_row"].fill_null(len(texts) - 1)
            )
        else:
            words = count_words(self.updates["text"], rules.words)
        if rules.unsampled == "one-word":
            words = words.zip_with(updates["sampled"], pl.repeat(1.0, len(words), eager=True))
        if rules.lengths == "column" and "length" in nuggets.columns:
            lengths = nuggets["length"]
        else:
            lengths = count_words(nuggets["text"], rules.words)
        by_topic = nuggets.select("topic", mean=lengths).group_by("topic")
        means = by_topic.agg(quotient(total(pl.col("mean")), pl.len()))
        idle = updates.select(*KEY, "time", "weight", idle=(words - self._marked).clip(0.0))
        verbosity = divided("idle", "mean", 0.0) + 1
        return idle.join(means, on="topic").select(
            *KEY, "time", verbosity=verbosity, weighted_verbosity=verbosity * pl.col("weight")
        )

    @cached_property
    def _marked(self) -> pl.Series:
        """How many words of each update lie in spans of nuggets that it is the first to say."""
        firsts, updates = self["firsts"], self.outputs.select("update")
        if "start" not in firsts.columns:
            return pl.repeat(0.0, updates.height, eager=True)
        spans = firsts.select("update", "start", "end").drop_nulls()
        texts = self.outputs.select("update", pl.col("^(text|pool_row)$"))
        spans = add_texts(spans.join(texts, on="update"), self.frames.get("pool"))
        marked = mark_words(spans, self.rules.words, self.spans_in_bytes).sort("update", "low")
        high = pl.max_horizontal("low", "high")
        behind = high.cum_max().shift(1).over("update")
        new = (high - pl.max_horizontal("low", behind)).clip(0)
        total_new = pl.col("new").cast(pl.Int64).sum().cast(pl.Float64)
        number = marked.with_columns(new=new).group_by("update").agg(marked=total_new)
        known = updates.join(number, on="update", how="left", maintain_order="left")
        return known["marked"].fill_null(0.0)

    @cached_property
    def gains(self) -> pl.DataFrame:
        """What each earliest match gains: its reward and its latency discount, 1 on time."""
        weights = self.outputs.select("update", "weight")
        firsts = self.earned(self.rules.reward).join(weights, on="update", maintain_order="left")
        late = (firsts["time"] - firsts["since"]).to_numpy()
        discount = pl.Series(1 - (2 / np.pi) * np.arctan(late / LATENCY_STEP))
        amounts = {
            "gain": pl.col("worth"),
            "latency_gain": pl.col("worth") * discount,
            "discount": discount * pl.col("rise"),
        }
        weighted = {f"weighted_{each}": amounts[each] * pl.col("weight") for each in amounts}
        return firsts.select(*KEY, "time", found="rise", **amounts, **weighted)

    @cached_property
    def _sums(self) -> dict[tuple[str, bytes], pl.DataFrame]:
        """What was added up before, by frames and times."""
        return {}

    def sums(self, frame: str, times: pl.DataFrame | None) -> pl.DataFrame:
        """Return the sums of all amounts of a frame by unit, before the times of the units."""
        key = frame, b"" if times is None else times["before"].to_numpy().tobytes()
        if key not in self._sums:
            every = Contributions([getattr(self, frame)], lambda sums: sums)
            self._sums[key] = value(every, self.pairs, times)
        return self._sums[key]


class UpdatePairs(NamedTuple):
    """Who says what: `update nugget`, and `grade score start end` as far as there are such."""

    pairs: pl.DataFrame
    matcher: str = ""
    judged: pl.Series | None = None
    """The updates that matches name, where only these and those in the pool were judged."""
    in_bytes: bool = False
    traits: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()
    decided: int | None = None
    """How many pairs corrections decide, where there are such."""


# Updates, and what stands for them.


def find_scored_updates(tables: Mapping[str, Table], rules: Rules) -> pl.DataFrame:
    """Return all updates with the ids and the texts of what stands for them.

    `sampled` says whether an update is in the pool; all are without one. `weight` is that of an
    update in the confidence-biased measures. Updates without texts of their own have the row of the
    pool that has one: see `add_texts`.
    """
    updates = tables["updates"].frame.with_row_index("update")
    updates = updates.with_columns(pl.col("^cost$").fill_null(1.0), weight=weigh(updates, rules))
    pool = pool_of(tables)
    if pool is None:
        return updates.with_columns(sampled=pl.lit(True))
    if rules.exact_duplicates == "lookup" and "duplicates" in tables:
        updates = _look_up_duplicates(updates, pool, tables["duplicates"].frame)
    places = pool.select("topic", stands="update_id").with_row_index("place")
    names = find_canonical(pool, rules).join(places, on=["topic", "stands"])
    found = join_updates(names, updates.select("update", *UPDATE))
    none = pl.repeat(None, updates.height, dtype=pl.UInt32, eager=True)
    place = none.scatter(found["update"], found["place"])
    known: dict[str, Any] = {"sampled": place.is_not_null()}
    if (found["update_id"] != found["stands"]).any():
        known["update_id"] = pl.coalesce(pool["update_id"].gather(place), "update_id")
    if "text" in pool.columns and "text" not in updates.columns:
        known["pool_row"] = place
    elif "text" in pool.columns:
        known["text"] = pl.coalesce(pool["text"].gather(place), "text")
    if rules.lengths == "column" and "length" in pool.columns:
        known["length"] = pool["length"].gather(place).fill_null(0.0)
    return updates.with_columns(**known)


def pool_of(tables: Mapping[str, Table]) -> pl.DataFrame | None:
    """Return the pool, if there is one; of rows that repeat an id the last one counts."""
    if "pool" not in tables:
        return None
    return tables["pool"].frame.unique(UPDATE, keep="last", maintain_order=True)


def add_texts(updates: pl.DataFrame, pool: pl.DataFrame | None) -> pl.DataFrame:
    """Return updates with texts, of the pool if they have none of their own."""
    if "text" in updates.columns:
        return updates.with_columns(pl.col("text").fill_null(""))
    if pool is None or "pool_row" not in updates.columns:
        return updates.with_columns(text=pl.lit(""))
    return updates.with_columns(text=pool["text"].gather(updates["pool_row"]).fill_null(""))


def find_canonical(pool: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Return `topic update_id stands` of a pool's updates: what each repeats, if that is there."""
    if "duplicate_id" not in pool.columns or rules.duplicates == "ignore":
        return pool.select(*UPDATE, stands="update_id")
    others = pool.select("topic", duplicate_id="update_id", other="update_id")
    others = others.filter(join_ids(others, "other")["other"] != NO_DUPLICATE)
    named = pool.select(*UPDATE, "duplicate_id").join(
        others, on=["topic", "duplicate_id"], how="left", maintain_order="left"
    )
    return named.select(*UPDATE, stands=pl.coalesce("other", "update_id"))


def _look_up_duplicates(
    updates: pl.DataFrame, pool: pl.DataFrame, duplicates: pl.DataFrame
) -> pl.DataFrame:
    """Return the updates with the ids of duplicates in the pool where they are not in it."""
    pairs = duplicates.select("update_id", other="duplicate_id").with_row_index("place")
    turned = pairs.select("place", update_id="other", other="update_id")
    absent = updates.select("update", *UPDATE).join(pool, on=UPDATE, how="anti")
    listed = absent.join(pl.concat([pairs, turned]), on="update_id")
    known = listed.join(pool.select("topic", other="update_id"), on=["topic", "other"])
    found = first(known, ["update"], "place").select("update", "other")
    updates = updates.join(found, on="update", how="left", maintain_order="left")
    return updates.with_columns(update_id=pl.coalesce("other", "update_id")).drop("other")


def weigh(updates: pl.DataFrame, rules: Rules) -> pl.Expr:
    """Return each update's weight among the lines of its run and topic."""
    unit = pack_codes(*map(pl.col, KEY))
    if rules.confidence == "place":
        return quotient(pl.lit(1.0), pl.col("update").cum_count().over(unit))
    if "confidence" not in updates.columns:
        raw = pl.repeat(1.0, pl.len())
    else:
        raw = pl.col("confidence").fill_null(0.0)
        raw = pl.when(raw.is_infinite()).then(INFINITE_CONFIDENCE).otherwise(raw)
    if rules.confidence == "raw":
        return raw
    least, greatest = raw.min().over(unit), raw.max().over(unit)
    return pl.when(greatest > least).then((raw - least) / (greatest - least)).otherwise(0.5)


# Nuggets.


def find_nuggets(tables: Mapping[str, Table], rules: Rules) -> pl.DataFrame:
    """Return the nuggets that count."""
    nuggets = find_changes(tables["nuggets"].frame.with_row_index("nugget"))
    nuggets = nuggets.with_columns(until=pl.coalesce("until", "change")).drop("change")
    if "importance" not in nuggets.columns:
        nuggets = nuggets.with_columns(importance=pl.lit(1.0))
    if rules.unimportant == "drop":
        nuggets = nuggets.filter(pl.col("importance") > 0)
    is_matched_only = rules.matched_nuggets_only == "yes"
    if is_matched_only or ("matches" in tables and rules.unmatched_topics == "skip"):
        by = NUGGET if is_matched_only else ["topic"]
        matches = tables["matches"].frame
        nuggets = nuggets.join(matches, on=by, how="semi", maintain_order="left")
    if not nuggets.height:
        raise UsageError("the rules leave no nugget to score with")
    return nuggets


def know_since(
    tables: Mapping[str, Table],
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    pairs: pl.DataFrame,
    rules: Rules,
) -> pl.DataFrame:
    """Return the nuggets dated since when they could be known, by the rule `latency-from`.

    The script of 2015 lets the match of a duplicate count for the update that it repeats when it
    looks for the earliest time of a nugget, and there alone.
    """
    if rules.latency_from == "nuggets":
        return nuggets
    if "matches" in tables:
        matches = tables["matches"].frame
        if (pool := pool_of(tables)) is not None:
            stands = find_canonical(pool, rules)
            matches = matches.join(stands, on=UPDATE, how="left", maintain_order="left")
            matches = matches.with_columns(update_id=pl.coalesce("stands", "update_id"))
        pairs = resolve(matches, updates, nuggets)
    sampled = updates.filter("sampled").select("update", first_time="time")
    earliest = pairs.join(sampled, on="update").group_by("nugget").agg(pl.col("first_time").min())
    known = nuggets.join(earliest, on="nugget", how="left", maintain_order="left")
    choose = pl.min_horizontal if rules.latency_from == "all" else pl.coalesce
    return known.with_columns(time=choose("first_time", "time")).drop("first_time")


def weigh_nuggets(nuggets: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return the nuggets with R: what each is worth."""
    importance = pl.col("importance")
    if kind in ("exp", "topic-max"):
        below = nuggets.select(importance - importance.max().over("topic")).to_series()
        return nuggets.with_columns(reward=pl.Series(np.exp(below.to_numpy())))
    if kind == "constant":
        reward = np.exp(nuggets["importance"].to_numpy()) / np.exp(3.0)
        return nuggets.with_columns(reward=pl.Series(reward))
    if kind == "importance" and (nuggets["importance"] < 0).any():
        raise UsageError("reward=importance: an importance is negative; choose another reward")
    rewards = {"1": pl.lit(1.0), "binary": (importance > 0).cast(pl.Float64)}
    return nuggets.with_columns(reward=rewards.get(kind, importance))


# Who says what.


def resolve(matches: pl.DataFrame, updates: pl.DataFrame, nuggets: pl.DataFrame) -> pl.DataFrame:
    """Return `match update nugget` of the matches of updates and nuggets that are there.

    An update id that several runs sent stands for each of them, unless the match names its run.
    """
    known = matches.select(*UPDATE, "nugget_id", pl.col("^run$")).with_row_index("match")
    pairs = join_updates(known, updates.select(*UPDATE, "update", of="run"))
    pairs = pairs.join(nuggets.select(*NUGGET, "nugget"), on=NUGGET)
    if "run" in matches.columns:
        run, of = (pl.col(name).cast(pl.String) for name in ("run", "of"))
        pairs = pairs.filter((run.str.strip_chars() == "") | (run == of))
    return sort_rows(pairs.select("match", "update", "nugget"), "match", "update")


def find_assessed(tables: Mapping[str, Table], updates: pl.DataFrame) -> UpdatePairs:
    """Return the pairs of the matches that were given, with grades and spans, in their order.

    Without a pool all updates were judged, unless the track published the matches; its assessors
    judged a pool, also where it is not given.
    """
    matches, nuggets = tables["matches"], tables["nuggets"].frame.with_row_index("nugget")
    more = matches.frame.with_row_index("match").select("match", pl.col("^(grade|start|end)$"))
    pairs = resolve(matches.frame, updates, nuggets)
    pairs, maker = pairs.join(more, on="match", maintain_order="left"), maker_of(matches)
    is_whole = maker is not None or not ("pool" in tables or is_published(matches))
    judged = None if is_whole else pairs["update"]
    return UpdatePairs(pairs, maker or ASSESSED, judged, are_in_bytes(matches))


def are_judged(found: UpdatePairs, *, has_pool: bool) -> pl.Expr:
    """Return whether an assessor or a matcher has judged an update."""
    if found.judged is None:
        return pl.lit(value=True)
    is_named = pl.col("update").is_in(found.judged.unique().implode())
    return (pl.col("sampled") | is_named) if has_pool else is_named


# The index.


def index_of(
    tables: Mapping[str, Table],
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    found: UpdatePairs,
    rules: Rules,
    times: pl.DataFrame | None = None,
) -> EarliestIndex:
    """Return the index of these updates and nuggets, which the rules have shaped.

    `times` are those of `find_times`, if they are known.
    """
    run, topic = natural(tables["updates"].runs), natural(nuggets["topic"])
    judged = updates.select(pl.exclude("file", "line", "team", "confidence"))
    judged = judged.with_columns(
        pl.col("run").cast(run), pl.col("topic").cast(topic, strict=False)
    ).drop_nulls("topic")
    present = judged.select(*KEY, f"^{ARRIVAL}$").filter(begins()).unique()
    if rules.unsampled == "skip":
        judged = judged.filter("sampled")
    outputs = sort_rows(judged, *KEY, "time")
    may_match = outputs.filter("sampled") if rules.unsampled == "one-word" else outputs
    may_match = may_match.select("update", *CONTRIBUTED)
    pairs = unite_pairs(found.pairs.join(may_match, on="update", maintain_order="left"))
    outputs = outputs.with_columns(judged=are_judged(found, has_pool="pool" in tables))
    if "duplicates" in tables and rules.exact_duplicates != "lookup":
        outputs = link_duplicates(outputs, tables["duplicates"].frame)
    in_order = pl.col("topic").cast(topic)
    known = know_since(tables, updates, nuggets, found.pairs, rules).with_columns(in_order)
    times = find_times(tables, nuggets) if times is None else times
    times = times.with_columns(in_order).sort("topic")
    if rules.latency_from != "nuggets":
        times = times.update(known.group_by("topic").agg(latest=pl.col("time").max()), on="topic")
    gold = known.select("nugget", "topic", "importance", since="time")
    firsts = find_firsts(pairs).join(gold, on=["topic", "nugget"], maintain_order="left")
    frames = {"nuggets": known, "pairs": pairs, "firsts": firsts, "present": present}
    if "pool_row" in outputs.columns and (pool := pool_of(tables)) is not None:
        frames["pool"] = pool
    is_track = "team" in tables["updates"].frame.columns
    return EarliestIndex(
        tuple(run.categories),
        tuple(topic.categories),
        times,
        outputs,
        frames,
        rules=rules,
        has_texts=not is_track or ("pool" in tables and "length" in tables["pool"].frame.columns),
        spans_in_bytes=found.in_bytes,
    )


def unite_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return each pair once: with the span of its first row, and the largest of its grades."""
    pair = ["update", "nugget"]
    if "grade" in pairs.columns:
        pairs = pairs.with_columns(pl.col("grade").max().over(pair))
    order = [*pair, "match"] if "match" in pairs.columns else pair
    return sort_rows(pairs, *order).filter(begins(*pair)).drop("match", strict=False)


def find_firsts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the earliest match of each nugget, and with grades each that says more of it."""
    unit = [*KEY, "nugget"]
    rows = sort_rows(pairs, *unit, "time").with_columns(said=pl.len().over(unit))
    opens = begins(*unit)
    if "grade" not in pairs.columns:
        return rows.filter(opens).with_columns(grade=1.0, rise=1.0, opens=True)
    best = pl.col("grade").cum_max().over(unit)
    rise = best - best.shift(1).over(unit).fill_null(0.0)
    rows = rows.with_columns(opens=opens, grade=best, rise=rise)
    return rows.filter(pl.col("opens") | (pl.col("rise") > 0))


def find_times(tables: Mapping[str, Table], nuggets: pl.DataFrame) -> pl.DataFrame:
    """Return when each topic starts and ends: as the topics file says, else as its nuggets do."""
    time = pl.col("time")
    limits = {"start": time.min(), "end": time.max(), "latest": time.max()}
    times = nuggets.group_by("topic").agg(**limits)
    times = relative_start(times, tables["nuggets"])
    if "topics" in tables:
        periods = tables["topics"].frame.select("topic", pl.col("^(start|end)$"))
        periods = periods.cast({"topic": times.schema["topic"]}, strict=False)
        times = times.update(periods.drop_nulls("topic"), on="topic")
    return times


def link_duplicates(outputs: pl.DataFrame, duplicates: pl.DataFrame) -> pl.DataFrame:
    """Return updates with the earliest of their unit that is linked with each, mostly itself.

    The links go over ids, so two updates are linked even if one between them was not sent.
    """
    from scipy.sparse import coo_array  # few need it, and it is slow to import
    from scipy.sparse.csgraph import connected_components

    by = ["topic", "name"] if "topic" in duplicates.columns else ["name"]
    ends = [duplicates.select(*by[:-1], name=end) for end in ("update_id", "duplicate_id")]
    nodes = pl.concat(ends).unique(maintain_order=True).with_row_index("node")
    places = [end.join(nodes, on=by, maintain_order="left")["node"].to_numpy() for end in ends]
    links = coo_array(
        (np.ones(duplicates.height, np.int8), tuple(places)), shape=(nodes.height, nodes.height)
    )
    classes = nodes.with_columns(linked=connected_components(links, directed=False)[1])
    named = outputs.with_columns(pl.col("topic").cast(pl.Categorical), name="update_id")
    linked = named.join(classes, on=by, how="left", maintain_order="left")["linked"]
    earliest, own = (pl.col("update").first().over(*KEY, by) for by in ("linked", "update_id"))
    original = pl.when(pl.col("linked").is_null()).then(own).otherwise(earliest)
    return outputs.with_columns(linked=linked).with_columns(original=original).drop("linked")


# Words.


def count_words(texts: pl.Series, kind: str) -> pl.Series:
    """Return the number of words of each text, as floats."""
    if kind == "blanks":
        return texts.str.count_matches(" ", literal=True) + 1.0
    if kind != LETTERS:
        return texts.str.count_matches(TOKEN).cast(pl.Float64)
    from unicodedata import normalize

    counts = texts.str.count_matches("[0-9A-Z_a-z]+").cast(pl.Float64)
    beyond = (texts.str.len_bytes() != texts.str.len_chars()).arg_true()
    others = [float(len(WORD.findall(normalize("NFKC", each)))) for each in texts.gather(beyond)]
    return counts.scatter(beyond, others)


def mark_words(spans: pl.DataFrame, kind: str, in_bytes: bool) -> pl.DataFrame:
    """Return `low high` beside `text start end`: the first word in a span, the one behind it."""
    texts = spans["text"]
    if in_bytes:
        beyond = (texts.str.len_bytes() != texts.str.len_chars()).arg_true()
        others = [each.encode().decode("latin-1") for each in texts.gather(beyond)]
        texts = texts.scatter(beyond, others)  # a character stands for each byte
    text, start, end = pl.col("text"), pl.col("start"), pl.col("end")
    length = text.str.len_chars().cast(pl.Int64)
    low, high = (pl.min_horizontal(at.cast(pl.Int64), length).clip(0) for at in (start, end))
    by_blanks = kind == "blanks"

    def count_until(place: pl.Expr) -> pl.Expr:
        before, what = text.str.slice(0, place), " " if by_blanks else TOKEN
        return before.str.count_matches(what, literal=by_blanks).cast(pl.Int64)

    if by_blanks:
        first_word = (count_until(low + 1) - 1).clip(0)
    else:
        is_inside = text.str.slice(low - 1, 2).str.contains(TWO_IN_A_WORD) & (low > 0)
        first_word = count_until(low) - is_inside.cast(pl.Int64)
    return spans.with_columns(
        spans.with_columns(texts).select(low=first_word, high=count_until(high))
    )


# What a reader of the scores should know.

FOREIGN_POOL_CURE = "give the pool that was drawn from these runs, with their updates' ids"
FOREIGN_CURE = (
    "a run without a column `run` is called as its file: give the file its old name, or name the "
    "run in both tables, or leave the column `run` out of the matches"
)


def refuse_foreign_matches(tables: Mapping[str, Table]) -> None:
    """Refuse matches that are all of other runs than these: likely files have new names."""
    matches, runs = tables["matches"], runs_in(tables["updates"].frame)
    theirs = runs_in(matches.frame)
    if theirs and runs and set(theirs).isdisjoint(runs):
        reason = f"every match is of another run: of {listed(theirs)}; scored: {listed(runs)}"
        raise _unrelated(matches, reason, FOREIGN_CURE)


def _unrelated(table: Table, reason: str, cure: str) -> InputError:
    """Return the fault of a table as a whole, at its first row."""
    first = table.frame.head(1).with_columns(reason=pl.lit(reason))
    return InputError(list(table.faults(first, "{reason}", cure, "unrelated-inputs")))


def runs_in(frame: pl.DataFrame) -> list[str]:
    """Return the names in a column of runs, in natural order; none without such a column."""
    return natural_order(frame["run"].unique()) if "run" in frame.columns else []


def warn_of_pool(pool: Any, tables: Mapping[str, Table], rules: Rules) -> Iterator[str]:
    """Yield warnings about a pool of the track, which may lack a header."""
    if "pool" in tables and not pool.is_table:
        if rules.pool_header == "always" and not has_header(pool):
            yield "the pool has no header: its first row is lost, as it was to the script"
        elif tables["pool"].frame["line"].head(1).to_list() == [1]:
            yield "the pool has no header; it is read all the same"


def begins(*names: str) -> pl.Expr:
    """Return whether a row differs from the row before in these columns, or in run and topic."""
    keys = pl.col(names or KEY)
    return pl.any_horizontal(keys != keys.shift()).fill_null(True)


MARKS = ("sampled", "early", "silent", "judged")
"""What warnings count of updates: those in the pool, before their topic's start, without a text
where a matcher reads it, and those that somebody judged."""


def take_census(
    tables: Mapping[str, Table], updates: pl.DataFrame, counted: pl.DataFrame, index: EarliestIndex
) -> pl.DataFrame:
    """Return how many updates each run has of each topic, and how many of these have marks.

    The columns are `run topic read rows sampled early silent judged`; `rows` are those that count.
    """
    starts = index.times["start"].gather(index.outputs["topic"].to_physical())
    sent = index.outputs.select(*KEY, "judged", early=pl.col("time") < starts)
    silent = pl.col("text") == "" if "matches" not in tables else pl.lit(value=False)
    texts = add_texts(counted, pool_of(tables)) if "matches" not in tables else counted
    return add_up(
        [
            updates.group_by(KEY).agg(count_marked("sampled"), read=pl.len()),
            texts.group_by(KEY).agg(rows=pl.len(), silent=silent.cast(pl.Int64).sum()),
            sent.group_by(KEY).agg(count_marked("early"), count_marked("judged")),
        ]
    )


def count_marked(name: str) -> pl.Expr:
    """Return how many rows have a mark, or the sum of numbers of rows."""
    return pl.col(name).cast(pl.Int64).sum()


def add_up(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the numbers of several tables by run and topic."""
    named = [part.with_columns(pl.col(KEY).cast(pl.String)) for part in parts]
    every = pl.concat(named, how="diagonal_relaxed")
    return every.group_by(KEY, maintain_order=True).agg(pl.exclude(KEY).cast(pl.Int64).sum())


def find_warnings(
    tables: Mapping[str, Table],
    updates: pl.DataFrame,
    found: UpdatePairs,
    index: EarliestIndex,
    census: pl.DataFrame | None = None,
) -> Iterator[str]:
    """Yield what a reader should know of files that do not fit together, of runs, and of gold.

    `census` is that of all updates, where these are but some.
    """
    gold, by_text = index["nuggets"], "matches" not in tables
    counted = updates if index.rules.unsampled != "skip" else updates.filter("sampled")
    if census is None:
        census = take_census(tables, updates, counted, index)
        refuse_foreign_pool(tables, census, index)
    if not by_text:
        yield from _warn_of_matches(tables, updates, found)
    if found.decided is not None:
        yield from _warn_of_corrections(tables, updates, found.decided)
    if "duplicates" in tables:
        pairs = tables["duplicates"].frame
        by = [name for name in UPDATE if name in pairs.columns]
        ends = pl.concat([pairs.select(by), pairs.select(*by[:-1], update_id="duplicate_id")])
        known = (tables["updates"].frame, updates)
        if ends.height and not any(ends.join(each, on=by, how="semi").height for each in known):
            none = none_of("the", pairs.height, "duplicate", "duplicates")
            yield f"{none} of an update of these runs"
    if dropped := tables["nuggets"].frame.height - gold.height:
        yield f"{count(dropped, 'nugget')} left out by the rules"
    yield from _warn_of_runs(census, counted, index, has_pool="pool" in tables)
    blank = gold.filter(pl.col("text") == "")["nugget_id"].to_list()
    if by_text and blank:
        yield f"{count(len(blank), 'nugget')} without text cannot be matched: {listed(blank)}"
    limits = list(spans(gold.with_columns(pl.col("topic").cast(pl.String)), "nuggets"))
    if "topics" in tables:
        topics = tables["topics"].frame
        if lost := sorted(set(index.topics) - set(topics["topic"])):
            noun = count(len(lost), "judged topic")
            yield f"{noun} not in the topics file start at their earliest nugget: {listed(lost)}"
        for name in [name for name in ("start", "end") if name in topics.columns]:
            limits += spans(topics.select("topic", time=name), "topics")
    is_end = begins() | begins().shift(-1, fill_value=True)
    limits += spans(index.outputs.select(*KEY, "time").filter(is_end))
    yield from years_apart(limits, index.topics)


def _warn_of_matches(
    tables: Mapping[str, Table], updates: pl.DataFrame, found: UpdatePairs
) -> Iterator[str]:
    """Yield warnings about matches; only those that a track published may name unknown nuggets."""
    matches, nuggets = tables["matches"].frame, tables["nuggets"].frame.with_row_index("nugget")
    unknown = matches.join(nuggets, on=NUGGET, how="anti")
    known = matches.height - unknown.height
    if not known and matches.height:
        none = none_of("the", matches.height, "match", "matches")
        yield Reason(f"{none} of a nugget that is there")
    elif unknown.height:
        names = sorted(set(unknown["nugget_id"]))
        noun = count(len(names), "nugget")
        yield f"matches name {noun} that are not there, passed over: {listed(names)}"
    applied = found.pairs.height or resolve(matches, updates, nuggets).height
    if known and not applied:
        yield Reason(f"{none_of('the', known, 'match', 'matches')} of an update of these runs")
    elif known and "run" in matches.columns:
        lost = [run for run in runs_in(updates) if run not in set(matches["run"])]
        if lost:
            yield Reason(f"no match is of these runs, which say nothing then: {listed(lost)}")


def _warn_of_corrections(
    tables: Mapping[str, Table], updates: pl.DataFrame, decided: int
) -> Iterator[str]:
    """Yield a warning if corrections change nothing, or name only some of the runs."""
    corrections, runs = tables["corrections"].frame, runs_in(updates)
    verdicts = corrections.filter(pl.col("verdict").str.strip_chars() != "")
    theirs = runs_in(verdicts)
    if not verdicts.height:
        yield "corrections: no row has a verdict, so nothing changes"
        return
    if theirs and not decided and set(theirs).isdisjoint(runs):
        yield f"corrections: all are of other runs, of {listed(theirs)}, so nothing changes"
        return
    nuggets = tables["nuggets"].frame.with_row_index("nugget")
    by_id = updates.join(resolve(verdicts, updates, nuggets), on="update", how="semi")
    if others := [run for run in runs if run not in {*runs_in(corrections), *by_id["run"]}]:
        yield Doubt(
            f"corrections name no update of {len(others):,} of {count(len(runs), 'run')}, so only "
            "shared texts are corrected there; their scores are not comparable: "
            f"{', '.join(others[:3])}"
        )


def _warn_of_runs(
    census: pl.DataFrame, counted: pl.DataFrame, index: EarliestIndex, *, has_pool: bool
) -> Iterator[str]:
    """Yield warnings about runs: topics, the pool, times, confidences, texts and judgments."""
    run, told = pl.col("run").cast(pl.Enum(index.runs)), pl.col("confidence").fill_null(0.0)
    census = census.with_columns(run).sort("run")
    yield from warn_of_topics(census.filter(pl.col("rows") > 0), index.topics, "in the gold")
    of_runs = census.filter(pl.col("topic").is_in(index.topics)).group_by("run")
    numbers = of_runs.agg(pl.exclude("topic").cast(pl.Int64).sum()).sort("run")
    lost = numbers.filter((pl.col("read") > 0) & (pl.col("sampled") == 0))
    for name, number in lost.select("run", "read").iter_rows():
        yield Reason(f"run {name}: {none_of('its', number, 'update', 'updates')} in the pool")
    for name, number in numbers.filter(pl.col("early") > 0).select("run", "early").iter_rows():
        yield f"run {name}: {count(number, 'update')} before the start of the topic"
    if "confidence" in counted.columns:
        levels = counted.group_by(run).agg(least=told.min(), most=told.max())
        several = census.group_by("run").agg(count_marked("rows")).filter(pl.col("rows") > 1)
        levels = levels.filter(pl.col("least") == pl.col("most")).join(several, on="run")
        for name, level in levels.sort("run").select("run", "least").iter_rows():
            yield f"run {name}: every confidence is {level:g}"
    silent = numbers.filter(pl.col("silent") > 0).select("run", "silent", "rows")
    for name, number, rows in silent.iter_rows():
        told_of = f"run {name}: {count(number, 'update')} without text cannot be matched"
        yield Reason(told_of) if number == rows else told_of
    shares = numbers.filter(pl.col("rows") > 0)
    shares = shares.select("run", share=quotient(pl.col("judged"), pl.col("rows")))
    some = shares.filter(pl.col("share") < 1).sort("share", maintain_order=True)
    if some.height and (shares["share"] > 0).any():  # else no update is in the pool: told above
        every = [percent(each) for each in some["share"]]
        ends = every if len(every) <= 2 else [every[0], every[-1]]
        told_of = (" and " if len(every) == 2 else " to ").join(ends)
        known = "are judged" if has_pool else "are known to be judged without --pool"
        names = listed(some["run"].to_list())
        yield Doubt(f"{told_of} of updates {known} ({names}); the others count as no match")


def refuse_foreign_pool(
    tables: Mapping[str, Table], census: pl.DataFrame, index: EarliestIndex
) -> None:
    """Refuse a pool that has none of the updates that these runs have in judged topics.

    A run in the track's own files may well have nothing in the pool: it is warned about.
    """
    judged = census.filter(pl.col("topic").is_in(index.topics))
    number, sampled = judged.select(count_marked("read"), count_marked("sampled")).row(0)
    pool, updates = tables.get("pool"), tables["updates"].frame
    if pool is None or "team" in updates.columns or sampled or not number:
        return
    for row in join_ids(pool.frame.head(1), "update_id").iter_rows(named=True):
        reason = (
            f"{none_of('the', number, 'update', 'updates')} in the pool, of all that the runs have "
            f'in judged topics: the pool has updates such as "{row["update_id"]}" of topic '
            f'"{row["topic"]}", the runs are {listed(runs_in(updates))}'
        )
        raise _unrelated(pool, reason, FOREIGN_POOL_CURE)
