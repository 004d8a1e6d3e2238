"""The commands that an agent's host calls around a turn, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Around an agent's turn")


@_command(
    epilog=example(
        'recollect before-prompt --session s1 "Which theme do I like?"',
        "recollect before-prompt || true    # as a UserPromptSubmit hook of Claude Code",
    )
)
def before_prompt(
    ctx: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What the user says; - reads it from standard input.")
    ] = "-",
    *,
    session: options.HostSession = None,
    speaker: options.Speaker = None,
    json: options.Json = False,
) -> None:
    """Give what to show an agent before it answers.

    Searches with what the user says, then saves it, and prints a block to put before the prompt; nothing when nothing
    is related. Without --session, standard input is a JSON object with `session_id` and `prompt`.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect after-turn --session s1 turn.json",
        "recollect after-turn || true    # as a Stop hook of Claude Code",
    )
)
def after_turn(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The messages: a JSON list, or JSON lines; - reads them from standard input."
        ),
    ] = "-",
    *,
    session: options.HostSession = None,
    json: options.Json = False,
) -> None:
    """Save what was said in a turn, and learn from it.

    Messages are objects with `role` and `content`, in the manner of OpenAI or Anthropic. They may be the whole
    conversation: what is known already has no effect. Without --session, the input is a JSON object with `session_id`,
    and `messages` or a `transcript_path`.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect end-session s1", "recollect end-session - || true    # as a SessionEnd hook of Claude Code"
    )
)
def end_session(
    ctx: typer.Context,
    session: Annotated[
        str,
        typer.Argument(
            metavar="SESSION",
            help="The session that ends; - reads a JSON object with `session_id` from standard input.",
        ),
    ],
    *,
    json: options.Json = False,
) -> None:
    """Keep a summary of a session, if the settings want one.

    Set `session_summaries` to have them.
    """
    run(ctx)


@_command(
    epilog=example(
        'recollect capture "I am allergic to peanuts, and my sister is called Jana" --dry-run',
        "recollect capture - --session s1 < message.txt",
    )
)
def capture(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What a user said; - reads it from standard input.")],
    *,
    session: options.Session = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be kept, and keep nothing.")] = False,
    json: options.Json = False,
) -> None:
    """Keep what a user's message says about them.

    Usually `after-turn` does this. The message itself is not kept.
    """
    run(ctx)
