"""One contract of verbs and doors: a door that is made of signatures names no verb, and holds to the kinds of all."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http import HTTPStatus
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, get_origin

import httpx2
import pytest
from mcp import Client as McpClient

from recollect import UserMemory
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.verbs import MemoryVerbs
from recollect.cli import verb_options
from recollect.cli.errors import BAD_USAGE
from recollect.client import Client, sent
from recollect.errors import InvalidInput
from recollect.mcp import tools
from recollect.mcp.tools import TOOLS
from recollect.model import kinds
from recollect.model.parameters import Parameter, kind_of, parameters, plain
from recollect.service import verb_fields
from tests.api_reference import function_of, public_members
from tests.cli.conftest import Cli
from tests.cli.reference import application, commands
from tests.mcp_door.conftest import in_process, refused, speak
from tests.service.conftest import EVERYTHING, Running, serve, service
from tests.surface import typescript, verb_schemas

__all__ = ["serve", "service"]

MACHINES: Final = (sent, verb_fields, verb_options, typescript, verb_schemas, tools)
MOST_LINES: Final = 260
LEAST_VERBS: Final = 22
LEAST_COMMANDS: Final = 14
BEYOND: Final = 1_001  # of a limit: Python and the command line show more than a request may ask for
ALIASES: Final = [kind_of(alias) for alias in vars(kinds).values() if hasattr(alias, "__metadata__")]
PARTS: Final = {
    "": UserMemory, "facts.": UserFacts, "preferences.": UserPreferences, "events.": UserEvents,
    "lessons.": UserLessons, "instructions.": UserInstructions,
}  # fmt: skip
VERBS: Final[Mapping[str, Callable[..., Any]]] = {
    f"{part}{name}": function_of(verb)
    for part, kind in PARTS.items()
    for name, verb in public_members(kind)
    if "route" in vars(function_of(verb))
}
COMMON_WORDS: Final = {"get", "type", "key", "query", "examples", "kind", "__call__"}  # of Python, pydantic and HTTP
SOMETHING: Final[Mapping[str, object]] = {"feedback": 1, "everything": True}
ITEM: Final = "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def test_doors_name_no_verb_no_parameter_and_no_sentence(database: object) -> None:
    assert len(VERBS) >= LEAST_VERBS
    names = {
        *(verb.__name__ for verb in VERBS.values()),
        *(one.name for verb in VERBS.values() for one in parameters(verb)),
    } - COMMON_WORDS
    for machine in MACHINES:
        text = Path(machine.__file__ or "").read_text(encoding="utf-8")
        assert set(re.findall(r"[\"'.](\w+)\b", text)) & names == set(), machine
        assert [kind.said for kind in ALIASES if kind.said and kind.said in text] == []
        assert text.count("\n") < MOST_LINES


def test_the_document_says_what_the_kinds_say(service: Running) -> None:
    with service.client(service.key()) as anna:
        document = anna.get("/openapi.json").json()
    for name, verb in VERBS.items():
        fields = documented(document, verb)
        for one in sendable(verb):
            if one.sent_as in fields and one.kind.said:
                said = fields[one.sent_as].get("description", one.kind.said)  # a route may say nothing
                assert said == one.kind.said, f"{name} {one.name}"


def documented(document: dict[str, Any], verb: Callable[..., Any]) -> dict[str, Any]:
    """Give the parameters of a route, or the fields of its body, by name."""
    route = verb.__dict__["route"]
    operation = document["paths"][route.path][route.method.lower()]
    found = {one["name"]: one for one in operation.get("parameters", ())}
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        found |= document["components"]["schemas"][schema]["properties"]
    return found


def sendable(verb: Callable[..., Any]) -> Iterator[Parameter]:
    return (one for one in parameters(verb) if not one.kind.here and not one.kind.parts)


def beyond(one: Parameter) -> Iterator[object]:
    """Give values that are just not what a kind allows."""
    kind, item = one.kind, plain(one.type)
    if kind.least is not None and kind.most is not None:
        yield from (kind.least - 1, kind.most + 1)
    if item is str and kind.longest is not None:
        yield "x" * (kind.longest + 1)
    if item is str and (kind.visible or kind.trimmed):
        yield " "


def asked(client: httpx2.Client, verb: Callable[..., Any], **wrong: object) -> httpx2.Response:
    """Ask for a verb with what it cannot do without, and something that is wrong."""
    route = verb.__dict__["route"]
    fields = {one.sent_as: SOMETHING.get(one.name, ITEM) for one in parameters(verb) if one.default is ...} | wrong
    path = re.sub(r"{(\w+)}", lambda named: str(fields.pop(named[1])), route.path)
    if route.method == "GET":
        return client.get(path, params=fields)  # type: ignore[arg-type]
    return client.request(route.method, path, json=fields)


def test_bounds_unknown_names_and_keys_are_held_to_at_every_route(service: Running) -> None:
    with ExitStack() as opened:
        anna, stranger = (opened.enter_context(service.client(key)) for key in (service.key(), None))
        single = [opened.enter_context(service.client(service.key(scopes=(one,)))) for one in EVERYTHING]
        for name, verb in VERBS.items():
            path = verb.__dict__["route"].path
            for one in sendable(verb):
                for value in beyond(one) if f"{{{one.sent_as}}}" not in path else ():
                    refused = asked(anna, verb, **{one.sent_as: value})
                    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY, f"{name} {one.name} {value!r:.40}"
            assert asked(anna, verb, nonsense=1).status_code == HTTPStatus.UNPROCESSABLE_ENTITY, name
            assert asked(stranger, verb).status_code == HTTPStatus.UNAUTHORIZED, name
            assert HTTPStatus.FORBIDDEN in {asked(client, verb).status_code for client in single}, name


def test_a_client_refuses_what_it_cannot_send_and_names_it_does_not_know(service: Running) -> None:
    with Client.open(service.url, key=service.key()) as client:
        for name, verb in VERBS.items():
            given = {one.name: SOMETHING.get(one.name, ITEM) for one in parameters(verb) if one.default is ...}
            with pytest.raises(InvalidInput, match=rf"'nonsense'\. {verb.__name__} takes: "):
                attrgetter(name)(client.me)(**given, nonsense=1)
            for one in parameters(verb):
                if one.kind.here:
                    with pytest.raises(InvalidInput, match=re.escape(one.kind.here)):
                        attrgetter(name)(client.me)(**given, **{one.name: True})


def test_tools_hold_to_the_kinds_and_take_nothing_that_is_not_for_models(service: Running) -> None:
    async def talk(client: McpClient) -> None:
        for tool in (tool for tool in TOOLS.values() if tool.verb):
            given = {name: SOMETHING.get(name, ITEM) for name in tool.takes.get("required", ())}
            assert "takes no 'nonsense'" in await refused(client, tool.name, {**given, "nonsense": 1})
            for one in parameters(getattr(UserMemory, tool.verb)):
                if one.name in tool.takes["properties"]:
                    for value in beyond(one):
                        reason = await refused(client, tool.name, {**given, one.name: value})
                        assert reason.startswith(one.name), f"{tool.name} {value!r:.40}: {reason}"
                elif not one.kind.silent:
                    assert "takes no" in await refused(client, tool.name, {**given, one.name: ITEM}), one.name

    speak(in_process(service.memory), talk)


def test_what_a_tool_offers_reaches_its_verb(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = service.memory.user("default").remember("Anna likes tea", source="agent").id

    def reached(*_: object, **given: object) -> None:
        raise InvalidInput(f"reached with {given}")

    async def talk(client: McpClient) -> None:
        for tool in (tool for tool in TOOLS.values() if tool.verb):
            offered = tool.takes["properties"]
            needed = tool.takes.get("required", [name for name in offered if name == "query"])
            given = dict.fromkeys(needed, kept)
            with monkeypatch.context() as patching:
                patching.setattr(UserMemory, tool.verb, reached)
                for one in parameters(getattr(MemoryVerbs, tool.verb)):
                    if one.name == "id" or (tool.verb, one.name) == ("forget", "sources"):
                        continue
                    if one.kind.for_models and one.name in offered:
                        reason = await refused(client, tool.name, {**given, one.name: fitting(offered[one.name], kept)})
                        assert reason.startswith("reached with"), reason
                        assert f"'{one.name}'" in reason, f"{tool.name} {one.name}: {reason}"

    speak(in_process(service.memory), talk)


def fitting(schema: Mapping[str, Any], text: str) -> object:
    """Give a value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    values = {"boolean": True, "string": "2026-03-01" if "format" in schema else text}
    return values.get(schema["type"], schema.get("minimum"))


