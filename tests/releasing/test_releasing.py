"""What a release is installed with: pinned with hashes, under known licences, and listed in a bill of materials."""

import re
import sys
from pathlib import Path

import pytest

from tests.constraints import installed, pinned_versions, shipped_requirements
from tests.releasing.hashes import REQUIREMENTS, fitting_hashes
from tests.releasing.licences import EXPLAINED, PAGE, PERMISSIVE, licences, page, parts_of
from tests.releasing.materials import bill_of_materials
from tests.sources import ROOT

# A newer Python needs fewer packages: what is written with the oldest one holds for all.
_ON_OLDEST = sys.version_info[:2] == (3, 11)
_ENTRY = re.compile(r"^([a-z0-9.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


def test_every_package_is_pinned_to_its_tested_version_with_hashes() -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    entries = {name: version for name, version, _ in _ENTRY.findall(text)}
    pins = pinned_versions()
    needed = {name: pins[name] for name in installed(shipped_requirements())}
    assert needed.items() <= entries.items(), "run `make hashes`"
    assert not _ON_OLDEST or entries == needed, "run `make hashes`"
    assert list(entries) == sorted(entries)
    comments = [line for line in _ENTRY.sub("", text).splitlines() if line]
    assert comments[-1] == "--only-binary :all:", "nothing is built when it is installed"
    assert all(line.startswith("#") for line in comments[:-1])
    assert "://" not in text


def test_the_hashes_are_those_of_wheels_that_run_here() -> None:
    names = {
        "pump-1.0-cp311-cp311-manylinux_2_28_x86_64.whl": True,
        "pump-1.0-cp310-abi3-musllinux_1_2_aarch64.whl": True,
        "pump-1.0-1-py2.py3-none-any.whl": True,
        "pump-1.0-cp310-cp310-manylinux_2_28_x86_64.whl": False,
        "pump-1.0-cp312-cp312-win_amd64.whl": False,
        "pump-1.0.1-py3-none-any.whl": False,
        "pump-1.0.tar.gz": False,
    }
    numbered = [(f"{number:064x}", name, fits) for number, (name, fits) in enumerate(names.items())]
    links = "".join(f'<a href="../files/{name}#sha256={digest}">{name}</a>\n' for digest, name, _ in numbered)
    shown = fitting_hashes(f'<html><a href="/pump-1.0-py3-none-any.whl">no hash</a>{links}</html>', "1.0")
    assert shown == [digest for digest, _, fits in numbered if fits]


def test_every_licence_is_known_and_listed() -> None:
    for name, licence in licences().items():
        assert licence, f"{name} does not say its licence: see tests/releasing/licences.py"
        for part in parts_of(licence):
            assert part in PERMISSIVE or name in EXPLAINED.get(part, ()), f"{name} is under {part}: may it be used?"
    shown, expected = (text.splitlines() for text in (PAGE.read_text(encoding="utf-8"), page()))
    assert set(expected) <= set(shown), "run `python -m tests.releasing.licences`"
    assert not _ON_OLDEST or shown == expected, "run `python -m tests.releasing.licences`"
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").partition("## Licences")[2]
    assert all(word in explained for word in ("LGPL", "psycopg", "MPL", "tqdm", "apsw"))


def test_the_bill_of_materials_lists_all_that_is_installed(tmp_path: Path) -> None:
    wheel = tmp_path / "recollect-1.whl"
    wheel.write_bytes(b"a wheel")
    bill = bill_of_materials([wheel])
    assert bill == bill_of_materials([wheel])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    libraries = {one["name"]: one["version"] for one in bill["components"] if one["type"] == "library"}
    assert libraries == {name: package.version for name, package in installed(shipped_requirements()).items()}
    assert {"encoder/encoder.onnx", "reader/reader.onnx", "reranker/reranker.onnx"} <= {
        one["name"] for one in bill["components"]
    }
    assert all(one["licenses"] for one in bill["components"])
    root = bill["metadata"]["component"]
    ((distributed, (digest,)),) = ((one["url"], one["hashes"]) for one in root["externalReferences"])
    assert (distributed, digest["alg"], len(digest["content"])) == ("recollect-1.whl", "SHA-256", 64)
    known = {one["bom-ref"] for one in (root, *bill["components"])}
    needed = {one["ref"]: set(one["dependsOn"]) for one in bill["dependencies"]}
    assert needed.keys() | set().union(*needed.values()) <= known
    reached: set[str] = set()
    waiting = [root["bom-ref"]]
    while waiting:
        ref = waiting.pop()
        waiting += needed[ref] - reached
        reached |= needed[ref]
    if missing := {f"pkg:pypi/{name}@{version}" for name, version in libraries.items()} - reached:
        pytest.fail(f"nothing needs {sorted(missing)}")
