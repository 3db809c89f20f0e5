"""Settings of the documentation. Nothing is fetched: no intersphinx, no fonts, no counters."""

from pathlib import Path
from runpy import run_path

project = "tseval"
author = "The tseval authors"
release = run_path(str(Path(__file__).parents[1] / "tseval" / "version.py"))["VERSION"]
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc"]
default_role = "literal"  # docstrings quote names as Markdown does
autodoc_member_order = "groupwise"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
autodoc_class_signature = "separated"
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"tseval {release}"
html_show_copyright = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["cards.css"]
