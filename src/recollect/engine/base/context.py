"""The engine: ports, settings and the state of this process, passed to every verb as one value.

What brings files into the store is a port of the engine: the package recollect-files has it. Nothing that finds, reads,
exports or forgets what is stored needs it.
"""

import atexit
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta, tzinfo
from os import PathLike
from queue import Empty, Queue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from recollect.engine.base.caches import Cooldown, LruCache, ResultCache
from recollect.engine.base.embedders import ActiveModels
from recollect.engine.base.search_figures import SearchMetrics, SearchNotes
from recollect.engine.base.threads import BackgroundThread, WorkPriority
from recollect.errors import RecollectError, SettingsError, StoreError, StoreFull
from recollect.forking import leak, take_part, withdraw
from recollect.model.files import AddedFile, FileRecord, Folder, NamedRoot, SyncProgress, SyncReport, TextPiece
from recollect.model.literals import FileSource, FileState, StatementType
from recollect.model.media import Media
from recollect.model.memories import Scope, Space, Vector, VectorLike
from recollect.model.messages import Usage
from recollect.model.readings import Reading
from recollect.model.stats import Erasure, UserLimits
from recollect.ports import Clock, Documents, Geocoder, Originals, Reader, Reranker, Summarizer, Tokenizer
from recollect.settings import LimitSettings, Settings
from recollect.settings.kinds import zone_named
from recollect.storage.base import CachedPlace, PendingWrite, Store, StoreWriter

if TYPE_CHECKING:
    from recollect.text.capture import CompiledPatterns

T = TypeVar("T")

AnyPath = str | PathLike[str]
SyncListener = Callable[[SyncProgress], None]
WatchListener = Callable[[SyncReport | RecollectError], None]

_CACHED_PLACES = 1_000
_CACHED_READINGS = 256
_CACHED_GROUPS = 8
_PLAIN_VALUES = frozenset({"clock", "settings", "zone"})

# The names that `degraded` has for the parts an answer went without.
VECTOR = "vector"
TEXT = "text"
CONTEXT = "context"
SUMMARIZER = "summarizer"
READER = "reader"
RERANKER = "reranker"
RECALL = "recall"
SAVING = "saving"
UPKEEP = "upkeep"
MESSAGE = "message"
PLACE = "place"
SCOPES = "scopes"


