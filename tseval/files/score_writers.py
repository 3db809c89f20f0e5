"""Writing scores for programs: trec, csv, json and parquet, always in full precision."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.core.scores import Scores

UNDEFINED = "undefined"
"""What stands for an undefined value in the form `trec`."""


def trec_bytes(scores: Scores, *, per_topic: bool) -> bytes:
    """`measure<TAB>topic<TAB>value`, the topic `all` last; several runs have a column before."""
    many = len(scores.runs) > 1
    lines = []
    for run, topic, measure, value in scores.records(per_topic=per_topic):
        shown = UNDEFINED if value is None else repr(value)
        lines.append("\t".join(([run] if many else []) + [measure, topic, shown]))
    return "".join(f"{line}\n" for line in lines).encode()


def csv_bytes(scores: Scores, *, per_topic: bool) -> bytes:
    """Tidy rows; an undefined value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("run", "topic", "measure", "value"))
    for record in scores.records(per_topic=per_topic):
        writer.writerow((*record[:3], "" if record.value is None else repr(record.value)))
    return out.getvalue().encode()


def json_bytes(scores: Scores, *, per_topic: bool) -> bytes:
    """The scores with their signature, inputs, warnings, undefined topics, and which are types."""
    content: dict[str, Any] = {
        "signature": scores.signature,
        "version": VERSION,
        "inputs": [
            {"path": source.path, "sha256": source.sha256, "rows": source.rows}
            for source in scores.inputs
        ],
        "records": [record._asdict() for record in scores.records(per_topic=per_topic)],
        "undefined": [
            {
                "run": run,
                "measure": measure,
                "topics": len(topics),
                "of": scores.topics_of(run, measure),
            }
            for run, measure, topics in scores.undefined()
        ],
        "warnings": list(scores.warnings),
    }
    content |= {"types": list(scores.types)} if scores.types else {}
    content |= _weights(scores) if per_topic else {}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _weights(scores: Scores) -> dict[str, list[dict[str, Any]]]:
    """What values of topics weigh, where `all` is a quotient of sums: of whole runs alone."""
    told = [
        {"run": run, "topic": topic, "measure": measure, "weight": weight}
        for run, topic, measure, weight in scores.weights()
    ]
    return {"weights": told} if told else {}


def parquet_bytes(scores: Scores, *, per_topic: bool) -> bytes:
    """Tidy rows; an undefined value is null; signature and types are in the metadata."""
    records = list(scores.records(per_topic=per_topic))
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
    told |= {k: json.dumps(v) for k, v in _weights(scores).items()} if per_topic else {}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(told), out)
    return out.getvalue()


_WRITERS: dict[str, Callable[..., bytes]] = {
    "trec": trec_bytes,
    "csv": csv_bytes,
    "json": json_bytes,
    "parquet": parquet_bytes,
}
RESULT_FORMS = tuple(_WRITERS)


def result_bytes(scores: Scores, form: str, *, per_topic: bool) -> bytes:
    """The scores in one of `RESULT_FORMS`."""
    return _WRITERS[form](scores, per_topic=per_topic)
