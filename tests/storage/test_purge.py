"""`purge` rewrites what holds deleted rows; what it cannot rewrite now it says, and goes on with the next time."""

import psycopg
import pytest

from recollect import Memory, StoreError
from recollect.storage.postgres import store as postgres_store
from recollect.storage.postgres import upkeep as purging
from tests.reliability.opening import open_memory
from tests.storage.catalogue import is_server, plain

_FILES = """SELECT relname, pg_relation_filenode(oid) FROM pg_class
             WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"""


def _forgetful(database: str) -> Memory:
    memory = open_memory(database)
    me = memory.user("me")
    me.remember_many([f"The lighthouse number {number} has a red door" for number in range(50)])
    me.remember_many([f"The ferry number {number} leaves at seven" for number in range(20)])
    me.forget(query="lighthouse red door", all=True)
    return memory


def test_a_purge_goes_on_where_another_ended(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_server(database):
        pytest.skip("a file is rewritten as a whole")
    monkeypatch.setattr(purging, "_LOCK_MS", 20)
    monkeypatch.setattr(postgres_store, "_PURGE_WAIT_S", 0.0)
    with psycopg.connect(database) as reader, _forgetful(database) as memory:
        assert "recollect purge" in memory.status().erasure_pending
        reader.execute("SELECT count(*) FROM memories").fetchall()  # which keeps the table in use
        steps: list[tuple[str, int, int]] = []
        purged = memory.purge(tell=lambda *step: steps.append(step))
        assert [failure for failure in purged.failed if "memories is in use" in failure]
        assert "recollect purge" in memory.status().erasure_pending
        assert steps[-1][1] == steps[-1][2] == len(steps) - 1
        reader.rollback()
        before = dict(_filenodes(database))
        assert memory.purge().failed == ()
        after = dict(_filenodes(database))
        assert {name for name in after if after[name] != before[name]} == {"memories"}, "the others were done"
        assert memory.status().erasure_pending == ""
        assert memory.user("me").recall("ferry").hits
        assert memory.doctor() == ()


def _filenodes(database: str) -> list[tuple[str, int]]:
    with plain(database) as store:
        return [(name, node) for name, node in store.rows(_FILES)]


def test_rows_that_an_older_transaction_may_read_are_not_called_purged(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_server(database):
        pytest.skip("a file is rewritten as a whole")
    monkeypatch.setattr(postgres_store, "_PURGE_WAIT_S", 0.0)
    with psycopg.connect(database) as reader:
        with open_memory(database) as memory:
            memory.user("me").remember_many([f"The lighthouse number {number} has a red door" for number in range(9)])
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1").fetchall()  # a snapshot, and no table
        with open_memory(database) as memory:
            memory.user("me").forget(everything=True)
            assert any("9 deleted rows of memories" in failure for failure in memory.purge().failed)
            assert memory.status().erasure_pending
            reader.rollback()
            assert memory.purge().failed == ()
            assert memory.status().erasure_pending == ""


def test_statistics_of_earlier_versions_are_found_and_removed(database: str) -> None:
    with _forgetful(database) as memory:
        with plain(database) as store:
            if is_server(database):
                store.rows("ALTER TABLE memories ALTER COLUMN content SET STATISTICS 100")
                store.rows("ANALYZE memories")
                store.rows("ALTER TABLE memories ALTER COLUMN content SET STATISTICS 0")
            else:
                store.rows("ANALYZE")
        check = "samples_of_texts" if is_server(database) else "samples_of_keys"
        assert [problem.check for problem in memory.doctor()] == [check]
        memory.maintain()
        if is_server(database):
            assert [problem.check for problem in memory.doctor()] == [check], "ANALYZE leaves them as they are"
        purged = memory.purge()
        assert purged.failed == ()
        assert purged.administrator
        assert memory.doctor() == ()


def test_only_the_owner_of_the_tables_purges(database: str) -> None:
    if not is_server(database):
        pytest.skip("a file has one owner")
    open_memory(database).close()
    with plain(database) as store:
        store.rows("DROP ROLE IF EXISTS guest_of_purge")
        store.rows("CREATE ROLE guest_of_purge LOGIN")
        store.rows("GRANT recollect_app TO guest_of_purge")
    with (
        open_memory(database.replace("postgres:@", "guest_of_purge:@")) as memory,
        pytest.raises(StoreError, match="guest_of_purge does not own the tables"),
    ):
        memory.purge()
    with plain(database) as store:
        store.rows("DROP ROLE guest_of_purge")
