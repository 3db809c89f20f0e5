"""The ways to the same scores: each gives what the plain way gives, to the last bit.

A way takes a `Case`, and asserts. A new way is one more entry of `WAYS`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

import tseval
from tests import strategies as st
from tests.families.agreement import changes, forms, responses, timelines
from tests.families.agreement.families import Family
from tests.families.agreement.tables import ID, RUNS, TIME, Row, Table, World
from tests.program import tseval as program
from tseval.core.family import Access, as_measures
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.core.streams import read_in_blocks
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.gold import TemporalGold
from tseval.families.temporal.rules import DRAFT
from tseval.parallel.engine import Engine

Values: TypeAlias = dict[tuple[str, str, str], float | None]
COMPARED: Counter[tuple[str, str]] = Counter()
"""How many values each way of each family was held against."""


@dataclass
class Case:
    """A world of a family, what the plain way gives, and where files may be written."""

    family: Family
    world: World
    folder: Path
    draw: st.DrawFn
    engine: Engine
    files: int = 0
    scores: Scores | None = None
    refused: str = ""
    way: str = ""

    def place(self) -> Path:
        """A new folder, so that a name can be written again."""
        self.files += 1
        folder = self.folder / str(self.files)
        folder.mkdir()
        return folder

    def arguments(
        self, world: World, form: Callable[[], str] = lambda: "tsv", runs: Any = None
    ) -> tuple[list[Any], list[Any], dict[str, Any]]:
        """The runs, the gold where there is one, and what stands beside them, each in a form."""
        folder = self.place()
        made: dict[str, Any] = {
            name: forms.given(table, folder, name, form())
            for name, table in world.tables.items()
            if name != RUNS or runs is None
        }
        for name, content in world.files.items():
            made[name] = folder / name
            made[name].write_bytes(content)
        beside = {name: made[name] for name in self.family.beside if name in made}
        several = [made[RUNS]] if runs is None else runs
        gold = [made[self.family.gold]] if self.family.gold else []
        return several, gold, beside

    def scored(
        self, world: World, form: Any = lambda: "tsv", runs: Any = None, **more: Any
    ) -> Scores:
        """The scores of the Python call."""
        several, gold, beside = self.arguments(world, form, runs)
        options = dict(world.options) | beside | more
        return self.family.call(several, *gold, **options)

    def same(self, found: Values, expected: Values) -> None:
        """Hold values against others, bit for bit."""
        COMPARED[self.family.name, self.way] += len(expected)
        assert found.keys() == expected.keys(), (
            f"only one of them has {list(found.keys() ^ expected.keys())[:6]}"
        )
        wrong = {
            key: (found[key], value)
            for key, value in expected.items()
            if not equal(found[key], value)
        }
        assert not wrong, f"found, expected: {wrong}"

    @property
    def plain(self) -> Scores:
        assert self.scores is not None
        return self.scores


def equal(one: float | None, other: float | None) -> bool:
    """The same bits, or both undefined."""
    if one is None or other is None:
        return one is other
    return one.hex() == other.hex()


def values(scores: Scores, run: str | None = None) -> Values:
    """Every value, or those of one run."""
    return {r[:3]: r.value for r in scores.records() if run in (None, r.run)}


def another_form(case: Case) -> None:
    form = st.sampled_from(forms.ALL_FORMS)
    case.same(values(case.scored(case.world, lambda: case.draw(form))), values(case.plain))


def columns_rearranged(case: Case) -> None:
    tables = {name: table.rearranged(case.draw) for name, table in case.world.tables.items()}
    form = st.sampled_from(("tsv", "csv", "jsonl", "parquet", "frame"))
    world = replace(case.world, tables=tables)
    case.same(values(case.scored(world, lambda: case.draw(form))), values(case.plain))


def rows_shuffled(case: Case) -> None:
    tables = {name: table.shuffled(case.draw) for name, table in case.world.tables.items()}
    case.same(values(case.scored(replace(case.world, tables=tables))), values(case.plain))


def runs_apart(case: Case) -> None:
    """Every run in a file of its own, which may be what names it, and in a form of its own."""
    folder, table = case.place(), case.world.runs
    given: list[Any] = []
    for number, run in enumerate(case.draw(st.permutations(table.runs))):
        own = table.where(lambda row, run=run: row["run"] == run)  # type: ignore[misc]
        if not case.world.named and case.draw(st.booleans()):
            path = forms.given(own.without("run"), folder, f"unnamed{number}", "tsv")
            named = folder / run
            assert isinstance(path, Path)
            given.append(path.rename(named))
        else:
            form = case.draw(st.sampled_from(forms.ALL_FORMS))
            given.append(forms.given(own, folder, f"runs{number}", form))
    case.same(values(case.scored(case.world, runs=given)), values(case.plain))


def runs_by_name(case: Case) -> None:
    """A dictionary of runs, each without the column that names it, and in a form of its own."""
    folder, table = case.place(), case.world.runs
    given: dict[str, Any] = {}
    for number, run in enumerate(case.draw(st.permutations(table.runs))):
        own = table.where(lambda row, run=run: row["run"] == run)  # type: ignore[misc]
        if not case.world.named and case.draw(st.booleans()):
            own = own.without("run")
        form = case.draw(st.sampled_from(forms.ALL_FORMS))
        given[run] = forms.given(own, folder, f"named{number}", form)
    case.same(values(case.scored(case.world, runs=given)), values(case.plain))


def a_run_alone(case: Case) -> None:
    if case.world.joint:
        return
    run = case.draw(st.sampled_from(case.world.runs.runs))
    case.same(values(case.scored(case.world.of_run(run))), values(case.plain, run))


def other_engine(case: Case) -> None:
    folder, table = case.place(), case.world.runs
    own = [table.where(lambda row, run=run: row["run"] == run) for run in table.runs]  # type: ignore[misc]
    given = [forms.given(each, folder, f"r{at}", "tsv") for at, each in enumerate(own)]
    found = case.scored(case.world, runs=given, engine=case.engine)
    case.same(values(found), values(case.plain))


def command_line(case: Case) -> None:
    for form in ("json", "csv"):
        outcome = program(*command(case), "-q", "-f", form)
        assert outcome.code == 0, outcome.err
        if form == "json":
            records = json.loads(outcome.out)["records"]
            found = {(r["run"], r["topic"], r["measure"]): r["value"] for r in records}
            case.same(found, values(case.plain))
        else:
            path = case.place() / "scores.csv"
            path.write_bytes(outcome.output)
            case.same(read_back(path), per_topic(case.plain))


def command(case: Case, world: World | None = None) -> list[object]:
    """The command line of the world, without a form."""
    several, gold, beside = case.arguments(world or case.world)
    line: list[object] = [case.family.command, *several, *gold, "--quiet"]
    for name, path in beside.items():
        line += [f"--{name}", path]
    for name, value in (world or case.world).options.items():
        option = NAMED_OTHERWISE.get(name, f"--{name}")
        if isinstance(value, dict):
            value = [f"{rule}={kind}" for rule, kind in value.items()]
        for each in value if isinstance(value, list) else [value]:
            line += [option] if each is True else [option, each]
    return line


NAMED_OTHERWISE = {"measures": "--measure", "rules": "--rule"}
"""The options of calls that have another name on the command line."""


def per_topic(scores: Scores) -> Values:
    """The values of single topics."""
    return {key: value for key, value in values(scores).items() if key[1] != "all"}


def read_back(path: Path) -> Values:
    """The values of single topics in a file of scores, read by other means."""
    names = ["run", "topic", "measure", "value"]
    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
    elif path.suffix == ".json":
        table = pd.DataFrame(json.loads(path.read_bytes())["records"])
    else:
        is_trec = path.suffix == ".trec"
        form: dict[str, Any] = {"sep": "\t", "quoting": csv.QUOTE_NONE} if is_trec else {}
        columns = ["run", "measure", "topic", "value"] if is_trec else None
        form |= {"header": None, "names": columns} if is_trec else {}
        table = pd.read_csv(path, dtype=str, keep_default_na=False, **form)
    found = {}
    for run, topic, measure, value in table[names].itertuples(index=False):
        if topic != "all":
            is_undefined = value in ("", "undefined") or pd.isna(value)
            found[run, topic, measure] = None if is_undefined else float(value)
    return found


def saved_and_read(case: Case) -> None:
    """Scores in every form that can be saved; `trec` of one run has no name of it."""
    kinds = ["json", "csv", "parquet", *(["trec"] if len(case.plain.runs) > 1 else [])]
    for form in kinds:
        path = case.place() / f"scores.{form}"
        case.plain.save(path)
        case.same(read_back(path), per_topic(case.plain))


MEANS_OF_TOPICS = ("temporal", "clusters", "values", "changes", "responses")
"""Families of which every measure's `all` is the mean that a comparison takes."""


