"""The command that serves a model to other programs, as it is typed, and what it says."""

import json as json_format
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.e5.limits import DEFAULT_HOST, DEFAULT_MODEL, DEFAULT_PORT, EmbeddingServerLimits

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Servers")
# The help texts name the environment, since they are all that the reference knows of it: hence `show_envvar=False`.

_NO_KEY = (
    "{address} can be reached from other machines, and there is no key: whoever reaches the port can use the model."
)


@_command(
    "e5-server", epilog=example("recollect e5-server", "recollect e5-server --model bundled --port 9000 --verbose")
)
def e5_server(
    ctx: typer.Context,
    *,
    host: Annotated[
        str,
        typer.Option(
            envvar="E5_HOST", show_envvar=False, metavar="ADDRESS", help="Where to listen; E5_HOST says it too."
        ),
    ] = DEFAULT_HOST,
    port: Annotated[
        int,
        typer.Option(
            envvar="E5_PORT", show_envvar=False, metavar="N", min=0, max=65_535, help="Which port; E5_PORT says it too."
        ),
    ] = DEFAULT_PORT,
    model: Annotated[
        str,
        typer.Option(
            envvar="E5_MODEL",
            show_envvar=False,
            metavar="NAME",
            help="A model of sentence-transformers by name or folder, or `bundled`; E5_MODEL says it too.",
        ),
    ] = DEFAULT_MODEL,
    max_batch: Annotated[
        int, typer.Option(metavar="N", min=1, max=10_000, help="Most texts in one request.")
    ] = EmbeddingServerLimits().batch,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Log requests to standard error, without what they say.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Serve an embedding model over HTTP.

    Loads the model once, for all programs that use it: POST /embed, POST /batch, GET /health. Models other than the
    bundled one need pip install 'recollect[e5]'. With --json, the document is one line, printed when requests are
    answered. Ctrl-C ends it.
    """
    server = import_module("recollect.e5.server")  # brings the framework and the models
    plan = server.EmbeddingServerConfig(host, port, model, EmbeddingServerLimits(batch=max_batch), verbose)
    server.serve(plan, ForPrograms() if ctx.obj.json or json else ForPeople())


class ForPeople:
    """Says how far the server is."""

    def loading(self, model: str) -> None:
        """Say what takes so long."""
        typer.echo(f"Loading {model} ...")

    def ready(self, ready: Any) -> None:  # noqa: ANN401 - its class is imported when the command runs
        """Say what is served, where, and how to use it."""
        typer.echo(f"Serving {ready.model}, {ready.dimension} dimensions, at {ready.url} (Ctrl-C ends it).")
        typer.echo(f"To use it: {', '.join(_settings(ready))}")
        if ready.open_to:
            typer.echo(f"Warning: {_NO_KEY.format(address=ready.open_to)}", err=True)


class ForPrograms:
    """Prints one line of JSON, when requests are answered."""

    def loading(self, model: str) -> None:
        """Say nothing yet."""

    def ready(self, ready: Any) -> None:  # noqa: ANN401 - as above
        """Say what is served, and where."""
        warnings = [_NO_KEY.format(address=ready.open_to)] if ready.open_to else []
        document = {
            "status": "ready",
            "model": ready.model,
            "dimension": ready.dimension,
            "url": ready.url,
            "warnings": warnings,
        }
        typer.echo(json_format.dumps(document))


def _settings(ready: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    """Give the settings of those who want to use it: what differs from what they would assume."""
    yield 'embedding.provider = "e5"'
    if ready.model != DEFAULT_MODEL:
        yield f'embedding.model = "{ready.model}"'
    if ready.url != f"http://{DEFAULT_HOST}:{DEFAULT_PORT}":
        yield f'embedding.e5_endpoint = "{ready.url}"'
