"""One palette: a run has the same colour and dashes in every picture and page of a set.

They follow from the set of runs alone, whatever order these are listed or ranked in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from tseval.records import frozen


class Colour(NamedTuple):
    """A colour of lines on white, and on a dark page."""

    light: str
    dark: str


# After Okabe and Ito, darker where a line on white asks for it; violet and brown for its yellow and
# light blue, so that no two are alike to those who see some colours otherwise.
COLOURS = (
    Colour("#0072b2", "#56a8dd"),
    Colour("#c24e00", "#f08a48"),
    Colour("#00805e", "#38bf95"),
    Colour("#b0578b", "#cf6fa8"),
    Colour("#1f2021", "#e6e4de"),
    Colour("#4a36e0", "#7a68ff"),
    Colour("#70390f", "#a85e50"),
    Colour("#7d9b46", "#c8d732"),
)
# Each turn of the colours begins one dash further, so the pairs repeat only after 64 runs.
DASHES = (
    (1, 0),
    (7, 3),
    (2, 2),
    (10, 3, 2, 3),
    (14, 4),
    (5, 2, 5, 5),
    (10, 3, 2, 3, 2, 3),
    (3, 5),
)


SYMBOLS = 4
"""The number of shapes of dots; the shape changes with every eighth run."""


class Look(NamedTuple):
    """How a line and its dots are drawn: its classes of style, and which symbol its dots are."""

    classes: str
    symbol: int

    @property
    def colour(self) -> int:
        """Return the index of its colour."""
        return int(self.classes.split()[0].removeprefix("s"))


@frozen
class Palette:
    """Which run, or other line, is drawn how."""

    places: Mapping[str, int]
    changed: Mapping[str, int] = field(default_factory=dict)
    """The free colours of runs that stand out on a page while another has their colour."""

    @classmethod
    def of(cls, runs: Iterable[str], forward: Iterable[str] = ()) -> Palette:
        """The palette of a set of runs: by their names in natural order.

        Those that stand out, as many as there are colours at most, have different ones.
        """
        from tseval.io.names import natural_order

        places = {run: at for at, run in enumerate(natural_order(set(runs)))}
        changed: dict[str, int] = {}
        for run in sorted(forward, key=places.__getitem__):
            free = [at for at in range(len(COLOURS)) if at not in changed.values()]
            own = places[run] % len(COLOURS)
            changed[run] = own if own in free or not free else free[0]
        return cls(places, changed)

    @classmethod
    def of_picture(cls, names: Sequence[str], *, are_runs: bool, shown: int = 0) -> Palette:
        """The palette of a picture; lines that are no runs go in the order of their list."""
        if are_runs:
            return cls.of(names, names[:shown])
        return cls({name: at for at, name in enumerate(names)})

    def look(self, name: str) -> Look:
        """Its colour and its dashes by the names that `style` has for them, and its symbol."""
        place = self.places[name]
        colour = self.changed.get(name, place % len(COLOURS))
        classes = f"s{colour} d{(place + place // len(COLOURS)) % len(DASHES)}"
        return Look(classes, place // len(COLOURS) % SYMBOLS)


def style() -> str:
    """The rules of style for `Palette.classes`: on white, on a dark page, and on paper."""
    light, dark = (
        ":root {"
        + "".join(f" --s{at}: {getattr(each, how)};" for at, each in enumerate(COLOURS))
        + " }"
        for how in Colour._fields
    )
    print_too = f"@media print {{ {light} }}\n"
    of_runs = " ".join(f".s{at} {{ --run: var(--s{at}); }}" for at, _ in enumerate(COLOURS))
    schemes = f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{print_too}"
    return f"{schemes}{rules()}{of_runs}\n"


def rules() -> str:
    """What is drawn in which colour and with which dashes, whatever the colours are."""
    coloured = [
        f".line.on.s{at}, .legend line.s{at}, .dots.on.s{at} .hollow, .end.on.s{at} "
        f"{{ stroke: var(--s{at}); }} "
        f".band.s{at}, .dots.on.s{at}, .parts.on.s{at}, .end.on.s{at} {{ fill: var(--s{at}); }}"
        for at, _ in enumerate(COLOURS)
    ]
    dashed = [
        f".line.on.d{at}, .legend line.d{at} {{ stroke-dasharray: {' '.join(map(str, dashes))}; }}"
        for at, dashes in enumerate(DASHES)
        if at > 0
    ]
    foretold = ".line.on.foretold { stroke-dasharray: 1 4; stroke-linecap: round; }"
    return "\n".join([*coloured, *dashed, foretold]) + "\n"


def on_white() -> dict[str, str]:
    """The colours on white by the names that `rules` have for them."""
    return {f"s{at}": each.light for at, each in enumerate(COLOURS)}
