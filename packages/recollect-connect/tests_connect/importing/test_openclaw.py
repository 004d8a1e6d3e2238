"""A folder of OpenClaw comes over whole: what lies there, what only its index knows, and nothing in it is touched."""

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fixtures import OpenMemory

from recollect import Memory, UserMemory
from recollect.errors import InvalidDocument
from recollect_connect.importing import ImportProgress, import_openclaw
from tests_connect.importing.exports import skipped
from tests_connect.importing.openclaw_folder import Database, chunk, fingerprint, header, log, note, turn, unit

GONE = "memory/2025-12-24.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder as a person has it who has used OpenClaw for a while."""
    home = tmp_path / ".openclaw"
    workspace = home / "workspace"
    note(workspace / "MEMORY.md", "# Facts\n\nThe spare key is under the third flowerpot.\n")
    note(workspace / "USER.md", "# About me\n\nI live in Brno and play the oboe.\n")
    note(workspace / "SOUL.md", "You are a patient assistant.\n")
    note(workspace / "memory" / "2026-01-31.md", "# Saturday\n\nPainted the fence green.\n")
    note(workspace / "memory" / "people" / "ada.md", "# Ada\n\nAda keeps bees.\n")
    note(workspace / ".gitignore", "memory/people/\n")
    note(workspace / "project" / "README.md", "Nothing to remember here.\n")
    sessions = home / "agents" / "main" / "sessions"
    log(sessions / "s1.jsonl", header("s1"), turn("user", "Which glue holds teak?"), turn("assistant", "Epoxy does."))
    note(sessions / "sessions.json", "{}")
    note(sessions / "s0.jsonl.deleted.2026-01-01", "{}")
    database = Database(home / "memory" / "main.sqlite").chunks(
        chunk("MEMORY.md", "The spare key is under the third flowerpot.", (3, 3), embedding=unit(0)),
        chunk("memory/2026-01-31.md", "Painted the fence blue.", (3, 3), embedding=unit(1)),
        chunk(GONE, "# Christmas Eve\n\nGrandma gave me a telescope.", (1, 3), embedding=unit(2)),
        chunk(GONE, "We saw Jupiter's moons from the balcony.", (4, 9), embedding=[]),
        chunk("sessions/s1.jsonl", "User: Which glue holds teak?", (2, 2), source="sessions", embedding=unit(3)),
        chunk(
            "sessions/lost.jsonl", "User: Book the ferry to Trelleborg.", (2, 5), source="sessions", embedding=unit(4)
        ),
        chunk("notes/attic.md", "The attic hatch sticks.", (1, 1), embedding=unit(5)),
        chunk("memory/empty.md", " ", (1, 1)),
    )
    database.cached("We saw Jupiter's moons from the balcony.", unit(6)).cached("something else", unit(7))
    database.cached("another model", unit(8, 3072), model="text-embedding-3-large").close()
    note(workspace / "notes" / "attic.md", "The attic hatch sticks.\n")
    note(home / "state" / "openclaw.sqlite", "")
    return home


def contents(me: UserMemory, query: str) -> str:
    return " | ".join(hit.content for hit in me.search_context(query, sources=["file"]).hits)


def test_everything_is_brought_or_skipped_for_a_reason(me: UserMemory, home: Path) -> None:
    report = import_openclaw(me, home)
    assert report.format == "openclaw"
    chunks = sum(file.chunks for file in me.files.list().items)
    assert report.brought == {"files": 5, "chunks": chunks, "documents": 3}
    assert skipped(report) == {
        ("cached vectors", "this store makes no vectors"): 3,
        ("chunks", "already brought as a file"): 2,
        ("chunks", "not in OpenClaw's format"): 1,
        ("chunks", "the file has changed since, and is brought as it is now"): 1,
        ("databases", "it holds neither an index of memory nor sessions"): 1,
        ("files", "an index of sessions, not what was said"): 1,
        ("files", "hidden"): 1,
        ("files", "instructions for the agent, not memory"): 1,
        ("files", "not part of OpenClaw's memory"): 2,
        ("session logs", "put away by a reset, a deletion or a repair"): 1,
        ("vectors", "this store makes no vectors"): 4,
    }
    assert "third flowerpot" in contents(me, "where is the spare key?")
    assert "oboe" in contents(me, "which instrument do I play?")
    assert "bees" in contents(me, "Ada bees")
    assert "Epoxy" in contents(me, "glue teak epoxy")
    assert "telescope" in contents(me, "Christmas telescope")
    assert "Trelleborg" in contents(me, "ferry Trelleborg")
    assert "attic" in contents(me, "attic hatch")
    assert "patient" not in contents(me, "patient assistant")
    assert "README" not in " ".join(file.path for file in me.files.list().items)


