"""Claude's conversations become ours, and so does what Claude remembered."""

from datetime import UTC, datetime
from pathlib import Path

from recollect import UserMemory
from recollect_connect.importing import import_file
from tests_connect.importing.exports import claude, claude_message, pack, skipped, write

ROOT = "00000000-0000-4000-8000-000000000000"


def said(me: UserMemory, id: str) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in me.conversation(id).messages()]


def test_a_conversation_is_brought_with_what_was_pasted_and_thought(me: UserMemory, tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "The pump is old."}
    pasted = [
        {"file_name": "", "file_type": "txt", "file_size": 12, "extracted_content": "Pump model Q7"},
        {"file_name": "plan.txt", "file_type": "txt", "extracted_content": "Replace in May"},
        {"file_name": "photo.heic", "file_type": "heic"},
    ]
    talk = claude(
        "u-1",
        claude_message(
            "m1", "human", "What do you make of this? 🛠", attachments=pasted, files=[{"file_name": "x.png"}]
        ),
        claude_message(
            "m2",
            "assistant",
            "",
            content=[
                thinking,
                {"type": "tool_use", "name": "search", "input": {}},
                {"type": "tool_result", "content": []},
                {"type": "text", "text": "Order a new gasket."},
            ],
            created_at="2026-02-01T12:00:05+02:00",
        ),
        claude_message("m3", "human", ""),
        claude_message("m4", "robot", "beep"),
        name="Pump",
    )
    report = import_file(me, write(tmp_path / "conversations.json", [talk]))
    assert report.format == "claude"
    assert report.brought == {"conversations": 1, "messages": 3}
    assert said(me, "claude:u-1") == [
        ("user", "What do you make of this? 🛠\n\nPump model Q7\n\n[plan.txt]\nReplace in May"),
        ("reasoning", "The pump is old."),
        ("assistant", "Order a new gasket."),
    ]
    assert skipped(report) == {
        ("attachments", "the export has its name only"): 2,
        ("messages", "nothing in it"): 1,
        ("messages", "unknown sender"): 1,
        ("tool calls", "what a tool was asked, or gave"): 2,
    }
    messages = me.conversation("claude:u-1").messages()
    assert messages[0].metadata == {"attachments": ["plan.txt", "photo.heic", "x.png"]}
    assert messages[2].said_at == datetime(2026, 2, 1, 10, 0, 5, tzinfo=UTC)
    assert import_file(me, tmp_path / "conversations.json").brought == {}


def test_of_branches_the_one_that_was_shown_counts(me: UserMemory, tmp_path: Path) -> None:
    messages = [
        claude_message("a", "human", "Hello", parent_message_uuid=ROOT),
        claude_message("b", "assistant", "Hi", parent_message_uuid="a"),
        claude_message("c", "human", "Typo", parent_message_uuid="b"),
        claude_message("d", "human", "No typo", parent_message_uuid="b", created_at="2026-02-01T10:05:00Z"),
    ]
    report = import_file(me, write(tmp_path / "1.json", [claude("newest", *messages)]))
    assert [text for _, text in said(me, "claude:newest")] == ["Hello", "Hi", "No typo"]
    assert skipped(report) == {("messages", "another branch of the conversation"): 1}
    import_file(me, write(tmp_path / "2.json", [claude("named", *messages, current_leaf_message_uuid="c")]))
    assert [text for _, text in said(me, "claude:named")] == ["Hello", "Hi", "Typo"]


def test_what_claude_remembered_becomes_memories(me: UserMemory, tmp_path: Path) -> None:
    remembered = (
        "**Work context**\n\nSasha runs a bakery in Brno.\n\n**Brief history**\n\n*Recent months*\n\nLearns Rust."
    )
    path = pack(
        tmp_path / "data-2026-02-01-batch-0000.zip",
        {
            "conversations.json": [claude("u", claude_message("m", "human", "Bread?"))],
            "memories.json": [
                {
                    "conversations_memory": remembered,
                    "project_memories": {"p-1": "The oven is a Miwe."},
                    "account_uuid": "a",
                }
            ],
            "projects.json": [{"uuid": "p-1", "name": "Oven", "docs": [{"filename": "oven.md", "content": "# Oven"}]}],
            "users.json": [{"uuid": "a", "full_name": "Sasha"}],
        },
    )
    report = import_file(me, path, trust=1)
    assert report.brought == {"conversations": 1, "messages": 1, "memories": 4}
    assert skipped(report) == {
        ("documents", "a document of a project; add it with `recollect add`"): 1,
        ("files", "about the account, not memory"): 1,
    }
    kept = {memory.content: memory for memory in me.list().items}
    assert kept["Sasha runs a bakery in Brno."].context == "Work context"
    assert kept["The oven is a Miwe."].subject == "Oven"
    assert {(memory.source, memory.trust) for memory in kept.values()} == {("import:claude", 1)}
    assert me.recall("where is the bakery?").hits[0].content == "Sasha runs a bakery in Brno."
    again = import_file(me, path)
    assert again.brought == {}
    assert skipped(again)["memories", "already there"] == 4
    assert me.count() == 4


def test_an_archive_of_memories_alone_is_enough(me: UserMemory, tmp_path: Path) -> None:
    account = {"conversations_memory": "Likes rye.", "project_memories": {}, "memory_files": []}
    assert import_file(me, pack(tmp_path / "memories-000.zip", {"memories/a.json": account})).brought == {"memories": 1}
    assert import_file(me, write(tmp_path / "memories.json", [account])).skipped_because("already there") == 1
