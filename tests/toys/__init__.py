"""Toys that are added by the documented way: a measure, an edition, a format, a family."""
