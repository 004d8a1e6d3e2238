"""Whoever gets a connection that another test has closed finds nothing of that test in it."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.pq import PGconn

from tests.fixtures import Server
from tests.kept_connections import KeptConnections


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """A shared database apart from that of the worker."""
    made = server.fresh()
    yield made
    server.drop(made)


def test_a_closed_connection_is_lent_again_as_new(server: Server, address: str) -> None:
    kept = KeptConnections(address)
    login = kept.login(address)
    assert login is not None
    assert kept.login(server.admin_url) is None
    used = PGconn.connect(address.encode())
    process_id = used.backend_pid
    for statement in (b"SET work_mem = '1MB'", b"SELECT pg_advisory_lock(7)", b"LISTEN news", b"BEGIN", b"SELECT 1/0"):
        used.exec_(statement)
    assert kept.give_back(login, used)
    assert kept.process_ids() == [process_id]
    lent = kept.take(login)
    assert lent is not None
    assert (lent.backend_pid, kept.take(login)) == (process_id, None)
    state = lent.exec_(
        b"SELECT current_setting('work_mem'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), "
        b"(SELECT count(*) FROM pg_listening_channels())"
    )
    assert [state.get_value(0, column) for column in range(3)] == [b"4MB", b"0", b"0"]
    assert kept.give_back(login, lent)
    with server.admin() as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 60000)", (process_id,))
    assert kept.take(login) is None
    kept.close()


def test_what_is_in_the_middle_of_something_is_not_kept(address: str) -> None:
    kept = KeptConnections(address)
    login = kept.login(address)
    assert login is not None
    busy = PGconn.connect(address.encode())
    busy.send_query(b"SELECT pg_sleep(600)")
    assert not kept.give_back(login, busy)
    busy.finish()


def test_emptying_ends_what_a_test_left_open(server: Server) -> None:
    borrowed = server.borrow()
    with psycopg.connect(borrowed) as first:
        process_id = first.info.backend_pid
    with pytest.raises(psycopg.OperationalError, match="closed"):
        first.execute("SELECT 1")
    left = psycopg.connect(borrowed)
    assert left.info.backend_pid == process_id
    server.give_back(borrowed)
    with pytest.raises(psycopg.OperationalError):
        left.execute("SELECT 1")
    left.close()
