"""The house in numbers: how large the program is, and how its rooms hang together.

    python bench/house.py [CHECKOUT]    one column, of this checkout or another
    python bench/house.py --page        rewrites docs/house.md: the first house beside this one

Product code is every `.py` file of `tseval/` and `matchers/`, tests and tools left out. A room is a
folder or a module right under `tseval/`, `matchers`, and each family's folder; `errors`, `records`,
`version`, `__init__` and `__main__` are no rooms, because every way leads through them. What is
counted:

lines, files
    Lines as `wc -l` counts them, blank ones and comments too.
imports between families
    Modules of a family that import a module of another anywhere, inside functions and for types
    too. Where families have no folders of their own, as in the first house, FAMILIES_BY_NAME tells
    which modules are whose.
circles
    Groups of modules, or of rooms, that import one another, directly or by a way round: strongly
    connected parts of the graph of imports. Between modules, imports inside functions and those for
    types alone count like others; between rooms, what the program never runs is left out.
rooms entered
    Rooms with a function that is called while the command runs on `fixtures/`, whatever else is
    imported. Functions that run while a module is being imported are part of the import.
modules imported
    Modules of the program in `sys.modules` at the end of `tseval report` of temporal scores.
options in dictionaries
    Functions that take a `dict[str, Any]`, or such a `Mapping`, called `given`, `options`, `told`
    or the like, and how often they look something up in it (`given["at"]`, `given.get("at")`). The
    functions that click calls take options as keywords: those are not counted.
a toy family
    Lines of `tests/toys/spotting.py`, a whole family in one file, without its tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
PAGE = Path("docs") / "house.md"
FIRST = "7e60c7a"
"""The last commit of the first house."""
SMALL = 100
NO_ROOMS = {"__init__", "__main__", "errors", "records", "version"}
FAMILIES_BY_NAME = {
    "temporal": r"(trec_)?temporal|draft|track|assessed|"
    r"tseval\.(assessments|earliest|evaluation|scoring|curves|explanations)",
    "clusters": r"clusters|cluster_\w+|push\w*|live",
    "incidents": r"incidents|incident_\w+|trec_is|alerts|priorities|information_types|ontologies",
    "filtering": r"filtering|filter_\w+|kba",
    "tracking": r"tracking",
}
"""Names of folders and modules that belong to a family where it has no folder of its own."""
TEMPORAL = (
    "score fixtures/runs/swift.tsv fixtures/runs/thorough.tsv fixtures/nuggets.tsv "
    "--matches fixtures/matches.tsv --topics fixtures/topics.tsv"
)
WAYS = {
    "score": (TEMPORAL,),
    "incidents -f trec-is": (
        "incidents fixtures/incidents/keen.txt fixtures/incidents/shy.tsv "
        "fixtures/incidents/labels.json --ontology fixtures/incidents/types.json "
        "--epochs fixtures/incidents/epochs.txt --edition 2019b -f trec-is -o {scratch}",
    ),
    "report": (
        f"{TEMPORAL} -q -o {{scratch}}/scores.json",
        "report {scratch}/scores.json -o {scratch}/page.html",
    ),
}
"""The commands of each way; the last is the one that is watched."""
OPTIONS = {"given", "options", "told", "asked", "keywords", "arguments", "settings", "chosen"}
WATCH = """
import json, os, sys, threading
root, command = os.getcwd(), json.loads(sys.argv[1])
inside = tuple(os.path.join(root, each) + os.sep for each in ("tseval", "matchers"))
FUNCTION = 2  # CO_OPTIMIZED: bodies of modules and classes have it not
entered, seen = set(), set()

def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(inside):
            return True
        frame = frame.f_back
    return False

def watch(frame, event, _):
    code = frame.f_code
    if event != "call" or code in seen:
        return
    if not code.co_filename.startswith(inside) or not code.co_flags & FUNCTION:
        seen.add(code)
    elif not importing(frame):
        seen.add(code)
        entered.add(code.co_filename)

