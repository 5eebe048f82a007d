# SPDX-License-Identifier: Apache-2.0
"""A wheel of what `cmake --install BUILD --component wheel --prefix FROM` gives:
make_wheel.py FROM VERSION FOLDER.

The extension, libbloomery.so.0 and the libraries that they need lie in it side by side, but for those
that every Linux has; libssl is loaded from the system when a server is first reached by TLS. The
platform's tag names the oldest glibc that has every symbol version they need. The same files become
the same bytes.
"""

import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

import bundle_libraries

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABOUT = """\
Metadata-Version: 2.1
Name: pybloomery
Version: {version}
Summary: Bloom filters: "surely never added", or "maybe", in about ten bits a key
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
License-File: THIRD-PARTY
Requires-Python: =={python}.*
"""
TAGS = """\
Wheel-Version: 1.0
Generator: bloomery
Root-Is-Purelib: false
Tag: {tag}
"""


def make(package: pathlib.Path, version: str, folder: pathlib.Path) -> pathlib.Path:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (package / f"_bloomery{suffix}").exists():
        raise SystemExit(f"make_wheel: {package} has no extension for this Python (*{suffix})")
    for versioned in package.glob("libbloomery.so.0.*"):  # a wheel has no links
        versioned.rename(package / "libbloomery.so.0")
    notices = bundle_libraries.bundle(package)
    major, minor = sys.version_info[:2]
    platform = bundle_libraries.platform_tag(package, sysconfig.get_platform().rsplit("-", 1)[1])
    tag = "cp{0}{1}-cp{0}{1}-{2}".format(major, minor, platform)

    files = {
        f"pybloomery/{path.relative_to(package)}": path.read_bytes()
        for path in package.rglob("*")
        if path.is_file()
    }
    notes = f"pybloomery-{version}.dist-info"
    files[f"{notes}/METADATA"] = ABOUT.format(version=version, python=f"{major}.{minor}").encode()
    for name in ("LICENSE", "NOTICE", "THIRD-PARTY"):
        files[f"{notes}/{name}"] = (ROOT / name).read_bytes()
    for name, text in notices.items():
        files[f"{notes}/bundled/{name}"] = text
    files[f"{notes}/WHEEL"] = TAGS.format(tag=tag).encode()
    record = "".join(f"{name},{hash_of(data)},{len(data)}\n" for name, data in sorted(files.items()))
    files[f"{notes}/RECORD"] = f"{record}{notes}/RECORD,,\n".encode()

    wheel = folder / f"pybloomery-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=lambda name: (name.startswith(notes), name)):
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, files[name])
    return wheel


def hash_of(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"sha256={digest}"


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]) / "pybloomery", sys.argv[2], pathlib.Path(sys.argv[3]))
