"""An option that takes one value takes it once, in every command; flags may repeat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests import program
from tseval.cli import cli

GOLD = (program.SWIFT, program.NUGGETS, "--matches", program.MATCHES)


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


def test_no_last_value_wins_in_any_command() -> None:
    tried = 0
    for names, command in commands(cli):
        for each in command.get_params(click.Context(command)):
            if isinstance(each, click.Option) and not (each.multiple or each.is_flag):
                flag = max(each.opts, key=len)
                done = program.tseval(*names, f"{flag}=1", f"{flag}=2")
                assert (done.code, done.out) == (2, ""), (names, flag)
                assert f"{flag} takes one value" in done.err, (names, flag)
                tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    "more",
    [
        ("--quiet", "--quiet", "-q", "-q"),
        ("-m", "P", "-m", "R", "--quiet"),
        ("--at", "6h", "--at", "1d", "--quiet"),
    ],
)
def test_flags_and_lists_may_repeat(more: tuple[str, ...]) -> None:
    assert program.tseval("score", *GOLD, *more).code == 0


def test_too_few_batches_have_a_reason_and_no_empty_rows(tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    done = program.tseval(
        "curve", *GOLD, "-m", "P R", "--batch", "7d", "--trend", "-f", "csv", "-o", file
    )
    assert done.code == 0
    assert file.read_text().splitlines() == [
        "run,topic,measure,time,hours,value,weight",
        "swift,all,P,,0.0,1.65,1.0",
        "swift,all,R,,0.0,0.45,1.0",
        "swift,all,batches(P),,,1.0,",
        "swift,all,batches(R),,,1.0,",
    ]
    assert "no line through P, R of the mean over topics: it needs 3 batches" in done.err
    assert "--batch" in done.err
