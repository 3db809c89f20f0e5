"""Write the lists of tables, columns, inputs and measures into the pages, from what is declared.

A list stands between `<!-- list: KIND WORDS -->` and `<!-- end of list -->`; `LISTS` has the kinds.
Run without arguments to write the pages, with `--check` to fail if any isn't current.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tseval.core.measure import Definition

PAGES = Path(__file__).parent
LIST = re.compile(r"(<!-- list: (\w+) ?([^\n]*?) ?-->\n)(.*?)(<!-- end of list -->)", re.DOTALL)
HEADS = {"id": "id", "text": "text, may be empty", "time": "time", "number": "number"}
HEADS["amount"] = "number, 0 or more"
HEADS["grade"] = "number from 0 to 1, or label"


def rows(heads: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table of a page."""
    listed = [heads, ["---"] * len(heads), *body]
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in listed)
    return "".join(f"| {line} |\n".replace("|  |", "| |") for line in lines)


def code(*names: str) -> str:
    """Names as code, with commas between."""
    return ", ".join(f"`{name}`" for name in names)


def tables(_: str) -> str:
    """Every plain table: what a row of it is, and how commands are given it."""
    from tseval.core.registry import schemas

    body = ((each.table, each.row, "; ".join(given_as(each.table))) for each in schemas().values())
    return rows(("table", "what a row is", "given as"), body)


def given_as(table: str) -> Iterator[str]:
    """The inputs that hold a table, each with the commands of families, or others, that take it."""
    from tseval.core.declared import declared
    from tseval.core.registry import all_families

    found: dict[str, list[str]] = {}
    for family in all_families():
        for _, what in declared(family.inputs):
            if what.table is not None and what.table.table == table:
                shown = f"{what.name}..." if what.several and not what.flags else what.name
                found.setdefault(shown, []).append(f"tseval {family.command}")
    for name, command in [] if found else commands():
        for parameter in command.params:
            shown = parameter.opts[0]
            if isinstance(parameter, click.Argument):
                shown = parameter.metavar or ""
            if shown in (f"--{table}", f"{table.upper()}..."):
                found.setdefault(shown, []).append(f"tseval {name}")
    for takers in dict.fromkeys(map(tuple, found.values())):
        given = [each for each, those in found.items() if tuple(those) == takers]
        yield f"{code(*given)} of {code(*takers)}"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its name, in the order in which help lists them."""
    from tseval.cli import cli

    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is not None:
            yield name, command


def columns(table: str) -> str:
    """The columns of a table."""
    from tseval.core.registry import schemas
    from tseval.families.incidents.files import JUDGED_POOL

    schema = (schemas() | {JUDGED_POOL.schema.table: JUDGED_POOL.schema})[table]
    body = []
    for each in schema:
        words = HEADS[each.kind.value]
        if schema.key and each.name == schema.key[-1]:
            others = " and ".join(each.removesuffix("_id") for each in schema.key[:-1])
            words += f", once in its {others}" if others else ", once"
        words += f": {each.meaning}" if each.meaning else ""
        words += "; may be blank" if each.may_be_blank and "blank" not in each.meaning else ""
        words += f"; default {each.default}" if each.default else ""
        words = words if each.required else f"optional {words}"
        body.append((code(each.name), words, code(*each.aliases, *each.common)))
    return rows(("column", "holds", "aliases"), body)


def inputs(_: str) -> str:
    """What the inputs of each command are called, and their formats beside the plain ones."""
    from tseval.cli.options import FormatOfInputs
    from tseval.io import PLAIN_FORMS

    body = [
        (code(name), code(*kind.inputs), code(*(f for f in kind.choices if f not in PLAIN_FORMS)))
        for name, command in commands()
        for kind in (each.type for each in command.params)
        if isinstance(kind, FormatOfInputs)
    ]
    return rows(("command", "inputs", "formats beside the plain ones"), body)


def measures(family: str) -> str:
    """The measures of a family, then their parameters."""
    from tseval.core.registry import definitions
    from tseval.core.registry import family as family_of

    editions = family_of(family).editions
    body = [
        (
            code(each.name),
            f"{each.title}: {each.summary}" + (f", in {each.unit}" if each.unit else ""),
            each.range,
            each.empty_case,
            better(each),
            code(*(edition.name for edition in editions if each.name in edition.measures)),
        )
        for each in definitions(family).values()
    ]
    heads = (
        "measure",
        "what it says",
        "range",
        "the empty case",
        "better",
        "editions that show it",
    )
    found = parameters(family)
    return rows(heads, body) + (f"\n{found}" if found else "")


def better(definition: Definition) -> str:
    """Which way a measure is better, and with which arguments the other way."""
    ways = ("lower", "higher")
    plain = ways[definition.higher_is_better]
    if not definition.turned_by:
        return plain
    return f"{plain}; {ways[not definition.higher_is_better]} with {code(*definition.turned_by)}"


def parameters(words: str) -> str:
    """The parameters of a family's measures: of all, or of those named."""
    from tseval.core.registry import definitions

    family, *named = words.split()
    found: dict[tuple[str, ...], list[str]] = {}
    for each in definitions(family).values():
        for one in each.parameters if not named or each.name in named else ():
            values = "a flag" if one.flag else code(*one.choices) + (", …" if one.parse else "")
            meaning = one.meaning + ("; written without its name" if one.bare else "")
            written = code(f"({one.name})" if one.flag else one.name)
            row = (written, values, code(one.default) if one.default else "", meaning)
            found.setdefault(row, []).append(each.name)
    if not found:
        return ""
    if len(named) == 1:
        return rows(("parameter", "values", "default", "what it means"), found)
    body = ((row[0], code(*of), *row[1:]) for row, of in found.items())
    return rows(("parameter", "of", "values", "default", "what it means"), body)


