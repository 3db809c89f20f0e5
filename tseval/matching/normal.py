"""The normal forms of Unicode, for whoever counts words of texts."""

from unicodedata import normalize as normal

__all__ = ["normal"]
