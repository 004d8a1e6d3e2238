"""Builds Debian's PostgreSQL with pgvector in build/postgres, and pgbouncer beside it; nothing of the system changes.

The packages are unpacked, not installed, so no root is needed: only apt, a compiler, make and git. `PGVECTOR` names
another repository to take the sources from, such as one on this disk.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "build" / "postgres"

_VERSION: Final = "v0.8.5"
_REPOSITORY: Final = os.environ.get("PGVECTOR", "https://github.com/pgvector/pgvector.git")


def built_server() -> Path | None:
    """Give the folder with the programs of the server that was built here, if one was."""
    found = sorted(FOLDER.glob("usr/lib/postgresql/*/bin"))
    whole = [programs for programs in found if (programs.parent / "lib" / "vector.so").exists()]
    return whole[-1] if whole else None


def built_pooler() -> Path | None:
    """Give the program of the pooler that was unpacked here, if one was."""
    program = FOLDER / "usr" / "sbin" / "pgbouncer"
    return program if program.exists() else None


def build() -> Path:
    """Unpack the server's packages and build the extension for it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    version = _debian_version()
    packages = (f"postgresql-{version}", f"postgresql-client-{version}", f"postgresql-server-dev-{version}")
    with TemporaryDirectory() as place:
        _run(place, "apt-get", "download", "--quiet", *packages, "pgbouncer")
        for package in sorted(Path(place).glob("*.deb")):
            _run(place, "dpkg-deb", "--extract", str(package), str(FOLDER))
        quiet = ("-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1")
        _run(place, "git", *quiet, "--branch", _VERSION, _REPOSITORY, "pgvector")
        config = FOLDER / "usr" / "lib" / "postgresql" / version / "bin" / "pg_config"
        # Built for any processor of this kind, and without the server's just-in-time compiler, which would need clang.
        options = (f"PG_CONFIG={config}", "OPTFLAGS=", "with_llvm=no")
        _run(f"{place}/pgvector", "make", "--silent", *options)
        _run(f"{place}/pgvector", "make", "--silent", "install", *options)
    return config.parent


def _debian_version() -> str:
    shown = subprocess.run(["apt-cache", "depends", "postgresql"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"Depends: postgresql-(\d+)", shown)
    if found is None:
        sys.exit("apt knows no package postgresql. Run `apt-get update` first.")
    return found[1]


def _run(folder: str, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True)


if __name__ == "__main__":
    sys.stdout.write(f"{build()}\n")