def compared(case: Case) -> None:
    """What compare and report make of saved scores is what they make of those in memory."""
    path = case.place() / "scores.json"
    case.plain.save(path)
    plan: dict[str, Any] = {"resamples": 100, "interval": "percentile"}
    expected, found = tseval.compare(case.plain, **plan), tseval.compare(path, **plan)
    assert found.standings == expected.standings
    assert found.contests == expected.contests
    page = tseval.report(path, **plan).report
    held = tseval.report(case.plain, **plan).report
    assert (page.measures, page.runs, page.topics) == (held.measures, held.runs, held.topics)
    means = {(page.runs[m.run], b.name): m.mean for b in page.measures for m in b.means}
    assert means == {(s.run, s.measure): s.mean for s in found.standings}
    of_records = case.world.options.get("rules", {}).get("mean") == "records"
    if case.family.name in MEANS_OF_TOPICS and not of_records:
        whole = {
            (run, name): value
            for (run, topic, name), value in values(case.plain).items()
            if topic == "all"
        }
        for each in found.standings:
            if not each.measure.startswith("units"):  # of these `all` has the sum
                near(case, each.mean, whole[each.run, each.measure])
    COMPARED[case.family.name, case.way] += 3 * len(found.standings)


def table_of(case: Case, *more: object, world: World | None = None) -> list[dict[str, Any]]:
    """What the program writes as CSV for these options, row by row; an empty cell is None."""
    outcome = program(*command(case, world), *more, "-f", "csv")
    assert outcome.code == 0, outcome.err
    return [
        {name: cell or None for name, cell in row.items()}
        for row in csv.DictReader(io.StringIO(outcome.out, newline=""))
    ]


