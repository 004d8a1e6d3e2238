"""WAL archiving and point-in-time recovery of PostgreSQL, as docs/backup.md tells it, with real servers."""

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from recollect import Memory
from tests.clusters import Cluster, home_of_clusters, own
from tests.reliability.opening import open_memory

_ARCHIVING = """
archive_mode = on
archive_command = 'test ! -f {archive}/%f && cp %p {archive}/%f'
"""
_RECOVERY = """
restore_command = 'cp {archive}/%f %p'
recovery_target_time = '{moment}'
recovery_target_action = 'promote'
archive_mode = off
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for the servers."""
    with home_of_clusters() as folder:
        yield folder


@pytest.mark.slow
def test_a_server_comes_back_as_it_was_at_a_moment(home: Path, server: object) -> None:
    archive = home / "archive"
    archive.mkdir()
    live, again = Cluster(home, "live"), Cluster(home, "again")
    own(archive)
    live.create(_ARCHIVING.format(archive=archive))
    live.start()
    try:
        with open_memory(live.url) as memory:
            memory.user("me").remember("Before the base backup")
            again.copy(live.sockets)
            memory.user("me").remember("After the base backup")
            moment = _now(live.url)
            memory.user("me").forget(everything=True)
        with psycopg.connect(live.url, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            _wait_for_archive(connection)
    finally:
        live.stop()
    with (again.data / "postgresql.auto.conf").open("a") as conf:
        conf.write(_RECOVERY.format(archive=archive, moment=moment))
    (again.data / "recovery.signal").touch()
    own(again.data)
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
