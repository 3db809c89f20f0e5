"""Two people's stores as one: the decisions of both, in the order of their times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.errors import UsageError

if TYPE_CHECKING:
    from tseval.desk.store import Store


def merged(into: Store, other: Store) -> tuple[int, int]:
    """Bring in the decisions of another store: how many were new, of how many.

    A store of other runs, nuggets or another pool is refused: its decisions are of other things.
    """
    one, two = into.inputs(), other.inputs()
    for name in sorted({*one, *two}):
        if name not in one or name not in two or one[name].sha256 != two[name].sha256:
            raise UsageError(f"{other.path} was made with other {name} than {into.path}")
    for name in ("depth", "fold"):
        mine, theirs = (getattr(each.settings, name) for each in (into, other))
        if mine != theirs:
            option = {"depth": "pool", "fold": "fold"}[name]
            raise UsageError(
                f"{other.path} was made with --{option} {theirs or 'all'}, {into.path} with "
                f"--{option} {mine or 'all'}: their updates are not the same"
            )
    decisions = other.decisions()
    return into.take_in(decisions), len(decisions)
