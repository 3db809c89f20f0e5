"""CrisisFACTS: what the family declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from tseval.core.declared import NoOptions, argument, file_option
from tseval.core.family import Family, Words
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.measure import Measure
from tseval.core.rules import Edition
from tseval.core.sections import Reporting, Section
from tseval.errors import UsageError, check_known
from tseval.families.crisisfacts import explain, files, measures, rows
from tseval.io.tables import TableReader
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given


@frozen
class CrisisInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    facts: Sequence[Given] = argument(
        "FACTS",
        "one or more files of collapsed facts (of 2022: of assessed items)",
        files.COLLAPSED.schema,
        several=True,
    )
    gold: Given = argument(
        "GOLD", "the file of their labels (of 2022: of gold facts)", files.LABELS.schema
    )
    requests: Given | None = file_option(
        "The day of each request: a table `request day`. Without it, measures have no times; "
        "those of 2022 get the days from the gold facts.",
        table=files.REQUESTS.schema,
    )


@frozen(kw_only=True)
class CrisisEvaluation(FrameEvaluation):
    """Runs held against collapsed or gold facts; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words("facts", "event", "counted as saying nothing")
    by_name: ClassVar[tuple[str, ...]] = ("requests",)

    @classmethod
    def choose_readers(cls, inputs: Any, rules: Any) -> Mapping[str, TableReader]:
        """Return the readers of an edition; files of the other edition are refused."""
        kinds = {"collapsed": (files.COLLAPSED, files.LABELS), "gold": (files.ITEMS, files.GOLD)}
        facts, gold = kinds.pop(rules.facts)
        ((others, _),) = kinds.values()
        for source in inputs.facts:
            if others.recognises(source) and not facts.recognises(source):
                edition = f"crisisfacts{2023 if rules.facts == 'gold' else 2022}"
                held = f"{source} holds {others.schema.table}"
                raise UsageError(f"{held}: score them with --edition {edition}")
        return {"facts": facts, "gold": gold, "requests": files.REQUESTS}

    @classmethod
    def build(cls, request: Request) -> Content:
        """Join the tables by the rules."""
        is_gold = request.rules.facts == "gold"
        return rows.index_items(request) if is_gold else rows.index_facts(request)

    @property
    def has_days(self) -> bool:
        """Whether the days of all requests are known."""
        return not self.frames["requests"]["day"].has_nulls()

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """Return the measures asked for; those that the files cannot tell are refused."""
        counts, values = set(self.frames["cells"].columns), measures.VALUES
        names = [name for name in values if counts.issuperset(values[name]().meta.root_names())]
        what = "assessed items" if self.edition.rules.facts == "gold" else "collapsed facts"
        if "labels" in self.frames.frames and files.LAGGED not in self.frames["labels"]["label"]:
            names.remove("lagged")
            what += f" without a label {files.LAGGED}"
        for each in wanted:
            check_known(f"measure of {what}", each.definition.name, names)
            if each.at is not None:
                self.has_times(each)
        return wanted

    def has_times(self, measure: Measure) -> bool:
        """Return whether a measure can be taken at any time; without days that is refused."""
        if not self.has_days:
            why = "not all days of requests are known, so nothing has a value before the end"
            raise UsageError(f"{measure}: {why}: --requests FILE tells them")
        return True

    def follows(self, measure: Measure) -> bool:
        """Return whether a measure is a mean over requests that have days."""
        return self.has_days and measure.definition.name != "f1"

    def without_missing(self) -> CrisisEvaluation:
        """Return the same where requests of which a run has nothing are left out."""
        cells = {"cells": self.frames["grid"].filter(present=1)}
        return replace(self, frames=replace(self.frames, frames={**self.frames.frames, **cells}))

    def missing_parts(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Yield the requests that runs lack of events of which they have others."""
        has_others = pl.col("present").max().over("run", "topic") == 1
        lacking = self.frames["grid"].filter(has_others, present=0)
        of_runs = lacking.group_by("run", maintain_order=True).agg("request")
        yield from ((run, "request", requests) for run, requests in of_runs.iter_rows())


EDITIONS = (
    Edition(
        name="crisisfacts2023",
        family=measures.NAME,
        summary="collapsed facts with labels: what runs say of the useful ones, and of the others",
        measures=("redundancy", "comprehensiveness", "f1"),
        leading=("f1", "comprehensiveness", "redundancy"),
        on_missing="skip",
        citation=measures.NOTEBOOK,
        rules=rows.CrisisRules(),
    ),
    Edition(
        name="crisisfacts2022",
        family=measures.NAME,
        summary="assessed items against gold facts, as many a day as there are facts",
        measures=("comprehensiveness", "unique_per_match", "redundancy_ratio", "assessed"),
        leading=("comprehensiveness", "redundancy_ratio", "unique_per_match", "assessed"),
        on_missing="zero",
        citation=measures.PAPER,
        rules=rows.CrisisRules(facts="gold"),
    ),
)
FAMILY = Family(
    name=measures.NAME,
    command="crisisfacts",
    summary="Score daily facts about a crisis: CrisisFACTS 2022 and 2023.",
    description="""\
\b
tseval crisisfacts fixtures/crisisfacts/collapsed.jsonl \\
    fixtures/crisisfacts/labels.tsv --requests fixtures/crisisfacts/requests.tsv

FACTS holds collapsed facts: the original JSON list of a request, a request a line, or a table
`request collapsed_fact_id relevant_fact importance`. The runs are in the names of raw facts.
GOLD holds labels, a table `collapsed_fact_id label`. `redundancy` is a precision here: higher is
better. With --edition crisisfacts2022 FACTS holds assessed items of runs, GOLD gold facts.
""",
    inputs=CrisisInputs,
    options=NoOptions,
    definitions=measures.DEFINITIONS,
    editions=EDITIONS,
    read=CrisisEvaluation.read,
    schemas=tuple(reader.schema for reader in files.READERS),
    formats=files.FORMATS,
    check_related=files.find_unknown_requests,
    knows=lambda path: files.LABELS.holds(path) or files.GOLD.holds(path),
    over="facts of crises",
    curves=True,
    batches=True,
    views=explain.VIEWS,
    reporting=lambda: Reporting(
        (Section("requests", "Requests", explain.report_requests),),
        retold=lambda _: NoOptions(),
    ),
    words=CrisisEvaluation.words,
)
