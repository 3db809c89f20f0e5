"""Writing scores for programs: trec, csv, json and parquet, always in full precision."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tseval.files.score_tables import latex_scores, markdown_scores
from tseval.tables.scores import ScoreFile
from tseval.version import VERSION

UNDEFINED = "undefined"
"""What stands for an undefined value in the form `trec`."""


def trec_bytes(scores: ScoreFile) -> bytes:
    """`measure<TAB>topic<TAB>value`, the topic `all` last; several runs have a column before."""
    many = len(scores.runs) > 1
    lines = []
    for run, topic, measure, value in scores.records:
        shown = UNDEFINED if value is None else repr(value)
        lines.append("\t".join(([run] if many else []) + [measure, topic, shown]))
    return "".join(f"{line}\n" for line in lines).encode()


def csv_bytes(scores: ScoreFile) -> bytes:
    """Tidy rows; an undefined value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("run", "topic", "measure", "value"))
    for record in scores.records:
        writer.writerow((*record[:3], "" if record.value is None else repr(record.value)))
    return out.getvalue().encode()


def json_bytes(scores: ScoreFile) -> bytes:
    """The scores with their signature, inputs, warnings, undefined topics, and which are types."""
    content: dict[str, Any] = {
        "signature": scores.signature,
        "version": VERSION,
        "inputs": [
            {"path": source.path, "sha256": source.sha256, "rows": source.rows}
            for source in scores.inputs
        ],
        "records": [record._asdict() for record in scores.records],
        "undefined": [asdict(each) for each in scores.undefined],
        "warnings": list(scores.warnings),
    }
    content |= {"types": list(scores.types)} if scores.types else {}
    content |= _weights(scores)
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _weights(scores: ScoreFile) -> dict[str, list[dict[str, Any]]]:
    """The weights under their name; nothing where there are none."""
    told = [
        {"run": run, "topic": topic, "measure": measure, "weight": weight}
        for run, topic, measure, weight in scores.weights
    ]
    return {"weights": told} if told else {}


def parquet_bytes(scores: ScoreFile) -> bytes:
    """Tidy rows; an undefined value is null; signature and types are in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = scores.records
    table = pa.table(
        {
            "run": pa.array([record.run for record in records], pa.string()),
            "topic": pa.array([record.topic for record in records], pa.string()),
            "measure": pa.array([record.measure for record in records], pa.string()),
            "value": pa.array([record.value for record in records], pa.float64()),
        }
    )
    told = {"signature": scores.signature}
    told |= {"types": json.dumps(scores.types)} if scores.types else {}
    told |= {name: json.dumps(weights) for name, weights in _weights(scores).items()}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(told), out)
    return out.getvalue()


_WRITERS: dict[str, Callable[[ScoreFile], bytes]] = {
    "trec": trec_bytes,
    "csv": csv_bytes,
    "json": json_bytes,
    "parquet": parquet_bytes,
    "markdown": markdown_scores,
    "latex": latex_scores,
}
RESULT_FORMS = tuple(_WRITERS)
SUFFIXES = {"md": "markdown", "tex": "latex"}
"""Suffixes of files that are called otherwise than their form."""
WHOLE_FORMS = ("json", "parquet")
"""Those that always hold the values of topics, since they are kept for later questions."""


def score_file_bytes(scores: ScoreFile, form: str) -> bytes:
    """The file in one of `RESULT_FORMS`."""
    return _WRITERS[form](scores)
