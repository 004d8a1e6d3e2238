"""Who may do what: every tool, resource and prompt passes the one lock, on both stores."""

from typing import Any

import pytest
from mcp import Client, MCPError

from recollect import Memory
from recollect.authorization import LOCAL, Principal
from recollect.mcp.permissions import REQUIRED_PERMISSIONS
from recollect.model import TextPiece
from recollect.model.literals import PERMISSIONS, Permission
from tests.mcp_door.conftest import called, in_process, refused, somebody, speak
from tests.rows import every

ARGUMENTS: dict[str, dict[str, Any]] = {
    "memory_recall": {"query": "tea"},
    "memory_store": {"content": "Likes tea"},
    "memory_forget": {"query": "tea"},
    "search_context": {"query": "tea"},
    "memory_about": {"topic": "tea"},
    "memory_places": {},
    "memory_rate": {"id": "01900000-0000-7000-8000-000000000000", "feedback": 1},
    "memory_get": {"id": "01900000-0000-7000-8000-000000000000"},
    "memory_list": {},
    "memory_update": {"id": "01900000-0000-7000-8000-000000000000", "importance": 0.1},
    "memory_facts": {},
    "search_federated": {"query": "tea"},
    "memory_clusters": {},
    "memory_similar": {"id": "01900000-0000-7000-8000-000000000000"},
}


async def _use(client: Client, name: str, item_id: str) -> str | None:
    """Use what is on offer under a name; give why it was refused, if it was."""
    try:
        if name in ARGUMENTS:
            result = await client.call_tool(name, ARGUMENTS[name])
            return result.content[0].text if result.is_error else None  # type: ignore[union-attr]
        if name.startswith("memory://"):
            await client.read_resource(name.replace("{topic}", "tea").replace("{id}", item_id))
        else:
            await client.get_prompt(name, {"question": "tea"})
    except MCPError as error:
        return error.message
    return None


@every("held", [*PERMISSIONS, None])
def test_each_needs_exactly_its_permission(memory: Memory, held: Permission | None) -> None:
    user = f"anna who may {held}"
    made = memory.user(user).remember("Likes tea with milk", type="preference")
    added = memory.user(user).files.add_pieces("tea.md", [TextPiece("Tea is in the cupboard", "", 1, 1)])
    assert added is not None

    async def talk(client: Client) -> None:
        for name, needed in REQUIRED_PERMISSIONS.items():
            if name == "memory_forget":
                continue
            reason = await _use(client, name, added.file.id if "files" in name else made.id)
            if held in (needed, "admin"):
                assert reason is None, (name, reason)
            else:
                assert reason, name
                assert reason.startswith(f"This needs a key with the scope `{needed}`"), (name, reason)
        # To forget by a question shows what fits it, so it needs `read` as well; by an id it shows nothing new.
        reason = await _use(client, "memory_forget", made.id)
        assert (reason is None) == (held == "admin")
        by_id = await client.call_tool("memory_forget", {"memoryId": made.id})
        assert by_id.is_error == (held not in ("forget", "admin"))

    speak(in_process(memory, somebody(user, *([held] if held else []))), talk)


def test_forgetting_by_a_question_needs_both_permissions(memory: Memory) -> None:
    made = memory.user("anna").remember("Likes tea with milk", type="preference")

    async def talk(client: Client) -> None:
        assert await _use(client, "memory_forget", made.id) is None

    speak(in_process(memory, somebody("anna", "forget", "read")), talk)


@every("stated", [{"subject": "tea", "key": "shelf", "value": "top"}, {"kind": "lesson"}])
def test_storing_a_fact_needs_both_permissions_and_is_in_the_log(memory: Memory, stated: dict[str, str]) -> None:
    given = stated if "value" in stated else {**stated, "content": "Tea is best after four minutes"}
    before = memory.user("anna").count()

    async def only_reads(client: Client) -> None:
        assert "scope `write`" in await refused(client, "memory_facts", given)

    async def writes(client: Client) -> None:
        assert (await called(client, "memory_facts", **given))[1]["action"] == "created"

    async def only_writes(client: Client) -> None:
        assert "scope `read`" in await refused(client, "memory_facts", given)

    speak(in_process(memory, somebody("anna", "read")), only_reads)
    speak(in_process(memory, somebody("anna", "write")), only_writes)
    assert memory.user("anna").count() == before
    speak(in_process(memory, somebody("anna", "read", "write")), writes)
    line = memory.operations.audit_log("anna")[-1]
    assert (line.actor, line.action) == ("key-of-anna", "memory_facts")


