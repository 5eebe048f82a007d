# SPDX-License-Identifier: Apache-2.0
"""A wheel of what `cmake --install BUILD --component wheel --prefix FROM` gives:
make_wheel.py FROM VERSION FOLDER.

The extension and libbloomery.so.0 lie in it side by side. All else that they need is the system's
(libhiredis; libssl, which is loaded when a server is reached by TLS): it is for the Debian, the
processor and the Python that it was built on. The same files become the same bytes.
"""

import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

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
Requires-External: libhiredis
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
    major, minor = sys.version_info[:2]
    tag = "cp{0}{1}-cp{0}{1}-{2}".format(major, minor, sysconfig.get_platform().replace("-", "_"))

    files = {
        f"pybloomery/{path.relative_to(package)}": path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and not path.name.startswith("libbloomery.so.0.")  # to which a link of the name points
    }
    notes = f"pybloomery-{version}.dist-info"
    files[f"{notes}/METADATA"] = ABOUT.format(version=version, python=f"{major}.{minor}").encode()
    for name in ("LICENSE", "NOTICE", "THIRD-PARTY"):
        files[f"{notes}/{name}"] = (ROOT / name).read_bytes()
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