def explained(case: Case, *what: str) -> list[dict[str, Any]]:
    """The explanation of the world, which has no measures and no times."""
    kept = {n: v for n, v in case.world.options.items() if n not in {"measures", "at"}}
    return table_of(case, "--explain", *what, world=replace(case.world, options=kept))


def number(cell: str | None) -> float | None:
    """The number in a cell; None if it is empty."""
    return None if cell is None else float(cell)


def undated(case: Case) -> World:
    """The world with measures of no time."""
    options = {name: value for name, value in case.world.options.items() if name != "at"}
    bare = " ".join(m.partition("@")[0] for m in str(options["measures"]).split())
    return replace(case.world, options=options | {"measures": bare})


def curve(case: Case) -> tuple[World, list[dict[str, Any]]]:
    """A world with those measures that have a curve, and what the program says of it."""
    world = undated(case)
    if "sample" in world.options or "selected" in world.tables or not world.followed:
        return world, []  # a curve has no options for these
    every = str(world.options["measures"]).split()
    names = [m for m in every if "unit=" not in m and not m.startswith("units")]
    if not names:
        return world, []
    world = replace(world, options={**world.options, "measures": " ".join(names)})
    case.family, before = replace(case.family, command="curve"), case.family
    try:
        return world, table_of(case, "-q", world=world)
    finally:
        case.family = before


def end_of_the_curve(case: Case) -> None:
    """What a curve has last is the score, of every topic and of all."""
    world, rows = curve(case)
    found = {(row["run"], row["topic"], row["measure"]): number(row["value"]) for row in rows}
    known = values(case.scored(world)) if found else {}
    case.same(found, {key: known[key] for key in found})


def nuggets_explained(case: Case) -> None:
    """R is the importance of what was said over that of everything."""
    world = replace(case.world, options={"measures": "R"})
    rows = explained(case, "nuggets")
    for (run, topic, _), value in per_topic(case.scored(world)).items():
        own = [row for row in rows if (row["run"], row["topic"]) == (run, topic)]
        said = [float(row["importance"]) for row in own if row["status"] == "said"]
        whole = math.fsum(float(row["importance"]) for row in own)
        near(case, value, math.fsum(said) / whole if whole else None)