def test_what_is_gone_comes_back_with_its_lines(me: UserMemory, home: Path) -> None:
    import_openclaw(me, home)
    files = {file.path: file for file in me.files.list().items if not file.root}
    assert set(files) == {f"openclaw/main/{path}" for path in (GONE, "sessions/lost.jsonl", "notes/attic.md")}
    christmas = files[f"openclaw/main/{GONE}"]
    assert (christmas.source, christmas.chunks, christmas.lines) == ("memory", 2, 9)
    assert christmas.metadata["date"] == "2025-12-24"
    assert files["openclaw/main/sessions/lost.jsonl"].source == "sessions"
    assert "Grandma" in me.files.read(christmas.id, (1, 3)).text
    assert "Jupiter" in me.files.read(christmas.id, (4, 9)).text
    assert "Grandma" not in me.files.read(christmas.id, (4, 9)).text


def test_a_dated_note_keeps_its_date(me: UserMemory, home: Path) -> None:
    import_openclaw(me, home)
    dated = {file.path: file.dated_at for file in me.files.list().items}
    assert dated["memory/2026-01-31.md"] == datetime(2026, 1, 31, tzinfo=UTC)
    assert dated["MEMORY.md"] is None


def test_bringing_it_again_brings_nothing(memory: Memory, me: UserMemory, home: Path) -> None:
    first = import_openclaw(me, home)
    before = [(file.id, file.path, file.updated_at) for file in me.files.list().items]
    again = import_openclaw(me, home)
    assert again.brought == {}
    assert skipped(again)["files", "already there"] == first.brought["files"]
    assert skipped(again)["documents", "already there"] == 3
    assert [(file.id, file.path, file.updated_at) for file in me.files.list().items] == before
    note(home / "workspace" / "memory" / "2026-02-01.md", "# Sunday\n\nSlept.\n")
    assert import_openclaw(me, home).brought["files"] == 1
    assert memory.doctor() == ()


@pytest.mark.parametrize("busy", [False, True])
def test_nothing_in_the_folder_is_touched(me: UserMemory, home: Path, *, busy: bool) -> None:
    writer = sqlite3.connect(home / "memory" / "main.sqlite")
    if busy:  # OpenClaw is running, and its last words are in the log only
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE chunks SET text = 'We saw Saturn from the balcony.' WHERE start_line = 4")
        writer.commit()
    (home / "workspace" / "link.md").symlink_to("/etc/hostname")
    before = fingerprint(home)
    import_openclaw(me, home)
    import_openclaw(me, home, dry_run=True)
    assert fingerprint(home) == before
    assert ("Saturn" in contents(me, "balcony")) is busy
    writer.close()


def test_a_folder_that_may_only_be_read_is_enough(me: UserMemory, home: Path) -> None:
    places = [home, *home.rglob("*")]
    modes = {path: path.stat().st_mode for path in places}
    for path in reversed(places):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert import_openclaw(me, home).brought["files"] == 5
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def test_a_dry_run_stores_nothing(memory: Memory, me: UserMemory, home: Path) -> None:
    report = import_openclaw(me, home, dry_run=True)
    assert report.dry_run
    assert (report.brought["files"], report.brought["documents"]) == (5, 3)
    assert me.files.list().items == ()
    assert me.files.folders() == ()
    assert memory.stats().messages == 0