def test_permission_is_asked_for_before_arguments_are_looked_at(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        assert "scope `write`" in await refused(client, "memory_store", {"nonsense": 1})

    speak(in_process(memory, somebody("anna", "read")), talk)


def test_nobody_sees_what_belongs_to_others(memory: Memory) -> None:
    made = memory.user("anna").remember("Anna's safe is behind the painting", type="fact")
    kept = memory.user("anna").files.add_pieces("safe.md", [TextPiece("The safe behind the painting is old", "", 1, 1)])
    assert kept is not None

    async def talk(client: Client) -> None:
        for tool in ("memory_recall", "search_context", "search_federated"):
            assert (await called(client, tool, query="safe painting"))[1]["count"] == 0
        assert (await called(client, "memory_about", topic="safe"))[0] == "No relevant memories found."
        for wanted in ({"memoryId": made.id}, {"query": "safe painting"}):
            assert (await called(client, "memory_forget", **wanted))[1] == {"action": "not_found"}
        for tool, given in (("memory_get", {}), ("memory_similar", {}), ("memory_update", {"content": "Ben's safe"})):
            assert (await called(client, tool, id=made.id, **given))[1] == {"action": "not_found"}
        for tool in ("memory_list", "memory_facts"):
            assert (await called(client, tool))[1]["count"] == 0
        with pytest.raises(MCPError, match="No memory"):
            await client.read_resource(f"memory://memories/{made.id}")
        with pytest.raises(MCPError, match="No file"):
            await client.read_resource(f"memory://files/{kept.file.id}")
        for uri in ("memory://recent", "memory://facts", "memory://about/safe", "memory://stats", "memory://files"):
            (content,) = (await client.read_resource(uri)).contents
            assert not {"painting", "safe.md"} & set(content.text.split())  # type: ignore[union-attr]

    speak(in_process(memory, somebody("ben", "read", "write", "forget")), talk)
    assert memory.user("anna").count() == 1


@every(
    ("who", "named", "whose"),
    [
        (LOCAL, "", "default"),
        (LOCAL, "anna", "anna"),
        (somebody("", "admin"), "ben", "ben"),
        (somebody("ben", "write"), "", "ben"),
        (somebody("ben", "write"), "ben", "ben"),
        (somebody("ben", "write"), "anna", None),
        (somebody("", "write"), "anna", None),
    ],
)
def test_the_door_decides_for_whom_somebody_works(
    memory: Memory, who: Principal, named: str, whose: str | None
) -> None:
    async def talk(client: Client) -> None:
        if whose is None:
            assert "key" in await refused(client, "memory_store", {"content": "Likes tea"})
        else:
            await called(client, "memory_store", content="Likes tea")

    speak(in_process(memory, who, user=named), talk)
    counts = {user: memory.user(user).count() for user in ("default", "anna", "ben")}
    assert counts == {user: int(user == whose) for user in counts}
    for user in counts:
        memory.user(user).forget(everything=True)


def test_what_was_changed_is_in_the_log_without_what_it_says(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        _, kept = await called(client, "memory_store", content="Likes tea with honey")
        await called(client, "memory_recall", query="tea")
        await called(client, "memory_forget", memoryId=kept["id"])

    speak(in_process(memory, somebody("anna", "read", "write", "forget")), talk)
    log = memory.operations.audit_log("anna")
    assert [(line.actor, line.action) for line in log] == [
        ("key-of-anna", "memory_store"),
        ("key-of-anna", "memory_forget"),
    ]
    assert log[0].items == log[1].items
    assert "honey" not in repr(log)
