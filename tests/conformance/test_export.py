"""What is exported comes back as it was, in either store and whichever way; nothing is changed, doubled or lost."""

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, UserMemory
from recollect.encryption import make_key
from recollect.engine.carry import import_archive as bringing
from recollect.engine.carry.archive import FILE
from recollect.errors import InvalidDocument, QuotaExceeded
from recollect.model.messages import Usage
from recollect.storage.base.tables import TRANSFERRED
from recollect_connect.importing import import_file
from tests.archives import files_of, with_members, with_said, zipped
from tests.fixtures import OpenMemory
from tests.sizes import sized

OpenFile = Callable[..., Memory]
WORDS = "red green blue"
ROWS = sized(600, 100_000)  # more than is written at once
NEVER = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture
def open_file(tmp_path: Path, open_memory: OpenMemory) -> OpenFile:
    """Open SQLite files beside the store of the test."""
    usual: dict[str, object] = {"capture.when": "worker", "serve.search_log": "queries"}

    def opener(name: str, **overrides: object) -> Memory:
        apart: dict[str, object] = {
            "database": str(tmp_path / name),
            "files.originals": str(tmp_path / f"{name}-originals"),
        }
        return open_memory(**{**usual, **apart, **overrides})

    return opener


def fill(memory: Memory, user: str, notes: Path) -> UserMemory:
    me = memory.user(user)
    odd = {"z": 1, "a": [1.5, -0.0, 1e22, 1e-9, True, None], "ü": {"b": "\u2028 \x7f", "B": "'\"\\ud800"}}
    me.remember("Prefers tea 🍵 — s citronem", metadata=odd, lat=-0.0, lng=16.6, place_label="Café")
    me.facts.set("light.office", "level", "40%")
    me.facts.set("light.office", "level", "60%")
    me.facts.set("anna", "child", "Eva", many=True)
    me.facts.set("anna", "child", "Jan", many=True)
    me.instructions.add("Always answer briefly")
    me.events.log("Garage door opened")
    kept = me.remember("The shed is blue", confidence=0.1 + 0.2, address="Hlavní 1, Brno")
    me.update(kept.id, content="The shed is green")
    me.rate(kept.id, -1, comment="no")
    me.forget(me.remember("The code of the alarm is 4711").id)
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"b": 1, "a": 2}'}}
    turn: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "My cat is called Micka."}], "id": "m-1"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "a cat", "tool_call_id": "c1"},
        {"role": "assistant", "content": "A fine name."},
    ]
    me.after_turn(turn, session="talk")
    talk = me.conversation("talk")
    for number in range(12):
        talk.append("user", f"Message {number} about the boat and its teak deck. " * 20)
        talk.append("assistant", f"Answer {number}. " * 30)
    assert talk.compact().action == "compacted"
    talk.describe({"title": "Boats", "Aa": 1, "a": 2})
    me.messages.rate(talk.messages(limit=1)[0].id, 1)
    horn = me.media.add(b"ID3 a horn", caption="The horn", duration_s=1.5)
    me.remember("What it sounds like", media=[horn, {"url": "https://example.org/raft.png", "alt": "The raft"}])
    talk.append("user", media=[horn])
    me.places.set("Home", (49.19, 16.61))
    notes.mkdir(exist_ok=True)
    (notes / "a.md").write_text("# Keys\n\nThe key is under the mat.\n\n## More\n\nThe spare one too.\n")
    me.files.sync(notes)
    me.files.add(b"# Manual\n\nPress the red button.", name="manual.md")
    me.recall("boat")
    spent: tuple[str, str, str, Usage] = ("2026-03-01", "summary", "llm/x", Usage(5, 7))
    memory._engine.store.write(me._scope, lambda writer: writer.record_spending(*spent))
    return me


