"""The composition root: builds the engine from the adapters that the settings name."""

from pathlib import Path

from recollect.disk import LocalDisk
from recollect.documents import LocalDocuments, detect
from recollect.embedding import create_embedding_provider, embedder_for
from recollect.embedding.tokens import LocalTokenizer
from recollect.engine.base.active_models import ActiveModels
from recollect.engine.base.context import CaptureTools, Engine, SearchState, Summarizers
from recollect.engine.base.result_cache import ResultCache
from recollect.engine.maintenance import worker_pass
from recollect.errors import InvalidInput, SettingsError
from recollect.geocoding import create_geocoder
from recollect.llm import ChatClient, ChatExtractor, ChatSummarizer
from recollect.model.literals import MEMORY_TYPES, MemoryType
from recollect.ports import Clock, Embedder, RemoteEmbedder, Store, Summarizer, Tokenizer
from recollect.settings import Settings, data_folder
from recollect.settings.database import SCHEME
from recollect.storage import open_store
from recollect.text.capture import CompiledPatterns, Pattern, compile_patterns
from recollect.text.summary.extractive import ExtractiveSummarizer
from recollect.text.summary.format import parse
from recollect.text.terms import ANALYSER


def assemble(
    settings: Settings, clock: Clock, embedder: Embedder | None = None, summarizer: Summarizer | None = None
) -> Engine:
    """Open the store and build the engine; a given embedder or summarizer replaces that of the settings."""
    tokenizer = LocalTokenizer()
    local = ExtractiveSummarizer(tokenizer.count)
    patterns = _patterns(settings)
    client = _client(settings)
    used = embedder or create_embedding_provider(settings.embedding)
    documents = LocalDocuments(
        lambda: originals_folder(settings, store),
        timeout_s=settings.files.extract_s,
        memory_mb=settings.files.extract_mb,
        most_bytes=settings.files.document_mb * 2**20,
    )
    geocoder = create_geocoder(settings.places)
    store = open_store(settings, clock, analyser=ANALYSER, geocodes=geocoder is not None)
    engine = Engine(
        store=store,
        models=ActiveModels(store, used, lambda space: embedder_for(settings.embedding, space)),
        clock=clock,
        settings=settings,
        tokenizer=tokenizer,
        summarizers=Summarizers(summarizer or _summarizer(settings, client, tokenizer, local), local),
        disk=LocalDisk(detect=detect, extract=documents.read),
        documents=documents,
        geocoder=geocoder,
        capture=CaptureTools(
            ChatExtractor(client) if client and settings.capture.extractor == "llm" else None, patterns
        ),
        search=SearchState(ResultCache(settings.recall.cache)),
    )
    if settings.embedding.worker and (used is not None or geocoder is not None):
        engine.background.employ(lambda stop: worker_pass.keep_up(engine, stop))
        if isinstance(used, RemoteEmbedder):  # others may have left something to do
            engine.background.wake()
    return engine


def originals_folder(settings: Settings, store: Store) -> Path | None:
    """Return the folder of original documents: beside an SQLite file, or in the data folder for a server.

    Each store has a subfolder of its own, so that none deletes another's documents as orphans.
    """
    chosen = settings.files.originals
    if chosen == "off":
        return None
    database = Path(settings.database).expanduser().absolute()
    folder = database.with_name(f"{database.name}-originals")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
    elif settings.database.startswith(SCHEME):
        folder = Path(data_folder()) / "originals"
    return folder / f"{store.identity():08x}"


def _client(settings: Settings) -> ChatClient | None:
    """Create the client of a language model, if the settings need one."""
    if "llm" not in (settings.compaction.summarizer, settings.capture.extractor):
        return None
    llm = settings.llm
    missing = [name for name in ("base_url", "model") if not getattr(llm, name)]
    if missing:
        raise SettingsError(
            f"A language model is asked for, but llm.{missing[0]} is not set. Set it, or set compaction.summarizer to "
            "extractive and capture.extractor to rules."
        )
    return ChatClient(
        llm.base_url, llm.model, api_key=llm.api_key or None, timeout_s=llm.timeout_s, retries=llm.retries
    )


def _summarizer(settings: Settings, client: ChatClient | None, tokenizer: Tokenizer, local: Summarizer) -> Summarizer:
    if client is None or settings.compaction.summarizer != "llm":
        return local
    return ChatSummarizer(client, parse=parse, count=tokenizer.count)


def _patterns(settings: Settings) -> CompiledPatterns:
    """Compile the patterns of the settings, which have checked that each names a type."""
    split = (line.partition(":") for line in settings.capture.patterns)
    types: dict[str, MemoryType] = {name: name for name in MEMORY_TYPES}
    try:
        return compile_patterns([Pattern(pattern.strip(), types[name.strip()]) for name, _, pattern in split])
    except InvalidInput as error:
        raise SettingsError(f"capture.patterns: {error}") from error
