"""The command that lets Citus distribute a store over several servers."""

from typing import TYPE_CHECKING, Annotated

from recollect.cli.formatting import counted, sentence
from recollect.cli.options import flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.stats import Distribution

commands = CommandSet("The store")


@commands.command(
    free="It works on the database itself; its owner has the content already.",
    examples=("recollect distribute --dry-run", "recollect distribute --database postgresql://owner@db/memory"),
)
def distribute(
    context: CommandContext,
    *,
    database: Annotated[
        str | None, option("ADDRESS", "The PostgreSQL database; that of the settings without it.")
    ] = None,
    shards: Annotated[
        int, option("N", "Into how many parts users are divided; 0: as many as the server's citus.shard_count.")
    ] = 0,
    dry_run: Annotated[bool, flag("--dry-run", "Show the statements, and change nothing.")] = False,
) -> "CommandResult[Distribution]":
    """Let Citus distribute a PostgreSQL store over servers.

    Each user's rows come to be on one of them. Stop all processes that use the store first, and use the login that owns
    the tables. Each table is copied once, so the disk needs room for that. Safe to interrupt: no process can open the
    store until another `recollect distribute` has gone on to the end. There is no way back but export and import.
    """
    from recollect.api.memory import Memory

    settings = context.load_settings(database or context.typed.database)
    with context.progress.steps() as step:
        done = Memory.distribute(
            settings=settings,
            shards=shards,
            dry_run=dry_run,
            tell=lambda doing, number, total: step(sentence(doing).rstrip("."), number, total),
        )
    return CommandResult(done, _show_distribution)


def _show_distribution(view: "View", done: "Distribution") -> None:
    if done.dry_run:
        view.line("\n".join(f"{statement};" for statement in done.statements), soft_wrap=True)
        return
    view.line(f"The store is distributed, by {counted(len(done.statements), 'statement', 'statements')}.", "green")
    view.line("Start the processes that use it again. `recollect maintain` indexes large users anew.")
