"""The commands `export`, one file that any store can import, and `load`, rows of many users from a stream."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from recollect.cli.formatting import counted, size
from recollect.cli.options import argument, flag, option
from recollect.cli.permissions import is_admin
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, read_standard_input
from recollect.cli.values import moment
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.engine.carry.export import ExportReport
    from recollect.model.memories import Loaded

commands = CommandSet("The store")

_MOMENTS = frozenset({"occurred_at", "valid_from", "valid_until", "expires_at"})


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

    passphrase = read_passphrase(passphrase_file) if passphrase_file else ""
    options: dict[str, Any] = {"vectors": vectors, "readable": readable, "overwrite": force}
    options |= {"encrypt_to": encrypt_to or (), "passphrase": passphrase}
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


@commands.command(
    "admin",
    creates=True,
    busy="Loading",
    examples=("recollect load memories.jsonl", "zcat memories.jsonl.gz | recollect load -"),
)
def load(
    context: CommandContext,
    path: Annotated[str, argument("FILE", "Lines of JSON, one memory each; - reads standard input.")],
    *,
    imported: Annotated[bool, flag("--imported", "Leave out what was forgotten here.")] = False,
) -> "CommandResult[Loaded]":
    """Store memories of many users from one stream of lines.

    Each line is a JSON object: `user`, `content` and, if you like, the other fields of a memory, such as `type`,
    `subject`, `key`, `value` or `occurred_at` (ISO 8601). All rules hold for each user: duplicates, superseding,
    quotas, the audit log. Doing so again adds nothing.
    """
    from recollect.api.memory import AuditedWrite

    def stored(lines: Iterable[str]) -> "CommandResult[Loaded]":
        audit, rows = AuditedWrite(context.actor, "load"), _rows(lines, context.now)
        return CommandResult(context.memory.load(rows, audit=audit, imported=imported), _show_loaded)

    if path == "-":
        return stored(read_standard_input().splitlines())
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123 - as it was typed
            return stored(file)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def _rows(lines: Iterable[str], now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read lines of JSON. Raises InvalidInput with the number of the first that is none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            user = row.pop("user")
            for name in _MOMENTS & row.keys():
                row[name] = row[name] and moment(row[name], name, now)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(
                f"Line {number} is not an object with `user` and the fields of a memory: {error}."
            ) from error
        yield user, row


def _show_loaded(view: "View", loaded: "Loaded") -> None:
    view.line(f"{counted(loaded.rows, 'row', 'rows')} of {counted(loaded.users, 'user', 'users')}.")
    for action, amount in sorted(loaded.actions.items()):
        view.line(f"{amount:,} {action}")
    for user, reason in loaded.refused.items():
        view.line(f"{user}: nothing stored. {reason}", "yellow")
    view.degraded(loaded.degraded, "They are found by their words until `recollect maintain` has embedded them.")
