"""Which module of the program imports which, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

NO_ROOMS = {"__init__", "__main__", "arrays", "drawer", "errors", "records", "version"}
"""What any module may import, and what imports everything."""


@dataclass(frozen=True)
class Module:
    """A file of the program, parsed."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def package(self) -> list[str]:
        """The package that its relative imports start from."""
        parts = self.name.split(".")
        return parts if self.path.name == "__init__.py" else parts[:-1]


def modules_of(root: Path) -> dict[str, Module]:
    """Every module of the program by its dotted name."""
    found = {}
    for path in sorted([*root.glob("tseval/**/*.py"), *root.glob("matchers/**/*.py")]):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(path, name, ast.parse(path.read_text(encoding="utf-8")))
    return found


def imports_of(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    """The modules of the program that a module imports, inside functions and for types too."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            package = module.package
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                child = f"{source}.{alias.name}"
                yield from (each for each in (child, source) if each in known)
        elif (name := imported_by_call(node)) in known:
            yield str(name)


def imported_by_call(node: ast.AST) -> str | None:
    """The module that `import_module("...")` names, where its name is a literal."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        name = node.args[0]
        return str(name.value) if isinstance(name, ast.Constant) else None
    return None


def room(name: str) -> str | None:
    """The room of a module; None for what is no room."""
    package, *rest = name.split(".")
    if package == "matchers":
        return package
    if not rest or rest[0] in NO_ROOMS:
        return None
    if rest[0] == "families":
        return f"families/{rest[1]}" if len(rest) > 1 else None
    return rest[0]


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Nodes that reach one another, if there are any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