def clusters_explained(case: Case) -> None:
    """Latency is the mean of the delays of selected reports."""
    world = replace(undated(case), options={**undated(case).options, "measures": "latency"})
    members = world.tables["clusters"].rows
    if {row["cluster_id"] for row in members} & {row["post_id"] for row in members}:
        return  # a post counts in the cluster that is called as it is
    rows = explained(case)
    for (run, topic, _), value in per_topic(case.scored(world)).items():
        delays = [
            float(delay)
            for row in rows
            if (row["run"], row["topic"]) == (run, topic)
            for delay in (row["delays"] or "").split()
        ]
        selected = any(name in world.tables for name in ("selected",)) or "sample" in world.options
        if selected or "selected" in world.runs.kinds:
            return  # delays of all reports stand there
        near(case, value, math.fsum(delays) / len(delays) if delays else None)


def near(case: Case, found: float | None, expected: float | None, *, share: float = 1e-12) -> None:
    """Hold a value against one that was added up in another order."""
    COMPARED[case.family.name, case.way] += 1
    if found is None or expected is None:
        assert found is expected
    else:
        assert math.isclose(found, expected, rel_tol=share, abs_tol=share), (found, expected)


def alerts_explained(case: Case) -> None:
    """The edition takes posts by time, as its rule says; a missed alert costs 1."""
    world = replace(case.world, options={"edition": "note", "measures": "AAW.high AAW.low"})
    rows = explained(case, "alerts")
    rule = {**world.options, "rules": {"order": "time"}}
    scores = case.scored(replace(world, options=rule))
    assert values(scores) == values(case.scored(world))
    COMPARED[case.family.name, case.way] += len(rows)
    assert all(float(row["worth"]) == -1 for row in rows if row["outcome"] == "missed")


def types_explained(case: Case) -> None:
    """Precision, recall and F1 of a type are those of its row."""
    options = {"edition": "note", "measures": "type.P type.R type.F1"}
    world = replace(case.world, options=options)
    rows = explained(case, "types")
    names = {"type.P": "precision", "type.R": "recall", "type.F1": "F1"}
    found = {(r["run"], r["type"], m): number(r[name]) for r in rows for m, name in names.items()}
    known = values(case.scored(world))
    case.same(found, {key: known[key] for key in found})


def official_files(case: Case) -> None:
    """The track's lines of a run, its labels one a line, and times from a file of epochs."""
    world, folder = case.world, case.place()
    labels, said = world.tables["labels"].rows, world.runs.rows
    names = {row[name] for row in (*labels, *said) for name in ("topic", "post_id")}
    runs = {row["run"] for row in said}
    if any(name.split() != [name] for name in names | runs) or any("]" in run for run in runs):
        return  # blanks divide the fields of such a line, and a bracket ends the types
    lines = (
        f"{row['topic']} Q0 {row['post_id']} {row['rank']} {row['priority']} "
        f"{json.dumps(_types(row))} {row['run']}\n"
        for row in said
    )
    (folder / "run").write_text("".join(lines), encoding="utf-8")
    records = (
        {
            "eventID": row["topic"],
            "postID": row["post_id"],
            "postCategories": _types(row),
            "postPriority": row["level"],
        }
        for row in labels
    )
    (folder / "labels").write_text("".join(json.dumps(each) + "\n" for each in records))
    (folder / "ontology").write_bytes(world.files["ontology"])
    made = {row["post_id"]: {"day": "20140513", **row} for row in labels}
    times = Table({"post_id": ID, "day": ID, "time": TIME}, list(made.values()))
    epochs = forms.given(times, folder, "epochs")
    files = {"ontology": folder / "ontology", "epochs": epochs}
    found = case.family.call([folder / "run"], folder / "labels", **world.options, **files)
    case.same(values(found), values(case.plain))


def _types(row: Row) -> list[str]:
    return [each for each in row["types"].split(",") if each]


