"""Runs in blocks, and live streams: what commands take beside, of families that can do it."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli.family_command import Call, requested_scores, written_scores
from tseval.cli.ineffective_options import refuse_ineffective
from tseval.cli.options import refuse_sharing
from tseval.cli.output import check_output, deliver, form_of, leave_if, warn
from tseval.cli.progress import progress
from tseval.core import registry
from tseval.core.declared import SCORES, declared, input_files, option
from tseval.core.family import Access, Gold, ViewRequest
from tseval.core.naming import AS_THEY_ARE, named_stream
from tseval.core.requirements import failures, required, requirements
from tseval.core.scoring import apply_missing_rule
from tseval.core.wording import count
from tseval.errors import InputError, UsageError, input_error, reason_of
from tseval.io.formats import form_for
from tseval.io.given import check_inputs
from tseval.io.score_files import RESULT_FORMS
from tseval.parallel.sharing import ALONE, Sharing
from tseval.records import frozen

IN_BLOCKS, FOLLOW = "--in-blocks", "--follow"
PIECE = 1 << 20
"""How many bytes of a stream are taken at once, if so many are there."""
WRITTEN_AT_ONCE = 1000
"""Lines of output, if so many are told of what came together."""
STREAM = "-"
"""The rows that are followed come from standard input, whether that is said or not."""


@frozen
class StreamOptions:
    """How runs are read where they are not read whole."""

    in_blocks: int | None = option(
        IN_BLOCKS,
        "Read the runs N rows at a time, for files larger than memory: TSV, JSON lines, Parquet.",
        metavar="N",
        at_least=1,
        within=(IN_BLOCKS, SCORES),
    )
    follow: bool = option(
        FOLLOW,
        "Read rows of runs as JSON lines from standard input and write the measures as they "
        "change, as JSON lines; name no run, or - for it.",
        kind=bool,
    )
    every: int = option(
        "With --follow: look at the measures after every N rows.",
        default=1,
        metavar="N",
        at_least=1,
        within=(FOLLOW,),
    )
    on_bad_line: str = option(
        "With --follow: stop at a line with a fault, or skip it: report it on standard error, "
        "count it in the state, and go on.",
        default="stop",
        choices=("stop", "skip"),
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
    family, request = call.family, call.request
    refuse_ineffective(family, way, more=(StreamOptions,))
    has_matches = getattr(call.named, "matches", None) is not None
    if asked.follow or not family.work or has_matches:  # else it is matching that is shared out
        refuse_sharing(request.where, f"{way} and --matches" if has_matches else way)
    if call.view is not None:
        raise UsageError(f"{family.view_option} has no meaning with {way}")
    for name, what in declared(type(call.options)):
        if what.is_output and getattr(call.options, name.name) is not None:
            raise UsageError(f"{what.name} has no meaning with {way}")
    if asked.follow:
        follow(call, asked)
    else:
        score_blocks(call, asked.in_blocks or 1)
    return True


def read_gold(call: Call, inputs: Any, sharing: Sharing = ALONE) -> Gold:
    """Read everything but the runs."""
    family, request = call.family, call.request
    if family.gold is None:
        raise UsageError(f"runs of {family.name} are read whole")
    edition = registry.edition(request.edition_name, family.name)
    access = Access(request.input_format, sharing, wanted=request.wanted)
    return family.gold(inputs, call.options, edition, call.rules, access)


def runs_field(call: Call) -> str:
    """The field of the inputs that has the runs."""
    return next(field.name for field, what in declared(call.family.inputs) if what.several)


def score_blocks(call: Call, size: int) -> None:
    """Write the scores of runs that need not fit into memory, read so many rows at a time."""
    from tseval.core.streams import read_in_blocks

    request, family = call.request, call.family
    wishes = requirements(request.require)
    check_output(request.output)
    form = form_of(request.form, request.output, ("table", *RESULT_FORMS), "table")
    inputs = call.inputs(request.files)
    with request.where.shared() as sharing, progress("folding", request.quiet) as tell:
        evaluation, wanted = read_in_blocks(
            read_gold(call, inputs, sharing),
            getattr(inputs, runs_field(call)),
            request.wanted,
            request.at,
            form=form_for(request.input_format, "run"),
            size=size,
            tell=tell,
        )
    missing, undefined = request.on_missing, request.undefined
    asked = ViewRequest(tuple(wanted), call.options, request.per_topic, missing, undefined)
    scores = requested_scores(evaluation, asked, request, form)
    unmet = failures(required(wishes, scores.runs, family.name), scores)
    notes = apply_missing_rule(evaluation, missing).notes(wanted)
    deliver(written_scores(scores, request, form, notes), request.output, form=form)
    leave_if(unmet)


def follow(call: Call, asked: StreamOptions) -> None:
    """Read standard input to its end, and write as measures change."""
    from tseval.core.streams import Follower, Following

    request, field = call.request, runs_field(call)
    places = [what for _, what in declared(call.family.inputs) if not what.flags]
    files = request.files
    if len(files) - len(places) not in (-1, 0) or (
        len(files) == len(places) and files[0] != STREAM
    ):
        others = ", then ".join(what.help for what in places if not what.several)
        raise click.UsageError(f"With --follow give {others}, or - and it.")
    unused = {
        "-f": request.form,
        "-o": request.output,
        "--input-format": request.input_format,
        "--brief": request.brief,
        "--require": request.require,
        "--name": request.naming.run_names,
    }
    for flag, value in unused.items():
        if value:
            raise UsageError(f"{flag} has no meaning with --follow, which writes JSON lines")
    check_output(asked.state)
    if asked.continued and asked.state is None:
        raise UsageError("--continued needs the state to go on from: --state FILE")
    placed = replace(call, request=replace(request, naming=AS_THEY_ARE))
    stream = named_stream(
        placed.inputs((STREAM, *files[-len(places) + 1 :])), request.naming, field
    )
    check_inputs(input_files(stream.beside))
    following = Following(
        every=asked.every,
        per_topic=request.per_topic,
        on_missing=request.on_missing,
        undefined=request.undefined,
        state=asked.state,
        continued=asked.continued,
        skips_bad_lines=asked.on_bad_line == "skip",
        said=stream.said,
        times=stream.times,
        tell=lambda fault: warn([f"skipped {fault.report()}"], request.quiet),
        undisturbed=undisturbed,
    )
    gold = read_gold(call, replace(stream.beside, **{field: ()}))
    follower = Follower(gold, request.wanted, request.at, following, stream.schema)
    try:
        run(follower)
    except (KeyboardInterrupt, OSError):
        if asked.state is not None and not request.quiet:
            sys.stderr.write(where_it_goes_on(asked.state, follower.saved_lines) + "\n")
        raise


def where_it_goes_on(state: Path, lines: int) -> str:
    """How to go on after a stream that was interrupted."""
    if not lines:
        return f"{state} holds no line yet: give the stream again with --state {state}"
    return (
        f"{state} holds the first {count(lines, 'line')} of the stream: give the stream again with "
        f"--state {state}, or what follows them with --state {state} --continued"
    )


def run(follower: Any) -> None:
    """Take standard input as it comes, and write what is told."""
    from tseval.io.inputs import complete_lines

    try:
        for lines in complete_lines(iter(piece, b"")):
            with closing(follower.take(lines)) as parts:
                for part in parts:
                    write(part)
        click.echo(follower.finish())
    except (KeyboardInterrupt, OSError, InputError):  # a full disk under the output, a long line
        follower.save()
        raise


def piece() -> bytes:
    """What has come by standard input."""
    source: Any = sys.stdin.buffer
    try:
        return bytes(source.read1(PIECE))
    except OSError as error:
        raise input_error(STREAM, None, reason_of(error), "", "unreadable-file") from error


def write(lines: Iterable[str]) -> None:
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
