"""WAL archiving and point-in-time recovery of PostgreSQL, as docs/backup.md tells it, with real servers."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from recollect import Memory
from tests.postgres_server import TOOLS
from tests.reliability.opening import open_memory

_CONF = """
unix_socket_directories = '{folder}'
listen_addresses = ''
wal_level = replica
archive_mode = on
archive_command = 'test ! -f {archive}/%f && cp %p {archive}/%f'
max_connections = 20
"""
_RECOVERY = """
restore_command = 'cp {archive}/%f %p'
recovery_target_time = '{moment}'
recovery_target_action = 'promote'
archive_mode = off
unix_socket_directories = '{folder}'
"""


class Cluster:
    """A server of its own, with its data in a folder."""

    def __init__(self, home: Path, name: str) -> None:
        self.home, self.data = home, home / name
        self.sockets = home / f"{name}-socket"
        self.sockets.mkdir(exist_ok=True)
        self.url = f"postgresql://postgres@/postgres?host={self.sockets}"

    def run(self, tool: str, *arguments: str) -> None:
        """Run a tool of PostgreSQL, which refuses to be run by root."""
        user = "pgserver" if os.geteuid() == 0 else None
        command = [str(TOOLS / tool), *arguments]
        with (self.home / "tools.log").open("ab") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, user=user, cwd=self.home)

    def start(self) -> None:
        self.run("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.home / f"{self.data.name}.log"), "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that the account of the servers may use, with a short path: sockets have short names."""
    folder = Path(mkdtemp(prefix="pitr-"))
    if os.geteuid() == 0:
        try:
            account = pwd.getpwnam("pgserver")
        except KeyError:
            pytest.skip("there is no account for a server")
        os.chown(folder, account.pw_uid, account.pw_gid)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _own(folder: Path) -> None:
    if os.geteuid() == 0:
        account = pwd.getpwnam("pgserver")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.pw_uid, account.pw_gid)


@pytest.mark.slow
def test_a_server_comes_back_as_it_was_at_a_moment(home: Path, server: object) -> None:
    archive = home / "archive"
    archive.mkdir()
    live, again = Cluster(home, "live"), Cluster(home, "again")
    _own(home)
    live.run("initdb", "-D", str(live.data), "-U", "postgres", "-A", "trust", "--no-sync")
    with (live.data / "postgresql.conf").open("a") as conf:
        conf.write(_CONF.format(folder=live.sockets, archive=archive))
    live.start()
    try:
        with open_memory(live.url) as memory:
            memory.user("me").remember("Before the base backup")
            live.run("pg_basebackup", "-h", str(live.sockets), "-U", "postgres", "-D", str(again.data), "-c", "fast")
            memory.user("me").remember("After the base backup")
            moment = _now(live.url)
            memory.user("me").forget(everything=True)
        with psycopg.connect(live.url, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            _wait_for_archive(connection)
    finally:
        live.stop()
    with (again.data / "postgresql.auto.conf").open("a") as conf:
        conf.write(_RECOVERY.format(folder=again.sockets, archive=archive, moment=moment))
    (again.data / "recovery.signal").touch()
    _own(again.data)
    again.start()
    try:
        _wait_for_promotion(again.url)
        with open_memory(again.url) as memory:
            assert _contents(memory) == {"Before the base backup", "After the base backup"}
            assert memory.doctor() == ()
    finally:
        again.stop()


def _contents(memory: Memory) -> set[str]:
    return {record.content for record in memory.user("me").list().items}


def _now(url: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        ((moment,),) = connection.execute("SELECT clock_timestamp()::text").fetchall()
    time.sleep(0.05)  # the next write is later than this moment, whatever the resolution of the clock
    return str(moment)


def _wait_for_archive(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    wanted = "SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) FROM pg_stat_archiver"
    while connection.execute(wanted).fetchall() != [(True,)]:
        time.sleep(0.05)


def _wait_for_promotion(url: str) -> None:
    while True:
        with psycopg.connect(url, autocommit=True) as connection:
            if connection.execute("SELECT pg_is_in_recovery()").fetchall() == [(False,)]:
                return
        time.sleep(0.05)