def one_long_batch(case: Case) -> None:
    """Where one batch holds the period, its metrics are those of the period."""
    metrics = ("P", "R", "A", "F_pr", "F_pra", "T11SU", "C_trk", "FPR", "FDR")
    ends = " ".join(f"slope({name})" for name in metrics)
    options = {"measures": ends, "batch": "4000d", "cutoff": 100}
    world = replace(case.world, options=options)
    path = case.place() / "series.json"
    outcome = program(*command(case, world), "--series", path)
    assert outcome.code == 0, outcome.err
    whole = case.scored(replace(world, options={"cutoff": 100, "measures": list(metrics)}))
    rows = json.loads(path.read_text(encoding="utf-8"))["records"]
    found = {(row["run"], "all", row["measure"]): row["value"] for row in rows}
    known = {key: value for key, value in values(whole).items() if key in found}
    case.same({key: found[key] for key in known}, known)


def in_blocks(case: Case) -> None:
    """Updates read so many at a time."""
    form = case.draw(
        st.sampled_from(("tsv", "tsv gz", "jsonl", "jsonl of numbers", "parquet of types"))
    )
    folder, world = case.place(), case.world
    path = {name: forms.given(table, folder, name) for name, table in world.tables.items()}
    updates = forms.given(world.runs, folder, "updates", form)
    inputs = TemporalInputs((), path["nuggets"], path.get("matches"), path["topics"])
    options = TemporalOptions(world.options.get("matcher"))
    gold, size = TemporalGold(inputs, options, DRAFT, {}, Access()), case.draw(st.integers(1, 5))
    wanted = as_measures(world.options["measures"])
    evaluation, chosen = read_in_blocks(gold, [updates], wanted, size=size)
    case.same(values(scores_of(evaluation, chosen)), values(case.plain))


def matches_given(case: Case) -> None:
    """Matches that the program finds, given as those of assessors."""
    folder, options = case.place(), case.world.options
    named = {name: value for name, value in options.items() if name != "measures"}
    world = replace(case.world, options=named)
    path = folder / "matches.tsv"
    case.family, before = replace(case.family, command="match", beside=()), case.family
    try:
        outcome = program(*command(case, world), "-o", path)
    finally:
        case.family = before
    assert outcome.code == 0, outcome.err
    several, gold, beside = case.arguments(case.world)
    found = tseval.score(several, *gold, path, **beside, measures=options["measures"])
    case.same(values(found), values(case.plain))


def kept_matches(case: Case) -> None:
    """Matches kept on disk as they are found, and taken from there the second time."""
    for _ in range(2):
        case.same(values(case.scored(case.world, resume=True)), values(case.plain))


def as_a_stream(case: Case) -> None:
    """Updates that come one by one, in any order, end with the scores of all."""
    lines = forms.jsonl(case.world.runs)
    _, gold, beside = case.arguments(case.world)
    given = {**beside, **case.world.options}
    options = [part for n, v in given.items() for part in (NAMED_OTHERWISE.get(n, f"--{n}"), v)]
    outcome = program("score", *gold, "--follow", *options, "-q", "--quiet", stdin=lines)
    assert outcome.code == 0, outcome.err
    last = json.loads(outcome.out.splitlines()[-1])
    found = {(r["run"], r["topic"], r["measure"]): r["value"] for r in last["records"]}
    case.same(found, values(case.plain))


def track_files_of_changes(case: Case) -> None:
    """Runs and topics as the track has them, and days one a line."""
    made = changes.track_files(case.world, case.place())
    _, gold, beside = case.arguments(case.world)
    found = case.family.call(made.pop(RUNS), *gold, **dict(case.world.options) | beside | made)
    case.same(values(found), values(case.plain))


def sets_explained(case: Case) -> None:
    """Each set of units has the mean that its measure has."""
    names = ("tRR", "tRBP", "tNDCG", "tAP", "tAP(ideal)", "silent")
    found: Values = {}
    for row in explained(case, "sets"):
        for name in names:
            where = f"level={row['level']},units={row['set']}"
            measure = f"{name.rstrip(')')}{',' if '(' in name else '('}{where})"
            found[row["run"], "all", measure] = number(row[name])
    measures = sorted({key[2] for key in found})
    options = {n: v for n, v in case.world.options.items() if n != "at"} | {"measures": measures}
    scores = case.scored(replace(case.world, options=options))
    known = {
        (run, "all", measure): scores.value(measure, run=run)
        for run in scores.runs
        for measure in measures
    }
    case.same(found, known)


