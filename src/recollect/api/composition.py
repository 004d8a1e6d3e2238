"""The composition root: builds the engine from the adapters that the settings name.

Adapters that most processes never use are imported at first use: a cold `recollect recall` pays for each import.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TypeVar, cast

from recollect import plugins
from recollect.embedding.local import LocalEmbedder, LocalTokenizer
from recollect.engine.base.caches import ResultCache
from recollect.engine.base.context import CaptureTools, Engine, Quotas, SearchState, Summarizers
from recollect.engine.base.embedders import ActiveModels
from recollect.engine.drafts.tombstones import TombstoneMarks
from recollect.engine.search import recall
from recollect.errors import InvalidInput, SettingsError
from recollect.geocoding import create_geocoder
from recollect.model.literals import MEMORY_TYPES, STATEMENT_TYPES, MemoryType, StatementType
from recollect.model.memories import Space
from recollect.ports import (
    Clock,
    Documents,
    Embedder,
    Originals,
    Reader,
    RemoteEmbedder,
    Reranker,
    Summarizer,
    Tokenizer,
)
from recollect.settings import EmbeddingSettings, Settings, data_folder
from recollect.settings.database import SCHEME
from recollect.storage import open_store
from recollect.storage.base import Store
from recollect.text.terms import ANALYSER

if TYPE_CHECKING:
    from recollect.llm import ChatClient
    from recollect.text.capture import CompiledPatterns

Port = TypeVar("Port")

_CORES_FOR_TWO = 4  # from so many cores on the local reranker uses two of them


class _Deferred:
    """Lazy initialization: makes an adapter when one of its attributes is first used."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        if "_adapter" not in self.__dict__:
            self._adapter = self._make()
        return getattr(self._adapter, name)


def _deferred(make: Callable[[], Port]) -> Port:
    return cast("Port", _Deferred(make))


def create_embedding_provider(settings: EmbeddingSettings) -> Embedder | None:
    """Make the embedder of the settings; the bundled one without the clients of all others."""
    if settings.provider == "local":
        return LocalEmbedder(threads=settings.threads)
    from recollect import embedding

    return embedding.create_embedding_provider(settings)


def _embedder_for(settings: EmbeddingSettings, space: Space) -> Embedder:
    from recollect.embedding import embedder_for

    return embedder_for(settings, space)


def assemble(
    settings: Settings,
    clock: Clock,
    embedder: Embedder | None = None,
    summarizer: Summarizer | None = None,
    *,
    create: bool = True,
) -> Engine:
    """Open the store and build the engine; a given embedder or summarizer replaces that of the settings."""
    tokenizer = LocalTokenizer()
    local = _deferred(lambda: _extractive(tokenizer))
    client = _client(settings)
    used = embedder or create_embedding_provider(settings.embedding)
    quotas = Quotas(settings.limits)
    files = settings.files
    documents: Documents = _deferred(
        lambda: plugins.find("adapters", "documents", "recollect-files")(
            timeout_s=files.extract_s, memory_mb=files.extract_mb, most_bytes=files.document_mb * 2**20
        )
    )
    geocoder = create_geocoder(settings.places)
    geocodes = geocoder is not None
    store = open_store(settings, clock, analyser=ANALYSER, geocodes=geocodes, marks=TombstoneMarks(), create=create)
    engine = Engine(
        store=store,
        models=ActiveModels(store, used, lambda space: _embedder_for(settings.embedding, space)),
        clock=clock,
        settings=settings,
        tokenizer=tokenizer,
        summarizers=Summarizers(summarizer or _summarizer(settings, client, tokenizer, local), local),
        filing=_deferred(lambda: plugins.find("adapters", "reading files", "recollect-files")(documents)),
        documents=documents,
        originals=_deferred(lambda: _originals(settings, store)),
        geocoder=geocoder,
        reranker=_reranker(settings),
        capture=_capture_tools(settings, client),
        search=SearchState(ResultCache(settings.recall.cache)),
        quotas=quotas,
    )
    engine.search.notes.employ(partial(store.note_searches, keep=recall.MOST_LOGGED))
    reads = settings.capture.when == "worker"
    if settings.embedding.worker and (reads or used is not None or geocoder is not None):
        from recollect.engine.maintenance import maintain

        def keep_up(stop: Event) -> float | None:
            with engine.priority.patient():
                engine.priority.give_way()  # the call that woke this thread has not been answered yet
                return maintain.keep_up(engine, stop)

        engine.background.employ(keep_up)
        if reads or isinstance(used, RemoteEmbedder):  # others may have left something to do
            engine.background.wake()
    return engine


