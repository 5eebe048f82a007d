# SPDX-License-Identifier: Apache-2.0
"""An image in the layout of the Open Container Initiative, as an archive, of one layer:
oci_image.py redis|follow VERSION ROOT.tar FILE. SOURCE_DATE_EPOCH is its time."""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import sys
import tarfile

# What a container runs if nothing else is said.
RUNS = {
    "redis": {
        "Entrypoint": ["redis-server", "--loadmodule", "/usr/lib/redis/modules/bloomery.so"],
        "Cmd": ["--bind", "*", "--protected-mode", "no", "--dir", "/data"],
        "ExposedPorts": {"6379/tcp": {}},
    },
    "follow": {"Entrypoint": ["bloomery"], "Cmd": ["follow", "--help"]},
}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def write_image(kind: str, version: str, root: bytes, file: pathlib.Path) -> None:
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs: dict[str, bytes] = {}

    def add(data: bytes, media: str) -> dict:
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)}

    def add_json(value: dict, media: str) -> dict:
        return add(json.dumps(value, sort_keys=True).encode(), media)

    labels = {
        "org.opencontainers.image.title": f"bloomery-{kind}",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    layer = add(gzip.compress(root, 6, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
    settings = {"User": "999:999", "WorkingDir": "/data", "Volumes": {"/data": {}}, "Labels": labels,
                "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], **RUNS[kind]}  # fmt: skip
    config = add_json(
        {
            "architecture": ARCHITECTURES[platform.machine()],
            "os": "linux",
            "created": created,
            "config": settings,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(root).hexdigest()}"]},
            "history": [{"created": created, "created_by": f"bloomery {version}"}],
        },
        "application/vnd.oci.image.config.v1+json",
    )
    media = "application/vnd.oci.image.manifest.v1+json"
    manifest = add_json({"schemaVersion": 2, "mediaType": media, "config": config, "layers": [layer], "annotations": labels}, media)
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}
    files = {"index.json": json.dumps(index, sort_keys=True).encode(), "oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}
    files.update({f"blobs/sha256/{digest}": data for digest, data in blobs.items()})
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            entry.mode = 0o644
            entry.mtime = epoch
            archive.addfile(entry, io.BytesIO(files[name]))


if __name__ == "__main__":
    write_image(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).read_bytes(), pathlib.Path(sys.argv[4]))
