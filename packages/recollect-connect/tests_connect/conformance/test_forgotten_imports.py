"""Whatever is imported and then forgotten stays away when it is imported again, in every format and on both stores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import OpenMemory

from recollect import Memory, UserMemory
from recollect_connect.importing import ImportReport, import_file, import_openclaw
from recollect_connect.importing.deliver import FORGOTTEN
from tests_connect.importing.exports import chatgpt, claude, claude_message, mem0, node, write
from tests_connect.importing.openclaw_folder import Database, chunk, header, log, note, turn, unit

Importing = Callable[[UserMemory], ImportReport]

TALK = chatgpt("c-1", node("q1", None, "user", ["Which colour is the shed?"]), node("a1", "q1", "assistant", ["Blue."]))
OTHER_TALK = claude(
    "u-1", claude_message("m1", "human", "Where is the key?"), claude_message("m2", "assistant", "In the pot.")
)


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


@pytest.fixture
def imports(tmp_path: Path) -> dict[str, Importing]:

    def exported(name: str, content: Any) -> Importing:
        path = write(tmp_path / name / f"{name}.json", content)
        return lambda me: import_file(me, path)

    for name in ("mem0", "chatgpt", "claude"):
        (tmp_path / name).mkdir()
    basic = tmp_path / "basic"
    note(
        basic / "oven.md",
        "---\ntitle: Oven\ntype: note\npermalink: oven\n---\n\n# Oven\n\n- [lesson] It squeaks #old\n",
    )
    home = tmp_path / ".openclaw"
    note(home / "workspace" / "MEMORY.md", "# Facts\n\nThe spare key is under the third flowerpot.\n")
    sessions = home / "agents" / "main" / "sessions"
    log(sessions / "s1.jsonl", header("s1"), turn("user", "Which glue holds teak?"), turn("assistant", "Epoxy does."))
    Database(home / "memory" / "main.sqlite").chunks(
        chunk("memory/2025-12-24.md", "The goose was late.", (3, 3), embedding=unit(0))
    )
    return {
        "mem0": exported("mem0", {"results": [mem0("m-1", "Prefers oat milk")]}),
        "chatgpt": exported("chatgpt", [TALK]),
        "claude": exported("claude", [OTHER_TALK]),
        "basic-memory": lambda me: import_file(me, basic),
        "openclaw": lambda me: import_openclaw(me, home),
    }


def _forget_each(me: UserMemory) -> None:
    for conversation in me.conversations():
        me.forget(session=conversation.id)
    for file in me.files.list().items:
        me.forget(file.id)
    for record in me.list().items:
        me.forget(record.id)


def _counts(me: UserMemory) -> tuple[int, ...]:
    stats = me.stats()
    return stats.memories, stats.messages, stats.files, stats.chunks, len(me.conversations())


@pytest.mark.parametrize("forget", [_forget_each, lambda me: me.forget(everything=True)], ids=["each", "everything"])
def test_nothing_forgotten_comes_back(
    memory: Memory, imports: dict[str, Importing], forget: Callable[[UserMemory], object]
) -> None:
    for name, bring in imports.items():
        me = memory.user(name)
        first = bring(me)
        assert first.brought, name
        forget(me)
        for _ in range(2):
            again = bring(me)
            brought = {what: amount for what, amount in again.brought.items() if what != "notes"}  # those are read
            assert (brought, _counts(me)) == ({}, (0, 0, 0, 0, 0)), name
            assert again.skipped_because(FORGOTTEN) > 0, name
        me.forget(everything=True, allow_again=True)
        assert bring(me).brought == first.brought, name
    assert memory.doctor() == ()
