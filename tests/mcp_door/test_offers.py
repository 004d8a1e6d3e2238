"""What is on offer: names, parameters, defaults and limits as every host knows them, and the permission of each."""

import json

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client

from recollect import Memory
from recollect.mcp import handlers, permissions, prompts, resources, tools
from recollect.mcp.server import create_server
from recollect.model.literals import MEMORY_TYPES, SOURCES
from recollect.model.places import LEAST_RADIUS_KM, LOCATION_MODES, LONGEST_ADDRESS, LONGEST_LABEL, MOST_RADIUS_KM
from recollect.text.clean import MAX_CHARACTERS
from tests.mcp_door.conftest import LEGACY, MODERN, in_process, somebody, speak

HERE = {"location": None, "radius_km": None, "location_weight": None, "location_mode": "boost"}
PARAMETERS: dict[str, dict[str, object]] = {
    "memory_recall": {"query": None, "limit": 5, "type": None, "since": None, "until": None, "min_score": None, **HERE},
    "memory_store": {
        "content": None,
        "importance": 0.7,
        "type": "other",
        "participants": None,
        "media": None,
        "location": None,
    },
    "memory_forget": {"query": None, "memoryId": None, "all": False, "sources": True},
    "search_context": {"query": None, "limit": 10, "min_score": None, **HERE},
    "memory_about": {"topic": None},
    "memory_places": {"limit": 20},
    "memory_rate": {"id": None, "feedback": None, "comment": ""},
    "memory_get": {"id": None},
    "memory_list": {
        "limit": 20,
        **dict.fromkeys(("cursor", "type", "subject", "key", "context", "since", "until", "min_importance")),
    },
    "memory_update": dict.fromkeys(
        ("id", "content", "type", "subject", "key", "value", "context", "importance", "confidence", "valid_until")
    ),
    "memory_similar": {"id": None, "limit": 5},
    "memory_clusters": {"limit": 20},
    "memory_facts": {
        "kind": "fact",
        "limit": 20,
        **dict.fromkeys(("subject", "key", "value", "content", "context", "importance", "confidence")),
        **dict.fromkeys(("occurred_at", "valid_until", "since", "until")),
    },
}
REQUIRED = {
    "memory_recall": ["query"],
    "memory_store": ["content"],
    "memory_forget": [],
    "search_context": ["query"],
    "memory_about": ["topic"],
    "memory_places": [],
    "memory_rate": ["id", "feedback"],
    "memory_get": ["id"],
    "memory_list": [],
    "memory_update": ["id"],
    "memory_facts": [],
    "memory_similar": ["id"],
    "memory_clusters": [],
}
# reads only, destroys, may be repeated
HINTS = {
    "memory_recall": (True, False, True),
    "memory_store": (False, False, True),
    "memory_forget": (False, True, False),
    "search_context": (True, False, True),
    "memory_about": (True, False, True),
    "memory_places": (True, False, True),
    "memory_rate": (False, False, True),
    "memory_get": (True, False, True),
    "memory_list": (True, False, True),
    "memory_update": (False, False, True),
    "memory_facts": (False, False, True),
    "memory_similar": (True, False, True),
    "memory_clusters": (True, False, True),
}


