"""All that a measure or a family of another package imports.

A package names its measures under the entry point group `tseval.measures`, and its families under
`tseval.families`. CONTRIBUTING.md begins with an example of each.
"""

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.declared import argument, file_option, option
from tseval.core.family import Family, View, ViewRequest, ViewRows, Words
from tseval.core.frames import Content, FrameEvaluation, FrameIndex, Request, to_pandas
from tseval.core.kernel import (
    ALWAYS,
    KEY,
    Contributions,
    divided,
    first,
    mean,
    natural,
    quotient,
    ratio,
    total,
)
from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.results import Result
from tseval.core.rules import Edition, NoRules, RuleSet, choice
from tseval.core.sections import Reporting, Section, Setting
from tseval.errors import InputError, UsageError
from tseval.io.schema import RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import Table, TableReader
from tseval.io.times import NotANumber, duration
from tseval.records import frozen

__all__ = [
    "ALWAYS",
    "KEY",
    "RUN",
    "TOPIC",
    "Block",
    "Column",
    "Content",
    "Contributions",
    "Definition",
    "Edition",
    "Family",
    "FrameEvaluation",
    "FrameIndex",
    "Head",
    "InputError",
    "Kind",
    "Measure",
    "NoRules",
    "NotANumber",
    "Note",
    "Parameter",
    "Reporting",
    "Request",
    "Result",
    "Rows",
    "RuleSet",
    "Schema",
    "Section",
    "Setting",
    "Table",
    "TableReader",
    "UsageError",
    "View",
    "ViewRequest",
    "ViewRows",
    "Words",
    "argument",
    "choice",
    "divided",
    "duration",
    "file_option",
    "first",
    "frozen",
    "mean",
    "natural",
    "option",
    "quotient",
    "ratio",
    "to_pandas",
    "total",
]
