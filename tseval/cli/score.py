"""`tseval score`: what its family declares, and beside it runs in blocks and live streams."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli.family_command import Call, Extension, Request, command_of, written_scores
from tseval.cli.ineffective_options import refuse_ineffective
from tseval.cli.options import refuse_sharing
from tseval.cli.output import check_output, deliver, form_of, leave_if, warn
from tseval.cli.progress import progress
from tseval.core.calling import CommonOptions
from tseval.core.declared import SCORES, files_given, option
from tseval.core.naming import AS_THEY_ARE, NamedStream, named_stream
from tseval.core.requirements import failures, required, requirements
from tseval.core.wording import count
from tseval.errors import InputError, UsageError, input_error, reason_of
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.inputs import TemporalInputs
from tseval.files.given import check_inputs
from tseval.files.score_files import RESULT_FORMS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.families.temporal.streaming.follow import Follower

IN_BLOCKS, FOLLOW = "--in-blocks", "--follow"
PIECE = 1 << 20
"""How many bytes of a stream are taken at once, if so many are there."""
WRITTEN_AT_ONCE = 1000
"""Lines of output, if so many are told of what came together."""
STREAM = "-"
"""Updates that are followed come from standard input, whether that is said or not."""


@frozen
class StreamOptions:
    """How updates are read where they are not read whole."""

    in_blocks: int | None = option(
        IN_BLOCKS,
        "Read the updates N at a time, for files larger than memory: TSV, JSON lines, Parquet.",
        metavar="N",
        at_least=1,
        within=(IN_BLOCKS, SCORES),
    )
    follow: bool = option(
        FOLLOW,
        "Read updates as JSON lines from standard input and write the measures as they change, as "
        "JSON lines; the arguments are NUGGETS, or - NUGGETS.",
        kind=bool,
    )
    every: int = option(
        "With --follow: look at the measures after every N updates.",
        default=1,
        metavar="N",
        at_least=1,
        shows_default=True,
        within=(FOLLOW,),
    )
    on_bad_line: str = option(
        "With --follow: stop at a line with a fault, or skip it: report it on standard error, "
        "count it in the state, and go on.",
        default="stop",
        choices=("stop", "skip"),
        shows_default=True,
        within=(FOLLOW,),
    )
    state: Path | None = option(
        "With --follow: save the state there, and go on from it if it is there. The input starts "
        "again with its first line, which is known to be counted.",
        metavar="FILE",
        kind=Path,
        within=(FOLLOW,),
    )
    continued: bool = option(
        "With --state: the input goes on where the state was saved, and does not start again.",
        kind=bool,
        within=(FOLLOW,),
    )


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
        _run(follower)
    except (KeyboardInterrupt, OSError):
        if asked.state is not None and not call.request.quiet:
            sys.stderr.write(_where_it_goes_on(asked.state, follower.saved_lines) + "\n")
        raise


def _where_it_goes_on(state: Path, lines: int) -> str:
    """How to go on after a stream that was interrupted."""
    if not lines:
        return f"{state} holds no line yet: give the stream again with --state {state}"
    return (
        f"{state} holds the first {count(lines, 'line')} of the stream: give the stream again with "
        f"--state {state}, or what follows them with --state {state} --continued"
    )


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


def _run(follower: Follower) -> None:
    from tseval.families.temporal.streaming.follow import blocks_of

    try:
        for lines in blocks_of(_piece):
            with closing(follower.take(lines)) as parts:
                for part in parts:
                    _write(part)
        click.echo(follower.finish())
    except (KeyboardInterrupt, OSError, InputError):  # a full disk under the output, a long line
        follower.save()
        raise


def _piece(size: int) -> bytes:
    """What has come by standard input, at most so many bytes."""
    source: Any = sys.stdin.buffer
    try:
        return bytes(source.read1(min(size, PIECE)))
    except OSError as error:
        raise input_error(STREAM, None, reason_of(error), "", "unreadable-file") from error


def _write(lines: Iterable[str]) -> None:
    """Write lines many at once, and those that were told before whatever ends them."""
    told: list[str] = []
    try:
        for line in lines:
            told.append(line)
            if len(told) == WRITTEN_AT_ONCE:
                together, told = told, []
                click.echo("\n".join(together))
    finally:
        if told:
            click.echo("\n".join(told))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait until what is inside is done; a second one does not wait."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which signals do not reach
        return
    waiting: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def wait(number: int, _: object) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    try:
        signal.signal(signal.SIGINT, wait)
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt


command = command_of(FAMILY, Extension(StreamOptions, streamed))
