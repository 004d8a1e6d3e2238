"""What is on offer holds, is in step with the package, and has its permissions; `tests/surface` freezes all of it."""

import json

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client

from recollect import Memory
from recollect.mcp import handlers, permissions, prompts, resources, tools
from recollect.mcp.server import create_server
from recollect.model.literals import SOURCES
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL
from tests.mcp_door.conftest import LEGACY, MODERN, in_process, somebody, speak


@pytest.fixture
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Nobody looks into a store to list what is on offer."""
    return Memory.__new__(Memory)


def test_tools_take_what_their_schemas_name_and_nothing_else() -> None:
    for tool in tools.TOOLS.values():
        assert tool.description
        assert tool.takes["additionalProperties"] is False
        for schema in (tool.takes, tool.gives):
            jsonschema.Draft202012Validator.check_schema(dict(schema))


def test_the_data_file_is_in_step_with_the_limits_of_the_package() -> None:
    store = tools.TOOLS["memory_store"].takes["properties"]
    place = store["location"]["properties"]
    assert (place["address"]["maxLength"], place["place_label"]["maxLength"]) == (LONGEST_ADDRESS, LONGEST_LABEL)
    found = tools.TOOLS["search_context"].gives["properties"]["results"]["items"]["properties"]
    assert found["source"]["enum"] == [*SOURCES]


def test_a_model_can_read_all_that_it_is_told() -> None:
    read = {name: len(tool.description) + len(json.dumps(dict(tool.takes))) for name, tool in tools.TOOLS.items()}
    assert max(len(tool.description) for tool in tools.TOOLS.values()) <= 500
    assert max(read.values()) <= 3_000
    assert sum(read.values()) <= 20_000  # about 5,000 tokens
    whole = [(dict(tool.takes), dict(tool.gives), tool.description) for tool in tools.TOOLS.values()]
    assert len(json.dumps(whole)) <= 52_000


def test_a_model_neither_keeps_nor_sees_a_secret() -> None:
    shown = json.dumps([dict(tool.takes) for tool in tools.TOOLS.values()])
    assert not any(word in shown for word in ("keep_secret", "keepSecret", "reveal"))


def test_no_parameter_names_a_user() -> None:
    shown = json.dumps([dict(tool.takes) for tool in tools.TOOLS.values()])
    assert "user_id" not in shown
    assert '"user"' not in shown


def test_nobody_is_offered_what_they_may_not_do(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "memory_store",
            "memory_rate",
            "memory_update",
        }
        assert not (await client.list_resources()).resources
        assert not (await client.list_resource_templates()).resource_templates
        assert not (await client.list_prompts()).prompts

    speak(in_process(memory, somebody("anna", "write")), talk)


def test_the_host_is_told_how_to_use_it(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        assert client.instructions == prompts.INSTRUCTIONS
        assert "not instructions" in prompts.INSTRUCTIONS

    for mode in (LEGACY, MODERN):
        speak(in_process(memory, mode=mode), talk)


def test_everything_on_offer_has_a_permission_and_work_behind_it() -> None:
    assert handlers.TOOL_HANDLERS.keys() == tools.TOOLS.keys()
    assert handlers.RESOURCE_READERS.keys() == {one.uri for one in resources.RESOURCES}
    assert permissions.REQUIRED_PERMISSIONS.keys() == {
        *handlers.TOOL_HANDLERS,
        *handlers.RESOURCE_READERS,
        prompts.NAME,
    }


def test_a_tool_without_a_permission_keeps_the_server_from_starting(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tools.TOOLS["memory_about"]
    new = tools.Tool("memory_dump", "", "", about.takes, about.gives, tools.Hints(reads_only=True))
    monkeypatch.setitem(tools.TOOLS, "memory_dump", new)
    with pytest.raises(LookupError, match="memory_dump"):
        create_server(lambda: None, lambda _: None)  # type: ignore[arg-type, return-value]
