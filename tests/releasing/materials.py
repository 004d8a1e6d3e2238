"""The bill of materials of a release, in the JSON format of CycloneDX 1.6: every package that users install.

It names versions, licences and who needs whom, and the bundled models. The same release gives the same document.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, Final

from packaging.utils import NormalizedName, canonicalize_name

from recollect import __version__
from recollect.models.bundled import ENCODER, READER, RERANKER
from tests.constraints import installed, needed_by, shipped_requirements
from tests.releasing.licences import PERMISSIVE, licence_of, parts_of

_SPDX: Final = PERMISSIVE | {"LGPL-3.0-only", "MPL-2.0"}
_ROOT: Final = f"pkg:pypi/recollect@{__version__}"


def bill_of_materials(files: Iterable[Path]) -> dict[str, Any]:
    """Describe a release and all that it is installed with; `files` are the archives that are published."""
    packages = installed(shipped_requirements())
    addresses = {name: f"pkg:pypi/{name}@{package.version}" for name, package in packages.items()}
    components = [
        {
            "type": "library",
            "bom-ref": addresses[name],
            "name": name,
            "version": package.version,
            "purl": addresses[name],
            "licenses": _licences(licence_of(name, package)),
        }
        for name, package in sorted(packages.items())
    ]
    needed = {addresses[name]: _addresses(addresses, others) for name, others in _needed(packages).items()}
    needed[_ROOT] = _addresses(addresses, (canonicalize_name(one.name) for one in shipped_requirements()))
    archives = [{"type": "distribution", "url": file.name, "hashes": [_sha256(_digest(file))]} for file in files]
    about = {"type": "library", "bom-ref": _ROOT, "name": "recollect", "version": __version__, "purl": _ROOT}
    document = {
        "metadata": {"component": {**about, "licenses": _licences("Apache-2.0"), "externalReferences": archives}},
        "components": components + _models(),
        "dependencies": [{"ref": ref, "dependsOn": others} for ref, others in sorted(needed.items())],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        **document,
    }


def _needed(packages: Mapping[NormalizedName, Distribution]) -> Mapping[NormalizedName, set[NormalizedName]]:
    """Say which packages each one needs, also for those of its extras that others ask for."""
    needed: dict[NormalizedName, set[NormalizedName]] = {name: set() for name in packages}
    waiting = shipped_requirements()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in packages:
            new = [
                one
                for one in needed_by(packages[name], requirement.extras)
                if canonicalize_name(one.name) not in needed[name]
            ]
            needed[name] |= {canonicalize_name(one.name) for one in new}
            waiting += new
    return needed


def _models() -> list[dict[str, Any]]:
    return [
        {
            "type": "machine-learning-model" if name.endswith(".onnx") else "data",
            "bom-ref": f"{_ROOT}#{part}/{name}",
            "name": f"{part}/{name}",
            "version": __version__,
            "hashes": [_sha256(file.sha256)],
            "licenses": _licences("Apache-2.0"),
        }
        for part, files in (("encoder", ENCODER), ("reader", READER), ("reranker", RERANKER))
        for name, file in sorted(files.items())
    ]


def _addresses(known: dict[NormalizedName, str], names: Iterable[NormalizedName]) -> list[str]:
    return sorted({known[name] for name in names if name in known})


def _licences(said: str) -> list[dict[str, Any]]:
    """Give a licence as CycloneDX has it: an id, an expression, or a name for what SPDX does not know."""
    if not set(parts_of(said)) <= _SPDX:
        return [{"license": {"name": said}}]
    return [{"license": {"id": said}}] if said in _SPDX else [{"expression": said}]


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}
