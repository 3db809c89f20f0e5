"""The rules of the house, read from the source: who may import whom, and how code is written."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

from tests import imports as program
from tests.starts import STARTS, modules_of, own, watched
from tseval.cli import summaries

ROOT = Path(__file__).parents[1]

# Each room, and the rooms it may import besides itself. `docs/architecture.md` says why.
BASIS = {"arrays", "drawer", "errors", "records", "version"}
KERNEL = {"core", "io", "parallel", "statistics"} | BASIS
ROOMS: dict[str, set[str]] = {
    "matchers": set(),
    "arrays": set(),
    "drawer": set(),
    "version": set(),
    "errors": set(),
    "records": set(),
    "statistics": set(),
    "io": BASIS,
    "parallel": {"io"} | BASIS,
    "core": KERNEL,
    "families": KERNEL | {"matching"},
    "matching": KERNEL | {"matchers"},
    "comparison": KERNEL,
    "reporting": KERNEL | {"comparison"},
    "desk": KERNEL | {"families", "matching", "reporting", "matchers"},
    "measures": {"core"},
    "engine": {"parallel"},
    "__main__": {"cli", "parallel"} | BASIS,
}
ROOMS["__init__"] = set(ROOMS) - {"__main__"}
ROOMS["cli"] = set(ROOMS) - {"__main__"}
BETWEEN_FAMILIES: set[tuple[str, str]] = set()
"""What one family still imports of another; this list is to become empty."""
FROM_BELOW: set[tuple[str, str]] = {("core/registry.py", "families")}
"""What rooms under the families import of them: the list of families, which imports nothing."""

MAY_TALK = {"cli", "__main__"}
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}
HEAVY = {"numpy", "pandas", "scipy", "rapidfuzz", "polars", "pyarrow", "torch"}
HEAVY |= {"dask", "distributed", "joblib", "matchers"}


@cache
def modules() -> dict[str, program.Module]:
    """Every module by its name, parsed."""
    return program.modules_of(ROOT)


@cache
def sources() -> dict[Path, ast.Module]:
    return {module.path: module.tree for module in modules().values()}


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(sources()[path]))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    package, *rest = path.relative_to(ROOT).with_suffix("").parts
    return rest[0] if package == "tseval" else package


@cache
def imported(path: Path) -> tuple[tuple[int, str], ...]:
    """Every module that a file imports anywhere, absolute, with the line."""
    return tuple(imports(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from tseval import x` may import the room x as well as a name x.
            names = [alias.name for alias in node.names] if module == "tseval" else [""]
            yield from ((node.lineno, f"{module}.{child}".rstrip(".")) for child in names)
        elif isinstance(node, ast.Call) and (named := program.imported_by_call(node)):
            yield node.lineno, named


def room_imported(module: str) -> str | None:
    """The room that a module lies in; None outside of the project."""
    package, *rest = module.split(".")
    if package == "matchers":
        return "matchers"
    if package != "tseval":
        return None
    return rest[0] if rest and rest[0] in ROOMS else "__init__"


def test_every_room_is_entered() -> None:
    """A new one is entered in ROOMS and in docs/architecture.md."""
    assert len(sources()) > 200
    assert [name(path) for path in sources() if room_of(path) not in ROOMS] == []


def test_a_file_imports_only_what_its_room_may() -> None:
    wrong = [
        f"{name(path)}:{line}: {module}"
        for path in sources()
        for line, module in imported(path)
        if room_imported(module) not in {None, room_of(path), *ROOMS[room_of(path)]}
        and (name(path).removeprefix("tseval/"), room_imported(module)) not in FROM_BELOW
    ]
    assert wrong == []


def test_families_do_not_know_each_other() -> None:
    found = set()
    for path in sources():
        if room_of(path) != "families" or path.parent.name == "families":
            continue
        place = name(path).removeprefix("tseval/")
        found |= {
            (place, parts[2])
            for _, module in imported(path)
            if (parts := module.split("."))[:2] == ["tseval", "families"]
            and len(parts) > 2
            and parts[2] != place.split("/")[1]
        }
    assert found == BETWEEN_FAMILIES


def test_only_the_command_line_says_something_and_ends_something() -> None:
    wrong = [
        f"{name(path)}:{node.lineno}: {ast.unparse(node)}"
        for path in sources()
        if room_of(path) not in MAY_TALK
        for node in nodes(path)
        if isinstance(node, ast.Assert)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "sys.exit"})
        or (isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node))
    ]
    assert wrong == []


def test_the_name_of_a_file_says_what_it_holds() -> None:
    wrong = [
        name(path)
        for path in sources()
        if not EMPTY_NAMES.isdisjoint(path.relative_to(ROOT).with_suffix("").parts)
    ]
    assert wrong == []


INEXACT = {"sum", "mean", "cum_sum", "cumulative_eval", "rolling_sum", "rolling_mean", "dot"}
WHOLE = {"len", "count", "n_unique", "is_in", "is_null", "is_not_null", "is_between", "eq", "ne"}
WHOLE |= {"gt", "ge", "lt", "le", "not_"}


def is_whole(node: ast.expr) -> bool:
    """Whether an expression is visibly of whole numbers or truth values."""
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.BinOp | ast.BoolOp):
        return all(is_whole(child) for child in ast.iter_child_nodes(node) if is_operand(child))
    if isinstance(node, ast.UnaryOp):
        return is_whole(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        integer = node.func.attr == "cast" and "Int" in ast.unparse(node.args[0])
        return integer or node.func.attr in WHOLE
    return False


def is_operand(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.expr)


def inexact_sums(tree: ast.AST) -> list[str]:
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in INEXACT and not is_whole(node.func.value)
    ]


def test_families_on_the_kernel_add_up_floats_by_its_exact_sums_alone() -> None:
    """Sums of floats by polars depend on the number of threads; those of whole numbers do not."""
    wrong = [
        f"{name(path)}:{found}"
        for path, tree in sources().items()
        if room_of(path) == "families" and any(line[1] == "polars" for line in imported(path))
        for found in inexact_sums(tree)
    ]
    assert wrong == []


def inexact_quotients(tree: ast.AST) -> list[str]:
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        if re.search(r"\bpl\.", ast.unparse(node))
    ]


def test_families_on_the_kernel_divide_by_its_quotient_alone() -> None:
    """Quotients of polars depend on how many rows there are; those of numpy do not."""
    wrong = [
        f"{name(path)}:{found}"
        for path, tree in sources().items()
        if room_of(path) == "families" and any(line[1] == "polars" for line in imported(path))
        for found in inexact_quotients(tree)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "is_exact"),
    [
        ("rows.agg(pl.col('amount').sum())", False),
        ("rows.select(pl.mean('amount'))", False),
        ("rows.with_columns(pl.col('amount').cum_sum().over('run'))", False),
        ("rows['amount'].cast(pl.Float64).mean()", False),
        ("((pl.col('a') > 0) * pl.col('amount')).sum()", False),
        ("rows.agg(total(pl.col('amount')))", True),
        ("rows.agg((pl.col('amount') > 0).sum())", True),
        ("(~pl.col('a').is_null() & (pl.col('b') > 0)).sum()", True),
        ("pl.col('rank').cast(pl.Int64).cum_sum()", True),
        ("sum(each.height for each in tables)", True),
    ],
)
def test_a_sum_of_floats_is_noticed(line: str, is_exact: bool) -> None:
    assert (inexact_sums(ast.parse(line)) == []) == is_exact


def test_neither_modules_nor_rooms_import_one_another_in_a_circle() -> None:
    """Neither when the program runs nor for types: each can be read after those under it.

    Modules that `import_module` is called with by name are imports, too.
    """
    known = modules()
    graph: dict[str, set[str]] = {}
    rooms: dict[str, set[str]] = {}
    for name, module in known.items():
        imported_modules = set(program.imports_of(module, known)) - {name}
        graph[name] = {each for each in imported_modules if not name.startswith(f"{each}.")}
        if own := program.room(name):
            others = {program.room(each) for each in imported_modules} - {own, None}
            rooms.setdefault(own, set()).update(each for each in others if each)
    assert len(graph) > 200
    assert len(rooms) > 12
    assert program.circle(graph) == []
    assert program.circle(rooms) == []


def test_statistics_rest_on_numpy_and_scipy_alone() -> None:
    allowed = {"numpy", "scipy", "tseval", *sys.stdlib_module_names}
    wrong = [
        f"{name(path)}:{line}: {module}"
        for path in sources()
        if room_of(path) == "statistics"
        for line, module in imported(path)
        if module.split(".")[0] not in allowed
    ]
    assert not wrong


def modules_after(program: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after ``program``."""
    listing = f"import json, sys\n{program}\njson.dump(sorted(sys.modules), sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", listing], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return {module.split(".")[0] for module in json.loads(done.stderr)}


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert HEAVY.isdisjoint(modules_after("import tseval"))


