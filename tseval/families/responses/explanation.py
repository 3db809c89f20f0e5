"""What the command shows beside scores: the sentences of responses, and the labels of nuggets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tseval.core.family import Asked, Shown, View
from tseval.errors import UsageError
from tseval.families.responses.inputs import ResponseOptions
from tseval.families.responses.tables import Grade, Sentence

if TYPE_CHECKING:
    from tseval.families.responses.evaluation import ResponseEvaluation

SENTENCES = ("run", "topic", "sentence", "text", "documents")
LABELS = ("run", "topic", "nugget", "importance", "grade", "time", "line")
GRADES = (0.0, 0.5, 1.0)


def sentences(evaluation: ResponseEvaluation, _: Asked[ResponseOptions]) -> Shown:
    """A row for each sentence of each response, in the order of the files."""
    import pandas as pd

    rows = [
        (response.run, response.topic, at, label.text, " ".join(label.documents))
        for response in evaluation.labelled
        for at, label in enumerate(response.labels)
        if isinstance(label, Sentence)
    ]
    if not rows:
        raise UsageError("--explain sentences looks at responses: these are labels")
    return Shown(pd.DataFrame(rows, columns=list(SENTENCES)))


def labels(evaluation: ResponseEvaluation, _: Asked[ResponseOptions]) -> Shown:
    """A row for each label of a nugget or a criterion, with what it counts."""
    import pandas as pd

    rows = [
        (
            response.run,
            response.topic,
            label.nugget.key[0],
            label.nugget.importance,
            math.nan if label.failed else GRADES[label.grade],
            response.time if math.isnan(label.time) else label.time,
            response.line,
        )
        for response in evaluation.labelled
        for label in response.labels
        if isinstance(label, Grade)
    ]
    if not rows:
        raise UsageError("--explain labels looks at labels of nuggets or criteria: here are none")
    return Shown(pd.DataFrame(rows, columns=list(LABELS)))


VIEWS = (
    View("sentences", "the sentences of runs, with the documents that they cite", sentences),
    View("labels", "each label of a nugget or a criterion, and what it counts", labels),
)
