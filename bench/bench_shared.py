"""What tseval shares with ir_measures and ranx: asserted to be equal, then timed side by side.

    python bench/bench_shared.py [--runs N] [--topics N] [--documents N]

Neither is needed by tseval; `pip install ir_measures pytrec-eval-terrier ranx` brings them. The
data are made from a fixed seed: 50 runs of 50 topics with 1,000 documents each, of 2,000 that there
are, 1,200 of them judged from 1 to 4. Equal means to 1e-9. numba compiles what ranx does when it is
first called, which takes seconds. The assertions call all of it before the clock starts. ranx draws
and scores on all cores; the others use one, but for products of matrices in numpy.

Equal, for each run and topic:

* `P`, `R` and `F_1` of `tseval filter` with one cutoff, and `SetP`, `SetR`, `SetF` of ir_measures
  and `precision`, `recall`, `f1` of ranx. Those count what nobody judged as wrong, as
  `--rule unjudged=fp` does. Our default is `judged_only=True` of ir_measures; ranx has none.
* `nDCG@100` of `tseval incidents`, and of ir_measures with the gains 1, 3, 7 and 15 in the place of
  its linear ones and `judged_only=True` (its `exp-log2` is left to others, one of which prints five
  digits); and `ndcg_burges@100` of ranx, which has the gains 2^s - 1 and counts what nobody judged.
  But tseval ranks by four levels and has the mean over all orders of a level; the others rank by
  score, and cut ties by id, or anyhow. So they are equal where no order within a level matters:
  here a run confuses whole levels, and what nobody judged comes last. Elsewhere the mean of
  ir_measures over orders is ours, which is asserted on a smaller size.
* p of the paired t test, and `student` of ranx.

Equal but for a known relation:

* Rank-biased overlap. ranx has none. That of ir_measures is inside `Compat(normalize=False)`, which
  looks down to the end and divides by the weights thus far; tseval goes on beyond the end as it was
  there. Of two orders of the same n documents ours is (1 - p^n) theirs + p^n: with 1,000 documents
  that is the same number, with ten and p = .9 it is more by up to .35. Where documents of the
  ideal tie, `Compat` takes the run's order; in tseval tied ones share a rank.
* The randomisation test, and `fisher` of ranx. That always draws, and p is b / m; in tseval it is
  (b + 1) / (m + 1), or exact up to 20 topics. They are equal as far as draws can be, six standard
  deviations. With the same seed ranx draws differently each time. And it compares sums without room
  for rounding: with scores in tenths it misses draws that are just as far from 0, and p is too
  small. A line tells how much.

Not equal, by definition:

* A topic without a positive document: no P, R or F here, and 0 in both others.
* `F_1` of all topics is the harmonic mean of the means of P and R; theirs is the mean of F.
* No difference on any topic: p of t is 1 here, and no number in ranx. The same difference on all:
  no p here, and 0, or nearly, in ranx, as rounding has it.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import math
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import tseval
from bench.rows import Row, tell
from tseval.comparison import Board, Plan, compare, correlate, read_board
from tseval.comparison.runs import compare_board
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, scores_of
from tseval.families.filtering.family import FAMILY as FILTERING
from tseval.families.filtering.family import FilterInputs, FilterOptions
from tseval.families.incidents.family import FAMILY as INCIDENTS
from tseval.families.incidents.family import IncidentInputs, IncidentOptions
from tseval.families.incidents.files import LEVELS
from tseval.statistics.paired import p_values
from tseval.statistics.ranks import overlap_rows

Floats: TypeAlias = NDArray[np.float64]

INSTALL = "pip install ir_measures pytrec-eval-terrier ranx"
NEEDED = ("ir_measures", "pytrec_eval", "ranx", "ranx.statistical_tests")
CLOSE = 1e-9
POSITIVE = 3
"""The grade from which on a document is positive; tseval calls it useful."""
GAINS = {grade: 2**grade - 1 for grade in range(1, 5)}
ORDERS = tuple(permutations(range(1, 5)))
"""The ways to confuse four levels."""
PERSISTENCE = 0.9
DRAWS = 10_000
SPREADS = 6
"""So many standard deviations may two drawn p values be apart."""


def loaded() -> list[Any]:
    """What is compared with; one line says how to get it where it is missing."""
    try:
        return [importlib.import_module(name) for name in NEEDED]
    except ImportError as error:
        raise SystemExit(f"{error.name or error} is missing: {INSTALL}") from None


ir_measures, _, ranx, ranx_tests = loaded()

# Data.


@dataclass(frozen=True)
class Files:
    """The same runs and judgments: as tseval reads them, and in the forms of trec_eval."""

    runs: tuple[str, ...]
    truth: str
    labels: str
    ontology: str
    trec_runs: tuple[str, ...]
    qrels: str
    topics: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path, runs: int, topics: int) -> Files:
        """Where they will be."""
        return cls(
            runs=tuple(str(folder / f"run{at:02}.tsv") for at in range(runs)),
            truth=str(folder / "truth.tsv"),
            labels=str(folder / "labels.tsv"),
            ontology=str(folder / "types.json"),
            trec_runs=tuple(str(folder / f"run{at:02}.trec") for at in range(runs)),
            qrels=str(folder / "qrels"),
            topics=tuple(f"t{at:02}" for at in range(topics)),
        )


def written(folder: Path, runs: int, topics: int, documents: int) -> Files:
    """Made-up files. Nothing of the last topic is positive; the first run lacks the first topic."""
    files, random = Files.of(folder, runs, topics), np.random.default_rng(0)
    number = topics * documents * 2
    grade = random.choice(5, number, p=[0.4, 0.3, 0.21, 0.07, 0.02])
    grade[-documents * 2 :] = np.minimum(grade[-documents * 2 :], POSITIVE - 1)
    topic = np.repeat(files.topics, documents * 2)
    post = [f"d{at:06}" for at in range(number)]
    all_of = pd.DataFrame({"topic": topic, "post_id": post, "time": 1_700_000_000, "grade": grade})
    judged = all_of[grade > 0]
    tsv: dict[str, Any] = {"sep": "\t", "index": False}
    judged.assign(relevance=judged.grade - 2).to_csv(files.truth, **tsv)
    judged.assign(level=np.array(LEVELS)[judged.grade]).to_csv(files.labels, **tsv)
    judged.assign(iteration=0)[["topic", "iteration", "post_id", "grade"]].to_csv(
        files.qrels, sep=" ", index=False, header=False
    )
    Path(files.ontology).write_text('{"informationTypes": [{"id": "Report-Weather"}]}')
    for at in range(runs):
        liking = random.random(number) + grade * (0.05 + 0.2 * at / runs)
        order = np.argsort(-liking.reshape(topics, -1), axis=1)[int(at == 0) :, :documents]
        row = (order + np.arange(topics)[int(at == 0) :, None] * documents * 2).ravel()
        said = np.append(0, ORDERS[at % len(ORDERS)])[grade[row]]
        within = random.uniform(0.01, 0.24, len(row))
        priority = np.where(said > 0, (said - 1) / 4 + within, within / 100).round(4)
        run = all_of.iloc[row].assign(confidence=priority, priority=priority, Q0="Q0", tag="made")
        run.drop(columns=["grade", "Q0", "tag"]).to_csv(files.runs[at], **tsv)
        trec = run.assign(rank=1)[["topic", "Q0", "post_id", "rank", "priority", "tag"]]
        trec.to_csv(files.trec_runs[at], sep=" ", index=False, header=False)
    return files


# Scores of runs, of the shape (runs, topics, measures).


class Scored(NamedTuple):
    """The values, and the seconds that reading and scoring took."""

    values: Floats
    reading: float
    scoring: float


def our_sets(files: Files, unjudged: str = "ignore") -> tuple[Scored, Scores]:
    """P, R and F_1 by `tseval filter`; NaN is undefined."""
    start = time.perf_counter()
    inputs = FilterInputs(files.runs, files.truth)
    options = FilterOptions(cutoff="0", level="useful", unjudged=unjudged)
    evaluation = evaluated(FILTERING, inputs, options)
    read = time.perf_counter()
    scores = scores_of(evaluation, chosen_measures(evaluation, ["P", "R", "F_1"]))
    took = read - start, time.perf_counter() - read
    return Scored(np.where(scores.defined, scores.values, np.nan), *took), scores


def our_ranking(files: Files) -> Scored:
    """nDCG@100 by `tseval incidents`, of the events."""
    start = time.perf_counter()
    inputs = IncidentInputs(files.runs, files.labels, files.ontology)
    evaluation = evaluated(INCIDENTS, inputs, IncidentOptions(), CommonOptions(edition="2021"))
    read = time.perf_counter()
    scores = scores_of(evaluation, chosen_measures(evaluation, ["nDCG@100"]))
    took = read - start, time.perf_counter() - read
    return Scored(scores.values[:, [scores.topics.index(t) for t in files.topics]], *took)


def of_ir_measures(files: Files, measures: Sequence[Any]) -> Scored:
    """The same measures of every run by ir_measures."""
    start = time.perf_counter()
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(files.qrels)))
    reading, scoring = time.perf_counter() - start, 0.0
    values = np.full((len(files.runs), len(files.topics), len(measures)), np.nan)
    for at, path in enumerate(files.trec_runs):
        start = time.perf_counter()
        lines = ir_measures.read_trec_run(path)
        run = ir_measures.util.RunConverter(lines).as_dict_of_dict()
        read = time.perf_counter()
        for each in evaluator.iter_calc(run):
            place = files.topics.index(each.query_id), measures.index(each.measure)
            values[at][place] = each.value
        reading, scoring = reading + read - start, scoring + time.perf_counter() - read
    return Scored(values, reading, scoring)


def of_ranx(files: Files, measures: Sequence[str]) -> Scored:
    """The same measures of every run by ranx; its topics are sorted as ours."""
    start = time.perf_counter()
    qrels = ranx.Qrels.from_file(files.qrels, kind="trec")
    reading, scoring = time.perf_counter() - start, 0.0
    values = []
    for path in files.trec_runs:
        start = time.perf_counter()
        run = ranx.Run.from_file(path, kind="trec").make_comparable(qrels)
        read = time.perf_counter()
        found = ranx.evaluate(qrels, run, list(measures), return_mean=False)
        by_name = found if len(measures) > 1 else {measures[0]: found}
        values.append(np.column_stack([by_name[name] for name in measures]))
        reading, scoring = reading + read - start, scoring + time.perf_counter() - read
    return Scored(np.array(values), reading, scoring)


def set_measures(*, judged_only: bool) -> list[Any]:
    """The three of ir_measures; its recall asks for nothing but the positive ones."""
    some = {"rel": POSITIVE, "judged_only": judged_only}
    return [ir_measures.SetP(**some), ir_measures.SetR(rel=POSITIVE), ir_measures.SetF(**some)]


def ranked_measure() -> Any:
    """Its nDCG with the gains of the track."""
    return ir_measures.nDCG(cutoff=100, gains=GAINS, judged_only=True)


RANX_SETS = tuple(f"{name}-l{POSITIVE}" for name in ("precision", "recall", "f1"))
RANX_RANKED = ("ndcg_burges@100",)


def same(what: str, ours: Floats, theirs: Floats) -> None:
    """Fail where two arrays are not equal to 1e-9; NaN is equal to NaN."""
    if ours.shape != theirs.shape or not ours.size:
        raise SystemExit(f"{what}: {ours.shape} values, and {theirs.shape}")
    apart = np.where(np.isnan(ours) & np.isnan(theirs), 0.0, np.abs(ours - theirs))
    if not (apart <= CLOSE).all():
        at = np.unravel_index(int(np.argmax(np.nan_to_num(apart, nan=np.inf))), ours.shape)
        raise SystemExit(f"{what}: {ours[at]} is not {theirs[at]}, at {at}")


def check_sets(files: Files) -> None:
    """P, R and F_1 of every run and topic, by either treatment of what nobody judged."""
    for unjudged in ("ignore", "fp"):
        scored, scores = our_sets(files, unjudged)
        theirs = of_ir_measures(files, set_measures(judged_only=unjudged == "ignore")).values
        positive = np.isfinite(scored.values).all(axis=(0, 2))
        if positive.tolist() != [True] * (len(files.topics) - 1) + [False]:
            raise SystemExit("all topics but the last have a positive document")
        same("P, R, F_1", scored.values[:, positive], theirs[:, positive])
        same("a topic without positives", theirs[:, ~positive], np.zeros((len(theirs), 1, 3)))
        p, r, f = scores.means.T
        same("P and R of all topics", scores.means[:, :2], theirs[:, positive, :2].mean(axis=1))
        same("F_1 of all topics", f, 2 * p * r / (p + r))
    same("ranx: precision, recall, f1", of_ranx(files, RANX_SETS).values, theirs)


def check_ranking(files: Files) -> None:
    """nDCG@100 of every run and topic."""
    ours = our_ranking(files).values
    same("nDCG@100 of ir_measures", ours, of_ir_measures(files, [ranked_measure()]).values)
    same("nDCG@100 of ranx", ours, of_ranx(files, RANX_RANKED).values)


def check_orders(folder: Path) -> None:
    """Where levels are mixed: ours is the mean of theirs over orders.

    Each level holds 40 documents and is turned 40 times by one, so that every document is as often
    at each place; two documents that nobody judged lead, and count in neither.
    """
    size, random = 40, np.random.default_rng(1)
    said, grade = np.repeat((4, 3, 2, 1), size), random.integers(1, 5, 4 * size)
    names = [f"d{at:03}" for at in range(4 * size)]
    qrels = {"t": dict(zip(names, grade.tolist(), strict=True))}
    evaluator = ir_measures.evaluator([ranked_measure()], qrels)
    theirs = []
    for turn in range(size):
        place = (np.arange(4 * size) + turn) % size + (4 - said) * size
        scores = (5 * size - place).astype(float).tolist()
        run = {"t": dict(zip(names, scores, strict=True)) | {"x": 1e4, "y": 1e5}}
        theirs.append(next(iter(evaluator.iter_calc(run))).value)
    posts = pd.DataFrame({"topic": "t", "post_id": names})
    unjudged = pd.DataFrame({"topic": "t", "post_id": ["x", "y"], "priority": 1.0})
    ours = tseval.score_incidents(
        pd.concat([posts.assign(priority=said / 4), unjudged]),
        posts.assign(level=np.array(LEVELS)[grade], time=range(len(names))),
        folder / "types.json",
        "nDCG@100",
        edition="2021",
    )
    if np.ptp(theirs) < 0.01:
        raise SystemExit("the orders of a level make no difference")
    same("the mean over orders", ours.values[:, 0, 0], np.mean(theirs, keepdims=True))


# Comparing runs.


def made_scores(runs: int, topics: int) -> pd.DataFrame:
    """Scores without ties; each run is a little better than the next."""
    random = np.random.default_rng(2)
    skill = np.linspace(0.15, 0, runs)[:, None]
    noise = random.normal(0, 0.08, (runs, topics))
    return as_frame(random.beta(2, 3, (1, topics)) + skill + noise)


def as_frame(values: Floats) -> pd.DataFrame:
    """A table of scores from an array of runs x topics."""
    run, topic = np.indices(values.shape).reshape(2, -1)
    names = {"run": [f"r{at:02}" for at in run], "topic": [f"t{at:02}" for at in topic]}
    return pd.DataFrame({**names, "measure": "M", "value": values.ravel()})


def pairs_of(board: Board) -> list[tuple[Floats, Floats]]:
    """The scores of each two runs, in the order of the contests."""
    values = board.of("M")[0]
    first, second = np.triu_indices(len(values), 1)
    return list(zip(values[first], values[second], strict=True))


def student(board: Board) -> Floats:
    """The p values by ranx."""
    return np.array([ranx_tests.paired_student_t_test(a, b)[0] for a, b in pairs_of(board)])


def fisher(board: Board) -> Floats:
    """The p values by ranx, each drawn 10,000 times."""
    test = ranx_tests.fisher_randomization_test
    return np.array([test(a, b, DRAWS)[0] for a, b in pairs_of(board)])


def by_tseval(board: Board, test: str) -> Floats:
    """The p values alone, as `tseval compare` has them."""
    differences = np.column_stack([a - b for a, b in pairs_of(board)])
    return p_values(differences, test, np.random.SeedSequence(0), DRAWS)


def check_tests(board: Board) -> None:
    """Every pair by both tests."""
    for test in ("t", "randomisation"):
        found = compare_board(board, Plan(test=test, correction="none"))
        ours = np.array([math.nan if each.p is None else each.p for each in found.contests])
        if test == "t":
            same("p of t", ours, student(board))
        else:
            alike("p of randomisation", ours, fisher(board), exact=len(board.topics) <= 20)


def alike(what: str, ours: Floats, theirs: Floats, *, exact: bool) -> None:
    """Fail where two p values are further apart than draws can be; ours may be exact."""
    likely = (ours + theirs) / 2
    spread = np.sqrt(likely * (1 - likely) * (1 if exact else 2) / DRAWS)
    wrong = np.flatnonzero(np.abs(ours - theirs) > SPREADS * spread + 10 / DRAWS)
    if len(wrong):
        raise SystemExit(f"{what}: {ours[wrong[0]]}, and {theirs[wrong[0]]} is too far from it")


def check_without_difference() -> None:
    """Runs that are the same on all topics, and those that differ by the same everywhere."""
    run = np.linspace(0, 1, 30)
    found = compare(as_frame(np.array([run, run])), test="t")
    drawn = compare(as_frame(np.array([run, run])), test="randomisation")
    flat = compare(as_frame(np.array([run, run + 0.25])), test="t")
    if (found.contests[0].p, drawn.contests[0].p, flat.contests[0].p) != (1.0, 1.0, None):
        raise SystemExit("p where nothing differs, or all by the same")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = ranx_tests.paired_student_t_test(run, run)[0]
        of_flat = ranx_tests.paired_student_t_test(run, run + 0.25)[0]
    print(f"no difference: p of t 1, of ranx {theirs}; .25 on all topics: none, {of_flat:.1g}")


def tell_tenths() -> None:
    """What becomes of scores in tenths, where many sums are the same but for rounding."""
    a = np.array([6, 3, 7, 1, 2, 9, 4, 8, 5, 3])
    b = np.array([3, 2, 5, 4, 1, 3, 2, 7, 6, 1])
    signs = np.array(list(product((1, -1), repeat=len(a))))
    exact = float((np.abs(signs @ (a - b)) >= abs((a - b).sum())).mean())
    ours = compare(as_frame(np.array([a, b]) / 10), test="randomisation").contests[0].p
    if ours is None or abs(ours - exact) > CLOSE:
        raise SystemExit(f"scores in tenths: {ours}, not {exact}")
    theirs = ranx_tests.fisher_randomization_test(a / 10, b / 10, 100 * DRAWS)[0]
    print(f"ten scores in tenths: exact p {exact:.4f}, tseval {ours:.4f}, ranx {theirs:.4f}")


# Rankings.


def made_orders(lists: int, length: int) -> list[tuple[Floats, Floats]]:
    """Pairs of lists without ties, the one like the other."""
    random = np.random.default_rng(3)
    first = random.normal(0, 1, (lists, length))
    return list(zip(first, first + random.normal(0, 0.5, first.shape), strict=True))


def as_topics(pairs: Sequence[tuple[Floats, Floats]]) -> tuple[Any, Any]:
    """The lists for ir_measures: the first by grades that fall by one, the second by its scores."""
    names = [f"d{at:04}" for at in range(len(pairs[0][0]))]
    qrels, run = {}, {}
    for at, (first, second) in enumerate(pairs):
        grade = 1 + np.argsort(np.argsort(first))
        qrels[f"t{at:04}"] = dict(zip(names, grade.tolist(), strict=True))
        run[f"t{at:04}"] = dict(zip(names, second.tolist(), strict=True))
    return qrels, run


def compat(qrels: Any, run: Any) -> Floats:
    """The overlap of each pair by ir_measures."""
    measure = ir_measures.Compat(p=PERSISTENCE, normalize=False)
    found = {each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)}
    return np.array([found[topic] for topic in qrels])


def overlaps(pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The overlap of each pair by tseval."""
    return np.array([overlap_rows(*np.array(each)[:, None], PERSISTENCE)[0] for each in pairs])


