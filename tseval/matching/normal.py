"""The normal forms of Unicode, as matchers take them, for whoever counts words of texts."""

from matchers.normal import normal

__all__ = ["normal"]
