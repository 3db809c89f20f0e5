"""`tseval score`: what its family declares, and beside it runs in blocks and live streams."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tseval.cli.family_command import Call, Extension, Request, command_of, written_scores
from tseval.cli.ineffective_options import refuse_ineffective
from tseval.cli.options import refuse_sharing
from tseval.cli.output import check_output, deliver, form_of, leave_if, warn
from tseval.cli.progress import progress
from tseval.cli.streams import (
    FOLLOW,
    IN_BLOCKS,
    STREAM,
    StreamOptions,
    run,
    undisturbed,
    where_it_goes_on,
)
from tseval.core.calling import CommonOptions
from tseval.core.declared import files_given
from tseval.core.naming import AS_THEY_ARE, NamedStream, named_stream
from tseval.core.requirements import failures, required, requirements
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.rules import DRAFT
from tseval.io.given import check_inputs
from tseval.io.score_files import RESULT_FORMS

if TYPE_CHECKING:
    from tseval.families.temporal.streaming.follow import Follower


def streamed(call: Call, asked: StreamOptions) -> bool:
    """Score in blocks, or follow a live stream, if one of them is asked for."""
    way = FOLLOW if asked.follow else IN_BLOCKS
    if not asked.follow and asked.in_blocks is None:
        return False
    refuse_ineffective(FAMILY, way, more=(StreamOptions,))
    if call.request.view is not None:
        raise UsageError(f"--explain has no meaning with {way}")
    if call.request.edition_name != DRAFT.name or call.rules:
        raise UsageError(f"{way} scores by the draft, without other rules")
    if asked.follow:
        refuse_sharing(call.request.where, way)
        follow(call, asked)
    else:
        if call.named.matches is not None:
            refuse_sharing(call.request.where, f"{way} and --matches")
        in_blocks(call, asked.in_blocks or 1)
    return True


def in_blocks(call: Call, rows: int) -> None:
    """Write the scores of runs that need not fit into memory, read so many rows at a time."""
    from tseval.families.temporal.streaming.blocks import score_in_blocks

    request = call.request
    wishes = requirements(request.require)
    check_output(request.output)
    form = form_of(request.form, request.output, ("table", *RESULT_FORMS), "table")
    inputs, common = call.inputs(request.files), _common(request)
    with request.where.shared() as sharing, progress("folding", request.quiet) as tell:
        scores = score_in_blocks(inputs, call.options, common, rows, tell, sharing)
    unmet = failures(required(wishes, scores.runs, FAMILY.name), scores)
    deliver(written_scores(scores, request, form), request.output, form=form)
    leave_if(unmet)


def follow(call: Call, asked: StreamOptions) -> None:
    """Read standard input to its end, and write as measures change."""
    files = call.request.files
    if len(files) not in (1, 2) or files[:-1] not in ((), (STREAM,)):
        raise click.UsageError("With --follow give the file of nuggets, or - and it.")
    naming = call.request.naming
    placed = replace(call, request=replace(call.request, naming=AS_THEY_ARE))
    stream = named_stream(placed.inputs((STREAM, files[-1])), naming, "updates")
    inputs = stream.beside
    unused = {
        "-f": call.request.form,
        "-o": call.request.output,
        "--duplicates": inputs.duplicates,
        "--input-format": call.request.input_format,
        "--brief": call.request.brief,
        "--require": call.request.require,
        "--name": naming.run_names,
    }
    for flag, value in unused.items():
        if value:
            raise UsageError(f"{flag} has no meaning with --follow, which writes JSON lines")
    check_output(asked.state)
    if asked.continued and asked.state is None:
        raise UsageError("--continued needs the state to go on from: --state FILE")
    check_inputs(files_given(inputs))
    follower = _follower(call, stream, asked)
    try:
        run(follower)
    except (KeyboardInterrupt, OSError):
        if asked.state is not None and not call.request.quiet:
            sys.stderr.write(where_it_goes_on(asked.state, follower.saved_lines) + "\n")
        raise


def _follower(call: Call, stream: NamedStream[TemporalInputs], asked: StreamOptions) -> Follower:
    """What follows the stream."""
    from tseval.families.temporal.streaming.follow import Follower, Following
    from tseval.families.temporal.streaming.scorer import StreamScorer

    scorer = StreamScorer(stream.beside, call.options, _common(call.request), stream.said)
    following = Following(
        every=asked.every,
        per_topic=call.request.per_topic,
        state=asked.state,
        continued=asked.continued,
        schema=stream.schema,
        skips_bad_lines=asked.on_bad_line == "skip",
        tell=lambda fault: warn([f"skipped {fault.report()}"], call.request.quiet),
        times=stream.times,
        undisturbed=undisturbed,
    )
    return Follower(scorer, following)


def _common(request: Request) -> CommonOptions:
    """The options of every family, as the call in Python has them."""
    return CommonOptions(
        request.wanted,
        request.at,
        on_missing=request.on_missing,
        undefined=request.undefined,
        forms=request.input_format,
    )


command = command_of(FAMILY, Extension(StreamOptions, streamed))
