"""The documentation is true: its examples run as shown, and nothing that users need is left out.

A ```console block holds commands (lines that start with `$ `, continued by a backslash) and what
they print. A line `...` stands for any lines. What is shown is standard output, or both streams. A
block that shows no output at all must only succeed. What cannot run here is a ```sh block. A
```python block is a doctest, or plain code that must not fail; the blocks of a page share names.
"""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import tseval
from tests.program import Outcome
from tests.program import tseval as program
from tseval.cli import cli, summaries
from tseval.core.registry import families, schemas
from tseval.io.schema import Schema

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = ROOT / "docs" / "cli.md"
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PIPED = re.compile(r"""(tseval [^|<>;&'"]+)\|([^|].*)""", re.DOTALL)
"""A command of the program, and what its output goes through."""
NEEDS_REPORT = re.compile(r"\.(png|svg|pdf|html)\b")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command of a block and the lines that are shown below it."""

    command: str
    shown: tuple[str, ...]


def blocks(page: Path, language: str) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 2, found[1], found[2])
        for found in FENCE.finditer(text)
        if found[1] == language
    ]


def commands(text: str) -> list[Command]:
    found: list[tuple[list[str], list[str]]] = []
    continued = False
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif continued:
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line.rstrip())
        else:
            raise ValueError(f"output without a command: {line!r}")
        continued = found[-1][0][-1].endswith("\\") and not found[-1][1]
    return [Command("\n".join(command), tuple(shown)) for command, shown in found]


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether the lines are those printed, where `...` stands for any number of lines."""
    pattern = "".join(
        r"(?:[^\n]*\n)*" if line == "..." else re.escape(line) + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def copied(folder: Path) -> Path:
    """The files that examples need, in a folder of their own."""
    shutil.copytree(ROOT / "fixtures", folder / "fixtures")
    return folder


CONSOLE = [block for page in PAGES for block in blocks(page, "console")]
PYTHON = [page for page in PAGES if blocks(page, "python")]


def has_report() -> bool:
    try:
        return bool(import_module("vl_convert"))
    except ImportError:
        return False


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """A folder for each page: what one block writes there the next may read."""
    return {page: copied(tmp_path_factory.mktemp(page.stem)) for page in PAGES}


@pytest.fixture(scope="module")
def ran() -> set[Block]:
    """The blocks that were run here: another process may have had a page's first ones."""
    return set()


@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_console_examples_print_what_they_show(
    block: Block, folders: dict[Path, Path], ran: set[Block]
) -> None:
    before = [each for each in CONSOLE if each.page == block.page and each.line < block.line]
    for earlier in before:
        if earlier not in ran:
            for each in commands(earlier.text):
                run(each.command, folders[block.page])
    ran.update(before, [block])
    listed = commands(block.text)
    silent = not any(each.shown for each in listed)
    for each in listed:
        if NEEDS_REPORT.search(each.command) and not has_report():
            pytest.skip("needs the extra report")
        done = run(each.command, folders[block.page])
        if not each.shown:
            assert done.code == 0, done.err
        if silent:
            continue
        out, both = lines(done.out), lines(done.err + done.out)
        assert matches(each.shown, out) or matches(each.shown, both), "\n".join(
            [f"{block}: {each.command}", "shown:", *each.shown, "printed:", *both]
        )
        assert "Traceback" not in done.err


def words(command: str, folder: Path) -> list[str] | None:
    """What follows `tseval` in a command that asks nothing of a shell but words and names of files.

    Nothing of any other command.
    """
    if not command.startswith("tseval ") or re.search(r"[$`#~]", command):
        return None
    # Marks of a shell that stand outside of quotes are words of their own here.
    found = list(shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True))
    if any(set(word) <= set("();<>|&") for word in found):
        return None
    given = shlex.split(command.replace("\\\n", " "))[1:]
    names = [sorted(folder.glob(word)) if "*" in word else [] for word in given]
    return [
        str(each.relative_to(folder)) if isinstance(each, Path) else each
        for word, paths in zip(given, names, strict=True)
        for each in paths or [word]
    ]


