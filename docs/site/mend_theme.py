#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mend_theme.py FOLDER: Debian's furo asks a web server for one of its styles, and is dark only for those who press its button.
This puts that style beside the others, and the dark colours also where the reader's system is dark."""
import os
import re
import sys

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"


def main():
    styles = os.path.join(sys.argv[1], "_static", "styles")
    path = os.path.join(styles, "furo.css")
    with open(path, encoding="utf-8") as text:
        css = text.read()
    with open(NORMALIZE, encoding="utf-8") as text:
        normalize = text.read()
    css = re.sub(r"@import url\(/javascript/normalize\.css/[^)]*\);", "@import url(normalize.css);", css)
    with open(os.path.join(styles, "normalize.css"), "w", encoding="utf-8") as out:
        out.write(normalize)
    if "prefers-color-scheme" not in css:
        dark = re.search(r'body\[data-theme="dark"\] \{(.*?)\}', css, re.S)
        css += ("\n@media not print { @media (prefers-color-scheme: dark) {\n"
                'body:not([data-theme="light"]) {' + dark.group(1) + "}\n"
                'html body:not([data-theme="light"]) .only-light { display: none !important; }\n}}\n')
    with open(path, "w", encoding="utf-8") as out:
        out.write(css)


if __name__ == "__main__":
    main()