from tseval.__main__ import run
threading.setprofile(watch)
sys.setprofile(watch)
code = run(command)
sys.setprofile(None)
modules = [name for name in sys.modules if name.split(".")[0] in ("tseval", "matchers")]
json.dump({"code": code, "entered": sorted(entered), "modules": sorted(modules)}, sys.stderr)
"""


@dataclass(frozen=True)
class Module:
    """A file of product code, parsed."""

    path: Path
    name: str
    tree: ast.Module
    lines: int

    @property
    def package(self) -> list[str]:
        """The package that its relative imports start from."""
        parts = self.name.split(".")
        return parts if self.path.name == "__init__.py" else parts[:-1]


@dataclass(frozen=True)
class Import:
    """A module that another imports."""

    module: str
    for_types: bool


def modules_of(root: Path) -> dict[str, Module]:
    """Every module of the product by its dotted name."""
    found = {}
    for path in sorted([*root.glob("tseval/**/*.py"), *root.glob("matchers/**/*.py")]):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(path, name, ast.parse(text), text.count("\n"))
    return found


def imports_of(module: Module, known: dict[str, Module]) -> Iterator[Import]:
    """The modules of the product that a module imports, with how it does."""

    def within(nodes: Iterable[ast.AST], for_types: bool) -> Iterator[Import]:
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from (Import(name, for_types) for name in named(node, module, known))
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                yield from within(node.body, True)
                yield from within(node.orelse, for_types)
            else:
                yield from within(ast.iter_child_nodes(node), for_types)

    yield from within(module.tree.body, False)


def named(
    node: ast.Import | ast.ImportFrom, module: Module, known: dict[str, Module]
) -> Iterator[str]:
    """The modules of the product that one statement names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
        return
    package = module.package
    base = package[: len(package) - node.level + 1] if node.level else []
    source = ".".join([*base, *([node.module] if node.module else [])])
    for alias in node.names:
        child = f"{source}.{alias.name}"
        if child in known:
            yield child
        elif source in known:
            yield source


def room(name: str) -> str | None:
    """The room of a module, None for what every way leads through."""
    package, *rest = name.split(".")
    if package == "matchers":
        return package
    if not rest or rest[0] in NO_ROOMS:
        return None
    if rest[0] == "families":
        return f"families/{rest[1]}" if len(rest) > 1 else None
    return rest[0]


def family(name: str, folders: bool) -> str | None:
    """The family that a module belongs to, None for what all share."""
    _, *rest = name.split(".")
    if folders:
        return rest[1] if len(rest) > 1 and rest[0] == "families" else None
    if rest and rest[0] == "commands":
        return None
    for part in (*rest, name):
        for found, names in FAMILIES_BY_NAME.items():
            if re.fullmatch(names, part):
                return found
    return None