def run(command: str, folder: Path) -> Outcome:
    """Run a command in a folder: in this process if it can be, else in bash."""
    given = words(command, folder)
    piped = PIPED.fullmatch(command)
    before = run(piped[1], folder) if piped else Outcome(0, b"", b"")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COLUMNS", "FORCE_COLOR", "PYTHONWARNINGS"):
            patch.delenv(name, raising=False)
        if given is not None:
            patch.chdir(folder)
            return program(*given)
        path = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        patch.setenv("PATH", os.pathsep.join(path))
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("PYTHONUTF8", "1")
        done = subprocess.run(
            ["bash", "-c", piped[2] if piped else command],
            cwd=folder,
            input=before.output,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, before.error + done.stderr)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: page.name)
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied(tmp_path))
    shared: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        if ">>>" in block.text:
            check_doctest(block, shared)
        else:
            exec(compile(block.text, str(block), "exec"), shared)


def check_doctest(block: Block, shared: dict[str, object]) -> None:
    examples = doctest.DocTestParser().get_examples(block.text, str(block))
    test = doctest.DocTest(examples, {}, str(block), str(block.page), block.line - 1, block.text)
    test.globs = shared
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    result = runner.run(test, out=report.append, clear_globs=False)
    assert result.failed == 0, "".join(report)


def listed_commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command


COMMANDS = list(listed_commands())


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=list(summaries()))
def test_every_command_has_help_that_begins_with_its_summary(
    name: str, command: click.Command
) -> None:
    assert command.name == name
    paragraphs = (command.help or "").split("\n\n")
    first = re.split(r"(?<=\.)\s", " ".join(paragraphs[0].split()))[0]
    assert first == summaries()[name]


def examples(group: click.Group, name: str = "") -> Iterator[tuple[str, str]]:
    """The commands with which the help of each command begins, after its summary."""
    context = click.Context(group)
    for own in sorted(group.list_commands(context), key=lambda each: each != "open"):
        command = group.get_command(context, own)
        assert command is not None
        _, *paragraphs = cleandoc(command.help or "").split("\n\n")
        yield f"{name} {own}".strip(), paragraphs[0].removeprefix("\b\n")
        if isinstance(command, click.Group):
            yield from examples(command, own)


def test_the_example_in_the_help_of_every_command_works_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tseval.desk.server.serve", lambda *_: None)  # else it waits for people
    copied(tmp_path)
    for name, example in examples(cli):
        last = ""
        for last in re.split(r"(?<!\\)\n", example):
            done = run(last, tmp_path)
            assert done.code == 0, f"{name}: {last}: {done.err}"
        assert last.startswith(f"tseval {name}".removesuffix(" open")), name


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=list(summaries()))
def test_every_option_has_help_and_stands_in_the_reference(
    name: str, command: click.Command
) -> None:
    every = [each for each in command.params if isinstance(each, click.Option)]
    options = [each for each in every if not each.hidden]
    assert [each.opts for each in options if not each.help] == []
    section = reference_of(name)
    assert [o for each in options for o in each.opts if not mentioned(o, section)] == []


