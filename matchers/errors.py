"""The one exception of this package."""


class MatcherError(ValueError):
    """A matcher cannot be made or cannot be used as asked.

    The message says what was asked, what would be accepted, and nothing else: it is meant for the
    person at the command line as well as for the caller in Python.
    """
