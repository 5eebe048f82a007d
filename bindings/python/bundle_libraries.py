# SPDX-License-Identifier: Apache-2.0
"""Puts the libraries that a wheel may not ask the system for beside its extension.

A wheel for any Linux asks the system for glibc, libstdc++, libgcc_s and libz alone (PEP 600). Copies
of all others get a name of their own, so that another package's copy is never taken for them.
"""

import hashlib
import pathlib
import re
import subprocess

ALLOWED = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libz|ld-linux[-a-z0-9_]*)\.so\.\d+$")
# The glibc of the first distribution that has so new a libstdc++ (GCC 11, 12, 13, 14).
GLIBC_OF_STDCXX = {29: 34, 30: 35, 31: 38, 32: 38, 33: 39}


def run(*words: object) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def needed(library: pathlib.Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", library))


def path_of(name: str, user: pathlib.Path) -> pathlib.Path:
    found = re.search(rf"^\s*{re.escape(name)} => (/\S+)", run("ldd", user), re.MULTILINE)
    if not found:
        raise SystemExit(f"bundle_libraries: {user.name} needs {name}, which is not on this system")
    return pathlib.Path(found[1])


def package_of(library: pathlib.Path) -> str:
    """The Debian package that has the library, whose notices are in /usr/share/doc."""
    said = run("dpkg-query", "--search", f"*/{library.resolve().name}")
    return said.splitlines()[0].split(":")[0]


def bundle(folder: pathlib.Path) -> dict[str, bytes]:
    """Bundles what all libraries in the folder need; returns the notices of what was copied, by package."""
    ours = {path.name: path for path in folder.glob("*.so*")}
    copies: dict[str, pathlib.Path] = {}
    notices: dict[str, bytes] = {}
    waiting = list(ours.values())
    while waiting:
        user = waiting.pop()
        for name in needed(user):
            if name in ours or ALLOWED.match(name):
                continue
            if name not in copies:
                original = path_of(name, user)
                mark = hashlib.sha256(original.read_bytes()).hexdigest()[:8]
                stem, behind = name.split(".so", 1)
                copy = folder / f"{stem}-{mark}.so{behind}"
                copy.write_bytes(original.read_bytes())
                run("patchelf", "--set-soname", copy.name, "--set-rpath", "$ORIGIN", copy)
                copies[name] = copy
                package = package_of(original)
                notices[package] = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
                waiting.append(copy)
            run("patchelf", "--replace-needed", name, copies[name].name, user)
    return notices


def platform_tag(folder: pathlib.Path, machine: str) -> str:
    """The oldest glibc that has every symbol version which the libraries in the folder need."""
    glibc = 17
    for library in folder.glob("*.so*"):
        versions = run("readelf", "--version-info", "--wide", library)
        glibc = max([glibc, *(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", versions))])
        for minor in re.findall(r"GLIBCXX_3\.4\.(\d+)", versions):
            newest = [of for since, of in GLIBC_OF_STDCXX.items() if int(minor) >= since]
            glibc = max([glibc, *newest])
    return f"manylinux_2_{glibc}_{machine}"

