# SPDX-License-Identifier: Apache-2.0
"""A bill of materials of a release, as SPDX 2.3 in JSON: its files with their sums, and what they contain or ask the system
for, with the versions of this machine: sbom.py VERSION FOLDER. SOURCE_DATE_EPOCH is its time."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Debian's source of what we use -> its licence, and how: compiled in, or asked of the system.
PARTS = {
    "libxxhash-dev": ("BSD-2-Clause", "CONTAINS"),
    "libcli11-dev": ("BSD-3-Clause", "CONTAINS"),
    "nlohmann-json3-dev": ("MIT", "CONTAINS"),
    "libfmt-dev": ("MIT", "CONTAINS"),
    "libhiredis-dev": ("BSD-3-Clause", "DEPENDS_ON"),
    "libssl-dev": ("Apache-2.0", "DEPENDS_ON"),
    "libsqlite3-dev": ("blessing", "DEPENDS_ON"),
    "libpq-dev": ("PostgreSQL", "DEPENDS_ON"),
    "libmariadb-dev": ("LGPL-2.1-or-later", "DEPENDS_ON"),
    "zlib1g-dev": ("Zlib", "DEPENDS_ON"),
    "libzstd-dev": ("BSD-3-Clause", "DEPENDS_ON"),
    "liblzma-dev": ("LicenseRef-public-domain", "DEPENDS_ON"),
}


def version_of(package: str) -> str:
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True, capture_output=True, text=True).stdout


def reference(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name: str, version: str, licence: str) -> dict:
    return {"SPDXID": reference(name), "name": name, "versionInfo": version, "licenseDeclared": licence, "licenseConcluded": licence,
            "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False}  # fmt: skip


def bill(version: str, folder: pathlib.Path) -> dict:
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    files = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        data = path.read_bytes()
        sums = [{"algorithm": each.upper(), "checksumValue": hashlib.new(each, data).hexdigest()} for each in ("sha256", "sha1")]
        files.append({"SPDXID": reference(f"file-{name}"), "fileName": f"./{name}", "copyrightText": "NOASSERTION",
                      "licenseConcluded": "NOASSERTION", "checksums": sums})  # fmt: skip
    whole = hashlib.sha256("".join(each["checksums"][0]["checksumValue"] for each in files).encode()).hexdigest()
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": reference("bloomery")}]
    relations += [{"spdxElementId": each["SPDXID"], "relationshipType": "GENERATED_FROM", "relatedSpdxElement": reference("bloomery")} for each in files]
    relations += [{"spdxElementId": reference("bloomery"), "relationshipType": how, "relatedSpdxElement": reference(name)} for name, (_, how) in PARTS.items()]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"bloomery-{version}",
        "documentNamespace": f"urn:sha256:{whole}",
        "creationInfo": {"created": created, "creators": ["Organization: The bloomery authors"]},
        "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-public-domain", "extractedText": "liblzma is in the public domain."}],
        "packages": [package("bloomery", version, "Apache-2.0")] + [package(name, version_of(name), licence) for name, (licence, _) in PARTS.items()],
        "files": files,
        "relationships": relations,
    }


if __name__ == "__main__":
    print(json.dumps(bill(sys.argv[1], pathlib.Path(sys.argv[2])), indent=1))