def lines(archive: Path, table: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(archive) as bundle:
        return [json.loads(line) for line in bundle.read(f"{table}.jsonl").splitlines()]


def test_there_and_back_again(open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path) -> None:
    first = open_file("first.db")
    fill(first, "Émile", tmp_path / "notes")
    first.embed_waiting(thorough=False)
    fill(first, "anna", tmp_path / "notes")  # with messages that are not read, and texts without a vector
    kept = first.export(tmp_path / "1.zip", vectors=True)
    assert kept.users == ("anna", "Émile")
    assert {table.name for table in TRANSFERRED} <= {name for name, amount in kept.rows.items() if amount}
    assert kept.rows["vectors"] > 20
    assert kept.bytes == (tmp_path / "1.zip").stat().st_size
    middle, last = open_memory(), open_file("last.db")
    for memory, source, target in ((middle, "1.zip", "2.zip"), (last, "2.zip", "3.zip")):
        brought = memory.import_archive(tmp_path / source)
        assert not brought.skipped
        assert {name: amount for name, amount in brought.brought.items() if amount} == {**kept.rows, "originals": 4}
        memory.export(tmp_path / target, vectors=True)
        assert memory.doctor() == ()
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes() == (tmp_path / "3.zip").read_bytes()
    asked = [memory.user("anna").recall("what do I drink?").hits[0] for memory in (first, middle, last)]
    assert len({(hit.id, round(hit.score, 6)) for hit in asked}) == 1
    digest = last.user("anna").files.list(source="document").items[0].id
    assert last.user("anna").files.original(digest) == b"# Manual\n\nPress the red button."


def test_many_rows(open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path) -> None:
    off: dict[str, Any] = {"embedding.provider": "none"}
    first, middle, last = (
        open_file("first.db", **off),
        open_memory(embedding__provider="none"),
        open_file("3.db", **off),
    )
    first.user("anna").import_memories({"content": f"Memory {number} of the boat"} for number in range(ROWS))
    first.export(tmp_path / "1.zip")
    assert middle.import_archive(tmp_path / "1.zip").brought["memories"] == ROWS
    middle.export(tmp_path / "2.zip")
    last.import_archive(tmp_path / "2.zip")
    last.export(tmp_path / "3.zip")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes() == (tmp_path / "3.zip").read_bytes()


def test_importing_into_what_is_there(open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path) -> None:
    source, memory = open_file("source.db"), open_memory()
    anna = fill(source, "anna", tmp_path / "notes")
    anna.export(tmp_path / "anna.zip")
    me = memory.user("bob")
    me.remember("Owns a boat")
    same = me.remember("The shed is green", address="Hlavní 1, Brno")
    first = import_file(me, tmp_path / "anna.zip")
    assert first.format == "recollect"
    assert first.skipped_because(bringing.SAID_ALREADY) == 1
    assert first.skipped_because(bringing.WITHOUT_REST) >= 1  # the older version of the shed
    assert memory.doctor() == ()
    assert {"Owns a boat", "The shed is green"} <= {record.content for record in me.list(limit=100).items}
    assert same.id in {record.id for record in me.list(limit=100).items}
    assert memory.user("anna").count() == 0
    before = (me.stats(), [info.messages for info in me.conversations()])
    again = import_file(me, tmp_path / "anna.zip")
    assert not any(again.brought.values())
    assert (me.stats(), [info.messages for info in me.conversations()]) == before
    changed = next(record for record in me.list(limit=100).items if record.content.startswith("Prefers tea"))
    me.update(changed.id, content="Prefers coffee")
    anna.conversation("talk").append("user", "One more thing: the anchor is lost.")
    anna.export(tmp_path / "anna.zip", overwrite=True)
    later = import_file(me, tmp_path / "anna.zip")
    assert later.brought == {"messages": 1}
    assert later.skipped_because(bringing.DIFFERENT) == 2  # the memory and the conversation
    assert me.get(changed.id).content == "Prefers coffee"
    said = me.conversation("talk").append("user", "And now?")
    assert said.message is not None
    assert said.message.sequence > max(row["sequence"] for row in lines(tmp_path / "anna.zip", "messages"))


def test_the_forgotten_stays_away(open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path) -> None:
    source, memory = open_file("source.db"), open_memory()
    anna = fill(source, "anna", tmp_path / "notes")
    anna.export(tmp_path / "anna.zip")
    me = memory.user("anna")
    memory.import_archive(tmp_path / "anna.zip")
    # what was forgotten before the move: the other store's tombstones hold here, too
    assert me.import_memories([{"content": "The code of the alarm is 4711"}])[0].action == "forgotten"
    assert me.remember("The code of the alarm is 4711").action == "created"
    # and what is forgotten after it
    forgotten = ["The shed is green", "Garage door opened"]
    for record in me.list(limit=100).items:
        if record.content in forgotten:
            me.forget(record.id)
    me.forget(query="The spare one too.", all=True)
    me.forget(me.files.list(source="document").items[0].id)
    me.forget(session="talk")
    report = memory.import_archive(tmp_path / "anna.zip")
    assert report.skipped["memories", bringing.FORGOTTEN] >= 2
    assert report.skipped["messages", bringing.FORGOTTEN] > 20
    assert report.skipped["files", bringing.FORGOTTEN] == 1
    texts = " ".join(hit.content for hit in me.search_context("spare key shed garage boat", limit=50).hits)
    assert not any(text in texts for text in ("spare one", "shed is green", "Garage door", "teak deck"))
    assert memory.doctor() == ()
    # an import never follows tombstones that the archive itself brings: said again after it was forgotten, it is there
    anna.forget(anna.remember("Likes the sea").id)
    anna.remember("Likes the sea")
    anna.export(tmp_path / "later.zip")
    memory.import_archive(tmp_path / "later.zip")
    assert "Likes the sea" in {record.content for record in me.list(limit=100).items}


def test_users_are_kept_apart(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory(embedding__provider="none")
    for name in ("anna", "bob"):
        memory.user(name).remember(f"I am {name}")
    memory.user("anna").export(tmp_path / "anna.zip")
    memory.export(tmp_path / "all.zip")
    assert {row["user"] for row in lines(tmp_path / "anna.zip", "memories")} == {"anna"}
    with pytest.raises(InvalidInput, match="several users"):
        memory.user("carl").import_archive(tmp_path / "all.zip")
    with pytest.raises(InvalidInput, match="nothing of the user 'dora'"):
        memory.user("carl").import_archive(tmp_path / "all.zip", of_user="dora")
    tried = memory.user("carl").import_archive(tmp_path / "all.zip", of_user="bob", dry_run=True)
    assert (tried.brought["memories"], memory.user("carl").count()) == (1, 0)
    memory.user("carl").import_archive(tmp_path / "all.zip", of_user="bob")
    assert [record.content for record in memory.user("carl").list().items] == ["I am bob"]
    with pytest.raises(InvalidInput, match="exists already"):
        memory.export(tmp_path / "all.zip")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".zip") == ["all.zip", "anna.zip"]


Damage = Callable[[bytes], bytes]


def put(name: str, change: Damage) -> Damage:
    """Change a file, as a hand would: the manifest still says what it said."""
    return lambda whole: zipped({**files_of(whole), name: change(files_of(whole).get(name, b""))})


def fit(table: str, change: Damage) -> Damage:
    """Change a table, and let the manifest fit."""
    return lambda whole: with_members(whole, {f"{table}.jsonl": change(files_of(whole)[f"{table}.jsonl"])})


def say(**said: object) -> Damage:
    return lambda whole: with_said(whole, **said)


def listing(**said: object) -> Damage:
    """Let the manifest say something else of the first file."""

    def changed(whole: bytes) -> bytes:
        first, *others = json.loads(files_of(whole)[FILE])["members"]
        return with_said(whole, members=[{**first, **said}, *others])

    return changed


def swap(old: bytes, new: bytes) -> Damage:
    return lambda data: data.replace(old, new)


def flip(whole: bytes) -> bytes:
    flipped = bytearray(whole)
    flipped[whole.index(b"memories.jsonl") + 60] ^= 0xFF
    return bytes(flipped)


def original(whole: bytes) -> str:
    return next(name for name in files_of(whole) if name.startswith("originals/"))


DAMAGED: list[tuple[Damage, str]] = [
    (lambda whole: whole[: len(whole) // 2], "is a damaged archive"),
    (lambda whole: b"PK\x05\x06" + bytes(18), "has no manifest.json"),
    (flip, "damaged archive|not what was written"),
    (put("memories.jsonl", swap(b"I am anna", b"I am Anna")), "memories.jsonl has another SHA-256"),
    (put("memories.jsonl", lambda data: data[:-1]), "memories.jsonl has .* bytes instead of"),
    (put("memories.jsonl", lambda data: data + b"x"), "memories.jsonl has more than .* bytes instead of"),
    (lambda whole: zipped({k: v for k, v in files_of(whole).items() if k != "memories.jsonl"}), "l is missing"),
    (put("../../evil", lambda _: b"x"), "'../../evil' is not in its manifest"),
    (lambda whole: put(original(whole), lambda data: data[:-3])(whole), "originals/.* instead of"),
    (lambda whole: put(original(whole), lambda data: data[::-1])(whole), "originals/.* another SHA-256"),
    (lambda whole: with_members(whole, {original(whole): b"another"}), "'originals/.*' is in no export"),
    (put(FILE, swap(b'"anna"', b'"eve"')), "manifest.json .* was changed, and its checksum does not fit"),
    (put(FILE, lambda _: b"{" * 100_000), "manifest.json .* cannot be used"),
    (say(format="recollect-other"), "is of no archive of Recollect"),
    (say(version=99), "it has version 99 of the format.*upgrade Recollect"),
    (say(version=True), "manifest.json .* cannot be used"),
    (say(users=[7]), "users and keys are texts"),
    (say(users=["\x1b[2J"]), "user"),
    (say(users=[]), "of a user the manifest leaves out"),
    (say(members=[]), "is missing|not in its manifest"),
    (say(passages="x"), "passages is 'x'"),
    (say(odd=1), "odd"),
    (say(space={}), "manifest.json .* cannot be used"),
    (say(database={"file": "/etc/passwd"}), "manifest.json .* cannot be used"),
    (listing(bytes="x"), "bytes is 'x'"),
    (listing(bytes=1), "has (more than )?1 bytes instead of 1|has more than 1 bytes|bytes instead of 1"),
    (listing(lines=7), "has . lines instead of 7"),
    (listing(name="/etc/passwd"), "'/etc/passwd' is in no export"),
    (listing(name="originals/../../x"), "is in no export"),
    (fit("memories", lambda data: data + data), "out of order"),
    (fit("memories", swap(b'"trust":3', b'"trust":9')), "trust is 9"),
    (fit("memories", swap(b'"trust":3', b'"trust":true')), "trust is True"),
    (fit("memories", swap(b'"value":""', b'"value":"\\ud800"')), "a character that no store can keep"),
    (fit("memories", swap(b'"value":""', b'"value":"\\u0000"')), "a character that no store can keep"),
    (fit("memories", swap(b',"value":""', b"")), "lacks value"),
    (fit("memories", swap(b'"user":"anna"', b'"user":"eve"')), "of a user the manifest leaves out"),
    (fit("memories", swap(b"+00:00", b"")), "valid_from is '2026-03-01T09:00:00[.0-9]*'"),
    (fit("memories", lambda data: data[:-1]), "is cut off"),
    (fit("memories", swap(b'"media":[]', b'"media":[{"kind":"image","url":"javascript:alert(1)"}]')), "url"),
    (fit("memories", lambda data: b"[" * 100_000 + b"\n"), "line 1 of memories.jsonl is not JSON"),
    (fit("secrets", lambda data: b'{"name":"../x","secret":"00"}\n'), "line 1 of secrets.jsonl is no secret"),
    (fit("folders", lambda data: b" " * 30_000_000 + b"\n"), "folders.jsonl would become 30,000,001 bytes"),
]


def test_damaged_archives_are_refused_before_anything_is_written(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory(embedding__provider="none")
    memory.user("anna").remember("I am anna")
    memory.user("anna").files.add(b"# Manual\n\nPress the red button.", name="manual.md")
    memory.export(tmp_path / "good.zip")
    whole = (tmp_path / "good.zip").read_bytes()
    me, bad = memory.user("bob"), tmp_path / "bad.zip"
    for damage, reason in DAMAGED:
        bad.write_bytes(damage(whole))
        with pytest.raises(InvalidDocument) as refused:
            me.import_archive(bad)
        assert re.search(reason, str(refused.value)), (reason, str(refused.value))
    assert me.stats() == memory.user("nobody").stats()
    assert me.import_archive(tmp_path / "good.zip").brought["memories"] == 1


def test_a_query_does_not_come_back_to_where_something_was_forgotten(
    open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path
) -> None:
    source, memory = open_file("source.db"), open_memory()
    source.user("anna").remember("There is an alarm")
    source.user("anna").recall("the code of the alarm")
    source.export(tmp_path / "1.zip")
    anna, ben = memory.user("anna"), memory.user("ben")
    anna.forget(anna.remember("The code of the alarm is 4711").id)
    for me in (anna, ben):
        assert me.import_archive(tmp_path / "1.zip").brought["search_log"] == 1
    logged = [
        memory._engine.store.read(me._scope, lambda reader: reader.searches(NEVER, 10))[0].query for me in (anna, ben)
    ]
    assert logged == ["", "the code of the alarm"]


def test_an_interrupted_import_is_repeated(
    open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_file("source.db")
    fill(source, "anna", tmp_path / "notes")
    source.export(tmp_path / "1.zip")
    memory = open_memory()
    monkeypatch.setattr(bringing, "_MOST_ROWS", 7)

    class Stopped(Exception):
        """Stands for a kill: nothing after it is done."""

    left = 0

    def tell(what: str, done: int, total: int) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Stopped

    def finished(steps: int) -> bool:
        nonlocal left
        left = steps
        try:
            memory.import_archive(tmp_path / "1.zip", tell=tell)
        except Stopped:
            return False
        return True

    assert any(finished(steps) for steps in range(1, 200, sized(7, 3)))
    memory.export(tmp_path / "2.zip")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert memory.doctor() == ()


def test_vectors_of_another_model_are_left_out(open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path) -> None:
    source, memory = open_file("source.db"), open_memory()
    source.user("anna").remember("Likes the sea", wait=True)
    archive = tmp_path / "1.zip"
    source.export(archive, vectors=True)
    space = json.loads(files_of(archive.read_bytes())[FILE])["space"]
    changed = tmp_path / "2.zip"
    changed.write_bytes(with_said(archive.read_bytes(), space={**space, "revision": "another"}))
    report = memory.import_archive(changed)
    assert report.skipped["vectors", bringing.OTHER_MODEL] == 1
    assert memory.user("anna").stats().pending_jobs == 1
    assert replace(report, skipped=report.skipped) == report


def test_for_people(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory()
    me = fill(memory, "anna", tmp_path / "notes")
    memory.embed_waiting(thorough=False)  # reads messages, too
    me.remember("# No heading\n\n[no link](http://evil.example)\nwords")
    memory.user("bob").remember("Owns a boat")
    report = me.export(tmp_path / "anna.zip", readable=True)
    with zipfile.ZipFile(tmp_path / "anna.zip") as bundle:
        texts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    document = next(name for name in texts if name.startswith("documents/"))
    talk = next(name for name in texts if name.startswith("conversations/"))
    assert texts[document] == "# Manual\n\nPress the red button."
    assert {"README.md", "files.md", "places.md", "log.md"} <= texts.keys() | {"log.md"}
    assert "replaced since" in texts["memories/fact.md"]
    assert "- key: level\n- value: 40%" in texts["memories/fact.md"]
    assert "> # No heading\n> \n> [no link](http://evil.example)" in texts["memories/other.md"]
    assert texts[talk].startswith("# Conversation: Boats\n")
    assert "> My cat is called Micka." in texts[talk]
    assert "Called `look`" in texts[talk]
    assert texts[talk].index("Micka") < texts[talk].index("Message 0") < texts[talk].index("Message 11")
    assert "- Home: 49.19, 16.61" in texts["places.md"]
    assert "a.md" in texts["files.md"]
    assert "boat" not in texts["memories/other.md"]
    said = [line for text in texts.values() for line in text.splitlines() if line.startswith("- said in: message ")]
    assert said
    assert all(f"- id: {line.rpartition(' ')[2]}" in texts[talk] for line in said)
    assert report.rows["memories"] == len(me.list(limit=100).items) + me.stats().superseded
    with pytest.raises(InvalidDocument):
        me.import_archive(tmp_path / "anna.zip")
    everyone = memory.export(tmp_path / "all.zip", readable=True)
    assert everyone.users == ("anna", "bob")
    with zipfile.ZipFile(tmp_path / "all.zip") as bundle:
        assert b"Owns a boat" in bundle.read("0002-bob/memories/other.md")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_encrypted(open_memory: OpenMemory, tmp_path: Path) -> None:
    """For a key; passphrases take a second each and are for tests/test_encryption, which tries wrong ones too."""
    memory = open_memory(embedding__provider="none")
    me, other = memory.user("anna"), memory.user("bob")
    me.remember("The key is under the mat")
    public, archive, cut = make_key(tmp_path / "key.txt"), tmp_path / "to-key.age", tmp_path / "cut.age"
    with pytest.raises(InvalidInput, match="not both"):
        me.export(archive, encrypt_to=[public], passphrase=WORDS)
    assert not archive.exists()
    me.export(archive, encrypt_to=[public])
    data = archive.read_bytes()
    assert b"PK\x03\x04" not in data
    cut.write_bytes(data[:-20])
    with pytest.raises(InvalidInput):
        other.import_archive(archive)
    with pytest.raises(InvalidInput):
        other.import_archive(cut, identity=tmp_path / "key.txt")
    assert other.count() == 0
    assert other.import_archive(archive, identity=tmp_path / "key.txt").brought["memories"] == 1


def test_users_of_an_archive_share_transactions_and_one_beyond_a_quota_stops_only_itself(
    open_memory: OpenMemory, open_file: OpenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_file("source.db", **{"embedding.provider": "none"})
    source.load([(f"user{number % 40:02}", f"Owns jar {number}") for number in range(200)])
    source.load([("user07", f"Owns lamp {number}") for number in range(5)])
    source.export(tmp_path / "all.zip")
    memory = open_memory(embedding__provider="none", limits__memories=5)
    store, groups = memory._engine.store, list[int]()

    def counted(works: Any, write_many: Any = store.write_many) -> Any:
        groups.append(len(works))
        return write_many(works)

    monkeypatch.setattr(store, "write_many", counted)
    with pytest.raises(QuotaExceeded):
        memory.import_archive(tmp_path / "all.zip")
    assert groups == [40]
    assert [memory.user(f"user{number:02}").count() for number in (0, 7, 39)] == [5, 0, 5]
    roomy = open_memory(embedding__provider="none")
    assert roomy.import_archive(tmp_path / "all.zip").brought["memories"] == 10
    assert roomy.doctor() == ()
