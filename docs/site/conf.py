# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site of the documents: ./run docs."""
import os
import re

here = os.environ["BLOOMERY_SOURCE"]
with open(os.path.join(here, "bloomery", "version.h"), encoding="utf-8") as header:
    numbers = re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read())

project = "bloomery"
author = "The bloomery authors"
copyright = author
version = release = ".".join(numbers)
language = "en"

extensions = ["myst_parser", "breathe"]
source_suffix = [".md", ".rst"]
root_doc = "index"
myst_heading_anchors = 4  # as the hosts of repositories make them
suppress_warnings = ["myst.header"]  # a page may begin with what it is, below its title

breathe_projects = {"bloomery": os.environ["BLOOMERY_DOXYGEN"]}
breathe_default_project = "bloomery"
breathe_default_members = ("members",)
breathe_show_include = False
primary_domain = "cpp"
highlight_language = "none"

html_theme = "furo"
html_title = f"bloomery {release}"
html_extra_path = ["extra"]  # the calculator, a page of its own
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_permalinks_icon = "#"


def for_the_site(app, docname, source):
    """Links to what is no page: the calculator is one of its own, and a folder of the tree is only named."""
    folder = os.path.dirname(docname)

    def link(match):
        text, target = match.groups()
        if re.match(r"[a-z]+:|#", target) or target.split("#")[0].endswith(".md"):
            return match.group(0)
        if target.endswith("index.html"):
            return f'<a href="{target}">{text}</a>'
        there = os.path.join(app.srcdir, folder, target)
        return match.group(0) if os.path.isfile(there) else text

    source[0] = re.sub(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)", link, source[0])


def setup(app):
    app.connect("source-read", for_the_site)
