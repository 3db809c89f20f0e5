"""One palette: a run has the same colour and dashes in every picture and page of a set.

They follow from the set of runs alone, whatever order these are listed or ranked in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Colour(NamedTuple):
    """A colour of lines on white, and on a dark page."""

    light: str
    dark: str


# Okabe and Ito's palette, darker where a line on white asks for it, and less its yellow.
COLOURS = (
    Colour("#0072b2", "#56a8dd"),
    Colour("#c24e00", "#f08a48"),
    Colour("#00805e", "#38bf95"),
    Colour("#b0578b", "#dd92bb"),
    Colour("#1f2021", "#e6e4de"),
    Colour("#a87000", "#e0ac3c"),
    Colour("#2f8fc4", "#8ed0f2"),
)
# Seven colours and eight dashes share no divisor, so the pairs repeat only after 56 runs.
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


@dataclass(frozen=True)
class Palette:
    """Which run, or other line, is drawn how."""

    places: Mapping[str, int]

    @classmethod
    def of(cls, runs: Iterable[str]) -> Palette:
        """The palette of a set of runs: by their names in natural order."""
        from tseval.tables import natural_order  # which loads more than a legend needs

        return cls({run: at for at, run in enumerate(natural_order(set(runs)))})

    @classmethod
    def of_picture(cls, names: Iterable[str], *, are_runs: bool) -> Palette:
        """The palette of a picture; lines that are no runs go in the order of their list."""
        if are_runs:
            return cls.of(names)
        return cls({name: at for at, name in enumerate(names)})

    def classes(self, name: str) -> str:
        """What a page calls its colour and its dashes; `style` says what they look like."""
        place = self.places[name]
        return f"s{place % len(COLOURS)} d{place % len(DASHES)}"


def style() -> str:
    """The rules of style for `Palette.classes`: on white, on a dark page, and on paper."""
    light, dark = (
        ":root {" + "".join(f" --s{at}: {getattr(each, how)};" for at, each in _numbered()) + " }"
        for how in Colour._fields
    )
    print_too = f"@media print {{ {light} }}\n"
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{print_too}{rules()}"


def rules() -> str:
    """What is drawn in which colour and with which dashes, whatever the colours are."""
    coloured = [
        f".line.on.s{at}, .legend .s{at}, .dots.on.s{at} .hollow, .end.on.s{at} "
        f"{{ stroke: var(--s{at}); }} "
        f".band.s{at}, .dots.on.s{at}, .parts.on.s{at}, .end.on.s{at} {{ fill: var(--s{at}); }}"
        for at, _ in _numbered()
    ]
    dashed = [
        f".line.on.d{at}, .legend .d{at} {{ stroke-dasharray: {' '.join(map(str, dashes))}; }}"
        for at, dashes in enumerate(DASHES)
        if at > 0
    ]
    foretold = ".line.on.foretold { stroke-dasharray: 1 4; stroke-linecap: round; }"
    return "\n".join([*coloured, *dashed, foretold]) + "\n"


def on_white() -> dict[str, str]:
    """The colours on white by the names that `rules` have for them."""
    return {f"s{at}": each.light for at, each in _numbered()}


def _numbered() -> Iterator[tuple[int, Colour]]:
    return enumerate(COLOURS)