def test_a_command_offers_what_its_verb_takes_and_refuses_what_it_may_not_be(database: str) -> None:
    cli = Cli("--database", database)
    kept = cli.json("store", "tea")["id"]
    made = {name: command for name, command in commands(application()) if command.callback.verb}
    assert len(made) >= LEAST_COMMANDS
    for name, command in made.items():
        options = {option.name: option for option in command.params}
        words = [kept for option in command.params if option.param_type_name == "argument"]
        words += ["--at=home"] if "near" in options else []
        assert "No such option: --nonsense" in cli(name, *words, "--nonsense", "1").stderr, name
        for one in sendable(verb_options.verb_of(command.callback.verb)):
            option = options.get(one.name)
            if option is None:
                assert one.kind.silent or not command.callback.offers(one.name), f"{name} {one.name}"
                continue
            named = signature(command.callback.action).parameters.get(one.name)
            said = (one.kind.typed or one.kind.said).removesuffix(".").partition(". ")[0]
            if named is None or get_origin(named.annotation) is not Annotated:
                assert option.help.startswith(said), f"{name} {one.name}"
            unfit = [one.kind.least - 1, BEYOND] if one.kind.least is not None else []
            for value in [*unfit, *(["nan"] if unfit and plain(one.type) is float else [])]:
                refused = cli(name, *words, f"{max(option.opts, key=len)}={value}")
                assert refused.exit_code == BAD_USAGE, f"{name} {one.name} {value}: {refused}"
                assert re.search(rf"{one.name} is '?{value}.*(must be|expected)", refused.stderr), refused.stderr