def rooms(_: str) -> str:
    """The rooms of the program in layers, each above what it imports; from the imports themselves.

    A family imports what is below `families`, and no other family.
    """
    sys.path.insert(0, str(PAGES.parent))
    from tests.imports import imports_of, modules_of, room

    known = modules_of(PAGES.parent)
    below: dict[str, set[str]] = {}
    for module_name, module in known.items():
        above = (room(module_name) or "").partition("/")[0]
        others = {(room(each) or "").partition("/")[0] for each in imports_of(module, known)}
        if above:
            below.setdefault(above, set()).update(others - {"", above})
    layers: dict[str, int] = {}
    while len(layers) < len(below):
        for name, imported in below.items():
            if imported <= layers.keys():
                layers[name] = 1 + max((layers[each] for each in imported), default=0)
    lines = [
        "   ".join(sorted(each for each, layer in layers.items() if layer == wanted))
        for wanted in range(max(layers.values()), 0, -1)
    ]
    return "```text\n" + "\n".join(lines) + "\n```\n"


def exits(_: str) -> str:
    """The exit codes."""
    from tseval.errors import EXIT_CODES

    return rows(("code", "meaning"), [(str(code), words) for code, words in EXIT_CODES.items()])


def gold(_: str) -> str:
    """The public judgments that `tseval gold` knows."""
    from tseval.cli.gold import public_gold

    body = (
        (code(name), each.title, code(each.program), f"<{each.page}>")
        for name, each in public_gold().items()
    )
    return rows(("name", "judgments", "command", "published at"), body)


LISTS: dict[str, Callable[[str], str]] = {
    each.__name__: each
    for each in (tables, columns, inputs, measures, parameters, rooms, exits, gold)
}
"""What makes each kind of list, of the words that stand behind its name."""


def current(page: str) -> str:
    """A page with its lists as they should be."""
    return LIST.sub(lambda found: found[1] + LISTS[found[2]](found[3]) + found[5], page)


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if a page isn't current.")
def main(check: bool) -> None:
    """Write the lists of docs/*.md that are made of what is declared."""
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if current(page) == page:
            continue
        if check:
            click.echo(f"docs/{path.name} has a list that is not current: `make format`", err=True)
            sys.exit(1)
        path.write_text(current(page), encoding="utf-8")


if __name__ == "__main__":
    main()
