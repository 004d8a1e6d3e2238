"""The command that runs the embedding server."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import flag, option
from recollect.cli.runner import CommandContext, CommandSet
from recollect_connect.e5.limits import DEFAULT_HOST, DEFAULT_MODEL, DEFAULT_PORT, EmbeddingServerLimits

if TYPE_CHECKING:
    from recollect_connect.e5.server import EmbeddingServerReady

commands = CommandSet("Servers")
# The help texts name the environment, since they are all that the reference knows of it: hence `show_envvar=False`.

_NO_KEY = (
    "{address} can be reached from other machines, and there is no key: any client that reaches the port can use the "
    "model."
)


@commands.command(
    name="e5-server",
    free="It uses no store.",
    examples=("recollect e5-server", "recollect e5-server --model bundled --port 9000 --verbose"),
)
def e5_server(
    context: CommandContext,
    *,
    host: Annotated[
        str, option("ADDRESS", "Where to listen; E5_HOST says it too.", envvar="E5_HOST", show_envvar=False)
    ] = DEFAULT_HOST,
    port: Annotated[
        int, option("N", "Which port; E5_PORT says it too.", envvar="E5_PORT", show_envvar=False, min=0, max=65_535)
    ] = DEFAULT_PORT,
    model: Annotated[
        str,
        option(
            "NAME",
            "A model of sentence-transformers by name or folder, or `bundled`; E5_MODEL says it too.",
            envvar="E5_MODEL",
            show_envvar=False,
        ),
    ] = DEFAULT_MODEL,
    max_batch: Annotated[
        int, option("N", "Most texts in one request.", min=1, max=10_000)
    ] = EmbeddingServerLimits().batch,
    verbose: Annotated[bool, flag("--verbose", "Log requests to standard error, without what they say.")] = False,
) -> None:
    """Serve an embedding model over HTTP.

    Loads the model once, for all programs that use it: POST /embed, POST /batch, GET /health. Models other than the
    bundled one need pip install 'recollect[e5]'. With --json, the document is one line, printed when requests are
    answered. Ctrl-C ends it.
    """
    from recollect_connect.e5 import server

    plan = server.EmbeddingServerConfig(host, port, model, EmbeddingServerLimits(batch=max_batch), verbose)
    server.serve(plan, _ModelAsJson() if context.as_json else _ModelForPeople())


class _ModelForPeople:
    """Says how far the embedding server is."""

    def loading(self, model: str) -> None:
        """Say what takes so long."""
        typer.echo(f"Loading {model} ...")

    def ready(self, ready: "EmbeddingServerReady") -> None:
        """Say what is served, where, and how to use it."""
        typer.echo(f"Serving {ready.model}, {ready.dimension} dimensions, at {ready.url} (Ctrl-C ends it).")
        typer.echo(f"To use it: {', '.join(_client_settings(ready))}")
        if ready.open_to:
            typer.echo(f"Warning: {_NO_KEY.format(address=ready.open_to)}", err=True)


class _ModelAsJson:
    """Prints one line of JSON, when requests are answered."""

    def loading(self, model: str) -> None:
        """Say nothing yet."""

    def ready(self, ready: "EmbeddingServerReady") -> None:
        """Say what is served, and where."""
        document = {
            "status": "ready",
            "model": ready.model,
            "dimension": ready.dimension,
            "url": ready.url,
            "warnings": [_NO_KEY.format(address=ready.open_to)] if ready.open_to else [],
        }
        typer.echo(json.dumps(document))


def _client_settings(ready: "EmbeddingServerReady") -> Iterator[str]:
    """Give the settings of clients, as far as they differ from the defaults."""
    yield 'embedding.provider = "e5"'
    if ready.model != DEFAULT_MODEL:
        yield f'embedding.model = "{ready.model}"'
    if ready.url != f"http://{DEFAULT_HOST}:{DEFAULT_PORT}":
        yield f'embedding.e5_endpoint = "{ready.url}"'
