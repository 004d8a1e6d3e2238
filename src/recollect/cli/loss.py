"""How much of what a forgetting takes, for people and as JSON."""

from typing import TYPE_CHECKING, NamedTuple

from recollect.cli.formatting import amounts
from recollect.cli.json_output import fields_of

if TYPE_CHECKING:
    from recollect.model.search import Forgotten
    from recollect.model.stats import Purged


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
