"""What forgetting takes and leaves behind: how much of what, and the commands purge and verify-erasure."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

from recollect.cli.errors import FAILED
from recollect.cli.formatting import amounts, counted, named, sentence, shortened
from recollect.cli.json_output import fields_of
from recollect.cli.options import argument, flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.receipts import ErasureCheck, ErasureFinding, Receipt
    from recollect.model.search import Forgotten, ForgottenItem
    from recollect.model.stats import Purged

commands = CommandSet("The store")

_LARGEST_RECEIPT = 64 * 2**20
_MOST_ITEMS: Final = 20
_MOST_FILES: Final = 10
_LONGEST_ITEM: Final = 160
_KINDS: Final = {("message", "rewritten"): "message, in part", ("document", "kept"): "original that stays"}

PurgeOption: TypeAlias = Annotated[
    bool | None, flag("--purge", "Remove the last traces from the database's files as well, see `recollect purge`.")
]

ReceiptOption: TypeAlias = Annotated[
    str | None, option("FILE", "Write a signed receipt to a new file: what was forgotten, without content.")
]


@commands.command("admin", examples=("recollect purge", "recollect --user anna forget --everything --purge"))
def purge(context: CommandContext) -> "CommandResult[Purged]":
    """Remove the last traces of what was forgotten.

    That is for all users. What was forgotten is in no answer, but a database's files may hold remains of it: rows that
    were deleted, entries of indexes, statistics. This writes the tables anew, one after the other; nothing can use a
    table meanwhile, and as much room is needed as the largest takes. Safe to interrupt: the next purge goes on. What
    only an administrator can do is said at the end. Exits with 1 when something could not be purged yet.
    """
    purged = purge_store(context)
    return CommandResult(purged, show_purged, FAILED if purged.failed else 0)


def purge_store(context: CommandContext) -> "Purged":
    """Purge the store, and show how far it is."""
    with context.progress.steps() as step:
        return context.memory.purge(tell=lambda doing, done, total: step(sentence(doing).rstrip("."), done, total))


def show_purged(view: "View", purged: "Purged") -> None:
    """Say what was done, what is left, and what only an administrator can do."""
    for note in purged.notes:
        view.line(sentence(note))
    for failure in purged.failed:
        view.line(f"Not purged yet: {failure.rstrip('.')}. Run `recollect purge` again.", "yellow")
    for left in purged.administrator:
        view.line(sentence(left), "dim")


@contextmanager
def receipt_file(path: str | None) -> "Iterator[Callable[[Receipt | None], None]]":
    """Make the file of a receipt before anything is forgotten, and fill it afterwards; it goes if nothing was."""
    if not path:
        yield lambda _: None
        return
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{path} exists already. Nothing was forgotten; name a new file for the receipt.") from None
    saved = False

    def save(receipt: "Receipt | None") -> None:
        nonlocal saved
        if receipt is not None:
            file.write(json.dumps(receipt.document(), indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
            saved = True

    try:
        with os.fdopen(made, "w", encoding="utf-8") as file:
            yield save
    finally:
        if not saved:
            os.unlink(path)  # noqa: PTH108 - as it was made


@commands.command(
    "admin",
    name="verify-erasure",
    examples=("recollect verify-erasure erased.json", "recollect verify-erasure erased.json --backups ~/backups"),
    busy="Looking for what was forgotten",
)
def verify_erasure(
    context: CommandContext,
    receipt: Annotated[str, argument("RECEIPT", "The file that `forget --receipt` wrote.")],
    *,
    backups: Annotated[
        str | None, option("DIR", "Name the backups in this folder that are older; else in that of the settings.")
    ] = None,
) -> "CommandResult[ErasureCheck]":
    """Check that nothing a receipt tells of is left.

    Looks into every table and text column, indexes, statistics and originals, and on SQLite into every byte of the file
    and its log. What you stored again since is counted apart. Exits with 1 when something is left, and with 2 when the
    receipt was changed, or is of another store or a newer version.
    """
    try:
        with open(receipt, "rb") as file:  # noqa: PTH123 - as it was typed
            content = file.read(_LARGEST_RECEIPT + 1)
    except FileNotFoundError:
        raise NotFound(f"There is no receipt {receipt}. Name the file that `forget --receipt` wrote.") from None
    if len(content) > _LARGEST_RECEIPT:
        raise InvalidInput(f"{receipt} is too large for a receipt of forgetting.")
    check = context.memory.verify_erasure(content, backups=backups)
    return CommandResult(check, _show_check, 0 if check.erased else FAILED)


def _show_check(view: "View", check: "ErasureCheck") -> None:
    if check.erased:
        view.line(f"Nothing of what {check.user} forgot at {check.forgotten_at} is left.")
    else:
        view.line(f"Left of what {check.user} forgot at {check.forgotten_at}:", "red")
        view.line("\n".join(map(_finding, check.left)), "red")
    if check.again:
        view.line("Stored again since then:", "yellow")
        view.line("\n".join(map(_finding, check.again)), "yellow")
    if check.pending:
        view.line(f"Erasure pending: {check.pending}", "yellow")
    for name in check.kept:
        view.line(f"The original of {name} says it still, as the receipt tells.", "yellow")
    show_not_covered(view, check)
    for backup in check.older_backups:
        view.line(f"{backup.folder} was made before, at {backup.created_at}, and holds it.", "yellow")
    for place in check.unseen:
        view.line(place, "dim")


def show_not_covered(view: "View", stated: "ErasureCheck | Receipt | None") -> None:
    """Say what a receipt does not cover."""
    for line in stated.not_covered if stated is not None else ():
        view.line(f"Not covered: {line}", "dim")


def _finding(finding: "ErasureFinding") -> str:
    return f"  {finding.place}: {counted(finding.amount, 'mark', 'marks')} of {finding.kind}"


class Loss(NamedTuple):
    """What forgetting takes, or took: how much of what. `whole` names what goes as a whole, if anything does.

    `sentences` counts messages that stay without a sentence, `summaries` those that are made again, and `passages` the
    parts of files that go from memory while the files stay as they are.
    """

    forgotten: "Forgotten"
    whole: str = ""
    memories: int = 0
    versions: int = 0
    messages: int = 0
    files: int = 0
    sentences: int = 0
    summaries: int = 0
    passages: int = 0
    purged: "Purged | None" = None
    receipt_file: str = ""

    def document(self) -> dict[str, object]:
        """Give the result, and how much of what goes."""
        forgotten = self.forgotten
        first = {"action": forgotten.action, "id": forgotten.id}
        left_out = ("forgotten", "whole", "receipt_file", *(() if self.purged else ("purged",)))
        signed = {"receipt": forgotten.receipt.document()} if forgotten.receipt is not None else {}
        return {**first, **fields_of(forgotten, "action", "receipt"), **fields_of(self, *left_out), **signed}

    def amount(self) -> str:
        """Say how much goes."""
        told = amounts(
            (self.memories, "memory", "memories"),
            (self.versions, "earlier version", "earlier versions"),
            (self.messages, "message", "messages"),
            (self.sentences, "message in part", "messages in part"),
            (self.summaries, "summary, to be made again", "summaries, to be made again"),
            (self.files, "file", "files"),
            (self.passages, "passage of a file", "passages of files"),
        )
        return told or "a folder without files"


def item_lines(items: "Sequence[ForgottenItem]") -> list[str]:
    """List what says it, by kind: where a file says it, and what of a message goes."""
    lines = []
    for item in items[:_MOST_ITEMS]:
        kind = _KINDS.get((item.kind, item.fate), item.kind)
        where = f" {item.path}" if item.path else ""
        said = f": {shortened(item.text, _LONGEST_ITEM)}" if item.text else ""
        lines.append(f"  {kind}{where}{said}")
    if len(items) > _MOST_ITEMS:
        lines.append(f"  ... and {len(items) - _MOST_ITEMS:,} more; --json gives all.")
    return lines


def show_kept(view: "View", items: "Sequence[ForgottenItem]") -> None:
    """Say what still says it: files on the disk, and originals of documents."""
    on_disk = (item.path.rpartition(":")[0] for item in items if (item.kind, item.fate) == ("file", "rewritten"))
    for path in [*dict.fromkeys(on_disk)][:_MOST_FILES]:
        view.line(f"{path} on your disk says it still. Edit it yourself; memory leaves that passage out.", "yellow")
    for item in [item for item in items if item.fate == "kept"][:_MOST_FILES]:
        view.line(
            f"The original of {named(item.path)} says it still. To forget it: recollect forget {item.id}", "yellow"
        )
