"""All that a measure or a family of another package imports.

A package names its measures under the entry point group `tseval.measures`, and its families under
`tseval.families`. CONTRIBUTING.md begins with an example of each.
"""

from tseval.core.blocks import Block as Block
from tseval.core.blocks import Head as Head
from tseval.core.blocks import Note as Note
from tseval.core.blocks import Rows as Rows
from tseval.core.declared import argument as argument
from tseval.core.declared import file_option as file_option
from tseval.core.declared import option as option
from tseval.core.family import Family as Family
from tseval.core.family import View as View
from tseval.core.family import ViewRequest as ViewRequest
from tseval.core.family import ViewRows as ViewRows
from tseval.core.family import Words as Words
from tseval.core.frames import Content as Content
from tseval.core.frames import FrameEvaluation as FrameEvaluation
from tseval.core.frames import FrameIndex as FrameIndex
from tseval.core.frames import Request as Request
from tseval.core.frames import to_pandas as to_pandas
from tseval.core.kernel import ALWAYS as ALWAYS
from tseval.core.kernel import KEY as KEY
from tseval.core.kernel import Contributions as Contributions
from tseval.core.kernel import divided as divided
from tseval.core.kernel import first as first
from tseval.core.kernel import mean as mean
from tseval.core.kernel import natural as natural
from tseval.core.kernel import quotient as quotient
from tseval.core.kernel import ratio as ratio
from tseval.core.kernel import total as total
from tseval.core.measure import Definition as Definition
from tseval.core.measure import Measure as Measure
from tseval.core.measure import Parameter as Parameter
from tseval.core.results import Result as Result
from tseval.core.rules import Edition as Edition
from tseval.core.rules import NoRules as NoRules
from tseval.core.rules import RuleSet as RuleSet
from tseval.core.rules import choice as choice
from tseval.core.sections import Reporting as Reporting
from tseval.core.sections import Section as Section
from tseval.core.sections import Setting as Setting
from tseval.errors import InputError as InputError
from tseval.errors import UsageError as UsageError
from tseval.io.schema import RUN as RUN
from tseval.io.schema import TOPIC as TOPIC
from tseval.io.schema import Column as Column
from tseval.io.schema import Kind as Kind
from tseval.io.schema import Schema as Schema
from tseval.io.tables import Table as Table
from tseval.io.tables import TableReader as TableReader
from tseval.io.times import NotANumber as NotANumber
from tseval.io.times import duration as duration
from tseval.records import frozen as frozen