def test_lines_of_a_track_are_read_without_pandas() -> None:
    reading = (
        "import tempfile; file = tempfile.NamedTemporaryFile('w')\n"
        "file.write('1 team one doc 1 1326510000 2.5\\n'); file.flush()\n"
        "from tseval.families.temporal.files import READERS\n"
        "from tseval.io.tables import read\n"
        "assert read([file.name], READERS['updates']).runs == ('team-one',)"
    )
    assert {"pandas", "pyarrow", "scipy", "matchers"}.isdisjoint(modules_after(reading))


@pytest.mark.parametrize("name", STARTS)
def test_a_command_loads_no_more_than_its_budget(name: str) -> None:
    """Nor does it fall far below: then the budget is to be lowered, so that growth is noticed."""
    start = STARTS[name]
    loaded = modules_of(start.arguments)
    assert watched(loaded) == set(start.loads.split())
    assert 0.95 * start.own < own(loaded) <= start.own


def test_what_stays_loaded_is_not_searched_for_garbage() -> None:
    """Neither while a command is loaded, nor at the end; in between seldom."""
    program = (
        "import atexit, gc, sys\n"
        "begun = []\n"
        "def end():\n"
        "    print(max(begun), gc.isenabled(), gc.get_freeze_count() > 10_000, file=sys.stderr)\n"
        "atexit.register(end)\n"
        "import tseval.cli\n"
        "from tseval.__main__ import main\n"
        "own = tseval.cli._command_named\n"
        "def loaded(name):\n"
        "    before = sum(each['collections'] for each in gc.get_stats())\n"
        "    command = own(name)\n"
        "    begun.append(sum(each['collections'] for each in gc.get_stats()) - before)\n"
        "    return command\n"
        "tseval.cli._command_named = loaded\n"
        "sys.argv = ['tseval', 'values', '--help']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr.split() == ["0", "True", "True"]


def test_every_command_has_a_budget() -> None:
    """But those that ask people or models, or take long: they start as others do."""
    others = {"calibrate", "sample", "assess", "judge", "init"}
    begun = {start.arguments[0] for start in STARTS.values()}
    assert begun | others == {*summaries(), "--help"}


def test_no_room_hides_a_public_name() -> None:
    """To import `tseval.report.x` would bind the room in the place of the function."""
    import tseval

    rooms = {path.stem for path in (ROOT / "tseval").iterdir() if path.name != "__init__.py"}
    assert rooms.isdisjoint(set(tseval.__all__))


def test_a_table_of_several_families_is_the_same_in_each() -> None:
    from tseval.core.registry import all_families, schemas

    declared = [schema for family in all_families() for schema in family.schemas]
    assert [schema.table for schema in declared if schemas()[schema.table] != schema] == []


def test_a_module_that_is_imported_by_its_name_is_noticed() -> None:
    tree = ast.parse("import_module('tseval.x')\nimportlib.import_module('y')\nimport_module(z)")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert list(map(program.imported_by_call, calls)) == ["tseval.x", "y", None]
