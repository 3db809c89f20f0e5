"""What a toy format, and the toy family's tables, get from the register of formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click import Command
from click.testing import CliRunner

from tests.program import Outcome, tseval
from tests.toys.test_spotting import ITEMS, START
from tseval.cli.curve import command_of_curves
from tseval.cli.files import import_command, validate_command
from tseval.core import registry
from tseval.families import FAMILIES, Entry
from tseval.io import PLAIN_FORMS
from tseval.io.formats import forms_of


@pytest.fixture(autouse=True)
def _family(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    entry = Entry("tests.toys.sight_lines", "spotting", "Which of the items runs spotted.")
    monkeypatch.setitem(FAMILIES, "spotting", entry)
    monkeypatch.chdir(tmp_path)
    registry.family.cache_clear()
    yield
    registry.family.cache_clear()
    registry.definitions.cache_clear()


def imported(*arguments: str) -> Outcome:
    """What `tseval import` does."""
    return made_now(import_command, arguments)


def validated(*arguments: str) -> Outcome:
    """What `tseval validate` does."""
    return made_now(validate_command, arguments)


def made_now(command: Callable[[], Command], arguments: Sequence[str]) -> Outcome:
    """A command as a program would make it now: it lists formats once, when it is loaded."""
    done = CliRunner().invoke(command(), arguments)
    return Outcome(done.exit_code, done.stdout_bytes, done.stderr_bytes)


def lines(*more: str) -> str:
    return "\n".join(["!sightings", f"t1 a {START}", f"t1 b {START + 60}", *more, ""])


def test_tables_of_the_family_are_validated() -> None:
    Path("items").write_text("\n".join(ITEMS).replace("{0}", str(START)) + "\n")
    assert validated("items").out == "items: items, 4 rows, no fault\n"
    Path("items").write_text("topic\titem\tsince\nt1\ta\tsoon\n")
    assert validated("items").out.startswith('items:2: since "soon"')
    assert validated("items", "--table", "items").code == 1


def test_what_is_nearly_a_table_is_told() -> None:
    Path("items").write_text(f"topic\titem\tsinse\nt1\ta\t{START}\n")
    assert "items: no since" in validated("items").out


def test_a_format_is_validated() -> None:
    Path("seen").write_text(lines())
    assert tseval("validate", "seen").out == "seen: sightings, 2 rows, no fault\n"
    Path("seen").write_text(lines("t2 c"))
    outcome = tseval("validate", "seen")
    assert outcome.code == 1
    assert outcome.out == "seen:4: 2 fields where a sighting has 3\n"


def test_a_format_is_imported() -> None:
    Path("seen").write_text(lines())
    outcome = imported("sight-lines", "seen", "--called", "eager")
    assert outcome.out == (
        f"run\ttopic\titem\tseen\neager\tt1\ta\t{START}\neager\tt1\tb\t{START + 60}\n"
    )
    Path("plain").write_text(outcome.out)
    assert tseval("validate", "plain").out == "plain: sightings, 2 rows, no fault\n"


def test_a_format_is_offered_where_its_table_is_read() -> None:
    assert "[tsv|csv|jsonl|json|parquet|xlsx|lines]" in tseval("spotting", "--help").out
    curve = made_now(command_of_curves, ["--help"]).out
    assert "[tsv|csv|jsonl|json|parquet|xlsx|trec-ts|timeline-" in curve
    assert "|lines]" in curve
    assert "lines]" not in tseval("score", "--help").out
    assert forms_of(registry.formats(), ["items"]) == PLAIN_FORMS


def test_the_name_of_a_format_tells_what_a_file_is() -> None:
    Path("seen").write_text(lines().removeprefix("!sightings\n"))
    outcome = validated("seen", "--input-format", "lines")
    assert outcome.out == "seen: sightings, 2 rows, no fault\n"


def test_options_belong_to_their_format() -> None:
    Path("seen").write_text(lines())
    assert "sightings as lines" in imported("--help").out
    done = tseval("import", "kba-run", "seen", "--year", "2017")
    assert done.code == 2
    assert "--year has no meaning with kba-run: it is for rts-run, sample, clusters" in done.err
