"""Memories of mem0 become memories, once each, and never those of several people."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import UserMemory
from recollect.errors import InvalidDocument
from recollect_connect.importing import import_file
from tests_connect.importing.exports import mem0, pack, skipped, write


def test_what_get_all_gives_becomes_memories(me: UserMemory, tmp_path: Path) -> None:
    found = {
        "results": [
            mem0("m-1", "Prefers oat milk", metadata={"type": "preference", "shop": "Lidl"}, categories=["food"]),
            mem0("m-2", "Works at TechCorp", updated_at="2026-02-01T00:00:00Z"),
            mem0("m-3", "works at  techcorp."),
            mem0("m-4", "  "),
            mem0("m-5", "Old news", deleted_at="2026-01-01T00:00:00Z"),
            "not a memory",
            mem0("m-6", "x" * 100_001),
            mem0("m-7", "<private>only for me</private>"),
        ],
        "relations": [
            {"source": "alex", "relationship": "works_at", "target": "techcorp"},
            {"source": "alex", "relationship": "works_at", "destination": "night school"},
            {"source": "alex"},
        ],
    }
    path = write(tmp_path / "mem0.json", found)
    report = import_file(me, path)
    assert report.format == "mem0"
    assert report.brought == {"memories": 4}
    assert skipped(report) == {
        ("memories", "already there"): 1,
        ("memories", "deleted there"): 1,
        ("memories", "it cannot be kept"): 2,
        ("memories", "not a memory in mem0's format"): 1,
        ("memories", "nothing in it"): 1,
        ("relations", "not a relation in mem0's format"): 1,
    }
    kept = {memory.content: memory for memory in me.list().items}
    milk = kept["Prefers oat milk"]
    assert (milk.type, milk.source, milk.trust) == ("preference", "import:mem0", 0)
    assert milk.occurred_at == milk.valid_from == datetime(2026, 1, 5, 16, 0, 0, 123_456, tzinfo=UTC)
    assert milk.metadata["original_id"] == "m-1"
    assert (milk.metadata["shop"], milk.metadata["categories"]) == ("Lidl", ["food"])
    assert {fact.value for fact in me.facts("alex")} == {"techcorp", "night school"}
    assert me.recall("which milk?").hits[0].content == "Prefers oat milk"
    again = import_file(me, path)
    assert again.brought == {}
    assert me.count() == 4


@pytest.mark.parametrize("shape", ["list", "lines", "page"])
def test_every_shape_of_an_answer_is_understood(me: UserMemory, tmp_path: Path, shape: str) -> None:
    memories = [mem0(f"m-{number}", f"Fact number {number}") for number in range(3)]
    path = tmp_path / "memories.jsonl"
    if shape == "lines":
        path.write_text("\n".join(map(json.dumps, memories)), encoding="utf-8")
    else:
        path = write(
            tmp_path / "m.json", memories if shape == "list" else {"count": 3, "next": None, "results": memories}
        )
    assert import_file(me, path).brought == {"memories": 3}


def test_memories_of_several_people_are_not_mixed(me: UserMemory, tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", [mem0("1", "Likes tea"), mem0("2", "Likes coffee", user_id="kim")])
    with pytest.raises(InvalidDocument, match=r"2 users: alex, kim.*of_user"):
        import_file(me, path)
    with pytest.raises(InvalidDocument, match=r"no memories of the user 'bo'. Users in it: alex, kim"):
        import_file(me, path, of_user="bo")
    assert me.count() == 0
    report = import_file(me, path, of_user="kim")
    assert report.brought == {"memories": 1}
    assert skipped(report) == {("memories", "of another user"): 1}
    assert [memory.content for memory in me.list().items] == ["Likes coffee"]


def test_a_backup_of_openmemory_is_brought(me: UserMemory, tmp_path: Path) -> None:
    memory = {
        "id": "6a5f0a2e-0000-4000-8000-000000000001",
        "user_id": "u-uuid",
        "content": "The boiler is serviced in October",
        "metadata": {},
        "state": "active",
        "created_at": "2025-10-01T10:00:00+00:00",
        "category_ids": ["cat-1"],
    }
    backup = {
        "user": {"id": "u-uuid", "user_id": "alex"},
        "apps": [{"id": "app", "name": "cursor"}],
        "categories": [{"id": "cat-1", "name": "decision"}],
        "memories": [memory, dict(memory, id="2", content="gone", state="deleted")],
        "export_meta": {"version": "1"},
    }
    lines = gzip.compress(json.dumps({**memory, "categories": ["decision"]}).encode() + b"\n")
    path = pack(tmp_path / "memories_export_alex.zip", {"memories.json": backup, "memories.jsonl.gz": lines})
    report = import_file(me, path)
    assert report.brought == {"memories": 1}
    assert skipped(report) == {("files", "the same memories again"): 1, ("memories", "deleted there"): 1}
    (kept,) = me.list().items
    assert (kept.type, kept.metadata["categories"], kept.metadata["state"]) == ("decision", ["decision"], "active")
    alone = tmp_path / "memories.jsonl.gz"
    alone.write_bytes(lines)
    assert import_file(me, alone).skipped_because("already there") == 1
    for damaged in (b"not compressed at all", lines[:-10], lines[:20] + b"xx" + lines[22:]):
        alone.write_bytes(damaged)
        with pytest.raises(InvalidDocument, match="is damaged, or cannot be read"):
            import_file(me, alone)
