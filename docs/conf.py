"""How the site is built; ./run docs calls Sphinx with warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import abovechance  # noqa: E402

project = "abovechance"
author = "The abovechance authors"
project_copyright = "The abovechance authors"
version = release = abovechance.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "generator",  # pages from the declarations, formulas as MathML, a check of every link
]
exclude_patterns = ["generator"]
html_math_renderer = "mathml"
default_role = "code"  # names in docstrings stand in single backticks

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # tables that are included begin with their own title

autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = "abovechance"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
