"""Sphinx builds the site: ``make -C docs``. Pages are Markdown that reads well without it, too."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "_ext")]

from gallery import GALLERY  # noqa: E402

import halfcl  # noqa: E402

project = "halfcl"
author = "the halfcl developers"
copyright = author
version = release = halfcl.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "reference_pages",
    "source_links",
    "dependency_picture",
    "tables",
]
exclude_patterns = ["_build", "_ext", "explanation/gallery_src"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
nitpicky = False  # docstrings name types in words: "array_like of half"

# Markdown
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]

# Docstrings
default_role = "py:obj"
autosummary_generate = False  # reference_pages writes them
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
#: What the docstring of every public name must have: a summary of its own that ends, and
#: sections in numpydoc's order. (Not that each parameter is named: NumPy's keywords come as
#: "out, where, ...".)
numpydoc_validation_checks = {
    "GL06", "GL07", "GL08", "GL09", "GL10", "SS01", "SS03", "SS04", "YD01",
}  # fmt: skip

#: Attributes that are looked up have the docstrings of their values' types.
numpydoc_validation_exclude = {r"\.Target\.(functions|vectors)$"}

# Pictures
sphinx_gallery_conf = GALLERY

# Looks
html_theme = "pydata_sphinx_theme"
html_title = "halfcl"
html_static_path = ["_static"]
html_css_files = ["halfcl.css", "print.css"]
html_js_files = ["print.js"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader has it
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = "_ext/search_scorer.js"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

#: Where the site's versions lie, a folder each, and which of them this is: the workflow sets both
#: (tools/add_site_version.py). A build by itself has no list of versions.
SITE = os.environ.get("HALFCL_SITE_URL")
if SITE:
    html_theme_options |= {
        "switcher": {
            "json_url": f"{SITE}/switcher.json",
            "version_match": os.environ["HALFCL_SITE_VERSION"],
        },
        "check_switcher": False,  # the list is written after the build
        "show_version_warning_banner": True,
        "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    }

html_sidebars = {
    page: []
    for page in ("index", "search", "reference/opencl", "reference/numpy_changes", "howto/cookbook",
                 "howto/from_shaders", "reference/cheat_sheet",
                 "evidence/accuracy", "evidence/device_proofs", "evidence/figures",
                 "evidence/state_of_half", "evidence/state_of_half/*")  # whose tables are wide
}  # fmt: skip
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# ``make -C docs linkcheck``: the links to other sites.
linkcheck_timeout = 20
linkcheck_anchors = False
