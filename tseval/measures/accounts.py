"""The public face of ledgers, for plug-ins: what a measure adds up, and the score of it."""

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.results import Values

__all__ = ["ALWAYS", "Account", "Ledger", "Values", "ratio"]
