"""A report as one self-contained page: nothing is fetched, and nothing in it can become code."""

from tseval.views.report.document import report_page

__all__ = ["report_page"]
