"""The public face of engines: choosing one, and what one must do."""

from tseval.parallel.engine import Engine, Here, Unit, Work
from tseval.parallel.sharing import GROUP, choose

__all__ = ["GROUP", "Engine", "Here", "Unit", "Work", "choose"]
