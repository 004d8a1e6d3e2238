"""The command that serves the memory over HTTP, as it is typed, and what it says."""

import json as json_format
import shlex
import shutil
import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.needs import NEEDS
from recollect.cli.options import example

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Servers")


@_command(
    epilog=example(
        "recollect serve",
        "recollect serve --database postgresql://recollect@localhost/recollect --workers 4",
        "recollect serve --host 0.0.0.0 --allow-host memory.example.org",
    )
)
def serve(
    ctx: typer.Context,
    *,
    database: Annotated[
        str | None, typer.Option(metavar="PATH|URL", help="The store to serve; it may also stand before the command.")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Where to listen; 127.0.0.1 unless the settings say otherwise."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=65_535, help="Which port; 8787 unless the settings say otherwise."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=64, help="How many processes share the port; 1 by default.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A name by which clients may call the service; needed to listen for other machines."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Serve the memory over HTTP, with a key for everybody.

    Routes for programs, MCP for agents at /mcp, documentation at /docs. The first start makes an admin key and writes
    it to a file that only you can read. What waits for a vector is embedded meanwhile. With --json, the document is one
    line, printed when requests are answered. Ctrl-C ends it, after what is under way.
    """
    settings = import_module("recollect.settings")
    server = import_module("recollect.service.server")  # brings the framework and the databases
    named = {"database": database or ctx.obj.database, "user": ctx.obj.user}
    given = {name: value for name, value in named.items() if value is not None}
    loaded = settings.load_settings(ctx.obj.config, overrides=given)
    typed = {"host": host, "port": port, "workers": workers, "allowed_hosts": tuple(allow_host) if allow_host else None}
    changed = {name: value for name, value in typed.items() if value is not None}
    loaded = replace(loaded, serve=replace(loaded.serve, **changed))
    import_module("recollect.cli.lock").insist(loaded, NEEDS["serve"], named=ctx.obj.user or "")
    server.serve(loaded, _ForPrograms() if ctx.obj.json or json else _ForPeople(given.get("database")))


class _ForPeople:
    """Says where to go, and how to make the first call. `database` is the store that was typed, if one was."""

    def __init__(self, database: str | None) -> None:
        command = "recollect" if shutil.which("recollect") else sys.argv[0]
        self._command = f"{command} --database {shlex.quote(database)}" if database else command

    def ready(self, ready: Any) -> None:  # noqa: ANN401 - its class is imported when the command runs
        """Say all that somebody needs who sees this for the first time."""
        processes = f" with {ready.workers} processes" if ready.workers > 1 else ""
        typer.echo(f"Serving {ready.location} ({ready.backend}) at {ready.url}{processes}. Ctrl-C ends it.")
        if ready.first_key is not None:
            typer.echo("\nThis is the first start, so an admin key was made. It is shown only now:\n")
            typer.echo(f"  {ready.first_key.secret}\n")
            typer.echo(f"and kept in {ready.first_key.file}, which only you can read.")
        key = f"$(cat {shlex.quote(str(ready.key_file))})" if ready.key_file else "YOUR_KEY"
        bearer = f'"Authorization: Bearer {key}"'
        typer.echo(
            f"\nStore something:\n\n  curl {ready.url}/api/memories/unified -H {bearer} \\\n"
            '    -H "Content-Type: application/json" \\\n'
            '    -d \'{"content": "Prefers dark mode in all applications", "type": "preference"}\'\n\n'
            f"and find it:\n\n  curl -G {ready.url}/api/memories/search -H {bearer} \\\n"
            '    --data-urlencode "query=which theme do I like?"\n\n'
            f"All routes: {ready.url}/docs (any user name, the key as password). For agents: {ready.url}/mcp. "
            f"Keys for others: {self._command} keys create --user NAME"
        )


class _ForPrograms:
    """Prints one line of JSON, when requests are answered."""

    def ready(self, ready: Any) -> None:  # noqa: ANN401 - as above
        """Say where the service is, and where the first key."""
        document = {
            "status": "ready",
            "url": ready.url,
            "location": ready.location,
            "backend": ready.backend,
            "workers": ready.workers,
            "key_file": str(ready.key_file) if ready.key_file else None,
            "first_key": ready.first_key.secret if ready.first_key else None,
        }
        typer.echo(json_format.dumps(document))
