"""The command `export`: one user's memory, or all of it, in one file that any store can import."""

from typing import TYPE_CHECKING, Annotated, Any

from recollect.cli.formatting import counted, size
from recollect.cli.options import argument, flag, option
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
        "recollect export about-me.zip --readable",
        "recollect export me.zip.age --encrypt-to age1...",
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
    readable: Annotated[bool, flag("--readable", "Markdown for people instead: it cannot be imported.")] = False,
    encrypt_to: Annotated[
        list[str] | None, option("KEY", "Encrypt to a public key, such as age1...; may be repeated.")
    ] = None,
    passphrase_file: Annotated[
        str | None, option("FILE", "Encrypt with a passphrase. A file whose first line is the passphrase.")
    ] = None,
    force: Annotated[bool, flag("--force", "Overwrite the file if it exists.")] = False,
) -> "CommandResult[ExportReport]":
    """Write memory into one file that any store can import.

    Everything of the user: memories with their history, conversations, files with their originals, places, and marks
    of what was forgotten, so that it does not come back elsewhere. API keys and the audit log stay. The same memory
    gives the same bytes, from SQLite or from PostgreSQL. Unless it is encrypted, keep the file like the store itself.
    """
    from recollect.encryption import read_passphrase

    options: dict[str, Any] = {"vectors": vectors, "readable": readable, "overwrite": force}
    options |= {
        "encrypt_to": encrypt_to or (),
        "passphrase": read_passphrase(passphrase_file) if passphrase_file else "",
    }
    if all_users:
        report = context.memory.export(path, **options)
    else:  # what tombstones are keyed with is the same for all users
        report = context.me.export(path, tombstones=is_admin(context.memory), **options)
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
