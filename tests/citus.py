"""A cluster of PostgreSQL servers with Citus, on loopback: a coordinator and two workers.

`TEST_CITUS_PROGRAMS` names the folder with the programs (`initdb`, `postgres`, …) of a server that has pgvector and
Citus. Without it there is no cluster, and what needs one is skipped. With `TEST_CITUS=1` as well, tests that share a
PostgreSQL database share a distributed one instead.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import psycopg

from recollect import Memory
from tests.waiting import until

PROGRAMS: Final = "TEST_CITUS_PROGRAMS"
THROUGH_A_CLUSTER: Final = bool(os.environ.get("TEST_CITUS"))  # tests on PostgreSQL use a distributed store
_KEPT: Final = {"store_marks", "store_secrets", "schema_migrations"}
_SETTINGS: Final = {
    "shared_preload_libraries": "citus",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "max_prepared_transactions": "400",
    "shared_buffers": "64MB",
    "jit": "off",
    "citus.shard_count": "8",
    "citus.node_connection_timeout": "2000",
    "citus.recover_2pc_interval": "2s",
    "citus.show_shards_for_app_name_prefixes": "*",
}


class ClusterServer:
    """One server, which can be killed and started again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._as = _unprivileged() if os.geteuid() == 0 else None
        folder.mkdir()
        if self._as:
            shutil.chown(folder, self._as)
        data = ["-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run([programs / "initdb", *data], check=True, capture_output=True, user=self._as, cwd=folder)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        where = ["-D", str(self._folder / "data"), "-p", str(self.port)]
        command = [str(self._programs / "postgres"), *where, *options]
        with (self._folder / "log").open("ab") as log:
            home = {"HOME": str(self._folder)}  # where it looks for certificates
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, user=self._as, cwd=self._folder, env={**os.environ, **home}
            )
        until(self._answers, "the server's answer")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def url(self, database: str) -> str:
        """Give the address of a database, for the administrator."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def kill(self) -> None:
        """End it as a power failure would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it, and whatever it still does."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


def _unprivileged() -> int:
    """Give an account that may run a server, which the administrator may not."""
    return next(pwd.getpwnam(name).pw_uid for name in ("postgres", "nobody") if _is_account(name))


def _is_account(name: str) -> bool:
    return any(entry.pw_name == name for entry in pwd.getpwall())


class Cluster:
    """A coordinator and its workers, which hand out databases that are not distributed yet."""

    def __init__(self, programs: Path, folder: Path, workers: int = 2) -> None:
        self.coordinator, *self.workers = [
            ClusterServer(programs, folder / f"server{number}") for number in range(workers + 1)
        ]
        self._numbers = count()

    def start(self) -> None:
        """Start all servers."""
        for server in (self.coordinator, *self.workers):
            server.start()

    def fresh(self) -> str:
        """Make a database on all servers, and give its address at the coordinator."""
        name = f"test_{next(self._numbers)}"
        for server in (self.coordinator, *self.workers):
            with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            with psycopg.connect(server.url(name), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus")
                connection.execute("CREATE EXTENSION vector")
        address = self.coordinator.url(name)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", (self.coordinator.port,))
            for worker in self.workers:
                connection.execute("SELECT citus_add_node('127.0.0.1', %s)", (worker.port,))
        return address

    def stop(self) -> None:
        """End all servers."""
        for server in (*self.workers, self.coordinator):
            server.stop()


class DistributedDatabase:
    """A distributed store for many tests, emptied after each of them."""

    def __init__(self, running: Cluster) -> None:
        self.address = running.fresh()
        with Memory.open(self.address):
            pass
        Memory.distribute(self.address)
        self._connection = psycopg.connect(self.address, autocommit=True)
        self._tables = self._look()
        self._marks = self._connection.execute("SELECT name, value FROM store_marks").fetchall()

    def emptied(self) -> bool:
        """Remove all rows, and the tables of vectors."""
        for name in self._look() - self._tables:
            self._connection.execute(f"DROP TABLE {name}".encode())
        for name in self._tables - _KEPT:
            self._connection.execute(f"DELETE FROM {name}".encode())  # noqa: S608 - our own names
        self._connection.execute("DELETE FROM store_marks")
        self._connection.cursor().executemany("INSERT INTO store_marks (name, value) VALUES (%s, %s)", self._marks)
        return True

    def close(self) -> None:
        """Give up the connection."""
        self._connection.close()

    def _look(self) -> set[str]:
        rows = self._connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        )
        return {str(row[0]) for row in rows} - {"citus_tables"}


def installed_programs() -> Path | None:
    """Give the folder with the programs, if one is named."""
    named = os.environ.get(PROGRAMS, "")
    return Path(named) if named else None


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Run a cluster for a while, in a folder that goes with it."""
    programs = installed_programs()
    if programs is None:
        message = f"{PROGRAMS} names no programs"
        raise LookupError(message)
    folder = Path(mkdtemp(prefix="recollect-cluster-"))
    folder.chmod(0o755)  # its servers may run as another account
    running = Cluster(programs, folder)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder)
