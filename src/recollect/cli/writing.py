"""The commands that change what is kept, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Memories")


@_command(
    epilog=example(
        'recollect store "Prefers dark mode in all applications" --type preference',
        'recollect store "The office light is in the garage" --type fact \\',
        "    --subject light.office --key location --value garage",
        'recollect store "Dentist at noon" --type event --occurred 2026-12-03T12:00',
        'recollect store "The svíčková is good here" --lat 49.1951 --lng 16.6068 --place "U Karla pub"',
        'recollect store "The spare key is under the pot" --at home',
        "git log -1 --format=%B | recollect store - --type decision",
    ),
)
def store(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.")],
    *,
    type: options.Type = None,
    importance: options.Importance = None,
    confidence: options.Confidence = None,
    subject: options.Subject = None,
    key: options.Key = None,
    value: options.Value = None,
    context: options.Context = None,
    session: options.Session = None,
    source: options.Source = None,
    trust: options.TrustTier = None,
    occurred: options.Occurred = None,
    valid_from: options.ValidFrom = None,
    valid_until: options.ValidUntil = None,
    expires: options.Expires = None,
    lat: options.Lat = None,
    lng: options.Lng = None,
    address: options.Address = None,
    place: options.PlaceLabel = None,
    at: options.AtOwnPlace = None,
    metadata: options.Metadata = None,
    wait: Annotated[
        bool | None,
        typer.Option(
            "--wait/--no-wait",
            help="Whether to wait until it has its vector; the setting embedding.wait decides unless you say.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Remember something.

    What is known already, in these or in nearly these words, is not stored twice. Times are ISO 8601, such as
    2026-12-03 or 2026-12-03T12:00+01:00; without an offset they are local. What has coordinates gets its address by
    itself.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect update 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 --importance 0.9",
        'recollect update 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 --content "Prefers light mode"',
        "recollect update 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 --expires none",
    ),
)
def update(
    ctx: typer.Context,
    id: options.Id,
    *,
    content: Annotated[str | None, typer.Option(metavar="TEXT", help="The new text.")] = None,
    type: options.Type = None,
    importance: options.Importance = None,
    confidence: options.Confidence = None,
    subject: options.Subject = None,
    key: options.Key = None,
    value: options.Value = None,
    context: options.Context = None,
    session: options.Session = None,
    source: options.Source = None,
    trust: options.TrustTier = None,
    occurred: options.Occurred = None,
    valid_from: options.ValidFrom = None,
    valid_until: options.ValidUntil = None,
    expires: options.Expires = None,
    lat: options.Lat = None,
    lng: options.Lng = None,
    address: options.Address = None,
    place: options.PlaceLabel = None,
    at: options.AtOwnPlace = None,
    metadata: options.Metadata = None,
    json: options.Json = False,
) -> None:
    """Change a memory; what it was stays in its history.

    Only what is given changes. An empty text clears a field, and the word none clears a time.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect forget 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90",
        'recollect forget --query "dark mode" --dry-run',
        "recollect forget --session c1 --dry-run",
        "recollect forget --folder ~/notes",
        "recollect --user anna forget --everything --yes",
    ),
)
def forget(
    ctx: typer.Context,
    id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The memory to forget, with its history; or a message, or a file."),
    ] = None,
    *,
    query: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Forget the memory that clearly matches; show candidates if none does."),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Forget a conversation, and what was learned in it and nowhere else."),
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="Forget the memories that came from there, such as user_stated.")
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Forget a synced folder with its files; what lies on the disk is left alone."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Forget all that the user has.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and delete nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: options.Json = False,
) -> None:
    """Delete memories, conversations or files for good.

    On a terminal you are told what would go, and asked. Where nobody can be asked, --session, --source, --folder and
    --everything need --yes. A query that fits several memories deletes none of them and shows their ids. A file that
    was forgotten does not come back with the next sync of its folder; a folder does, when you sync it again.
    """
    run(ctx)
