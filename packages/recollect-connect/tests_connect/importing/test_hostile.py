"""Files that are not what they seem: a clear error, nothing half-written, and no harm done."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, UserMemory
from recollect.errors import InvalidDocument, InvalidInput
from recollect_connect.importing import import_file
from recollect_connect.importing.export_entries import entries
from tests_connect.importing.exports import chatgpt, claude, claude_message, mem0, node, pack, write

TALK = chatgpt("c", node("q", None, "user", ["Hello"]))


NO_EXPORTS = (
    (b"", "is empty"),
    (b"   \n ", "is empty"),
    (b"hello", "begins with 'h'"),
    (b"[1, 2", "',' was expected and 'the end' found"),
    (b"[1 2]", "',' was expected and '2' found"),
    (b'{"a": 1,}', "a key was expected and '}' found"),
    (b'["abc\\', "it ends in the middle of a value"),
    (b"[tru]", "a value cannot be read"),
    (b"[" + b"9" * 5_000 + b"]", "a value cannot be read"),
    (b"[]]", "there is more after its end"),
    (b"\xff\xfe[]", "is not UTF-8"),
    (b"[" * 10_000 + b"]" * 10_000, "nested more than 200 deep"),
    (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested more than 200 deep"),
    (b"[]", "an empty JSON list or object"),
    (b"[1, 2]", "a JSON list of values such as 1"),
    (
        b'[{"a": 1, "b": 2, "c": 3}]',
        "a JSON list of objects with the keys a, b, c. That is none of: an export of Recollect, a ChatGPT",
    ),
    (b'{"name": "x", "version": 1}', "a JSON object with the keys name, version"),
)


def test_what_is_no_export_is_told_apart(me: UserMemory, tmp_path: Path) -> None:
    for content, message in NO_EXPORTS:  # one store for all of them: nothing is to reach it
        path = tmp_path / "conversations.json"
        path.write_bytes(content)
        with pytest.raises(InvalidDocument) as raised:
            import_file(me, path)
        assert message in str(raised.value)
    assert me.conversations() == ()


def test_a_download_that_broke_off_brings_nothing(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    many = json.dumps([dict(TALK, id=f"c{number}", conversation_id=f"c{number}") for number in range(50)])
    path = tmp_path / "conversations.json"
    path.write_text(many[:-100], encoding="utf-8")
    with pytest.raises(InvalidDocument, match="only a part of it was downloaded"):
        import_file(me, path)
    assert memory.stats().messages == 0


def test_an_archive_whose_bytes_were_damaged_brings_nothing(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    path = pack(tmp_path / "e.zip", {"conversations.json": [TALK] * 100})
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.infolist()[0].header_offset + 60
    data[start : start + 20] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(InvalidDocument, match="damaged"):
        import_file(me, path)
    assert memory.stats().messages == 0


def test_an_archive_that_would_explode_is_not_opened(me: UserMemory, tmp_path: Path) -> None:
    path = pack(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * (32 * 2**20) + b"]"})
    assert path.stat().st_size < 100_000
    with pytest.raises(InvalidDocument, match=r"would become 33,554,434 bytes.*It was not opened"):
        import_file(me, path)


def test_names_that_lead_out_of_an_archive_are_left_alone(me: UserMemory, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down"
    folder.mkdir(parents=True)
    path = pack(
        folder / "e.zip",
        {"../../evil/conversations.json": [TALK], "/etc/conversations.json": [TALK], "..\\conversations.json": [TALK]},
    )
    with pytest.raises(InvalidDocument, match="0 files are in it"):
        import_file(me, path)
    path = pack(folder / "e.zip", {"../conversations.json": [TALK], "in/conversations.json": [TALK]})
    report = import_file(me, path)
    assert report.brought == {"conversations": 1, "messages": 1}
    assert report.skipped_because("its name leads out of the archive") == 1
    assert sorted(one.name for one in tmp_path.rglob("*") if one.is_file() and one.parent != tmp_path / "store") == [
        "e.zip"
    ]


def test_what_cannot_be_read_as_a_file_is_said(me: UserMemory, tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="cannot be read: No such file"):
        import_file(me, tmp_path / "nowhere.json")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InvalidDocument, match="neither a file nor a folder"):
        import_file(me, pipe)
    with pytest.raises(
        InvalidInput, match=r"Unknown format 'word'. Formats are: recollect, chatgpt, claude, mem0, basic-memory"
    ):
        import_file(me, write(tmp_path / "e.json", [TALK]), format="word")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidDocument, match="0 files are in it, no JSON"):
        import_file(me, tmp_path / "empty")
    with pytest.raises(InvalidDocument, match=r"holds no conversations.json, which an export of claude has"):
        import_file(me, tmp_path / "empty", format="claude")


def test_links_and_pipes_in_a_folder_are_not_followed(me: UserMemory, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret" / "conversations.json", [TALK])
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations-001.json").symlink_to(secret)
    os.mkfifo(folder / "conversations-002.json")
    write(folder / "conversations-000.json", [dict(TALK, id="d", conversation_id="d")])
    report = import_file(me, folder)
    assert report.brought == {"conversations": 1, "messages": 1}
    assert report.skipped_because("a link, or nothing that could be read") == 2


def test_whatever_stands_where_something_else_should_is_survived(memory: Memory, tmp_path: Path) -> None:
    oddities: list[Any] = [None, 3, "x", [], {}, [[]], {"a": [1, {"b": None}]}, "\ud800", float("nan")]
    for number, odd in enumerate(oddities):
        _survive(memory.user(f"user {number}"), tmp_path, odd)
    assert memory.doctor() == ()


def _survive(me: UserMemory, folder: Path, odd: Any) -> None:
    talks = [
        chatgpt("1", node("q", None, "user", ["fine"]), title=odd, create_time=odd, current_node=odd),
        chatgpt("2", node("q", None, "user", ["fine"]), mapping={"a": odd, "b": {"message": odd, "parent": odd}}),
        chatgpt("3", node("q", None, "user", [odd, "fine"], metadata=odd, recipient=odd, create_time=odd)),
        chatgpt("4", node("q", None, "user", [], content=odd)),
    ]
    assert import_file(me, write(folder / "chatgpt.json", talks)).brought["conversations"] >= 2
    names = ("name", "created_at", "current_leaf_message_uuid", "project")
    talks = [
        claude("5", claude_message("a", "human", "fine"), **dict.fromkeys(names, odd)),
        claude("6", odd, claude_message("a", "human", "fine", attachments=odd, files=odd, created_at=odd)),
        claude("7", {**claude_message("a", "human", "fine", content=odd, parent_message_uuid=odd), "uuid": odd}),
    ]
    assert import_file(me, write(folder / "claude.json", talks)).brought["conversations"] == 3
    keys = ("metadata", "created_at", "user_id", "categories", "hash", "expiration_date", "state")
    memories = [mem0("a", "fine"), *(mem0("b", f"fine {key}", **{key: odd}) for key in keys)]
    assert import_file(me, write(folder / "mem0.json", memories), of_user="alex").brought["memories"] >= 6


def test_a_value_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.importing.export_entries.LONGEST_ELEMENT", 4 * 2**20)

    class Endless:
        """An export that never ends."""

        def __init__(self) -> None:
            self.given = 0

        def read(self, amount: int) -> bytes:
            self.given += amount
            return (b'["' if self.given == amount else b"") + b"a" * (amount - 2)

    stream = Endless()
    with pytest.raises(InvalidDocument, match="longer than 4,194,304 characters"):
        list(entries(stream, "endless"))  # type: ignore[arg-type]
    assert stream.given < 20 * 2**20


def test_the_store_itself_is_no_export(me: UserMemory, database: str, tmp_path: Path) -> None:
    me.remember("Likes rye bread")
    for name in (database, f"{database}-wal"):
        with pytest.raises(InvalidDocument, match="is the store itself"):
            import_file(me, name)
    folder = tmp_path / "export"
    folder.mkdir()
    write(folder / "conversations.json", [TALK])
    os.link(database, folder / "conversations-001.json")
    report = import_file(me, folder)
    assert (report.brought["conversations"], report.skipped_because("the store itself")) == (1, 1)
