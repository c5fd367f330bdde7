"""How the site is built by `make docs`: offline, from pages, docstrings and the stories in examples/."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

# Before NumPy is imported: on little data threads wait for one another longer than they work.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import ventris  # noqa: E402

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tools.run_pages import is_runnable  # noqa: E402

# Where an extra is missing, its stories are left out, and its names are documented without it.
_left_out = [path.stem for path in (ROOT / "examples").glob("plot_*.py") if not is_runnable(path)]

project = "Ventris"
author = "The Ventris developers"
copyright = author
version = release = ventris.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.py", "sg_execution_times.rst"]
templates_path = ["_templates"]
# The pages under docs/proof are written by commands: what they hold is shown as it is.
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False  # what a module hands out is what it says it hands out
autodoc_mock_imports = [name for name in ("torch", "skorch", "dask") if find_spec(name) is None]
autodoc_typehints = "none"  # numpydoc's Parameters have them, with shapes
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "ignore_pattern": "|".join([r"__init__\.py", *(rf"{name}\.py" for name in _left_out)]),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "backreferences_dir": "gallery/of_a_name",  # which stories use a name: shown on the name's page
    "doc_module": ("ventris",),
    "exclude_implicit_doc": {r"ventris\.errors\..*"},
}

html_theme = "pydata_sphinx_theme"
html_title = "Ventris"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["from_file.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Ventris"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": False,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's machine says


def setup(app):
    from pygments.lexers.special import TextLexer

    app.add_lexer("map", TextLexer)  # the map of docs/method/architecture.md
    app.connect("autodoc-skip-member", _is_scikit_learns)


def _is_scikit_learns(app, what, name, thing, skip, options):
    """`get_params`, `set_fit_request` and their like are scikit-learn's, and documented there."""
    home = getattr(thing, "__module__", None) or ""
    return True if home.startswith("sklearn.") or name.endswith(("_request", "_routing")) else None