@pytest.fixture
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Nobody looks into a store to list what is on offer."""
    return Memory.__new__(Memory)


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_tools_have_the_agreed_names_parameters_and_hints(memory: Memory, mode: str) -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert {tool.name: _defaults(tool.input_schema) for tool in listed} == {
            name: {**taken, "scope": None} if name in SCOPED else taken for name, taken in PARAMETERS.items()
        }
        assert {tool.name: tool.input_schema.get("required", []) for tool in listed} == REQUIRED
        for tool in listed:
            assert tool.input_schema["additionalProperties"] is False
            assert tool.description
            hints = tool.annotations
            assert hints is not None
            assert hints.open_world_hint is False
            assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == HINTS[tool.name]
            for schema in (tool.input_schema, tool.output_schema):
                assert schema is not None
                jsonschema.Draft202012Validator.check_schema(schema)

    speak(in_process(memory, mode=mode), talk)


# Tools that work in a shared scope as well.
SCOPED = {
    "memory_recall", "memory_store", "memory_forget", "search_context", "memory_about", "memory_get", "memory_list",
    "memory_update", "memory_rate", "memory_facts", "memory_clusters",
    "memory_similar",
}  # fmt: skip


def _defaults(schema: dict[str, dict[str, dict[str, object]]]) -> dict[str, object]:
    return {name: one.get("default") for name, one in schema["properties"].items()}


def test_limits_are_the_agreed_ones() -> None:
    recall, store = (tools.TOOLS[name].takes["properties"] for name in ("memory_recall", "memory_store"))
    assert recall["query"]["maxLength"] == 2_000
    assert (recall["limit"]["minimum"], recall["limit"]["maximum"]) == (1, 100)
    place = store["location"]["properties"]
    assert (place["address"]["maxLength"], place["place_label"]["maxLength"]) == (500, 200)
    assert store["location"]["required"] == ["lat", "lng"]
    for taken in (recall, tools.TOOLS["search_context"].takes["properties"]):
        assert (taken["radius_km"]["minimum"], taken["radius_km"]["maximum"]) == (0.1, 100)
        assert (taken["location_weight"]["minimum"], taken["location_weight"]["maximum"]) == (0, 1)
        assert taken["location"]["properties"] == place
        assert "required" not in taken["location"]  # the name of a place is enough


def test_the_data_file_is_in_step_with_the_limits_of_the_package() -> None:
    recall, store = (tools.TOOLS[name].takes["properties"] for name in ("memory_recall", "memory_store"))
    assert store["content"]["maxLength"] == MAX_CHARACTERS
    assert recall["type"]["enum"] == store["type"]["enum"] == [*MEMORY_TYPES]
    assert recall["location_mode"]["enum"] == [*LOCATION_MODES]
    radius = recall["radius_km"]
    assert (radius["minimum"], radius["maximum"]) == (LEAST_RADIUS_KM, MOST_RADIUS_KM)
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
    assert len(json.dumps(whole)) <= 50_000


def test_a_model_neither_keeps_nor_sees_a_secret() -> None:
    shown = json.dumps([dict(tool.takes) for tool in tools.TOOLS.values()])
    assert not any(word in shown for word in ("keep_secret", "keepSecret", "reveal"))


def test_no_parameter_names_a_user() -> None:
    shown = json.dumps([dict(tool.takes) for tool in tools.TOOLS.values()])
    assert "user_id" not in shown
    assert '"user"' not in shown


def test_resources_and_the_prompt_are_listed(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        fixed = {one.uri: one.mime_type for one in (await client.list_resources()).resources}
        assert fixed == {
            "memory://recent": "text/markdown",
            "memory://preferences": "text/markdown",
            "memory://facts": "text/markdown",
            "memory://stats": "application/json",
            "memory://files": "text/markdown",
        }
        made = {one.uri_template: one.mime_type for one in (await client.list_resource_templates()).resource_templates}
        assert made == {
            "memory://about/{topic}": "text/markdown",
            "memory://memories/{id}": "application/json",
            "memory://files/{id}": "text/markdown",
        }
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "memory"
        assert [(one.name, one.required) for one in prompt.arguments or ()] == [("question", False)]

    speak(in_process(memory), talk)


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
    assert {name: permissions.REQUIRED_PERMISSIONS[name] for name in tools.TOOLS} == {
        "memory_recall": "read",
        "memory_store": "write",
        "memory_forget": "forget",
        "search_context": "read",
        "memory_about": "read",
        "memory_places": "read",
        "memory_rate": "write",
        "memory_get": "read",
        "memory_list": "read",
        "memory_update": "write",
        "memory_facts": "read",
        "memory_similar": "read",
        "memory_clusters": "read",
        "search_federated": "read",
    }
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
