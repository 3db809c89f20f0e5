"""Settings of the documentation. Nothing is fetched: no intersphinx, no fonts, no counters."""

from pathlib import Path
from runpy import run_path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

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
html_math_renderer = "mathml"


def setup(app: Sphinx) -> None:
    """Render formulas as MathML, which browsers show without a script or a network."""
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))


def write_formula(writer: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    writer.body.append(
        f'<div style="overflow: auto hidden; padding: 0.4em 0">{formula}</div>\n'
        if block
        else formula
    )
    raise nodes.SkipNode
