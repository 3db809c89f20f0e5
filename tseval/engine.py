"""The public face of engines: choosing one, and what one must do."""

from tseval.parallel.engine import GROUP, Engine, Here, Unit, Work, choose

__all__ = ["GROUP", "Engine", "Here", "Unit", "Work", "choose"]
