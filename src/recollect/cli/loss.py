"""How much of what a forgetting takes, for people and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from recollect.cli.formatting import amounts, named, shortened
from recollect.cli.json_output import fields_of

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.search import Forgotten, ForgottenItem
    from recollect.model.stats import Purged


_MOST_ITEMS: Final = 20
_MOST_FILES: Final = 10
_LONGEST_ITEM: Final = 160
_KINDS: Final = {("message", "rewritten"): "message, in part", ("document", "kept"): "original that stays"}


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
        left_out = (
            ("forgotten", "whole", "receipt_file") if self.purged else ("forgotten", "whole", "receipt_file", "purged")
        )
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