def beyond(cut: Floats, length: int) -> Floats:
    """What the overlap of two orders of the same documents is if it goes on beyond the end."""
    rest = PERSISTENCE**length
    return cut * (1 - rest) + rest


def check_overlap(runs: int, topics: int) -> None:
    """Long lists, short ones, and `tseval compare --against`."""
    long, short = made_orders(4, 1000), made_orders(100, 10)
    same("the overlap of long lists", overlaps(long), compat(*as_topics(long)))
    cut = compat(*as_topics(short))
    same("the overlap of short lists", overlaps(short), beyond(cut, 10))
    print(f"overlap of ten: ours is up to {np.max(overlaps(short) - cut):.2f} above Compat's")
    ours, theirs = made_scores(runs, topics), made_scores(runs + 1, topics)
    sides = [each.value.to_numpy().reshape(-1, topics)[:runs].T for each in (ours, theirs)]
    found = correlate(ours, theirs[theirs.run < f"r{runs:02}"], plan=Plan(resamples=100))
    rows = found.frame("correlations").set_index(["level", "coefficient"])
    own = np.array([rows.value["within topics", "RBO"]])
    expected = beyond(compat(*as_topics(list(zip(*sides, strict=True)))), runs)
    same("the overlap of compare --against", own, expected.mean(keepdims=True))