def assignments_of_responses(case: Case) -> None:
    """Labels and nuggets as nuggetizer writes them; there the text is what names a nugget."""
    made = responses.assignments(case.world, case.place())
    if made is None:
        return
    _, _, beside = case.arguments(case.world)
    found = case.family.call([made.pop(RUNS)], **dict(case.world.options) | beside | made)
    case.same(values(found), values(case.plain))


def labels_explained(case: Case) -> None:
    """`all` is the mean over the listed nuggets of the best label of each."""
    world = replace(case.world, options={"measures": "all", "rules": {"unlisted": "ignored"}})
    if "nuggets" not in world.tables or not world.followed:
        return  # of responses without times each counts by itself
    rows = table_of(
        case, "--explain", "labels", world=replace(world, options={"rules": world.options["rules"]})
    )
    listed = world.tables["nuggets"].rows
    for (run, topic, _), value in per_topic(case.scored(world)).items():
        best = {row["nugget_id"]: 0.0 for row in listed if row["topic"] == topic}
        for row in rows:
            if (row["run"], row["topic"]) == (run, topic) and row["nugget"] in best:
                best[row["nugget"]] = max(best[row["nugget"]], float(row["grade"]))
        near(case, value, math.fsum(best.values()) / len(best))


def timelines_as_json(case: Case) -> None:
    """A timeline a line, which cannot tell when a sentence was there."""
    if "published" in case.world.runs.kinds or "timeline" not in case.world.tables["gold"].kinds:
        return
    made = timelines.json_files(case.world, case.place())
    found = case.family.call([made[RUNS]], made["gold"], **case.world.options)
    case.same(values(found), values(case.plain))


def partners_explained(case: Case) -> None:
    """Precision and recall are the sums of hits times weight by those of n-grams."""
    names = {"predicted": "P", "reference": "R"}
    aligned = ("align", "align+", "align+m:1")
    options = {n: v for n, v in case.world.options.items() if n not in {"at", "measures"}}
    options["rules"] = {**options.get("rules", {}), "failures": "measure"}
    for metric in aligned:
        measures = [f"{metric}(rouge_1,{side})" for side in names.values()]
        world = replace(case.world, options={**options, "measures": measures})
        scores = case.scored(world)
        rows = table_of(case, "--explain", "partners", world=world)
        for run, topic, measure, *_ in scores.records():
            sides = [side for side in names if f",{names[side]}" in measure]
            own = [r for r in rows if (r["run"], r["topic"], r["side"]) == (run, topic, *sides)]
            whole = sum(int(row["ngrams"]) for row in own)
            if topic != "all" and whole:
                hits = math.fsum(float(r["hits"] or 0) * float(r["weight"]) for r in own)
                near(case, scores.value(measure, run=run, topic=topic), hits / whole)


WAYS: Mapping[str, Callable[[Case], None]] = {
    "another form": another_form,
    "columns rearranged": columns_rearranged,
    "rows shuffled": rows_shuffled,
    "runs apart": runs_apart,
    "runs by name": runs_by_name,
    "a run alone": a_run_alone,
    "another engine": other_engine,
    "the command line": command_line,
    "saved and read": saved_and_read,
    "compared and reported": compared,
}
"""What every family has."""
MORE: Mapping[str, Callable[[Case], None]] = {
    "the end of the curve": end_of_the_curve,
    "nuggets explained": nuggets_explained,
    "clusters explained": clusters_explained,
    "alerts explained": alerts_explained,
    "types explained": types_explained,
    "one long batch": one_long_batch,
    "official files": official_files,
    "in blocks": in_blocks,
    "as a stream": as_a_stream,
    "matches given": matches_given,
    "kept matches": kept_matches,
    "the track's files of changes": track_files_of_changes,
    "sets explained": sets_explained,
    "assignments of responses": assignments_of_responses,
    "labels explained": labels_explained,
    "timelines as JSON": timelines_as_json,
    "partners explained": partners_explained,
}
"""What some have."""