class Quotas:
    """The limits of the settings, with their exceptions for single users. Raises SettingsError for a wrong one."""

    def __init__(self, settings: LimitSettings) -> None:
        self._usual = UserLimits(settings.memories, settings.storage_mb, settings.texts_per_minute)
        self._exceptions: Mapping[str, UserLimits] = dict(map(self._read, settings.users))

    def of(self, user_id: str) -> UserLimits:
        """Give the limits of a user."""
        return self._exceptions.get(user_id, self._usual)

    def _read(self, line: str) -> tuple[str, UserLimits]:
        user, colon, words = line.rpartition(":")
        given = dict(word.partition("=")[::2] for word in words.split())
        if not (colon and user.strip() and given and given.keys() <= {*UserLimits._fields}) or not all(
            number.isdecimal() for number in given.values()
        ):
            raise SettingsError(
                f"limits.users: {line!r} does not name a user and limits. Write a user id, a colon, and some of "
                f"{', '.join(f'{name}=N' for name in UserLimits._fields)}; 0 is without limit."
            )
        return user.strip(), self._usual._replace(**{name: int(number) for name, number in given.items()})


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Folders by the paths that were typed, or all that were synced before; `rules` are those that change, by name."""

    paths: Sequence[AnyPath]
    source: FileSource | None
    rules: Mapping[str, Any]
    dry_run: bool = False
    even_if_empty: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class PrecutFile:
    """A file that was cut elsewhere, perhaps with vectors of a space."""

    name: str
    pieces: Sequence[TextPiece]
    source: FileSource = "document"
    vectors: Sequence[VectorLike | None] = ()
    space: Space | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


class Filing(Protocol):
    """Keeps folders and the store in step, and adds documents and media."""

    def sync(
        self, engine: "Engine", scope: Scope, asked: SyncRequest, *, wait: bool | None, tell: SyncListener | None
    ) -> tuple[SyncReport, ...]:
        """Sync folders into the store, and embed what is new."""

    def watch(self, engine: "Engine", scope: Scope, asked: SyncRequest, *, stop: Event, tell: WatchListener) -> None:
        """Sync folders now and on every change, until `stop` is set."""

    def drift(self, engine: "Engine", scope: Scope, folder: Folder) -> int | None:
        """Count the files of a folder that differ from the store; None when the folder is missing."""

    def text(self, engine: "Engine", folder: Folder, file: FileRecord) -> tuple[str, str]:
        """Give the text of a synced file as it lies on the disk, and its digest. Raises OSError, InvalidDocument."""

    def states(self, roots: Sequence[NamedRoot], files: Sequence[FileRecord]) -> Mapping[str, FileState]:
        """Say by their ids which files have changed or gone since a sync read them, as far as it can be seen here."""

    def add(
        self,
        engine: "Engine",
        scope: Scope,
        file: AnyPath | bytes,
        name: str | None,
        *,
        replace: bool,
        wait: bool | None,
    ) -> AddedFile:
        """Add a document by its path, or its bytes with a name. Raises InvalidDocument."""

    def add_pieces(self, engine: "Engine", scope: Scope, file: PrecutFile) -> AddedFile | None:
        """Add a file that was cut elsewhere; None when it was forgotten before."""

    def add_medium(self, engine: "Engine", scope: Scope, file: AnyPath | bytes) -> Media:
        """Keep a picture, sound or film as an original, and say what it is. Raises InvalidDocument."""


class WriteWrapper(Protocol):
    """A wrapper around writes, such as an audited write."""

    def wrap(self, scope: Scope, work: Callable[[StoreWriter], T], now: datetime) -> Callable[[StoreWriter], T]:
        """Give the work together with everything else that belongs into its transaction."""


@dataclass(frozen=True, slots=True)
class Summarizers:
    """The summarizer of the settings, and the local one that costs nothing."""

    chosen: Summarizer
    local: Summarizer


@dataclass(frozen=True, slots=True)
class CaptureTools:
    """What finds memories in messages: the reader of the settings, the bundled one, the user's own patterns.

    `types_by_user` are exceptions from the types of the settings, `readings` the messages that were read lately.
    """

    reader: Reader | None = None
    local: Reader | None = None
    patterns: "CompiledPatterns" = ()
    types_by_user: Mapping[str, tuple[StatementType, ...]] = field(default_factory=dict)
    readings: LruCache[Reading] = field(default_factory=lambda: LruCache(_CACHED_READINGS))


class MemoryGroup(NamedTuple):
    """A group of similar memories: the ids of typical ones, how many there are, their mean, terms that tell it."""

    ids: tuple[str, ...]
    size: int
    mean: Vector
    terms: tuple[str, ...]


class CachedGroups(NamedTuple):
    """The groups of a user's memories at one of the user's writes. `pairs` are ids that may say the same."""

    generation: int
    found_at: datetime
    largest: tuple[MemoryGroup, ...]
    pairs: tuple[tuple[str, str, float], ...]
    memories: int
    grouped: int
    total: int
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchState:
    """What the searches of a process share: cached results, metrics, notes, and threads that no caller waits for.

    `grouping` is held while the groups of many memories are found, which takes a lot of memory.
    """

    results: ResultCache = field(default_factory=lambda: ResultCache(0))
    metrics: SearchMetrics = field(default_factory=SearchMetrics)
    overdue: set[Thread] = field(default_factory=set)
    notes: SearchNotes = field(default_factory=SearchNotes)
    groups: LruCache[CachedGroups] = field(default_factory=lambda: LruCache(_CACHED_GROUPS))
    grouping: Lock = field(default_factory=Lock)

    def answer_within(
        self, seconds: float | None, ask: Callable[[Callable[[T], None]], None], name: str, *, daemon: bool
    ) -> T | None:
        """Give what `ask` answers in a thread of its own; None when that takes longer. A late thread runs on."""
        answers: Queue[T] = Queue()
        thread = Thread(target=ask, args=(answers.put,), name=name, daemon=daemon)
        thread.start()
        try:
            return answers.get(timeout=seconds)
        except Empty:
            self.count_overdue()
            self.overdue.add(thread)
            return None

    def count_overdue(self) -> int:
        """Count the threads that still run without their callers."""
        self.overdue.difference_update([thread for thread in tuple(self.overdue) if not thread.is_alive()])
        return len(self.overdue)


@dataclass(frozen=True, slots=True)
class GeocodeState:
    """What geocoding shares within a process: two LRU caches, and the cool-down of a geocoder that failed."""

    addresses: LruCache[CachedPlace] = field(default_factory=lambda: LruCache(_CACHED_PLACES))
    name_vectors: LruCache[Vector] = field(default_factory=lambda: LruCache(_CACHED_PLACES))
    cooldown: Cooldown = field(default_factory=Cooldown)


class InheritedPort:
    """Stands for whatever a process inherited by fork(): any use of it is refused."""

    def __init__(self, opened_by: int) -> None:
        self._opened_by = opened_by

    def __getattr__(self, name: str) -> object:
        """Refuse."""
        raise StoreError(
            f"This store was opened by process {self._opened_by} and came here with fork(), which leaves connections, "
            "threads and models behind. Open it in this process with Memory.open(): under gunicorn in a post_fork hook "
            "or without --preload, with multiprocessing in the function that the new process runs."
        )


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Engine:
    """Ports and settings, then the state of this process. `audit` wraps every write, if there is one.

    `author` is the member who works in a shared scope; '' for a user's own memory. `agent` is the program that asks.
    `zone` is the time zone of the user or the request, by name, where it is not that of the settings.
    `forgetting` is the note of a request that is carried out in parts, because the disk is full.
    """

    store: Store
    models: ActiveModels
    clock: Clock
    settings: Settings
    tokenizer: Tokenizer
    summarizers: Summarizers
    filing: Filing
    documents: Documents
    originals: Originals
    geocoder: Geocoder | None = None
    reranker: Reranker | None = None
    capture: CaptureTools = field(default_factory=CaptureTools)
    background: BackgroundThread = field(default_factory=BackgroundThread)
    search: SearchState = field(default_factory=SearchState)
    geocode: GeocodeState = field(default_factory=GeocodeState)
    priority: WorkPriority = field(default_factory=WorkPriority)
    quotas: Quotas = field(default_factory=lambda: Quotas(LimitSettings()))
    audit: WriteWrapper | None = None
    author: str = ""
    agent: str = ""
    zone: str = ""
    forgetting: str = ""

    def __post_init__(self) -> None:
        take_part(self)

    def before_fork(self) -> None:
        """Do nothing: the store closes its connections."""

    def after_fork_in_parent(self) -> None:
        """Do nothing."""

    def after_fork_in_child(self) -> None:
        """Refuse all use. What was inherited is not freed: that would wait for threads that are not here."""
        withdraw(self)
        atexit.unregister(self.background.close)
        atexit.unregister(self.search.notes.thread.close)
        for part in fields(self):
            if part.name not in _PLAIN_VALUES:
                leak(getattr(self, part.name))
                object.__setattr__(self, part.name, InheritedPort(os.getppid()))

    @property
    def is_inherited(self) -> bool:
        """Whether this process got it by fork()."""
        return isinstance(self.store, InheritedPort)

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction, together with their audit entry."""
        return self.store.write(scope, self.wrapped(scope, work))

    def write_deletion(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Do the same for work that deletes: on a full disk the store's reserve is released for it."""
        try:
            return self.write(scope, work)
        except StoreFull:
            with self.store.released_reserve() as released:
                if not released:
                    raise
                with suppress(StoreFull):
                    return self.write(scope, work)
            with suppress(StoreError):  # what the log took of the disk goes back, for a smaller deletion
                self.store.scrub()
            raise

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Do the same, and commit in the background."""
        return self.store.write_behind(scope, self.wrapped(scope, work))

    def write_many(
        self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]
    ) -> PendingWrite[Sequence[T | RecollectError]]:
        """Run changes of several users, each with its audit entry, in one transaction, and commit in the background."""
        return self.store.write_many([(scope, self.wrapped(scope, work)) for scope, work in works])

    def wrapped(self, scope: Scope, work: Callable[[StoreWriter], T]) -> Callable[[StoreWriter], T]:
        """Give work with its audit entry and the limits of its user."""
        _ = self.models.space  # refreshed before the write if due: inside it only `models.latest` may be read
        limits = self.quotas.of(scope.user_id)
        audited = work if self.audit is None else self.audit.wrap(scope, work, self.clock.now())
        if not (limits.memories or limits.storage_mb):
            return audited

        def limited(writer: StoreWriter) -> T:
            writer.limit_growth(limits)
            return audited(writer)

        return limited

    @property
    def timezone(self) -> tzinfo:
        """The time zone that decides what `yesterday` means."""
        return zone_named(self.zone or self.settings.timezone)

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for. It may change at any time, so read it once for each vector."""
        return self.models.space

    def erase(self) -> Erasure:
        """Erase what was deleted from the database's files; what has to wait for readers the background finishes."""
        left = self.store.scrub()
        if left.later:
            self.background.wake()
        return left

    def next_try(self, attempts: int, most: int) -> datetime | None:
        """Say when to try again what has failed so often, with exponential back-off; None when that was too often."""
        return None if attempts >= most else self.clock.now() + timedelta(minutes=2**attempts)

    def today(self) -> str:
        """Name the present day in UTC, by which the usage of paid models is counted for all users together."""
        return self.clock.now().date().isoformat()

    def has_tokens_left(self) -> bool:
        """Say whether anything of today's budget for paid models is left."""
        return self.store.spent(self.today()).tokens < self.settings.llm.tokens_per_day

    def record_usage(self, scope: Scope, purpose: str, model: str, usage: Usage) -> None:
        """Record the usage of a paid model; of a failed call only the sum is known."""
        day = self.today()
        self.write(scope, lambda writer: writer.record_spending(day, purpose, model, usage))

    def unreached(self) -> str:
        """Say which servers of the store do not answer, so that what concerns the users there is left; '' if all do."""
        away = self.store.away()
        if not away:
            return ""
        return (
            f"{len(away)} worker(s) of the store do not answer ({', '.join(away)}); what concerns their users is left."
        )

    def forget_cached(self, scope: Scope) -> None:
        """Drop everything that this process has cached for a user."""
        self.search.results.drop(scope)
        self.search.groups.drop(scope)
        self.capture.readings.drop(scope)
        self.geocode.addresses.drop(scope)
        self.geocode.name_vectors.drop(scope)
