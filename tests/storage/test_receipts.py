"""A receipt says what was forgotten without telling it, and a later check finds whatever is left or was put back."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect import InvalidInput, Memory, NotFound
from recollect.api.user import UserMemory
from recollect.engine.forgetting.marks import KeyedMark, read_marks
from recollect.engine.forgetting.receipt import MarkSet, signed
from recollect.errors import ReceiptRefused
from recollect.model.receipts import ErasureCheck, Receipt
from tests.fixtures import BACKENDS
from tests.postgres_server import TOOLS
from tests.reliability.opening import open_memory
from tests.rows import slow_but
from tests.storage.catalogue import is_server, plain
from tests.storage.conftest import FreshDatabase

_SAID = "The spare key of the boathouse lies under the third flower pot"
_OTHER = "Anna takes the ferry to Rostock every Thursday"


def _furnish(memory: Memory, tmp_path: Path) -> UserMemory:
    """Bring the secret to where things are kept."""
    me = memory.user("anna")
    me.remember(_OTHER)
    me.remember(_SAID, metadata={"said": f"{_SAID}."}, source="import")
    me.facts.set("boathouse", "code", "4711-Möwe")
    me.conversation("talk-7731").append("user", f"We moved house. {_SAID}.", id="m1")
    notes = tmp_path / "notes-7731"
    notes.mkdir()
    (notes / "keys.md").write_text(f"# Keys\n\n{_SAID}.\n")
    me.files.sync(notes)
    me.files.add(f"<p>{_SAID}, by the way.</p>".encode(), name="page-7731.html")
    return me


def _open(database: str, tmp_path: Path, **settings: Any) -> Memory:
    return open_memory(database, **{"files.originals": str(tmp_path / "originals"), **settings})


def _receipt(forgotten: object) -> Receipt:
    receipt = getattr(forgotten, "receipt")  # noqa: B009 - of any result
    assert isinstance(receipt, Receipt)
    return receipt


_WAYS: dict[str, Callable[[UserMemory, Path], dict[str, Any]]] = {
    "id": lambda me, _: {"id": me.recall("spare key boathouse").hits[0].id, "sources": True},
    "query": lambda _, __: {"query": "spare key of the boathouse", "all": True},
    "session": lambda _, __: {"session": "talk-7731"},
    "source": lambda _, __: {"source": "import"},
    "folder": lambda _, folder: {"folder": folder / "notes-7731"},
    "everything": lambda _, __: {"everything": True, "purge": True},
    "file": lambda me, _: {"id": me.files.list().items[0].id},
}


# What a receipt holds is found out above the stores; how each of them is searched for what is left shows in these.
_LOGGED = ("id", "query", "file")
_ON_BOTH_STORES = ("query", "everything", "file")


@pytest.mark.parametrize(
    ("database", "way"),
    slow_but(product(BACKENDS, _WAYS), *product(["sqlite"], _WAYS), *product(["postgresql"], _ON_BOTH_STORES)),
    indirect=["database"],
)
def test_whatever_is_forgotten_has_a_receipt_that_holds(database: str, tmp_path: Path, way: str) -> None:
    with _open(database, tmp_path) as memory:
        me = _furnish(memory, tmp_path)
        forgotten = me.forget(**_WAYS[way](me, tmp_path), receipt=True)
        receipt = _receipt(forgotten)
        told = json.dumps({**receipt.document(), "not_covered": [] if way == "query" else receipt.not_covered})
        assert not [word for word in ("boathouse", "-7731", "4711-", "flower", "Rostock") if word in told]
        assert receipt.request == ("id" if way == "file" else way)
        assert (receipt.user, receipt.actor, receipt.purged) == ("anna", "local", way == "everything")
        assert sum(receipt.counts.values()) >= 1
        assert sum(map(len, receipt.marks.values())) == receipt.marks_total >= 1
        assert receipt.places["rows"] == "checked"
        assert receipt.pending == forgotten.pending
        line = memory.operations.audit_log("anna")[receipt.audit.number - 1]
        assert (line.action, line.items, line.hash) == ("forget-receipt", (receipt.id,), receipt.audit.hash)
        forms = (receipt, json.dumps(receipt.document()), receipt.document())
        for given in forms if way == "id" else forms[:1]:
            check = memory.verify_erasure(given)
            assert (check.again, check.erased) == ((), way != "query")
            assert {finding.place for finding in check.left} == ({"originals"} if way == "query" else set())
        assert bool(check.unseen) == is_server(database)


def _doctored(receipt: Receipt, **changes: Any) -> dict[str, Any]:
    return {**receipt.document(), **changes}


def test_only_its_own_unchanged_receipts_are_taken(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    with _open(fresh_database(), tmp_path) as memory, open_memory(fresh_database()) as another:
        me = _furnish(memory, tmp_path)
        receipt = _receipt(me.forget(query="spare key of the boathouse", all=True, receipt=True, documents="forget"))
        with pytest.raises(ReceiptRefused, match="of another store"):
            another.verify_erasure(receipt)
        forged = {"counts": {"memories": 0}, "user": "eve", "marks": {}, "pending": "x", "signature": "00"}
        for field, value in forged.items():
            with pytest.raises(ReceiptRefused, match="its signature does not fit"):
                memory.verify_erasure(_doctored(receipt, **{field: value}))
        with pytest.raises(ReceiptRefused, match="version 3"):
            memory.verify_erasure(_doctored(receipt, version=3))
        for junk in ("[]", "{}", "not json", b"\xff", json.dumps({"version": 1, "signature": ""})):
            with pytest.raises(ReceiptRefused):
                memory.verify_erasure(junk)
        assert memory.verify_erasure(receipt).erased


def test_nothing_is_promised_of_what_was_not_forgotten(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        with pytest.raises(InvalidInput, match="dry run"):
            me.forget(everything=True, receipt=True, dry_run=True)
        assert me.forget(query="no such thing at all", receipt=True).receipt is None
        kept = me.remember(_SAID)
        me.conversation("c1").append("user", f"{_SAID}.")
        receipt = _receipt(me.forget(kept.id, receipt=True))  # the message was not meant
        assert (receipt.elsewhere, memory.verify_erasure(receipt).left) == (1, ())


def _letter(memory: Memory, name: str, data: bytes) -> tuple[UserMemory, str]:
    me = memory.user("anna")
    me.remember(_OTHER)
    me.remember(_SAID)
    return me, me.files.add(data, name=name).file.id


_LETTERS = {
    "letter.md": f"# Keys\n\nDear Anna, well. {_SAID}. Yours, Tom.\n".encode(),
    "letter.html": f"<h1>Keys</h1><p>Dear <b>Anna</b>, well. The spare <i>key</i>{_SAID[13:]}.</p>".encode(),
}


@pytest.mark.parametrize(
    ("database", "name"),
    slow_but(product(BACKENDS, _LETTERS), *product(["sqlite"], _LETTERS), ("postgresql", "letter.md")),
    indirect=["database"],
)
def test_originals_that_say_it_are_named_until_it_is_decided(database: str, tmp_path: Path, name: str) -> None:
    with _open(database, tmp_path) as memory:
        me, letter = _letter(memory, name, _LETTERS[name])
        forgotten = me.forget(query=_SAID, receipt=True)
        assert ("document", letter, "kept", name) in [
            (item.kind, item.id, item.fate, item.path) for item in forgotten.items
        ]
        receipt = _receipt(forgotten)
        assert (receipt.documents, receipt.kept) == ("ask", (letter,))
        assert [line for line in receipt.not_covered if name in line and letter in line]
        check = memory.verify_erasure(receipt)
        assert (check.erased, check.kept, _tables(check, "left")) == (False, (name,), {"originals"})
        assert check.not_covered == receipt.not_covered
        assert b"boathouse" in me.files.original(letter)
        assert me.forget(letter).files == 1
        check = memory.verify_erasure(receipt)
        assert (check.left, check.kept) == ((), ())


@pytest.mark.parametrize("documents", ["keep", "forget"])
def test_what_becomes_of_documents_is_chosen_and_stated(database: str, tmp_path: Path, documents: str) -> None:
    with _open(database, tmp_path) as memory:
        me, letter = _letter(memory, "letter.md", _LETTERS["letter.md"])
        forgotten = me.forget(query=_SAID, receipt=True, documents=documents)  # type: ignore[arg-type]
        receipt, kept = _receipt(forgotten), documents == "keep"
        check = memory.verify_erasure(receipt)
        assert (check.left, check.kept) == ((), ("letter.md",) if kept else ())
        assert (receipt.documents, receipt.kept, forgotten.files) == (
            documents,
            (letter,) if kept else (),
            int(not kept),
        )
        if not kept:
            with pytest.raises(NotFound):
                me.files.original(letter)
            assert not [path for path in (tmp_path / "originals").rglob("*") if path.is_file()]
        with pytest.raises(InvalidInput, match="belongs to a query"):
            me.forget(letter, documents=documents)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="must be ask, forget or keep"):
            me.forget(query="x", documents="x")  # type: ignore[arg-type]


def test_what_lies_on_the_disk_and_beyond_is_named(database: str, tmp_path: Path) -> None:
    with _open(database, tmp_path) as memory:
        me = _furnish(memory, tmp_path)
        stated = "\n".join(_receipt(me.forget(query=_SAID, all=True, receipt=True)).not_covered)
        assert f"{tmp_path}/notes-7731/keys.md on the disk" in stated
        assert "Backups" in stated
        assert "answers, audit_log, changes" in stated
        folder = _receipt(me.forget(folder=tmp_path / "notes-7731", receipt=True))
        assert "1 synced file(s)" in "\n".join(folder.not_covered), "by their number: their names were forgotten"


def test_receipts_of_the_first_version_still_hold(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        receipt = _receipt(me.forget(me.remember(_SAID).id, receipt=True))
        bare = replace(receipt, version=1, documents="", kept=(), not_covered=(), unseen=(), signature="")
        old = signed(bare, memory._engine.store.receipt_keys().signing).document()
        assert not {"documents", "kept", "not_covered", "unseen"} & set(old)
        assert memory.verify_erasure(old).erased
        with pytest.raises(ReceiptRefused, match="signature does not fit"):
            memory.verify_erasure({**old, "counts": {}})


@pytest.mark.parametrize(
    ("database", "way"),
    slow_but(product(BACKENDS, _LOGGED), *product(["sqlite"], _LOGGED), ("postgresql", "query")),
    indirect=["database"],
)
def test_a_search_log_keeps_no_ids_of_what_is_forgotten(database: str, tmp_path: Path, way: str) -> None:
    with _open(database, tmp_path, **{"serve.search_log": "queries"}) as memory:
        me = _furnish(memory, tmp_path)
        me.recall("spare key of the boathouse")
        me.search_context("spare key of the boathouse")
        me.recall("Who takes the ferry to Rostock?")
        memory._engine.search.notes.flush()
        if way == "query":
            forgotten = me.forget(query=_SAID, all=True, receipt=True, documents="forget")
        else:
            forgotten = me.forget(**_WAYS[way](me, tmp_path), receipt=True)
        assert memory.verify_erasure(_receipt(forgotten)).left == ()
        with plain(database) as store:
            assert [found for (found,) in store.rows("SELECT found FROM search_log") if found], "others stay"


def _sample(memory: Memory, database: str) -> None:
    """Take statistics, as autovacuum does."""
    if not is_server(database):
        memory.maintain()
        return
    with plain(database) as store:
        store.rows("ANALYZE")


@pytest.mark.parametrize("way", slow_but(("id", "query"), "id"))
def test_statistics_of_ids_are_no_remainder(database: str, tmp_path: Path, way: str) -> None:
    with _open(database, tmp_path) as memory:
        me = _furnish(memory, tmp_path)
        _sample(memory, database)
        which = _WAYS[way](me, tmp_path)
        receipt = _receipt(me.forget(**which, receipt=True, documents="forget" if "query" in which else "ask"))
        assert receipt.places["statistics"] == ("checked" if is_server(database) else "erased")
        for _ in range(2):
            assert memory.verify_erasure(receipt).left == ()
            _sample(memory, database)


def _tables(check: ErasureCheck, which: str) -> set[str]:
    return {finding.place for finding in getattr(check, which)}


def test_stored_again_is_not_left_over_but_what_was_put_back_is(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        kept = me.remember(_SAID)
        with plain(database) as store:
            store.rows("CREATE TABLE hidden AS SELECT * FROM memories")
            store.rows("ALTER TABLE hidden RENAME COLUMN user_id TO owner")
            if is_server(database):
                store.rows("GRANT SELECT ON hidden TO PUBLIC")
        receipt = _receipt(me.forget(kept.id, receipt=True))
        assert _tables(memory.verify_erasure(receipt), "left") == {"hidden"}, "in a table that no verb knows"
        with plain(database) as store:
            store.rows("INSERT INTO memories SELECT * FROM hidden")
            store.rows("DROP TABLE hidden")
        assert _tables(memory.verify_erasure(receipt), "left") == {"memories"}, "put back as it was"
        with plain(database) as store:
            later = "created_at + interval '1 hour'" if is_server(database) else "created_at + 3600000000"
            other = "01a1dea8-db60-7912-8e1b-f1c648661807"
            store.rows(f"UPDATE memories SET id = '{other}', created_at = {later}")  # noqa: S608
        assert _tables(memory.verify_erasure(receipt), "left") == {"memories"}, "no verb did that: its tombstone stands"
        with plain(database) as store:
            store.rows("DELETE FROM memories")
        assert memory.verify_erasure(receipt).left or is_server(database), "the index of words has it still"
        me.forget(everything=True)
        memory.user("ben").remember(_SAID)
        me.remember(_SAID)
        check = memory.verify_erasure(receipt)
        assert "memories" not in _tables(check, "left")
        assert _tables(check, "again") == {"memories"}, "ben's is ben's"


def test_a_new_column_is_looked_at(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        kept = me.remember(_SAID)
        me.remember(_OTHER)
        receipt = _receipt(me.forget(kept.id, receipt=True))
        with plain(database) as store:
            store.rows("ALTER TABLE memories ADD COLUMN novelty text NOT NULL DEFAULT ''")
            store.rows(f"UPDATE memories SET novelty = 'He said: it is so. {_SAID}!'")  # noqa: S608
        check = memory.verify_erasure(receipt)
        assert [(finding.place, finding.kind) for finding in check.left if finding.place == "memories"]


def test_a_table_that_cannot_be_read_is_told(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        receipt = _receipt(me.forget(me.remember(_SAID).id, receipt=True))
        with plain(database) as store:
            store.rows("CREATE TABLE hidden (text text)")
        told = [reason for reason in memory.verify_erasure(receipt).unseen if "hidden" in reason]
        assert len(told) == is_server(database)


def test_bytes_of_free_pages_and_of_the_log_are_looked_at(tmp_path: Path) -> None:
    database = str(tmp_path / "memory.db")
    with open_memory(database) as memory:
        me = memory.user("anna")
        receipt = _receipt(me.forget(me.remember(_SAID).id, receipt=True))
        assert memory.verify_erasure(receipt).erased
        careless = apsw.Connection(database)
        careless.pragma("secure_delete", 0)
        careless.execute("CREATE TABLE scratch (text TEXT)")
        careless.execute("INSERT INTO scratch VALUES (?)", (f"Well: {_SAID}, as I said.",))
        careless.execute("DROP TABLE scratch")
        assert _tables(memory.verify_erasure(receipt), "left") == {"write_ahead_log"}
        careless.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        assert _tables(memory.verify_erasure(receipt), "left") == {"pages"}
        careless.close()
        memory.purge()
        assert memory.verify_erasure(receipt).erased


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_damaged_files_that_were_kept_are_looked_at(tmp_path: Path, suffix: str) -> None:
    with open_memory(str(tmp_path / "memory.db")) as memory:
        me = memory.user("anna")
        receipt = _receipt(me.forget(me.remember(_SAID).id, receipt=True))
        for name in ("memory.db", "other.db"):  # that of another store is none of its business
            copy = tmp_path / f"{name}.damaged-20261101T020000.000000Z{suffix}"
            (tmp_path / f"{name}.damaged-20261101T020000.000000Z").touch()
            copy.write_bytes(bytes(2**20 - 20) + f"Well: {_SAID}, as I said.".encode())  # across two blocks
            found = memory.verify_erasure(receipt)
            assert (found.erased, found.places["damaged_copies"]) == (
                (False, "found") if name == "memory.db" else (True, "checked")
            )
            copy.unlink()


def test_a_pending_erasure_is_stated_and_finished_by_another_worker(tmp_path: Path) -> None:
    database = str(tmp_path / "memory.db")
    with open_memory(database) as memory, open_memory(database) as worker:
        kept = memory.user("anna").remember(_SAID)
        with plain(database) as reader:
            assert reader.rows("SELECT count(*) FROM memories") == [(1,)]  # which keeps the log from being emptied
            forgotten = memory.user("anna").forget(kept.id, receipt=True)
            receipt = _receipt(forgotten)
            assert receipt.pending == forgotten.pending != ""
            assert (receipt.places["write_ahead_log"], receipt.places["rows"]) == ("pending", "checked")
            check = memory.verify_erasure(receipt)
            assert "write_ahead_log" in _tables(check, "left")
            assert check.pending == forgotten.pending
        worker.embed_waiting()
        assert [opened.status().erasure_pending for opened in (memory, worker)] == ["", ""]
        assert memory.verify_erasure(receipt).erased


def test_statistics_and_originals_are_looked_at(database: str, tmp_path: Path) -> None:
    with _open(database, tmp_path) as memory:
        me = _furnish(memory, tmp_path)
        copies = {path: path.read_bytes() for path in (tmp_path / "originals").rglob("*") if path.is_file()}
        if is_server(database):
            with plain(database) as store:
                store.rows("ALTER TABLE memories ALTER COLUMN content SET STATISTICS 100")
                store.rows("ANALYZE memories")
        receipt = _receipt(me.forget(everything=True, receipt=True))
        if not is_server(database):
            with plain(database) as store:
                store.rows("ANALYZE")
                store.rows("INSERT INTO sqlite_stat4 VALUES ('memories', 'x', '1', '1', '1', ?)", (_SAID.encode(),))
        assert memory.verify_erasure(receipt).places["statistics"] == "found"
        memory.purge()
        check = memory.verify_erasure(receipt)
        assert (check.left, check.places["statistics"]) == ((), "checked")
        for path, data in copies.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert _tables(memory.verify_erasure(receipt), "left") == {"originals"}


def test_older_backups_are_named(database: str, tmp_path: Path) -> None:
    with _open(database, tmp_path, **{"postgres.tools_folder": str(TOOLS)}) as memory:
        me = _furnish(memory, tmp_path)
        older = memory.backup(tmp_path / "backups")
        receipt = _receipt(me.forget(everything=True, receipt=True))
        memory.backup(tmp_path / "backups")
        check = memory.verify_erasure(receipt, backups=tmp_path / "backups")
        assert [backup.folder for backup in check.older_backups] == [older.folder]
        assert memory.verify_erasure(receipt).older_backups == ()


def test_a_broken_audit_chain_is_told(database: str) -> None:
    with open_memory(database) as memory:
        me = memory.user("anna")
        receipt = _receipt(me.forget(me.remember(_SAID).id, receipt=True))
        with plain(database) as store:
            store.rows("UPDATE audit_log SET actor = 'nobody'")
        assert _tables(memory.verify_erasure(receipt), "left") == {"audit_log"}


def test_very_many_marks_are_drawn_by_lot() -> None:
    marks = MarkSet(most=100)
    marks.add(
        KeyedMark("ids" if number % 2 else "texts", (number * 7919 % 1000).to_bytes(9, "big")) for number in range(1000)
    )
    hashes = {hash_ for several in marks.listed().values() for hash_ in read_marks(several)}
    assert hashes == {number.to_bytes(9, "big") for number in range(100)}
    assert marks.total == 1000
