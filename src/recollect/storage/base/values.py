"""What passes between the engine and a store, and what each asks of the other beside the store itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from recollect.model.files import FileRecord
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Embeddable, Item, MemoryRecord, Scope, Space, Vector, kind_of
from recollect.model.messages import ConversationInfo, Message, Usage
from recollect.model.places import Located

# The scope of rows without a user: keys, and their lines in the audit log. No user can have this name.
STORE = Scope("")

# How long the order of changes is kept: no listener is away for longer.
CHANGES_KEPT = timedelta(days=7)

# `words` could be found by its words only, because its vector follows; `embedded` says that it came.
ChangeKind = Literal["stored", "words", "embedded"]

PART_MARK: Final = "\x1f"  # between texts that a query gives as one; no stored text has it
WITH_SAME_WORDS = 20  # an event may happen very often, and be told in the same words
LAST: Final = 2**62  # above all lines, and above all numbers of rows
ERASED: Final = "erased the traces of deleted memories"  # a note of maintenance
Result_co = TypeVar("Result_co", covariant=True)
StepListener: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it is, how much there is


class LiveMemory(NamedTuple):
    """A live row, with the hash of what it says."""

    record: MemoryRecord
    content_hash: str


class OpenedConversation(NamedTuple):
    """A conversation with its figures, and the beginnings of what users said first in it."""

    info: ConversationInfo
    openings: Sequence[str]


class Retirement(NamedTuple):
    """The end of a row's validity in favour of another."""

    id: str
    valid_until: datetime
    superseded_by: str


class Neighbour(NamedTuple):
    """A row near the query vector, with their cosine."""

    id: str
    cosine: float


class EmbeddedMemory(NamedTuple):
    """A memory by its id, with the terms by which it is found and its vector."""

    id: str
    terms: Sequence[str]
    vector: Vector


class IndexedItem(NamedTuple):
    """An item, and the terms by which it is found."""

    item: Item
    terms: tuple[str, ...]


class Derivation(NamedTuple):
    """One item was made from another."""

    made_kind: ItemKind
    made_id: str
    source_kind: ItemKind
    source_id: str


class Saying(NamedTuple):
    """A version of a memory that was asked for by its id, the `seed`."""

    record: MemoryRecord
    seed: str


class ConversationSize(NamedTuple):
    """How much of a conversation is active."""

    messages: int
    tokens: int


class ReadJob(NamedTuple):
    """A message that waits to be read. `attempts` counts how often that failed through its own fault."""

    scope: Scope
    message: Message
    attempts: int


class TouchedFile(NamedTuple):
    """What of a file changed although its bytes did not."""

    id: str
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class UnlocatedItem(NamedTuple):
    """Something of a user's that has coordinates and still lacks an address."""

    kind: ItemKind
    id: str
    lat: float
    lng: float


class GeocodeJob(NamedTuple):
    """Something that waits for its address. `attempts` counts how often finding one failed."""

    scope: Scope
    item: UnlocatedItem
    attempts: int


class UnnamedPlace(NamedTuple):
    """A row whose place has a name that was not noted."""

    scope: Scope
    kind: ItemKind
    id: str
    address: str
    place_label: str


class CachedPlace(NamedTuple):
    """What a geocoder said about a cell, and until when that holds: where it is, or nothing. `away`: it could not be
    asked.
    """

    cell: str
    located: Located | None
    good_until: datetime | None
    away: bool = False


@dataclass(frozen=True, slots=True)
class EmbedJob:
    """An item that waits for its vector in a space. `attempts` counts how often that failed through its own fault."""

    scope: Scope
    item: Embeddable
    space: Space
    attempts: int

    @property
    def kind(self) -> VectorKind:
        """What the item is."""
        return kind_of(self.item)


class CachedPassageVector(NamedTuple):
    """A vector that was paid for, under the hash of its text, with the item it was made for."""

    key: str
    item_id: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class CachedQueryVector:
    """The vector of a question that was paid for, and when it was asked: after how many `resets` of its user."""

    space: Space
    key: str
    vector: Vector
    usage: Usage
    resets: int


class StoreChange(NamedTuple):
    """Something new, with its place in the order in which one user's items were written."""

    number: int
    what: ChangeKind
    kind: ItemKind
    id: str
    changed_at: datetime


class StoredResponse(NamedTuple):
    """What a request was answered; `body` is None when it held what was forgotten since."""

    request_hash: str
    body: str | None
    private: bool = False


class SearchNote(NamedTuple):
    """Figures about one search. `query` is empty unless the settings keep it.

    `degraded` names the parts that were missing, `found` the ids of the first hits, both separated by spaces.
    """

    id: str
    asked_at: datetime
    verb: str
    hits: int
    took_ms: float
    answerable: float
    degraded: str
    query: str
    user_agent: str = ""
    found: str = ""


class ChangeNotifier(Protocol):
    """Wakes a waiter when something may have changed; a wake-up may be idle or lost. It is for one thread."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for a change, or for so long; says whether there may be one."""

    def close(self) -> None:
        """Close connections."""


class ReceiptKeys(NamedTuple):
    """Keys that are derived from the secret of a store: one signs, one hides what marks are of. `name` tells which."""

    name: str
    signing: bytes
    marking: bytes


class StoredRow(NamedTuple):
    """A row of any table: whose it is, when it was last stored, if the table says so, and its columns with text."""

    table: str
    user_id: str
    stored_at: datetime | None
    texts: Mapping[str, str | bytes]


class RawBlock(NamedTuple):
    """Bytes of a file of the database as they stand there; `place` is what the file is."""

    place: str
    data: bytes


class PendingWrite(Protocol[Result_co]):
    """A write under way."""

    def result(self) -> Result_co:
        """Wait for the commit and give the result of the work; raises what went wrong."""


class ReachedUsers(NamedTuple):
    """Users of a store: all of them, unless a server did not answer, whose users are missing."""

    scopes: Sequence[Scope]
    are_all: bool


class ItemMarks(Protocol):
    """Gives the fingerprints by which items are known after they were forgotten."""

    everything: str  # the fingerprint of all that a user has

    def of_memory(self, record: MemoryRecord) -> Sequence[str]:
        """Give those of a memory."""

    def of_message(self, message: Message) -> Sequence[str]:
        """Give those of a message."""

    def of_file(self, record: FileRecord) -> Sequence[str]:
        """Give those of a file, and that of its folder."""


class DatabaseRestorer(Protocol):
    """Puts a copy where the settings want the database."""

    @property
    def backend(self) -> str:
        """`sqlite` or `postgresql`."""

    def location(self) -> str:
        """Where the database will be, without any password."""

    def insist_empty(self) -> None:
        """Raise InvalidInput when there is something already."""

    def restore(self, copy: str, tables: Mapping[str, int], tell: StepListener) -> None:
        """Put the copy in place, if it is sound and has these rows; otherwise raise BackupDamaged.

        The file is used up.
        """
