"""The commands for files, as they are typed: folders that are kept in step, documents, and what other systems hold."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run
from recollect.model.literals import FILE_SOURCES

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Files")

_FOLDERS = ("memory", "sessions")
_FORMATS = ("basic-memory", "chatgpt", "claude", "mem0")


def _of_folders() -> list[str]:
    return list(_FOLDERS)


def _of_files() -> list[str]:
    return list(FILE_SOURCES)


def _formats() -> list[str]:
    return list(_FORMATS)


@_command(
    epilog=example(
        "recollect sync ~/notes",
        "recollect sync ~/notes --exclude 'drafts/' --dry-run",
        "recollect sync ~/agent/sessions --source sessions",
        "recollect sync",
        "recollect sync --watch",
    )
)
def sync(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Folders to sync; without any, all that were synced before."),
    ] = None,
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on: sync again whenever something changes, until Ctrl-C.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            autocompletion=_of_folders,
            help="What the folder holds: memory (notes) or sessions (logs of agents, one JSON a line).",
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Only files like this, such as '*.md' or 'journal/**'; may be repeated. Without it: Markdown, text "
            "and .jsonl, or what the setting files.include says.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Leave out files and folders like this, such as 'drafts/'; may be repeated. '' clears earlier ones.",
        ),
    ] = None,
    hidden: Annotated[
        bool | None, typer.Option("--hidden/--no-hidden", help="Whether files and folders with a leading dot count.")
    ] = None,
    gitignore: Annotated[
        bool | None,
        typer.Option(
            "--gitignore/--no-gitignore", help="Whether .gitignore and .recollectignore files in the folder are heeded."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")] = False,
    even_if_empty: Annotated[
        bool,
        typer.Option("--even-if-empty", help="Believe a folder that has lost all its files, and remove what was kept."),
    ] = False,
    wait: options.Wait = None,
    json: options.Json = False,
) -> None:
    """Keep folders of notes and session logs in memory.

    Only what changed is read and embedded again; what is gone is removed. The folder itself is never changed. The rules
    that you give hold for the next time, too.

    Exits with 1 when a folder is missing, is empty all of a sudden, or could not be seen whole: then nothing is removed
    from it. With --watch and --json each sync is one line of JSON.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect add manual.pdf contract.docx",
        "recollect add manual.pdf --replace",
        "curl -s https://example.org/ | recollect add - --name example.html",
    )
)
def add(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Documents to add; - reads one from standard input.")
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call the document; its file name unless you say. One file only."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of what was added under the same name before.")
    ] = False,
    wait: options.Wait = None,
    json: options.Json = False,
) -> None:
    """Add documents: PDF, DOCX, HTML, e-mail and more.

    Also Markdown, text, code, CSV, and images, of which the metadata is kept. A copy of each document is kept, and its
    text is found like memories are. What is known already is not added twice. One that cannot be read does not keep out
    the others; then the exit code is 1.
    """
    run(ctx)


@_command(epilog=example("recollect files", "recollect files --source document", "recollect files --no-look --json"))
def files(
    ctx: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many files at once.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on where the last page ended; it shows what to type.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            autocompletion=_of_files,
            help="Only files of notes (memory), of session logs (sessions), or documents (document).",
        ),
    ] = None,
    look: Annotated[
        bool, typer.Option("--look/--no-look", help="Whether to look how far the folders have changed since.")
    ] = True,
    json: options.Json = False,
) -> None:
    """List files and the folders they come from, newest first."""
    run(ctx)


@_command(
    epilog=example("recollect read setup.md", "recollect read notes/setup.md --lines 12-30", "recollect read a.md:7-9")
)
def read(
    ctx: typer.Context,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A path, as much of its end as only one file has, an id, or a place in a hit, such as home.md:5-8.",
        ),
    ],
    *,
    lines: Annotated[
        str | None, typer.Option(metavar="FIRST-LAST", help="Only these lines, such as 12-30, 12, or 12- to the end.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show the text of a file, or some of its lines.

    From where the file lies; from the store when it is gone. Secrets and private parts are masked, as they are in
    memory.
    """
    run(ctx)


@_command(
    "import",
    epilog=example(
        "recollect import ~/Downloads/chatgpt-export.zip --dry-run",
        "recollect import ~/Downloads/claude-export.zip",
        "recollect import mem0.json --of-user anna",
        "recollect import ~/basic-memory --format basic-memory --trusted",
    ),
)
def import_export(
    ctx: typer.Context,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="The archive as it was downloaded, a file of it, or the folder it was unpacked into."
        ),
    ],
    *,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            autocompletion=_formats,
            help=f"Which system it is from: {', '.join(_FORMATS)}. Without it, the content shows.",
        ),
    ] = None,
    trusted: Annotated[
        bool,
        typer.Option(
            "--trusted", help="Trust its memories as if you had said them here; otherwise they replace nothing."
        ),
    ] = False,
    of_user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose memories are meant, in an export of mem0 with several.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be brought, and store nothing.")] = False,
    json: options.Json = False,
) -> None:
    """Bring conversations and memories from another system.

    Exports of ChatGPT, Claude, mem0 and basic-memory. Doing so again brings only what is new. You are told what was
    brought, what was left out, and why.
    """
    run(ctx)


@_command(
    epilog=example("recollect import-openclaw ~/.openclaw --dry-run", "recollect import-openclaw ~/.openclaw"),
)
def import_openclaw(
    ctx: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="The folder of OpenClaw, one of its workspaces, or a copy of either.")
    ],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be brought, and store nothing.")] = False,
    json: options.Json = False,
) -> None:
    """Bring all that OpenClaw remembers.

    MEMORY.md, USER.md, notes and session logs are synced where they lie, so `recollect sync` keeps them in step from
    then on. From its index comes what is nowhere else, with vectors that can be used. Nothing there is changed. Doing
    so again brings only what is new.
    """
    run(ctx)
