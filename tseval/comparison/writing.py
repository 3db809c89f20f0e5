"""Findings for programs and for papers: tsv, csv, json, parquet in full precision, and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.comparison.findings import Findings
from tseval.comparison.runs import Comparison, RunStanding
from tseval.errors import UsageError
from tseval.files.latex import DOWN, UP, LatexTable, escaped, latex_bytes
from tseval.files.rows import ROW_FORMS, result_object_bytes, rows_bytes

LATEX = "latex"
FINDINGS_FORMS = (*ROW_FORMS, LATEX)
DECIMALS = 4
MARK = r"\textsuperscript{*}"
"""What a run has beside its mean that differs from the baseline."""


def findings_bytes(found: Findings, form: str) -> bytes:
    """The findings in one of `FINDINGS_FORMS`; only a comparison of runs has LaTeX."""
    if form == LATEX and isinstance(found, Comparison):
        return latex_bytes(latex_table(found))
    if form not in ROW_FORMS:
        known = ROW_FORMS if not isinstance(found, Comparison) else FINDINGS_FORMS
        raise UsageError(f"'{form}' is none of the forms that this has: {', '.join(known)}")
    if form != "json":
        return rows_bytes(found.frame(), form, found.signature)
    inputs = [{"path": s.path, "sha256": s.sha256, "rows": s.rows} for s in found.inputs]
    parts = {name: part.records() for name, part in found.parts.items()}
    more = {"measures": _measures(found)} if isinstance(found, Comparison) else {}
    return result_object_bytes(
        found.signature, {"inputs": inputs, **more, **parts, "warnings": list(found.warnings)}
    )


def _measures(found: Comparison) -> list[dict[str, object]]:
    """Which way each goes, and why no difference can be shown where that is so."""
    return [
        {"measure": name, "higher_is_better": way}
        | ({"cannot_tell": found.cannot_tell[name]} if name in found.cannot_tell else {})
        for name, way in found.higher.items()
    ]


def latex_table(found: Comparison) -> LatexTable:
    """The means with their letters, a column a measure; of one measure also the intervals.

    Runs come in the order of the first measure. The best mean of each measure is set in bold.
    Against a baseline a star marks the runs that differ from it.
    """
    arrows = {name: UP if way else DOWN for name, way in found.higher.items()}
    heads = [f"{escaped(name)} {arrow}" for name, arrow in arrows.items()]
    runs = list(dict.fromkeys(each.run for each in found.standings))
    cells = {(each.measure, each.run): _cell(each, found) for each in found.standings}
    rows = [[escaped(run), *(cells.get((name, run), "--") for name in arrows)] for run in runs]
    if len(arrows) == 1:
        heads.append(f"{100 * found.plan.level:g}\\,\\% interval")
        for row, each in zip(rows, found.standings, strict=True):
            row.append(_range(each))
    return LatexTable(["Run", *heads], rows, found.signature)


def _cell(each: RunStanding, found: Comparison) -> str:
    mean = f"{each.mean:.{DECIMALS}f}"
    best = rf"\textbf{{{mean}}}" if each.rank == 1 else mean
    if each.letters is not None:
        return best + rf"\textsuperscript{{{escaped(each.letters)}}}"
    return best + (MARK if each.run in _different(found, each.measure) else "")


def _different(found: Comparison, measure: str) -> Iterator[str]:
    """The runs that differ from the baseline."""
    return (c.run for c in found.contests if c.measure == measure and c.different)


def _range(each: RunStanding) -> str:
    if each.low is None or each.high is None:
        return "--"
    return f"[{each.low:.{DECIMALS}f}, {each.high:.{DECIMALS}f}]"
