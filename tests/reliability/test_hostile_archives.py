"""What a stranger's archive can do: no more than it says. No door fails after it, and no other file is shown."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from recollect import UserMemory
from tests.archives import lines_of
from tests.fixtures import OpenMemory
from tests.reliability.figures import figure
from tests.reliability.hostile_archives import hostile_archives
from tests.service.conftest import UNHURRIED, Running, serving
from tests.sizes import sized
from tests.storage.catalogue import is_server

PROMISE: Final = 16
CANARY: Final = "the canary sings at midnight"
ARCHIVES: Final = {"sqlite": sized(4, 105), "postgresql": sized(2, 105)}  # of each seed
_PART: Final = re.compile(r"\{(\w+)\}")
# endless; asked by itself; what holds nothing of a user
_NOT_ASKED: Final = ("/api/stream", "/api/export", "/api/sessions", "/docs", "/openapi", "/livez", "/readyz")


def genuine_archive(me: UserMemory, notes: Path) -> bytes:
    """Give the archive of a user who has something of everything."""
    me.remember("The shed is blue", subject="shed", key="colour", value="blue", importance=0.7)
    me.remember("The shed is green", subject="shed", key="colour", value="green")
    me.facts.set("anna", "child", "Eva", many=True)
    me.instructions.add("Always answer briefly")
    me.events.log("The garage door was opened", participants=["Eva", "Jan"])
    me.remember("Likes the sea", lat=49.2, lng=16.6, address="Hlavní 1, Brno", place_label="Café")
    horn = me.media.add(b"ID3 a horn", caption="The horn", duration_s=1.5)
    me.remember("What it sounds like", media=[horn])
    talk = me.conversation("talk")
    talk.append("user", [{"type": "text", "text": "My boat is called Olga."}], id="m-1")
    talk.append("assistant", "A fine name.", tool_calls=[{"id": "c", "name": "look", "arguments": "{}"}])
    talk.append("tool", "a boat", tool_call_id="c")
    for number in range(12):
        talk.append("user", f"Message {number} about the boat and its teak deck. " * 20)
        talk.append("assistant", f"Answer {number}. " * 30)
    assert talk.compact().action == "compacted"
    me.places.set("Home", (49.19, 16.61))
    notes.mkdir()
    (notes / "a.md").write_text("# Keys\n\nThe key is under the mat.\n\n## More\n\nThe spare one too.\n")
    me.files.sync(notes)
    me.files.add(b"# Manual\n\nPress the red button.", name="manual.md")
    me.recall("boat")
    me.forget(me.remember("The code of the alarm is 4711").id)
    me.export(notes.parent / "genuine.zip")
    return (notes.parent / "genuine.zip").read_bytes()


class Doors:
    """All routes that read, with the names of what an archive brought in place of their parts."""

    def __init__(self, document: dict[str, Any], archive: bytes) -> None:
        lines = lines_of(archive)
        self._ids = [lines["memories"][0]["id"], lines["messages"][0]["id"], lines["files"][0]["id"], "talk"]
        self._paths = [path for path, operations in document["paths"].items() if "get" in operations]

    def asked(self) -> Iterator[str]:
        """Give the paths to ask for: each route once, those of an item for the first items of each kind."""
        for path in self._paths:
            if path.startswith(_NOT_ASKED):
                continue
            yield from [_PART.sub(item, path) for item in self._ids] if _PART.search(path) else [path]


def answers(client: httpx2.Client, doors: Doors, archive: bytes) -> Iterator[httpx2.Response]:
    """Ask at every door that reads, and store a message and a memory beside what was brought."""
    lines = lines_of(archive)
    files = [row["id"] for row in lines["files"] if isinstance(row.get("id"), str)]
    for path in (*doors.asked(), *(f"/api/files/{one}/{part}" for one in files for part in ("text", "original"))):
        yield client.get(path)
    for query in ("boat", "midnight", "shed"):
        yield client.post("/api/context/search", json={"query": query, "limit": 50})
    yield client.get("/api/export")
    yield client.get("/api/export", params={"readable": "true"})
    yield client.post("/api/conversations/talk/messages", json={"role": "user", "content": "And then?"})
    yield client.post("/api/memories", json={"content": "Likes the hills"})
    yield client.get("/api/conversations/talk/window")


class Strangers:
    """Users who each send an archive; counts what came of it."""

    def __init__(self, running: Running, genuine: bytes) -> None:
        self.counts = dict.fromkeys(("hostile_archives", "refused", "changed", "answers_5xx", "foreign_bytes"), 0)
        self._running = running
        with running.client(running.key("anna")) as client:
            self._doors = Doors(client.get("/openapi.json").json(), genuine)

    def send(self, user: str, what: str, archive: bytes) -> None:
        """Send an archive into the memory of a user, and look at what comes of it."""
        self.counts["hostile_archives"] += 1
        me = self._running.memory.user(user)
        with self._running.client(self._running.key(user)) as client:
            before = me.stats()
            taken = client.post("/api/import", content=archive)
            assert taken.status_code in (200, 422), f"{what}: {taken.text}"
            if taken.status_code == 422:
                self.counts["refused"] += 1
                self.counts["changed"] += me.stats() != before
                return
            for answer in answers(client, self._doors, archive):
                self.counts["answers_5xx"] += answer.is_server_error
                assert not answer.is_server_error, f"{what}: {answer.request.url}: {answer.text[:300]}"
                foreign = CANARY.encode() in answer.content
                self.counts["foreign_bytes"] += foreign
                assert not foreign, f"{what}: {answer.request.url}"
        if me.files.folders(look=False):
            assert not any(report.seen for report in me.files.sync()), what


@pytest.mark.parametrize("seed", range(1, sized(2, 3)))
def test_nothing_is_read_that_was_not_given(open_memory: OpenMemory, database: str, tmp_path: Path, seed: int) -> None:
    secret, diary = tmp_path / "of-the-machine" / "passwd", tmp_path / "of-another" / "diary.md"
    for file in (secret, diary):
        file.parent.mkdir()
        file.write_text(CANARY)
    memory = open_memory(embedding__provider="none", serve__search_log="queries", **UNHURRIED)
    memory.user("eve").files.sync(diary.parent)  # so that this folder is one that the service opens
    amount = ARCHIVES["postgresql" if is_server(database) else "sqlite"]
    genuine = genuine_archive(memory.user("anna"), tmp_path / "notes")
    with serving(memory) as running:
        strangers = Strangers(running, genuine)
        for number, (what, archive) in enumerate(hostile_archives(genuine, [secret, diary], seed, amount)):
            strangers.send(f"user-{number}", what, archive)
    figure(PROMISE, "archives of strangers", **strangers.counts)
    assert strangers.counts["changed"] == 0
    assert strangers.counts["refused"] < strangers.counts["hostile_archives"]
