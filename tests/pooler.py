"""A real PgBouncer in front of a server, pooling by transaction.

`TEST_POOLER=1 pytest tests/conformance` runs the tests that take `database` through one.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.waiting import until

THROUGH_A_POOLER: Final = os.environ.get("TEST_POOLER") == "1"

_PORT: Final = 6432  # of a socket in a folder of its own
_CONFIGURATION: Final = """
[databases]
* = host={server}
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
default_pool_size = 20
max_client_conn = 500
"""


@contextmanager
def pooler(server_address: str) -> Iterator["Pooler"]:
    """Run a pooler for the databases of a server; skips the test where there is none."""
    found = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if not found:
        pytest.skip("PgBouncer is not installed: install the package pgbouncer")
    user = "pgserver" if os.geteuid() == 0 else None  # it refuses to run as root, as the server does
    folder = Path(mkdtemp(prefix="recollect-pooler-"))
    server = parse_qs(urlsplit(server_address).query)["host"][0]
    (folder / "users").write_text('"postgres" ""\n')
    (folder / "pooler.ini").write_text(_CONFIGURATION.format(server=server, port=_PORT, folder=folder))
    if user:
        shutil.chown(folder, user)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([found, str(folder / "pooler.ini")], user=user, stdout=log, stderr=log)
    try:
        until(lambda: process.poll() is not None or (folder / f".s.PGSQL.{_PORT}").exists(), "the pooler")
        assert process.poll() is None, (folder / "log").read_text()
        yield Pooler(server, folder)
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


class Pooler:
    """Where a pooler listens."""

    def __init__(self, server: str, folder: Path) -> None:
        self._server, self._folder = server, folder

    def address(self, direct: str) -> str:
        """Give the address of a database by way of the pooler."""
        return direct.replace(self._server, f"{self._folder}&port={_PORT}")