def test_vectors_are_used_again_when_the_space_is_the_same(open_memory: OpenMemory, home: Path) -> None:
    with open_memory(embedding__provider="openai", embedding__api_key="none of your business") as memory:
        me = memory.user("me")
        report = import_openclaw(me, home)
        assert (report.brought["vectors"], report.brought["cached vectors"]) == (4, 1)
        assert skipped(report)["cached vectors", "no chunk that is brought needs it"] == 1
        assert skipped(report)["cached vectors", "made by another model than is searched here; it is made anew"] == 1
        assert memory.stats().vectors == 4


def test_vectors_of_another_model_are_made_anew(open_memory: OpenMemory, home: Path) -> None:
    with open_memory() as memory:
        me = memory.user("me")
        report = import_openclaw(me, home)
        assert "vectors" not in report.brought
        assert skipped(report)["vectors", "made by another model than is searched here; it is made anew"] == 4
        memory.embed_waiting()
        hits = me.search_context("looking at planets through an instrument", sources=["file"]).hits
        assert any("Jupiter" in hit.content or "telescope" in hit.content for hit in hits)


def test_sessions_in_a_database_become_conversations(me: UserMemory, tmp_path: Path) -> None:
    internal = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nsecret plan\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
    path = tmp_path / "agents" / "ops" / "agent" / "openclaw-agent.sqlite"
    talk = [
        header("s9"),
        {"type": "model_change", "id": "x"},
        turn("user", "[Tue 2026-02-03 08:00 UTC] Restart the relay, please."),
        turn("user", internal),
        turn("toolResult", "exit 0"),
        turn("assistant", "The relay is up again."),
    ]
    database = Database(path, new=True).session("s9", *talk)
    database.chunks(chunk("sessions/ops/s9.jsonl", "User: Restart the relay", (3, 3), source="sessions"))
    database.close()
    report = import_openclaw(me, tmp_path / "agents")
    assert report.brought == {"conversations": 1, "messages": 2}
    assert skipped(report) == {
        ("chunks", "already brought as a session"): 1,
        ("events", "an event that is no message"): 1,
        ("messages", "what a tool gave"): 1,
        ("messages", "written by OpenClaw, not by a person"): 1,
    }
    messages = me.conversation("openclaw:s9").messages()
    assert [(message.role, message.content) for message in messages] == [
        ("user", "Restart the relay, please."),
        ("assistant", "The relay is up again."),
    ]
    assert messages[0].said_at == datetime(2026, 2, 3, 8, tzinfo=UTC)
    with closing(sqlite3.connect(path)) as connection, connection:
        event = turn("user", "And the pump?")
        connection.execute("INSERT INTO transcript_events VALUES ('s9', 6, ?, 0)", (json.dumps(event),))
    assert import_openclaw(me, tmp_path / "agents").brought == {"conversations": 1, "messages": 1}


def captured(me: UserMemory, session: str, *said: tuple[str, str]) -> None:
    """Save a turn as the plugin does: under the name of the session, with ids of its own."""
    turn = [{"role": role, "content": text, "id": f"run-1:{role}:{number}"} for number, (role, text) in enumerate(said)]
    me.after_turn(turn, session=session)


def test_what_the_plugin_captured_live_does_not_come_twice(me: UserMemory, tmp_path: Path) -> None:
    captured(me, "openclaw:s9", ("user", "Restart the relay, please."), ("assistant", "The relay\nis up again."))
    captured(me, "openclaw:s9:mf1", ("user", "yes"))
    said = [
        header("s9"),
        turn("user", "Where is the manual?"),
        turn("user", "[Tue 2026-02-03 08:00 UTC] Restart the relay, please."),
        turn("assistant", "The relay is up again."),
        turn("user", "yes"),
        {**turn("user", "yes"), "id": "second"},
    ]
    Database(tmp_path / "a" / "agents" / "ops" / "agent" / "openclaw-agent.sqlite", new=True).session(
        "s9", *said
    ).close()
    report = import_openclaw(me, tmp_path / "a" / "agents")
    assert report.brought == {"conversations": 1, "messages": 2}
    assert skipped(report)["messages", "already there"] == 3
    contents = Counter(
        message.content
        for conversation in me.conversations()
        for message in me.conversation(conversation.id).messages()
    )
    assert contents == {
        "Where is the manual?": 1, "Restart the relay, please.": 1, "The relay\nis up again.": 1, "yes": 2,
    }  # fmt: skip
    again = import_openclaw(me, tmp_path / "a" / "agents")
    assert again.brought == {}


