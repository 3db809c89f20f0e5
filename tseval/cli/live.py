"""`tseval score --follow`: the measures of a stream that is not at its end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tseval.cli.options import chained
from tseval.errors import UsageError
from tseval.families.temporal.editions import DRAFT

PIECE = 1 << 20
"""How many bytes are taken at once, if so many are there."""

follow_options = chained(
    click.option(
        "--follow",
        is_flag=True,
        help="Read updates as JSON lines from standard input and write the measures as they "
        "change, as JSON lines; the arguments are NUGGETS, or - NUGGETS.",
    ),
    click.option(
        "--every",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="With --follow: look at the measures after every N updates. Default: 1.",
    ),
    click.option(
        "--state",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="With --follow: save the state there, and go on from it if it is there. The input "
        "starts again with its first line, which is known to be counted.",
    ),
    click.option(
        "--continued",
        is_flag=True,
        help="With --state: the input goes on where the state was saved, and does not start again.",
    ),
)


def refuse_unused(given: dict[str, Any]) -> None:
    """Options of live streams have no meaning without one."""
    for name in ("state", "continued"):
        if given[name]:
            raise UsageError(f"--{name} has no meaning without --follow")
    if given["every"] != 1:
        raise UsageError("--every has no meaning without --follow")


UNUSED = {
    "explain": "--explain",
    "form": "-f",
    "output": "-o",
    "duplicates": "--duplicates",
    "input_format": "--input-format",
    "in_blocks": "--in-blocks",
    "jitter": "--jitter",
    "samples": "--samples",
    "seed": "--seed",
}


def follow(files: tuple[str, ...], given: dict[str, Any]) -> None:
    """Read standard input to its end, and write as measures change."""
    from tseval.cli.options import check_output, given_rules, refuse_sharing

    for name, option in UNUSED.items():
        if given[name]:
            raise UsageError(f"{option} has no meaning with --follow, which writes JSON lines")
    if given["edition_name"] != DRAFT.name or given_rules(given):
        raise UsageError("--follow scores by the draft, without other rules")
    refuse_sharing(given, "--follow")
    check_output(given["state"])
    if given["continued"] and given["state"] is None:
        raise UsageError("--continued needs the state to go on from: --state FILE")
    if len(files) not in (1, 2) or files[:-1] not in ((), ("-",)):
        raise click.UsageError("With --follow give the file of nuggets, or - and it.")
    _run(files[-1], given)


def _run(nuggets: str, given: dict[str, Any]) -> None:
    from tseval.streaming.follow import whole_lines

    follower = _follower(nuggets, given)
    source: Any = sys.stdin.buffer
    try:
        for lines in whole_lines(lambda: source.read1(PIECE)):
            for line in follower.take(lines):
                click.echo(line)
        click.echo(follower.finish())
    except (KeyboardInterrupt, OSError):  # a pipe that nobody reads, a full disk under the output
        follower.save()
        raise


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait until what is inside is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which signals do not reach
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt


def _follower(nuggets: str, given: dict[str, Any]) -> Any:
    """What the options ask for."""
    from tseval.families.temporal.evaluation import TemporalInputs
    from tseval.files.frames import check_inputs
    from tseval.streaming.blocks import Pairing, foldable, read_gold, wanted_of
    from tseval.streaming.follow import Follower, Following

    chosen = foldable(given["wanted"])
    sources = TemporalInputs(
        (), nuggets, given["matches"], given["topics"], None, given["pool"], None
    )
    check_inputs(sources.listed())
    gold = read_gold(sources)
    return Follower(
        gold,
        Pairing(gold, given["matcher"], given["threshold"]),
        wanted_of(gold, chosen, given["at"]),
        Following(
            every=given["every"],
            per_topic=given["per_topic"],
            on_missing=given["on_missing"],
            undefined=given["undefined"],
            state=given["state"],
            continued=given["continued"],
            undisturbed=undisturbed,
        ),
    )
