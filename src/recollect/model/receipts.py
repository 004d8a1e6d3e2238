"""Values about receipts of forgetting: what one says, and what came of checking one. They never hold content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

RECEIPT_VERSION: Final = 2
_OF_VERSION_2: Final = frozenset({"documents", "kept", "not_covered", "unseen"})


class AuditPosition(NamedTuple):
    """The line of the audit log that tells of a receipt: its number in the user's hash chain, and its hash."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A signed statement that something was forgotten, without what it said.

    `store` and `key` name the store and the secret that keyed the marks and the signature. `request` is how the
    forgotten was named: id, query, session, source, folder or everything. `places` says of each place how it was left,
    `pending` why traces are still in the database's files, '' when none are. `marks` are keyed hashes by kind, by which
    `verify_erasure` finds the forgotten; `marks_total` is more than these when there were too many to list.
    `elsewhere` counts texts that other items of the user still say, which were not to be forgotten. `not_covered` says
    in words what was not erased, `unseen` what cannot be seen from here. `kept` are the ids of documents whose
    originals say it still: on purpose if `documents` is keep; if it is ask, that is not decided.
    """

    id: str
    store: str
    key: str
    user: str
    actor: str
    request: str
    allow_again: bool
    forgotten_at: str
    signed_at: str
    counts: Mapping[str, int]
    audit: AuditPosition
    places: Mapping[str, str]
    pending: str
    purged: bool
    marks: Mapping[str, tuple[str, ...]]
    marks_total: int
    elsewhere: int
    signature: str = ""
    version: int = RECEIPT_VERSION
    documents: str = ""
    kept: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Give the receipt as a JSON object."""
        names = [name for name in self.__slots__ if self.version > 1 or name not in _OF_VERSION_2]
        fields = {name: getattr(self, name) for name in names}
        fields = {
            name: list(value) if name in _OF_VERSION_2 - {"documents"} else value for name, value in fields.items()
        }
        marks = {kind: list(marks) for kind, marks in self.marks.items()}
        lists = {"counts": dict(self.counts), "places": dict(self.places), "marks": marks}
        return {**fields, **lists, "audit": self.audit._asdict()}


class ErasureFinding(NamedTuple):
    """Something of what was forgotten that a check found: where, by which kind of mark, and how often."""

    place: str
    kind: str
    amount: int


class OlderBackup(NamedTuple):
    """A backup that was made before the forgetting, and so holds what was forgotten."""

    folder: str
    created_at: str


@dataclass(frozen=True, slots=True)
class ErasureCheck:
    """The result of `verify_erasure`.

    `left` is what should not be there: it was never erased, or was put back past the verbs. `again` was stored anew by
    the user since. `places` says of each place what was looked at, `unseen` what cannot be seen from here. `kept` names
    documents whose originals say it still, as the receipt tells; they are `left`, too, unless that was decided.
    `not_covered` is what the receipt says of itself.
    """

    receipt: str
    user: str
    forgotten_at: str
    checked_at: str
    left: tuple[ErasureFinding, ...]
    again: tuple[ErasureFinding, ...]
    places: Mapping[str, str]
    unseen: tuple[str, ...]
    pending: str
    older_backups: tuple[OlderBackup, ...] = ()
    kept: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()

    @property
    def erased(self) -> bool:
        """Whether nothing is left."""
        return not self.left
