"""What is on offer, as text: routes, commands, what agents are offered, settings, and TypeScript declarations."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from mcp import Client
from typer import Context
from typer.core import TyperGroup

from recollect import Memory
from recollect.mcp.tools import TOOLS, read_tools
from recollect.service.app import create_app, create_limiter
from recollect.service.live.subscriptions import LiveSubscriptions
from recollect.service.metrics.service_metrics import Metrics
from recollect.settings import settings_table
from tests.cli.reference import application
from tests.mcp_door.conftest import LEGACY, MODERN, in_process, speak

TYPESCRIPT: Final = Path(__file__).parents[2] / "clients" / "typescript"
_WIDTH: Final = 150
_MANY: Final = 10
_OLD_PHRASES: Final = {413: "Request Entity Too Large", 422: "Unprocessable Entity"}
_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)


def laid_out(value: object, indent: str = "") -> str:
    """Write JSON with as much in a line as fits, the names in order."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(indent + line) <= _WIDTH or not value or not isinstance(value, (dict, list)):
        return line
    deeper = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {laid_out(inner, deeper)}" for name, inner in sorted(value.items())]
    else:
        parts = [laid_out(inner, deeper) for inner in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(f"{deeper}{part}" for part in parts) + f"\n{indent}{closing}"


def openapi(memory: Memory) -> dict[str, Any]:
    """Give the OpenAPI document of the service."""
    return create_app(memory, LiveSubscriptions(memory), Metrics(memory), create_limiter(memory)).openapi()


def routes(memory: Memory) -> str:
    """Write the OpenAPI document, and what many routes have in common only once."""
    document = openapi(memory)
    document["info"]["version"] = "(the version)"
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    times = Counter((name, laid_out(part)) for operation in operations for name, part in _parts(operation))
    usual = {name: part for (name, part), amount in reversed(times.most_common()) if amount >= _MANY}
    for operation in operations:
        shared = [name for name, part in _parts(operation) if usual.get(name) == laid_out(part)]
        operation["usual"] = " ".join(shared)
        operation["parameters"] = [one for one in operation.get("parameters", ()) if one["name"] not in shared]
        operation["responses"] = {name: one for name, one in operation["responses"].items() if name not in shared}
    document["usual"] = {name: json.loads(part) for name, part in usual.items()}
    return in_old_words(f"{laid_out(document)}\n")


def in_old_words(text: str) -> str:
    """Call what a status means as Python 3.11 does; 3.13 has other words for some."""
    for status, phrase in _OLD_PHRASES.items():
        text = text.replace(f'"{HTTPStatus(status).phrase}"', f'"{phrase}"')
    return text


def _parts(operation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from operation["responses"].items()
    yield from ((parameter["name"], parameter) for parameter in operation.get("parameters", ()))


def commands(memory: Memory) -> str:
    """Give what `--help` says of each command, without regard to the width of a terminal."""
    del memory
    return "\n".join(_helped("recollect", application(), None))


def _helped(name: str, command: Any, above: Context | None) -> Iterator[str]:
    context = Context(command, info_name=name, parent=above, terminal_width=10_000, **command.context_settings)
    yield f"$ {context.command_path} --help\n{command.get_help(context)}\n"
    for inner in sorted(command.commands) if isinstance(command, TyperGroup) else ():
        yield from _helped(inner, command.commands[inner], context)


def agents(memory: Memory) -> str:
    """Give what the MCP server says and offers; every host is offered the same."""
    TOOLS.update(read_tools())  # what is told of verbs may have been written anew
    offers: dict[str, str] = {}
    for mode in (LEGACY, MODERN):

        async def ask(client: Client, mode: str = mode) -> None:
            lists: dict[str, Any] = {
                "tools": (await client.list_tools()).tools,
                "prompts": (await client.list_prompts()).prompts,
                "resources": (await client.list_resources()).resources,
                "templates": (await client.list_resource_templates()).resource_templates,
            }
            plain = {
                kind: {one.name: one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in listed}
                for kind, listed in lists.items()
            }
            offers[mode] = laid_out({"instructions": client.instructions, **plain})

        speak(in_process(memory, mode=mode), ask)
    assert offers[LEGACY] == offers[MODERN]
    return f"{offers[MODERN]}\n"


def settings(memory: Memory) -> str:
    """Give the table of all settings as the documentation has it."""
    del memory
    return f"\n{settings_table()}\n\n"


def typescript(memory: Memory) -> str:
    """Give what the TypeScript client declares, without comments, a line for each member, from whichever file."""
    del memory
    texts = [
        file.read_text(encoding="utf-8") for file in TYPESCRIPT.glob("**/*.d.ts") if "node_modules" not in file.parts
    ]
    lines = [line for text in texts for line in _declarations(_COMMENT.sub("", text))]
    return "".join(f"{line}\n" for line in sorted(lines))


def _declarations(text: str) -> Iterator[str]:
    """Give the exported statements, of those with a body each member."""
    for statement in _split(text, "};"):
        if statement.startswith("export") and not statement.startswith(("export *", "export type *")):
            head, brace, body = statement.partition("{")
            yield head.strip() if brace else statement
            name = " ".join(head.split()[1:3])
            yield from (f"{name}: {member}" for member in _split(body.removesuffix("}"), ";") if brace)


def _split(text: str, ends: str) -> Iterator[str]:
    """Split where a bracket that is open ends, or at a semicolon that is in none; white space does not matter."""
    depth, said = 0, ""
    for character in text:
        said += character
        depth += (character in "{([") - (character in "})]")
        if depth == 0 and character in ends:
            yield " ".join(said.rstrip(";").split())
            said = ""
    if said.strip():
        yield " ".join(said.split())