def reference_of(name: str) -> str:
    """The section of docs/cli.md on a command."""
    text = REFERENCE.read_text(encoding="utf-8")
    found = re.search(rf"^#+ tseval {name}$(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/cli.md has no section on tseval {name}"
    return found[1]


def mentioned(option: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


DEFINED = [(family, name) for family, names in families().items() for name in names]


@pytest.mark.parametrize(("family", "name"), DEFINED, ids=[f"{f}-{n}" for f, n in DEFINED])
def test_every_measure_is_listed_on_the_page_of_its_family(family: str, name: str) -> None:
    text = (ROOT / "docs" / f"measures-{family}.md").read_text(encoding="utf-8")
    listed = re.search(rf"<!-- list: measures {family} -->(.*?)<!-- end", text, re.DOTALL)
    assert listed is not None
    assert f"\n| `{name}` | " in listed[1]


def generate(folder: Path, *options: str) -> Result:
    """What the script in a folder of pages does."""
    script = runpy.run_path(str(folder / "generate_lists.py"))
    return CliRunner().invoke(script["main"], options)


def test_the_lists_of_the_pages_are_what_is_declared() -> None:
    done = generate(ROOT / "docs", "--check")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_a_list_that_is_not_current_is_found_and_made_again(tmp_path: Path) -> None:
    shutil.copy(ROOT / "docs" / "generate_lists.py", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("A\n<!-- list: columns teams -->\nB\n<!-- end of list -->\nC\n")
    done = generate(tmp_path, "--check")
    assert done.exit_code == 1
    assert done.stderr == "docs/page.md has a list that is not current: `make format`\n"
    assert generate(tmp_path).exit_code == 0
    assert page.read_text().splitlines() == [
        "A",
        "<!-- list: columns teams -->",
        "| column | holds | aliases |",
        "| --- | --- | --- |",
        "| `run` | id, once | `run_id`, `runtag`, `run_tag` |",
        "| `team` | id | |",
        "<!-- end of list -->",
        "C",
    ]


@pytest.mark.parametrize("schema", schemas().values(), ids=list(schemas()))
def test_every_column_and_alias_stands_on_the_page_of_tables(schema: Schema) -> None:
    text = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {schema.table}$(.*?)(?:^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    names = [name for column in schema for name in column.names]
    assert [name for name in names if f"`{name}`" not in section[1]] == []


def test_every_public_name_stands_on_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = [name for name in tseval.__all__ if not name.startswith("__")]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


PUBLIC = ("tseval", "tseval.measures", "tseval.engine", "matchers")
"""The modules whose names are public."""


def test_the_reference_of_python_has_every_public_name(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-D", "root_doc=api"]
    command += ["-D", "include_patterns=api.md", str(ROOT / "docs"), str(tmp_path)]
    path = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, capture_output=True, env=path)
    page = (tmp_path / "api.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="([\w.]+)"', page))
    names = {f"{each}.{name}" for each in PUBLIC for name in import_module(each).__all__}
    anchors.add("tseval.measures.Measure")  # it stands as tseval.Measure
    assert "tseval.Measure" in anchors
    assert names - anchors == set()


def test_the_links_of_the_readme_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert links != []
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_an_elided_line_stands_for_any_number_of_lines() -> None:
    assert matches(("a", "...", "d"), ["a", "b", "c", "d"])
    assert matches(("a", "...", "d"), ["a", "d"])
    assert not matches(("a", "...", "d"), ["a", "b"])
    assert not matches(("a",), ["a", "b"])


def test_commands_are_told_from_what_they_print() -> None:
    text = "$ one \\\n    more\nout\n$ two\n"
    assert commands(text) == [Command("one \\\n    more", ("out",)), Command("two", ())]


def test_a_command_of_the_program_alone_needs_no_shell(tmp_path: Path) -> None:
    (tmp_path / "b.tsv").touch()
    (tmp_path / "a.tsv").touch()
    given = "tseval score *.tsv \\\n    --matcher 'fuzzy(window=4)' -m \"R*\""
    wanted = ["score", "a.tsv", "b.tsv", "--matcher", "fuzzy(window=4)", "-m", "R*"]
    assert words(given, tmp_path) == wanted
    for other in ("cat a.tsv", "tseval a > b", "tseval a | wc", "tseval $A", "tseval a && b"):
        assert words(other, tmp_path) is None


def test_what_output_goes_through_is_told_from_the_command() -> None:
    found = PIPED.fullmatch("tseval score a.tsv \\\n    -q | grep -e a | wc")
    assert found is not None
    assert found.groups() == ("tseval score a.tsv \\\n    -q ", " grep -e a | wc")
    for other in ("cat a | tseval b", "tseval a || b", "tseval 'a|b'", "tseval a 2>&1 | head"):
        assert PIPED.fullmatch(other) is None
