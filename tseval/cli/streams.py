"""Runs in blocks, and live streams: what families that can do it take beside."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli.options import Call, check_line
from tseval.cli.output import check_output, warn
from tseval.core.declared import FOLLOW, IN_BLOCKS, UNSHARED, declared, input_files, option
from tseval.core.family import Access, Evaluation
from tseval.core.measure import Measure
from tseval.core.naming import AS_THEY_ARE, named_stream
from tseval.core.wording import count
from tseval.errors import InputError, UsageError, input_error, reason_of
from tseval.io.formats import form_for
from tseval.io.given import check_inputs
from tseval.parallel.sharing import ALONE, Progress, Sharing
from tseval.records import frozen

PIECE = 1 << 20
"""How many bytes of a stream are taken at once, if so many are there."""
TIMES_OF_RUN = "--times run"
"""Another option's value with which all posts of a run are looked at before any is scored."""
WRITTEN_AT_ONCE = 1000
"""How many lines of output are written at once."""
FOLLOWED = ("temporal", "clusters", "filtering", "incidents", "changes")
"""The families whose streams can be followed."""
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
        not_within=(FOLLOW, TIMES_OF_RUN),
    )
    follow: bool = option(
        FOLLOW,
        "Read rows of runs as JSON lines from standard input, and write changed measures as JSON "
        "lines. Give no run, or -.",
        kind=bool,
        not_within=(TIMES_OF_RUN,),
        hidden=True,
    )
    every: int = option(
        "Write the measures that changed after every N rows.",
        default=1,
        metavar="N",
        at_least=1,
        within=(FOLLOW,),
        hidden=True,
    )
    on_bad_line: str = option(
        "Stop at a faulty line, or skip it: report it on standard error, count it in the state, "
        "and continue.",
        default="stop",
        choices=("stop", "skip"),
        within=(FOLLOW,),
        hidden=True,
    )
    state: Path | None = option(
        "Save the state in this file, and continue from it if it exists. The input must start "
        "again at its first line; lines already counted are skipped.",
        within=(FOLLOW,),
        hidden=True,
    )
    continued: bool = option(
        "With --state: the input continues after the saved state, instead of starting again.",
        kind=bool,
        within=("--state",),
        hidden=True,
    )


@frozen
class FollowOptions:
    """Which family a stream is of."""

    family: str = option(
        "The family that scores the stream.", default=FOLLOWED[0], choices=FOLLOWED
    )


def check_stream(call: Call, way: str) -> None:
    """Refuse options that have no meaning where runs are not read whole."""
    called = call.ways | {way: way}
    has_matches = getattr(call.named, "matches", None) is not None
    if way == FOLLOW or not call.family.work or has_matches:  # else it is matching that is shared
        called[UNSHARED] = f"{way} and --matches" if has_matches else way
    check_line(way, *({UNSHARED} & called.keys()), called=called)


def read_gold(call: Call, inputs: Any, sharing: Sharing = ALONE) -> Any:
    """Read everything but the runs."""
    family, request = call.family, call.request
    if family.gold is None:
        raise UsageError(f"runs of {family.name} are read whole")
    access = Access(request.input_format, sharing, wanted=request.wanted)
    return family.gold(inputs, *call.terms, access)


def runs_field(call: Call) -> str:
    """The field of the inputs that has the runs."""
    return next(field.name for field, what in declared(call.family.inputs) if what.several)


def read_runs(
    call: Call, size: int, sharing: Sharing, tell: Progress | None
) -> tuple[Evaluation, list[Measure]]:
    """Read runs that need not fit into memory, so many rows at a time; and their measures."""
    from tseval.core.streams import read_in_blocks

    request, inputs = call.request, call.inputs(call.request.files)
    gold, runs = read_gold(call, inputs, sharing), getattr(inputs, runs_field(call))
    form = form_for(request.input_format, "run")
    wanted, at = request.wanted, request.at
    return read_in_blocks(gold, runs, wanted, at, form=form, size=size, tell=tell)


def follow(call: Call, asked: StreamOptions) -> None:
    """Read standard input to its end, and write as measures change."""
    from tseval.core.streams import Follower, Following
    from tseval.io.inputs import complete_lines

    check_stream(call, FOLLOW)
    request, field = call.request, runs_field(call)
    places = [what for _, what in declared(call.family.inputs) if not what.flags]
    files = request.files[1:] if request.files[:1] == (STREAM,) else request.files
    if len(files) != len(places) - 1:
        others = ", then ".join(what.help for what in places if not what.several)
        raise click.UsageError(f"With --follow give {others}, or - and it.")
    check_output(asked.state)
    placed = replace(call, request=replace(request, naming=AS_THEY_ARE))
    stream = named_stream(placed.inputs((STREAM, *files)), request.naming, field)
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
        for lines in complete_lines(iter(piece, b"")):
            with closing(follower.take(lines)) as parts:
                for part in parts:
                    write(part)
        click.echo(follower.finish())
    except (KeyboardInterrupt, OSError, InputError) as error:  # a full disk, a line too long
        try:
            follower.save()
        finally:
            if asked.state is not None and not (request.quiet or isinstance(error, InputError)):
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
