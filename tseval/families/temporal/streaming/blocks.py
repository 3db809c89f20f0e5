"""Scores of inputs that are larger than memory: read, matched and folded a block at a time.

What has to fit is one block, the gold, the matches if they are given, and eight bytes an update by
which one that stands twice is found. The scores are those of `tseval.score`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import get_args

import numpy as np

from tseval.core.calling import CommonOptions
from tseval.core.declared import files_given
from tseval.core.naming import Naming, named
from tseval.core.scores import Scores
from tseval.core.scoring import Undefined
from tseval.errors import UsageError, check_choice
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.files import refuse_swapped
from tseval.families.temporal.streaming.caveats import refuse_foreign_matches, refuse_foreign_pool
from tseval.families.temporal.streaming.fold import Fold
from tseval.families.temporal.streaming.gold import StreamGold
from tseval.families.temporal.streaming.scorer import StreamScorer
from tseval.files.update_blocks import ROWS, BlockInput
from tseval.files.update_marks import numbers
from tseval.io.faults import FaultList
from tseval.io.formats import form_for
from tseval.io.given import FrameInput, check_inputs, input_of, is_frame, run_names
from tseval.io.inputs import Input
from tseval.io.names import natural_order
from tseval.io.repeats import Repeats
from tseval.io.schema import UPDATES
from tseval.parallel.sharing import ALONE, Progress, Sharing
from tseval.tables import Updates


def score_in_blocks(
    inputs: TemporalInputs,
    options: TemporalOptions | None = None,
    common: CommonOptions | None = None,
    rows: int = ROWS,
    progress: Progress | None = None,
    sharing: Sharing = ALONE,
) -> Scores:
    """The scores of runs that need not fit into memory, read so many rows at a time.

    Runs are files of TSV, JSON lines or Parquet in any order; the edition is the draft. Sums of
    costs that are not whole numbers may differ from those of `score` in the last digit. Where a
    block's matching is shared out, this process reads the next one meanwhile.
    """
    options, common = options or TemporalOptions(), common or CommonOptions()
    inputs = named(inputs, Naming.of(common.columns, common.times))
    check_choice("undefined", common.undefined, get_args(Undefined))
    runs = _runs(inputs, form_for(common.forms, "updates"))
    scorer = StreamScorer(inputs, options, common)
    gold, pairing, fold = scorer.gold, scorer.pairing, scorer.fold
    fold.has_cost = any(each.has_cost for each in runs)
    blocks = _blocks(runs, rows, fold.has_cost)
    with pairing.shared(sharing):
        for updates in blocks if sharing.is_here else _read_ahead(blocks):
            known = gold.known(updates)
            fold.add(known.updates, pairing.pairs(known.updates), known.sampled)
            if progress:
                progress(fold.updates, fold.updates)
    _check_fit(fold, gold)
    pairing.check()
    records = [replace(each.record, runs=tuple(each.runs)) for each in runs]
    records += [source for origin in gold.origins.values() for source in origin.sources]
    return scorer.scores(records, [each.name for each in runs if not each.record.rows])


def _read_ahead(blocks: Iterator[Updates]) -> Iterator[Updates]:
    """The same blocks, each read while the one before is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = reader.submit(next, blocks, None)
            yield block


def _check_fit(fold: Fold, gold: StreamGold) -> None:
    """Refuse matches and a pool that are all of other runs."""
    runs = natural_order(fold.runs)
    if gold.matches is not None:
        refuse_foreign_matches(gold.matches, runs)
    seen = [run.seen for run in fold.runs.values()]
    if gold.pool is not None and not any(each.pooled for each in seen):
        refuse_foreign_pool(gold.pool, runs, sum(each.judged for each in seen))


def _runs(sources: TemporalInputs, form: str | None) -> list[BlockInput]:
    """The runs, with the names that they have without a column `run`."""
    if not sources.updates:
        raise UsageError("no run is given: name at least one table of updates")
    if any(is_frame(each) or isinstance(each, FrameInput) for each in sources.updates):
        raise UsageError("a frame is in memory already: blocks are read from files")
    check_inputs(files_given(sources))
    refuse_swapped(sources.updates, sources.nuggets)
    files = [input_of(each, UPDATES) for each in sources.updates]
    names = run_names(files)
    return [BlockInput(each, name, form) for each, name in zip(files, names, strict=True)]


def _blocks(inputs: Sequence[BlockInput], rows: int, has_cost: bool) -> Iterator[Updates]:
    """The updates of all inputs; one that stands twice in a run is a fault."""
    repeats = Repeats()
    for at, each in enumerate(inputs):
        for updates in each.blocks(rows):
            each.runs.update(dict.fromkeys(updates.run.vocabulary()))
            cost = np.ones(len(updates)) if updates.cost is None and has_cost else updates.cost
            suspects = repeats.suspects(numbers(updates))
            if len(suspects):
                _check_suspects(inputs[: at + 1], updates, suspects.tolist(), rows)
            yield replace(updates, cost=cost)


def _check_suspects(
    inputs: Sequence[BlockInput], updates: Updates, suspects: Sequence[int], rows: int
) -> None:
    """Look whether these rows really stood before: read again up to them."""
    wanted = {_key(updates, row): row for row in reversed(suspects)}
    faults = FaultList(inputs[-1].source)
    first: dict[tuple[str, str, str], str] = {}
    for place in _places(inputs, rows):
        key, source, line = place
        if key not in wanted:
            continue
        own = source is inputs[-1].source and line >= int(updates.origin.line[wanted[key]])
        if key not in first:
            first[key] = f"{source.path}:{line}"
        elif own:
            reason = f'update_id "{key[2]}" stands twice in run "{key[0]}"'
            cure = f"first at {first[key]}: remove one of them, or rename it"
            if not first[key].startswith(f"{source.path}:"):
                cure = f"also at {first[key]}: give the files two names: --name {source.path}=NAME"
            faults.add(line, reason, cure, "duplicate-id")
            del wanted[key]
        if not wanted:
            break
    faults.check()


def _places(
    inputs: Sequence[BlockInput], rows: int
) -> Iterator[tuple[tuple[str, str, str], Input, int]]:
    for each in inputs:
        for block in BlockInput(each.source, each.name, each.form).blocks(rows):
            for row, line in enumerate(block.origin.line.tolist()):
                yield _key(block, row), each.source, line


def _key(updates: Updates, row: int) -> tuple[str, str, str]:
    return updates.run[row], updates.topic[row], updates.update_id[row]
