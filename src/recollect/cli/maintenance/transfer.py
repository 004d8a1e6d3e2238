"""The command `export`: one user's memory, or all of it, in one file that any store can import."""

from typing import TYPE_CHECKING, Annotated

from recollect.cli.formatting import counted, size
from recollect.cli.options import argument, flag
from recollect.cli.permissions import is_admin
from recollect.cli.runner import CommandContext, CommandResult, CommandSet

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.engine.transfer.save import ExportReport

commands = CommandSet("The store")


@commands.command(
    "read",
    when_given={"all_users": "admin"},
    busy="Exporting",
    examples=(
        "recollect export me.zip",
        "recollect --user anna export anna.zip --vectors",
        "recollect export everything.zip --all-users",
        "recollect --database postgresql://localhost/memory import everything.zip",
    ),
)
def export(
    context: CommandContext,
    path: Annotated[str, argument("FILE", "Where to write it; a zip file.")],
    *,
    all_users: Annotated[bool | None, flag("--all-users", "Everything of all users.")] = None,
    vectors: Annotated[
        bool, flag("--vectors", "Take the vectors along; otherwise they are made anew after the import.")
    ] = False,
    force: Annotated[bool, flag("--force", "Overwrite the file if it exists.")] = False,
) -> "CommandResult[ExportReport]":
    """Write memory into one file that any store can import.

    Everything of the user: memories with their history, conversations, files with their originals, places, and marks
    of what was forgotten, so that it does not come back elsewhere. API keys and the audit log stay. The same memory
    gives the same bytes, from SQLite or from PostgreSQL. The file is not encrypted: keep it like the store itself.
    """
    if all_users:
        report = context.memory.export(path, vectors=vectors, overwrite=force)
    else:
        secrets = is_admin(context.memory)  # what tombstones are keyed with is the same for all users
        report = context.me.export(path, vectors=vectors, tombstones=secrets, overwrite=force)
    return CommandResult(report, _show_export)


def _show_export(view: "View", report: "ExportReport") -> None:
    rows = [f"{what.replace('_', ' ')} {amount:,}" for what, amount in report.rows.items() if amount]
    missing = counted(len(report.missing_originals), "document", "documents")
    view.fields(
        (
            ("written to", f"{report.path} ({size(report.bytes)})"),
            ("users", ", ".join(report.users[:10]) + (", …" if len(report.users) > 10 else "")),  # noqa: PLR2004
            ("holds", "\n".join(rows) or "nothing"),
            ("originals gone", f"{missing}; their text is there" if report.missing_originals else ""),
        )
    )
