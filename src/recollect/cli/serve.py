"""Commands that run servers: the HTTP service, and MCP over standard input and output."""

import json
import shlex
import shutil
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from recollect.cli.options import flag, option
from recollect.cli.permissions import require_permission
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.service.server import FirstKey, ServiceReady

commands = CommandSet("Servers")
# The help texts name the environment, since they are all that the reference knows of it: hence `show_envvar=False`.


@commands.command(
    "admin",
    opens_store=False,
    examples=(
        "recollect serve",
        "recollect serve --database postgresql://recollect@localhost/recollect --workers 4",
        "recollect serve --host 0.0.0.0 --allow-host memory.example.org",
    ),
)
def serve(
    context: CommandContext,
    *,
    database: Annotated[
        str | None, option("PATH|URL", "The store to serve; it may also stand before the command.")
    ] = None,
    host: Annotated[
        str | None, option("ADDRESS", "Where to listen; 127.0.0.1 unless the settings say otherwise.")
    ] = None,
    port: Annotated[
        int | None, option("N", "Which port; 8787 unless the settings say otherwise.", min=0, max=65_535)
    ] = None,
    workers: Annotated[
        int | None, option("N", "How many processes share the port; 1 by default.", min=1, max=64)
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        option("NAME", "A name by which clients may call the service; needed to listen for other machines."),
    ] = None,
) -> None:
    """Serve the memory over HTTP, with a key for each caller.

    A page for people at /, routes for programs, MCP for agents at /mcp, documentation at /docs. The first start makes
    an admin key and writes it to a file that only you can read; on a terminal it is shown, too. What waits for a vector
    is embedded meanwhile. With --json, the document is one line, printed when requests are answered. Ctrl-C ends it,
    after what is under way.
    """
    from recollect.service import server

    database = database or context.typed.database
    settings = context.load_settings(database)
    typed: dict[str, Any] = {
        "host": host,
        "port": port,
        "workers": workers,
        "allowed_hosts": tuple(allow_host) if allow_host else None,
    }
    changed = {name: value for name, value in typed.items() if value is not None}
    settings = replace(settings, serve=replace(settings.serve, **changed))
    require_permission(settings, "admin", named=context.user_named)
    shows_link = not context.as_json and sys.stdout.isatty()
    tell = _tell_programs if context.as_json else partial(_tell_people, database)
    server.serve(settings, tell, with_link=shows_link)


class PageAddress(NamedTuple):
    """Where the page is, and the one-time link that opens it."""

    link: str
    opened: bool


@commands.command(
    "admin",
    name="open",
    examples=(
        "recollect open",
        "recollect --user anna open --print",
        "recollect open --url https://memory.example.org",
    ),
)
def open_page(
    context: CommandContext,
    *,
    only_print: Annotated[bool, flag("--print", "Print the link instead of opening a browser.")] = False,
    url: Annotated[
        str | None, option("URL", "Where the service answers; host and port of the settings unless you say.")
    ] = None,
) -> CommandResult[PageAddress]:
    """Open the page of the service in a browser, logged in.

    The link works once, within ten minutes. With --user the session is for that user alone; without, for all of them.
    """
    import webbrowser

    from recollect.api.keys import USUAL_SCOPES
    from recollect.service.server import page_link
    from recollect.web.server import url_at

    user = context.user_named
    made = context.memory.keys.create_link(user=user, scopes=USUAL_SCOPES if user else ("admin",), actor=context.actor)
    serve = context.settings.serve
    link = page_link((url or url_at(serve.host, serve.port)).rstrip("/"), made.secret)
    opened = not only_print and not context.as_json and webbrowser.open(link)
    return CommandResult(PageAddress(link, opened), _show_page)


def _show_page(view: "View", page: PageAddress) -> None:
    how = "A browser was opened. If it shows nothing, open this link" if page.opened else "Open this link in a browser"
    view.line(f"{how}; it works once, within ten minutes:")
    view.line(f"\n  {page.link}\n", "bold", soft_wrap=True)


def _tell_people(database: str | None, ready: "ServiceReady") -> None:
    """Say where the service is, and all that a first-time user needs. `database` was typed, if anything was."""
    command = "recollect" if shutil.which("recollect") else sys.argv[0]
    command = f"{command} --database {shlex.quote(database)}" if database else command
    processes = f" with {ready.workers} processes" if ready.workers > 1 else ""
    typer.echo(f"Serving {ready.location} ({ready.backend}) at {ready.url}{processes}. Ctrl-C ends it.")
    if ready.first_key is not None:
        secret = _for_terminals(ready.first_key)
        shown = f" It is shown only now:\n\n  {secret}\n\nand kept" if secret else " It is kept"
        typer.echo(f"\nThis is the first start, so an admin key was made.{shown} in {ready.first_key.file},")
        typer.echo("which only you can read.")
    if ready.page_link:
        typer.echo(f"\nSee your memory (the link works once, within ten minutes):\n\n  {ready.page_link}")
    else:
        typer.echo(f"\nSee your memory: {command} open")
    key = f"$(cat {shlex.quote(str(ready.key_file))})" if ready.key_file else "YOUR_KEY"
    bearer = f'"Authorization: Bearer {key}"'
    typer.echo(
        f"\nStore something:\n\n  curl {ready.url}/api/memories/unified -H {bearer} \\\n"
        '    -H "Content-Type: application/json" \\\n'
        '    -d \'{"content": "Prefers dark mode in all applications", "type": "preference"}\'\n\n'
        f"and find it:\n\n  curl -G {ready.url}/api/memories/search -H {bearer} \\\n"
        '    --data-urlencode "query=which theme do I like?"\n\n'
        f"All routes: {ready.url}/docs (any user name, the key as password). For agents: {ready.url}/mcp. "
        f"Keys for others: {command} keys create --user NAME"
    )


def _for_terminals(first_key: "FirstKey") -> str | None:
    """Give the key if standard output is a terminal; elsewhere it would end in logs, and the file says it."""
    return first_key.secret if sys.stdout.isatty() else None


def _tell_programs(ready: "ServiceReady") -> None:
    """Print one line of JSON: where the service is, and where the first key."""
    document = {
        "status": "ready",
        "url": ready.url,
        "location": ready.location,
        "backend": ready.backend,
        "workers": ready.workers,
        "key_file": str(ready.key_file) if ready.key_file else None,
        "first_key": _for_terminals(ready.first_key) if ready.first_key else None,
    }
    typer.echo(json.dumps(document))


@commands.command(
    free="Each of its tools declares what that tool needs.",
    examples=("recollect mcp", "recollect --user anna mcp --verbose"),
)
def mcp(
    context: CommandContext,
    *,
    verbose: Annotated[bool, flag("--verbose", "Log calls to standard error, without what they say.")] = False,
) -> None:
    """Serve the memory to an agent over MCP.

    Speaks the Model Context Protocol on standard input and output, for hosts that start it themselves: tools to store,
    recall, search and forget. With a key in RECOLLECT_KEY it may do what the key may, for the key's user. It ends when
    standard input does. It needs pip install 'recollect[mcp]'. Configurations for the usual hosts are in docs/mcp.md.
    """
    from recollect.mcp import require_sdk

    require_sdk()
    from recollect.mcp import stdio

    stdio.serve(context.settings, user=context.user_named, verbose=verbose)
