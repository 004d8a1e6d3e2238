"""The commands about vectors and the models that make them, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Vectors")


@_command(epilog=example("recollect models", "recollect models --offline"))
def models(
    ctx: typer.Context,
    *,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no provider whether it answers.")] = False,
    json: options.Json = False,
) -> None:
    """Show the models that make vectors.

    Those whose vectors the store has, and the one that the settings name: which one is searched, how much of each
    source it covers, whether its provider answers, and what it costs.
    """
    run(ctx)


@_command(epilog=example("recollect worker", "recollect worker --once", "recollect worker --once --retry-parked"))
def worker(
    ctx: typer.Context,
    *,
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is left to do, or nothing can be done.")
    ] = False,
    retry_parked: Annotated[
        bool, typer.Option("--retry-parked", help="First let everything be tried again that was given up on.")
    ] = False,
    poll: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.05, max=3600, help="How often to look for something to do.")
    ] = 2.0,
    json: options.Json = False,
) -> None:
    """Make the vectors that are waited for.

    For all users, beside any number of other workers; a change of the model goes on, too. When a provider is away, the
    worker waits for it. Ctrl-C or SIGTERM end it after what is under way, with exit code 0. With --once it ends by
    itself: with 1 when the provider could not be asked.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect reembed --provider openai --model text-embedding-3-large",
        "recollect reembed",
        "recollect reembed --cancel",
        "recollect reembed --drop local/recollect-encoder-1",
    ),
)
def reembed(
    ctx: typer.Context,
    *,
    provider: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who makes the new vectors; that of the settings unless you say.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="With which model; the provider's usual one unless you say.")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How long, for models that can make vectors shorter.")
    ] = None,
    begin_only: Annotated[
        bool, typer.Option("--begin-only", help="Only begin, and leave the work to `recollect worker`.")
    ] = False,
    bulk: Annotated[
        bool | None,
        typer.Option(
            "--bulk/--no-bulk",
            help="Whether to use the provider's batch API, at half the price and within a day; the settings decide "
            "unless you say.",
        ),
    ] = None,
    without_parked: Annotated[
        bool, typer.Option("--without-parked", help="Finish though some items could not be embedded.")
    ] = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="End the change that is under way; the old model stays.")
    ] = False,
    drop: Annotated[
        str | None, typer.Option(metavar="PROVIDER/MODEL", help="Remove the vectors of a model that is merely kept.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: options.Json = False,
) -> None:
    """Change the model, while the store is in use.

    Everything is embedded anew beside the old vectors, which are searched until the new ones are complete. Without
    options it goes on with a change that was interrupted, or moves to the model that the settings name. You are told
    what it takes first, and asked if it may cost money; where nobody can be asked, that needs --yes. Exits with 1 when
    it could not be finished; the next time it goes on where it ended.
    """
    run(ctx)