# Times.


def best(work: Callable[[], object]) -> float:
    """The seconds of the best of three."""
    took = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


def alone(work: Callable[[], Scored]) -> Scored:
    """What a program does where the collector passes over what the others hold in memory."""
    gc.collect()
    gc.freeze()
    return work()


def tell_scores(what: str, size: str, works: dict[str, Callable[[], Scored]]) -> None:
    """A row for each other program: reading and scoring, either the best of three, in turn."""
    found = {}
    rounds = [{name: alone(work) for name, work in works.items()} for _ in range(3)]
    for name in works:
        reading = min(each[name].reading for each in rounds)
        scoring = min(each[name].scoring for each in rounds)
        found[name] = {"reading": reading, "scoring": scoring}
    ours = found.pop("tseval")
    for name, (part, own) in product(found, ours.items()):
        tell(Row(f"{what}: {part}", size, own, instead=name, other=found[name][part]))


def time_scores(files: Files, documents: int) -> None:
    """Sets and rankings from files to scores."""
    size = f"{len(files.runs)} runs x {len(files.topics)} topics x {documents:,} documents"
    measures = set_measures(judged_only=True)
    tell_scores(
        "P, R, F_1",
        size,
        {
            "tseval": lambda: our_sets(files)[0],
            "ir_measures": lambda: of_ir_measures(files, measures),
            "ranx": lambda: of_ranx(files, RANX_SETS),
        },
    )
    tell_scores(
        "nDCG@100",
        size,
        {
            "tseval": lambda: our_ranking(files),
            "ir_measures": lambda: of_ir_measures(files, [ranked_measure()]),
            "ranx": lambda: of_ranx(files, RANX_RANKED),
        },
    )