def test_a_log_that_the_plugin_captured_whole_is_not_synced(me: UserMemory, tmp_path: Path) -> None:
    for session in ("s1", "s2"):
        captured(me, f"openclaw:{session}", ("user", "Restart the relay, please."), ("assistant", "It is up again."))
        events = [turn("user", "Restart the relay, please."), turn("assistant", "It is up again.")]
        more = [turn("user", "That was before there was a plugin.")] if session == "s2" else []
        log(tmp_path / "agents" / "main" / "sessions" / f"{session}.jsonl", header(session), *more, *events)
    report = import_openclaw(me, tmp_path)
    assert [file.path for file in me.files.list().items] == ["s2.jsonl"]
    assert skipped(report)["session logs", "the plugin has captured all that was said"] == 1


def test_of_an_old_and_a_new_index_the_new_one_counts(me: UserMemory, tmp_path: Path) -> None:
    new = tmp_path / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    Database(new, new=True).chunks(chunk("memory/a.md", "The new wording.")).close()
    Database(tmp_path / "memory" / "main.sqlite").chunks(chunk("memory/a.md", "The old wording.")).close()
    report = import_openclaw(me, tmp_path)
    assert report.brought == {"documents": 1, "chunks": 1}
    assert skipped(report)["chunks", "already brought from a newer index"] == 1
    assert "new wording" in contents(me, "wording")


def test_secrets_in_an_index_stay_there(me: UserMemory, tmp_path: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    text = f"Deploy with {token} on Mondays.\n<private>and tell nobody</private>"
    Database(tmp_path / "main.sqlite").chunks(chunk("memory/a.md", text, (1, 2))).close()
    import_openclaw(me, tmp_path)
    found = contents(me, "deploy Mondays")
    assert "Deploy with" in found
    assert token not in found
    assert "nobody" not in found


def test_a_damaged_database_does_not_keep_the_rest_out(me: UserMemory, home: Path) -> None:
    (home / "memory" / "broken.sqlite").write_bytes(b"SQLite format 3\x00" + os.urandom(4096))
    told: list[ImportProgress] = []
    report = import_openclaw(me, home, tell=told.append)
    assert skipped(report)["databases", "it cannot be read as a SQLite database"] == 1
    assert any("broken.sqlite" in example for example in report.examples)
    assert report.brought["documents"] == 3
    assert told[-1] == ImportProgress("databases", 3, 3)


def test_a_folder_of_something_else_is_refused(me: UserMemory, tmp_path: Path) -> None:
    note(tmp_path / "other" / "x.txt", "x")
    with pytest.raises(InvalidDocument, match="nothing of OpenClaw"):
        import_openclaw(me, tmp_path / "other")


def test_the_store_itself_is_not_opened(open_memory: OpenMemory, home: Path) -> None:
    """By whatever name it lies there: closing it would drop SQLite's locks on it."""
    store = home / "memory" / "mine.sqlite"
    me = open_memory(database=str(store), embedding__provider="none").user("me")
    me.remember("Likes rye bread")
    os.link(store, home / "memory" / "alias.sqlite")
    report = import_openclaw(me, home)
    assert skipped(report)["databases", "the store itself"] == 2
    assert ("databases", "it cannot be read as a SQLite database") not in skipped(report)
    assert report.brought["documents"] == 3