def _extractive(tokenizer: Tokenizer) -> Summarizer:
    from recollect.text.summary.extractive import ExtractiveSummarizer

    return ExtractiveSummarizer(tokenizer.count)


def _originals(settings: Settings, store: Store) -> Originals:
    from recollect.originals import LocalOriginals

    return LocalOriginals(originals_folder(settings, store))


def _capture_tools(settings: Settings, client: "ChatClient | None") -> CaptureTools:
    chosen = settings.capture.reader
    if chosen == "none":
        return CaptureTools(patterns=_patterns(settings), types_by_user=_types_by_user(settings))
    from recollect.models.local import LocalReader

    local = LocalReader()
    reader: Reader = local
    if chosen == "llm" and client is not None:
        from recollect.llm import ChatReader

        reader = ChatReader(client)
    return CaptureTools(reader, local, _patterns(settings), _types_by_user(settings))


def _reranker(settings: Settings) -> Reranker:
    chosen = settings.rerank
    if chosen.provider != "local":
        from recollect.reranking import create_reranker

        return create_reranker(chosen)
    from recollect.models.local import LocalReranker

    return LocalReranker(threads=chosen.threads or (2 if (os.cpu_count() or 1) >= _CORES_FOR_TWO else 1))


def _types_by_user(settings: Settings) -> dict[str, tuple[StatementType, ...]]:
    """Parse the exceptions of single users, such as `anna: fact rule` or `bob: none`."""
    found: dict[str, tuple[StatementType, ...]] = {}
    for line in settings.capture.users:
        user, colon, words = line.rpartition(":")
        named = [] if words.strip() == "none" else words.split()
        unknown = [word for word in named if word not in STATEMENT_TYPES]
        if not colon or not user.strip() or unknown or not words.strip():
            raise SettingsError(
                f"capture.users: {line!r} does not name a user and types. Write a user id, a colon, and some of "
                f"{', '.join(STATEMENT_TYPES)}, or none."
            )
        found[user.strip()] = tuple(known for known in STATEMENT_TYPES if known in named)
    return found


def originals_folder(settings: Settings, store: Store) -> Path | None:
    """Return the folder of original documents: beside an SQLite file, or in the data folder for a server.

    Each store has a subfolder of its own, so that none deletes another's documents as orphans.
    """
    folder = originals_root(settings)
    return folder / f"{store.identity():08x}" if folder else None


def originals_root(settings: Settings) -> Path | None:
    """Return the folder in which each store has its folder of originals; None when none are kept."""
    chosen = settings.files.originals
    if chosen == "off":
        return None
    database = Path(settings.database).expanduser().absolute()
    folder = database.with_name(f"{database.name}-originals")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
    elif settings.database.startswith(SCHEME):
        folder = Path(data_folder()) / "originals"
    return folder


def scratch_folder(settings: Settings) -> Path:
    """Return a folder for large temporary files, on the disk that holds what they hold already."""
    if settings.database.startswith(SCHEME):
        return Path(data_folder())
    return Path(settings.database).expanduser().absolute().parent


def _client(settings: Settings) -> "ChatClient | None":
    """Create the client of a language model, if the settings need one."""
    if "llm" not in (settings.compaction.summarizer, settings.capture.reader):
        return None
    llm = settings.llm
    missing = [name for name in ("base_url", "model") if not getattr(llm, name)]
    if missing:
        raise SettingsError(
            f"A language model is asked for, but llm.{missing[0]} is not set. Set it, or set compaction.summarizer to "
            "extractive and capture.reader to local."
        )
    from recollect.llm import ChatClient

    return ChatClient(
        llm.base_url, llm.model, api_key=llm.api_key or None, timeout_s=llm.timeout_s, retries=llm.retries
    )


def _summarizer(settings: Settings, client: "ChatClient | None", tokenizer: Tokenizer, local: Summarizer) -> Summarizer:
    if client is None or settings.compaction.summarizer != "llm":
        return local
    from recollect.llm import ChatSummarizer
    from recollect.text.summary.format import parse

    return ChatSummarizer(client, parse=parse, count=tokenizer.count)


def _patterns(settings: Settings) -> "CompiledPatterns":
    """Compile the patterns of the settings, which have checked that each names a type."""
    if not settings.capture.patterns:
        return ()
    from recollect.text.capture import CapturePattern, compile_patterns

    split = (line.partition(":") for line in settings.capture.patterns)
    types: dict[str, MemoryType] = {name: name for name in MEMORY_TYPES}
    try:
        return compile_patterns([CapturePattern(pattern.strip(), types[name.strip()]) for name, _, pattern in split])
    except InvalidInput as error:
        raise SettingsError(f"capture.patterns: {error}") from error