def time_test(board: Board, test: str, theirs: Callable[[Board], Floats]) -> None:
    """All pairs by one test: p values, and what else `tseval compare` says."""
    plan = Plan(test=test, correction="none")
    alone, whole = best(lambda: by_tseval(board, test)), best(lambda: compare_board(board, plan))
    other = best(lambda: theirs(board))
    size = f"{len(pairs_of(board)):,} pairs of {len(board.topics)} topics"
    tell(Row(f"p by {test}", size, alone, instead="ranx", other=other))
    tell(Row(f"{test} with intervals, sizes and letters", size, whole, instead="ranx", other=other))


def time_overlap(lists: int) -> None:
    """The overlap of long lists."""
    pairs = made_orders(lists, 1000)
    qrels, run = as_topics(pairs)
    ours, theirs = best(lambda: overlaps(pairs)), best(lambda: compat(qrels, run))
    size = f"{lists} x 2 lists of 1,000"
    tell(Row("rank-biased overlap", size, ours, instead="ir_measures", other=theirs))


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=50)
    options.add_argument("--topics", type=int, default=50)
    options.add_argument("--documents", type=int, default=1000)
    given = options.parse_args()
    board = read_board(made_scores(given.runs, given.topics))
    with tempfile.TemporaryDirectory() as name:
        files = written(Path(name), given.runs, given.topics, given.documents)
        check_sets(files)
        check_ranking(files)
        check_orders(Path(name))
        check_tests(read_board(made_scores(10, 12)))
        check_tests(board)
        check_without_difference()
        tell_tenths()
        check_overlap(given.runs, given.topics)
        time_scores(files, given.documents)
    time_test(board, "t", student)
    time_test(board, "randomisation", fisher)
    time_overlap(2 * given.topics)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tell(Row("memory of all three in one process", f"{given.runs} runs", memory, "MiB"))


if __name__ == "__main__":
    main()