def between_rooms(made: Mapping[str, Iterable[Import]]) -> dict[str, set[str]]:
    """The rooms that each room imports when the program runs."""
    graph: dict[str, set[str]] = {}
    for name, imports in made.items():
        if own := room(name):
            known = {room(each.module) for each in imports if not each.for_types}
            graph.setdefault(own, set()).update(other for other in known - {own} if other)
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach one another, larger than one (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def looked_in(node: ast.AST) -> str | None:
    """The name of the dictionary that `given["at"]` or `given.get("at")` looks into."""
    looked: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        looked = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        looked = node.func.value if node.func.attr in {"get", "pop", "setdefault"} else None
    return looked.id if isinstance(looked, ast.Name) else None


def in_dictionaries(module: Module) -> tuple[int, int]:
    """Functions that take options as a dictionary, and look-ups in it."""
    functions = look_ups = 0
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        taken = {
            each.arg
            for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if each.annotation is not None
            and re.search(r"\b(dict|Mapping)\[str, (Any|object)\]", ast.unparse(each.annotation))
            and each.arg.strip("_") in OPTIONS
        }
        functions += bool(taken)
        look_ups += sum(looked_in(each) in taken for each in ast.walk(node))
    return functions, look_ups


def walked(root: Path, commands: Sequence[str]) -> tuple[list[str], int]:
    """The rooms that the last command enters, and the modules that it imports."""
    environment = os.environ | {"PYTHONPATH": str(root)}
    seen: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for command in commands:
            words = command.replace("{scratch}", scratch).split()
            done = subprocess.run(
                [sys.executable, "-c", WATCH, json.dumps(words)],
                cwd=root,
                env=environment,
                capture_output=True,
                text=True,
            )
            seen = json.loads(done.stderr.splitlines()[-1]) if not done.returncode else {}
            if seen.get("code") != 0:
                sys.exit(f"{root}: `tseval {' '.join(words)}` failed:\n{done.stderr[:2000]}")
    names = (
        ".".join(Path(path).relative_to(root).with_suffix("").parts) for path in seen["entered"]
    )
    return sorted({entered for name in names if (entered := room(name))}), len(seen["modules"])


def measure(root: Path, *, verbose: bool = False) -> dict[str, str]:
    """The rows of the table for one checkout."""
    modules = modules_of(root)
    folders = (root / "tseval" / "families").is_dir()
    made = {name: list(imports_of(module, modules)) for name, module in modules.items()}
    between = {
        (name, each.module)
        for name, imports in made.items()
        for each in imports
        if (own := family(name, folders)) and (other := family(each.module, folders))
        if own != other
    }
    graph = {name: {each.module for each in imports} - {name} for name, imports in made.items()}
    rooms = between_rooms(made)
    options = [in_dictionaries(module) for module in modules.values()]
    small = sum(module.lines <= SMALL for module in modules.values())
    toy = root / "tests" / "toys" / "spotting.py"
    ways = {way: walked(root, commands) for way, commands in WAYS.items()}
    if verbose:
        for pair in sorted(between):
            print("between families:", *pair)
        for group in (*circles(graph), *circles(rooms)):
            print("circle:", *group)
        for way, (entered, _) in ways.items():
            print(f"{way}:", *entered)
    importers = {name for name, _ in between}
    return {
        "product code, lines": f"{sum(module.lines for module in modules.values()):,}",
        f"files (of {SMALL} lines or fewer)": f"{len(modules)} ({small})",
        "modules that import another family": str(len(importers)) if importers else "none",
        "circles of imports between modules": str(len(circles(graph)) or "none"),
        "rooms that import one another in a circle": str(sum(map(len, circles(rooms))) or "none"),
        **{f"rooms entered by `{way}`": str(len(entered)) for way, (entered, _) in ways.items()},
        "modules imported by a temporal report": str(ways["report"][1]),
        "functions that take options as a dictionary (look-ups)": (
            f"{sum(functions for functions, _ in options)} ({sum(number for _, number in options)})"
        ),
        "lines that a toy family needs": (
            str(toy.read_text(encoding="utf-8").count("\n")) if toy.exists() else "no such thing"
        ),
    }


def at_commit(commit: str, folder: Path) -> Path:
    """The files of a commit, laid into a folder."""
    archive = subprocess.run(
        ["git", "archive", commit], cwd=HERE, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def table(columns: dict[str, dict[str, str]]) -> str:
    """Measurements as a table of Markdown, a column a checkout."""
    rows = list(next(iter(columns.values())))
    lines = [f"| | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    lines += [f"| {row} | {' | '.join(each[row] for each in columns.values())} |" for row in rows]
    return "\n".join(lines)


def write_page() -> None:
    """Rewrite the table of docs/house.md."""
    with tempfile.TemporaryDirectory() as folder:
        columns = {
            "first house": measure(at_commit(FIRST, Path(folder).resolve())),
            "second house": measure(HERE),
        }
    page = HERE / PAGE
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, _, after = rest.partition("<!-- end -->\n")
    text = f"{before}<!-- table -->\n{table(columns)}\n<!-- end -->\n{after}"
    page.write_text(text, encoding="utf-8")
    print(table(columns))


def main() -> None:
    """Measure a checkout, or rewrite the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", nargs="?", type=Path, default=HERE)
    parser.add_argument("--page", action="store_true", help=f"rewrite {PAGE}")
    parser.add_argument("--verbose", action="store_true", help="name what is counted")
    asked = parser.parse_args()
    if asked.page:
        write_page()
    else:
        root = asked.checkout.resolve()
        print(table({root.name: measure(root, verbose=asked.verbose)}))


if __name__ == "__main__":
    main()
