"""Makes a release in dist/ and checks it: `python -m tests.releasing.release`.

The archives are built from this tree without a network: a source archive of all, and the wheels of the core and of the
packages. The core's wheel from the source archive must be the one of the tree. What comes together is installed into an
empty environment with the hashes of requirements-release.txt, from the package index alone, and used there without a
network.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recollect import __version__
from tests.releasing.hashes import REQUIREMENTS
from tests.releasing.materials import bill_of_materials
from tests.sources import BESIDE, ROOT

DIST: Final = ROOT / "dist"
_OLDER_ENCODERS: Final = tuple(ROOT / "packages" / f"recollect-encoder-{number}" for number in (1, 3))
_SUMS: Final = "SHA256SUMS"
_NO_NETWORK: Final = ("unshare", "--map-root-user", "--net")  # of Linux; where it is not allowed, this is not checked


def build(outdir: Path, *kinds: str, folder: Path = ROOT) -> list[Path]:
    """Build archives of a distribution: with no kinds the source archive, and the wheel from it."""
    commit = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    moment = subprocess.run(commit, capture_output=True, text=True, check=False).stdout.strip() or "946684800"
    _run([sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(outdir), str(folder)],
         SOURCE_DATE_EPOCH=moment)  # fmt: skip
    return sorted(outdir.iterdir())


def _run(command: Sequence[str], *, cwd: Path = ROOT, **environment: str) -> str:
    """Run a program; show what it said if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _check_archives(archives: Sequence[Path], folder: Path) -> Path:
    """Insist on one source archive and one wheel, which is the same when it is built from the tree."""
    wheel, source = sorted(archives, key=lambda file: file.suffix, reverse=True)
    assert (wheel.suffix, "".join(source.suffixes[-2:])) == (".whl", ".tar.gz"), archives
    (again,) = build(folder / "again", "--wheel")
    assert again.read_bytes() == wheel.read_bytes(), "the wheel from the source archive is not the one of this tree"
    return wheel


def _check_installed(wheels: Sequence[Path], folder: Path) -> None:
    """Install the wheels, and what they need with its hashes, and use them: nothing of it needs a network."""
    venv = folder / "venv"
    _run([sys.executable, "-m", "venv", str(venv)])
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    _run([*pip, "install", "--quiet", "--require-hashes", "--requirement", str(REQUIREMENTS)])
    _run([*pip, "install", "--quiet", "--no-index", "--no-deps", *map(str, wheels)])
    _run([*pip, "check"])
    alone = _NO_NETWORK if _works(_NO_NETWORK) else ()
    recollect = [*alone, str(venv / "bin" / "recollect"), "--database", str(folder / "memory.db")]
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    assert __version__ in _run([*recollect, "--version"], cwd=folder, **home)
    _run([*recollect, "store", "The spare key is under the blue pot"], cwd=folder, **home)
    answer = json.loads(_run([*recollect, "recall", "where is the key?", "--json"], cwd=folder, **home))
    assert answer["hits"][0]["content"] == "The spare key is under the blue pot", answer
    assert answer["degraded"] == [], answer


def _works(command: Sequence[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


def release() -> None:
    """Make the release."""
    shutil.rmtree(DIST, ignore_errors=True)
    archives = build(DIST)
    for folder in (*_OLDER_ENCODERS, *BESIDE):
        build(DIST, "--wheel", folder=folder)
    beside = [file for folder in BESIDE for file in DIST.glob(f"{folder.name.replace('-', '_')}-*.whl")]
    with tempfile.TemporaryDirectory() as temporary:
        wheel = _check_archives(archives, Path(temporary))
        _check_installed([wheel, *beside], Path(temporary))
    bill = DIST / f"recollect-{__version__}.cdx.json"
    bill.write_text(json.dumps(bill_of_materials([*archives, *beside]), indent=2) + "\n", encoding="utf-8")
    shutil.copy(REQUIREMENTS, DIST)
    files = sorted(DIST.iterdir())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (DIST / _SUMS).write_text("".join(sums), encoding="utf-8")
    sys.stdout.write("".join(sums))


if __name__ == "__main__":
    release()
