"""ChatGPT's conversations become ours: the branch that was shown, in order, once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import OpenMemory

from recollect import Memory, UserMemory
from recollect_connect.importing import ImportProgress, import_file
from recollect_connect.importing.chatgpt import talk_of
from tests_connect.importing.exports import chatgpt, node, pack, skipped, write

BRANCHED = chatgpt(
    "c-1",
    node("root", None),
    node("sys", "root", "system", [""]),
    node("q1", "sys", "user", ["Which colour is the shed?"], create_time=1704067201.25),
    node("a1", "q1", "assistant", ["It is blue."], create_time=1704067202.0),
    node("q2-old", "a1", "user", ["And the dor?"], create_time=1704067203.0),
    node("a2-old", "q2-old", "assistant", ["I know no dor."], create_time=1704067204.0),
    node("q2", "a1", "user", ["And the door? 🚪 žluť"], create_time=1704067205.0),
    node("a2", "q2", "assistant", ["The door is ochre."], metadata={"model_slug": "gpt-5"}),
    title="Colours of the garden",
)


def said(me: UserMemory, id: str) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in me.conversation(id).messages(limit=1000)]


def test_the_branch_that_was_shown_is_brought_in_order(me: UserMemory, tmp_path: Path) -> None:
    report = import_file(me, write(tmp_path / "conversations.json", [BRANCHED]))
    assert report.format == "chatgpt"
    assert report.brought == {"conversations": 1, "messages": 4}
    assert skipped(report) == {
        ("messages", "another branch of the conversation"): 2,
        ("messages", "nothing in it"): 1,
    }
    messages = me.conversation("chatgpt:c-1").messages()
    assert said(me, "chatgpt:c-1") == [
        ("user", "Which colour is the shed?"),
        ("assistant", "It is blue."),
        ("user", "And the door? 🚪 žluť"),
        ("assistant", "The door is ochre."),
    ]
    assert [message.external_id for message in messages] == ["q1", "a1", "q2", "a2"]
    assert messages[0].said_at == datetime(2024, 1, 1, 0, 0, 1, 250_000, tzinfo=UTC)
    assert messages[3].said_at == messages[2].said_at  # it says no time: when the one before it was said
    assert messages[3].model == "gpt-5"
    info = me.conversation("chatgpt:c-1").info()
    assert info is not None
    assert info.metadata["title"] == "Colours of the garden"
    hits = me.search_context("colour of the door").hits
    assert "ochre" in " ".join(hit.content for hit in hits)


def test_bringing_it_again_adds_only_what_is_new(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    path = write(tmp_path / "conversations.json", [BRANCHED])
    import_file(me, path)
    before = said(me, "chatgpt:c-1")
    again = import_file(me, path)
    assert again.brought == {}
    assert skipped(again)["messages", "already there"] == 4
    assert skipped(again)["conversations", "already there"] == 1
    assert said(me, "chatgpt:c-1") == before
    longer = dict(BRANCHED, current_node="q3")
    longer["mapping"] = {**BRANCHED["mapping"], "q3": node("q3", "a2", "user", ["Thanks!"])}
    assert import_file(me, write(path, [longer])).brought == {"conversations": 1, "messages": 1}
    assert said(me, "chatgpt:c-1") == [*before, ("user", "Thanks!")]
    assert memory.doctor() == ()


def test_what_is_no_speech_is_counted_by_its_reason(me: UserMemory, tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "size_bytes": 3}
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "s", "content": "They want paint."}, {"summary": "t"}],
    }
    talk = chatgpt(
        "c-2",
        node("root", None),
        node("ctx", "root", "user", [], content={"content_type": "user_editable_context", "text": "Be brief."}),
        node("q", "ctx", "user", [], metadata={"attachments": [{"name": "shed.png", "id": "f"}]},
             content={"content_type": "multimodal_text", "parts": [picture, "What paint is this?"]}),
        node("think", "q", "assistant", [], content=thoughts),
        node("recap", "think", "assistant", [], content={"content_type": "reasoning_recap", "content": "5 s"}),
        node("call", "recap", "assistant", ["search('paint')"], recipient="web.search"),
        node("tool", "call", "tool", ["<html>"]),
        node("hidden", "tool", "assistant", ["psst"], metadata={"is_visually_hidden_from_conversation": True}),
        node("critic", "hidden", "critic", ["hm"]),
        {"id": "odd", "parent": "critic", "message": ["not", "a", "message"], "children": []},
        node("code", "odd", "assistant", [], content={"content_type": "code", "text": "print(1)"}),
    )  # fmt: skip
    report = import_file(me, write(tmp_path / "conversations.json", [talk]))
    assert said(me, "chatgpt:c-2") == [
        ("user", "[image]\nWhat paint is this?"),
        ("reasoning", "They want paint.\n\nt"),
        ("assistant", "print(1)"),
    ]
    assert me.conversation("chatgpt:c-2").messages()[0].metadata == {"attachments": ["shed.png"]}
    assert skipped(report) == {
        ("attachments", "the export has its name only"): 1,
        ("messages", "ChatGPT's own instructions"): 1,
        ("messages", "how long it thought"): 1,
        ("messages", "what a tool was asked"): 1,
        ("messages", "what a tool gave"): 1,
        ("messages", "hidden in ChatGPT"): 1,
        ("messages", "unknown sender"): 1,
        ("messages", "not a message in ChatGPT's format"): 1,
    }


def test_conversations_that_are_none_do_not_keep_the_others_out(me: UserMemory, tmp_path: Path) -> None:
    private = chatgpt("c-4", node("q", None, "user", ["A secret wish"]), is_do_not_remember=True)
    empty = chatgpt("c-5", node("root", None))
    fine = chatgpt("c-6", node("q", None, "user", ["Hello there"]))
    report = import_file(
        me, write(tmp_path / "e.json", ["x", None, {"mapping": 3}, private, empty, fine]), format="ChatGPT"
    )
    assert report.brought == {"conversations": 1, "messages": 1}
    assert skipped(report) == {
        ("conversations", "not a conversation in ChatGPT's format"): 3,
        ("conversations", "marked there as not to be remembered"): 1,
        ("conversations", "nothing in it"): 1,
    }
    assert any("number 2" in example for example in report.examples)
    assert [info.id for info in me.conversations()] == ["chatgpt:c-6"]


def test_a_time_that_is_none_is_that_of_the_conversation() -> None:
    moments: list[Any] = [None, "soon", float("inf"), -5, 1e300, True, {"at": 1}]
    for moment in moments:
        talk = talk_of(chatgpt("c-7", node("q", None, "user", ["When was this?"], create_time=moment)), 0)
        assert talk is not None
        assert [one.said_at for one in talk.messages] == [datetime(2024, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)]


def test_odd_ids_and_broken_characters_are_brought_nevertheless(me: UserMemory, tmp_path: Path) -> None:
    talk = chatgpt("x\n" * 300, node("n\x00" * 200, None, "user", ["half a pair: \ud800, a NUL: \x00."]))
    path = write(tmp_path / "conversations.json", [talk, dict(talk, conversation_id=None, id=None)])
    assert import_file(me, path).brought == {"conversations": 2, "messages": 2}
    assert import_file(me, path).brought == {}
    names = [info.id for info in me.conversations()]
    assert all(name.startswith("chatgpt:") and len(name) == 40 for name in names)
    assert said(me, names[0]) == [("user", "half a pair: ?, a NUL: .")]


def test_a_huge_message_comes_in_parts() -> None:
    text = "".join(f"{number:09} " for number in range(210_000))
    talk = talk_of(chatgpt("c-8", node("q", None, "user", [text]), node("a", "q", "assistant", ["Long."])), 0)
    assert talk is not None
    assert [message.id for message in talk.messages] == ["q#part1", "q#part2", "q#part3", "a"]
    parts = [str(message.content) for message in talk.messages[:3]]
    assert "".join(parts) == text
    assert max(map(len, parts)) < 1_000_000


def test_without_a_current_node_the_newest_end_counts(me: UserMemory, tmp_path: Path) -> None:
    talk = chatgpt(
        "c-9",
        node("q", None, "user", ["Question"], create_time=1.0),
        node("new", "q", "assistant", ["Second answer"], create_time=3.0),
        node("old", "q", "assistant", ["First answer"], create_time=2.0),
        current_node=None,
    )
    import_file(me, write(tmp_path / "conversations.json", [talk]))
    assert [text for _, text in said(me, "chatgpt:c-9")] == ["Question", "Second answer"]


def test_a_circle_of_parents_ends(me: UserMemory, tmp_path: Path) -> None:
    talk = chatgpt("c-10", node("a", "b", "user", ["One"]), node("b", "a", "assistant", ["Two"]))
    assert import_file(me, write(tmp_path / "conversations.json", [talk])).brought["messages"] == 2


def test_the_archive_is_brought_as_it_was_downloaded(me: UserMemory, tmp_path: Path) -> None:
    path = pack(
        tmp_path / "export.zip",
        {
            "export/conversations-000.json": [BRANCHED],
            "export/conversations-001.json": {"conversations": [chatgpt("c-11", node("q", None, "user", ["More"]))]},
            "export/user.json": {"email": "a@example.org"},
            "export/chat.html": "<html>",
            "export/file-abc.png": b"\x89PNG",
            "__MACOSX/export/._conversations-000.json": b"\x00\x05",
        },
    )
    told: list[ImportProgress] = []
    report = import_file(me, path, tell=told.append)
    assert report.brought == {"conversations": 2, "messages": 5}
    assert skipped(report)["files", "about the account, not memory"] == 1
    assert skipped(report)["files", "not what conversations or memories are in"] == 2
    assert skipped(report)["files", "a leftover of another system"] == 1
    assert told == [ImportProgress("conversations", 1, 2), ImportProgress("conversations", 2, 2)]


def test_an_import_that_was_interrupted_is_completed_by_the_next(me: UserMemory, tmp_path: Path) -> None:
    talks = [chatgpt(f"i-{number}", node("q", None, "user", [f"Question {number}"])) for number in range(3)]
    path = write(tmp_path / "conversations.json", talks)

    def stop(progress: ImportProgress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(me, path, tell=stop)
    assert import_file(me, path).brought == {"conversations": 1, "messages": 1}
    assert [said(me, f"chatgpt:i-{number}") for number in range(3)] == [
        [("user", f"Question {number}")] for number in range(3)
    ]


def test_a_dry_run_stores_nothing(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    report = import_file(me, write(tmp_path / "conversations.json", [BRANCHED]), dry_run=True)
    assert report.dry_run
    assert report.brought == {"conversations": 1, "messages": 4}
    assert me.conversations() == ()
    assert memory.stats().messages == 0


def test_what_was_said_is_found_by_meaning(open_memory: OpenMemory, tmp_path: Path) -> None:
    with open_memory() as memory:
        me = memory.user("me")
        import_file(me, write(tmp_path / "conversations.json", [BRANCHED]))
        memory.embed_waiting()
        hits = me.search_context("what hue does the entrance have?").hits
        assert any("ochre" in hit.content for hit in hits)
        since = datetime(2024, 1, 1, tzinfo=UTC)
        assert all(since <= hit.created_at or hit.occurred_at for hit in hits)
        assert me.conversation("chatgpt:c-1").messages()[0].said_at - since < timedelta(seconds=2)
