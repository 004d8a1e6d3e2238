"""The same verbs for asyncio: each runs in a worker thread. There is no second implementation here."""

from asyncio import to_thread
from os import PathLike
from typing import Self

from recollect.api.conversation import Conversation, UserMessages
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserFiles, UserMedia
from recollect.api.memory import Memory
from recollect.api.operations import Scopes, StoreModels
from recollect.api.places import UserPlaces
from recollect.api.twins import AsyncTwin, awaited, in_thread
from recollect.api.user import UserMemory
from recollect.engine.base.audit import AuditedWrite
from recollect.model.backups import Repaired
from recollect.ports import Clock, Embedder, Summarizer
from recollect.settings import Settings


class AsyncFiles(AsyncTwin[UserFiles]):
    """`me.files`, awaited. Callbacks run in the worker thread; `watch` ends only when its `stop` is set."""

    sync = awaited(UserFiles.sync)
    watch = awaited(UserFiles.watch)
    folders = awaited(UserFiles.folders)
    add = awaited(UserFiles.add)
    add_pieces = awaited(UserFiles.add_pieces)
    list = awaited(UserFiles.list)
    get = awaited(UserFiles.get)
    chunks = awaited(UserFiles.chunks)
    original = awaited(UserFiles.original)
    read = awaited(UserFiles.read)
    store_files = awaited(UserFiles.store_files)


class AsyncMedia(AsyncTwin[UserMedia]):
    """`me.media`, awaited."""

    add = awaited(UserMedia.add)
    original = awaited(UserMedia.original)


class AsyncPlaces(AsyncTwin[UserPlaces]):
    """`me.places`, awaited."""

    list = awaited(UserPlaces.list)
    within = awaited(UserPlaces.within)
    named = awaited(UserPlaces.named)
    get = awaited(UserPlaces.get)
    set = awaited(UserPlaces.set)
    forget = awaited(UserPlaces.forget)
    geocode = awaited(UserPlaces.geocode)
    reverse_geocode = awaited(UserPlaces.reverse_geocode)
    find_addresses = awaited(UserPlaces.find_addresses)


class AsyncFacts(AsyncTwin[UserFacts]):
    """`me.facts`, awaited."""

    __call__ = awaited(UserFacts.__call__)
    set = awaited(UserFacts.set)
    doubts = awaited(UserFacts.doubts)
    settle = awaited(UserFacts.settle)


class AsyncPreferences(AsyncTwin[UserPreferences]):
    """`me.preferences`, awaited."""

    __call__ = awaited(UserPreferences.__call__)
    set = awaited(UserPreferences.set)


class AsyncEvents(AsyncTwin[UserEvents]):
    """`me.events`, awaited."""

    __call__ = awaited(UserEvents.__call__)
    log = awaited(UserEvents.log)
    timeline = awaited(UserEvents.timeline)


class AsyncLessons(AsyncTwin[UserLessons]):
    """`me.lessons`, awaited."""

    __call__ = awaited(UserLessons.__call__)
    add = awaited(UserLessons.add)


class AsyncInstructions(AsyncTwin[UserInstructions]):
    """`me.instructions`, awaited."""

    __call__ = awaited(UserInstructions.__call__)
    add = awaited(UserInstructions.add)


class AsyncMessages(AsyncTwin[UserMessages]):
    """`me.messages`, awaited."""

    get = awaited(UserMessages.get)
    around = awaited(UserMessages.around)
    between = awaited(UserMessages.between)
    rate = awaited(UserMessages.rate)
    read = awaited(UserMessages.read)
    should_capture = awaited(UserMessages.should_capture)
    preview_capture = awaited(UserMessages.preview_capture)
    explain = awaited(UserMessages.explain)
    origins = awaited(UserMessages.origins)
    capture = awaited(UserMessages.capture)


class AsyncConversation(AsyncTwin[Conversation]):
    """One conversation, with verbs to await. See `Conversation`."""

    def __init__(self, sync: Conversation) -> None:
        super().__init__(sync)
        self.id, self.user_id = sync.id, sync.user_id

    append = awaited(Conversation.append)
    extend = awaited(Conversation.extend)
    import_messages = awaited(Conversation.import_messages)
    window = awaited(Conversation.window)
    compact = awaited(Conversation.compact)
    info = awaited(Conversation.info)
    messages = awaited(Conversation.messages)
    summary = awaited(Conversation.summary)
    originals = awaited(Conversation.originals)
    learned = awaited(Conversation.learned)
    describe = awaited(Conversation.describe)
    set_private = awaited(Conversation.set_private)


class AsyncUserMemory(AsyncTwin[UserMemory]):
    """One user's memories, with verbs to await. See `UserMemory`."""

    def __init__(self, sync: UserMemory) -> None:
        super().__init__(sync)
        self.user_id, self.zone = sync.user_id, sync.zone
        self.address = sync.address
        self.files = AsyncFiles(sync.files)
        self.media = AsyncMedia(sync.media)
        self.places = AsyncPlaces(sync.places)
        self.facts = AsyncFacts(sync.facts)
        self.preferences = AsyncPreferences(sync.preferences)
        self.events = AsyncEvents(sync.events)
        self.lessons = AsyncLessons(sync.lessons)
        self.instructions = AsyncInstructions(sync.instructions)
        self.messages = AsyncMessages(sync.messages)

    def conversation(self, id: str) -> AsyncConversation:
        """Return a conversation by its id; it need not exist yet."""
        return AsyncConversation(self._sync.conversation(id))

    async def scope(self, name: str) -> Self:
        """Return a shared scope that this user is a member of, with the same verbs. Raises NotFound."""
        return type(self)(await to_thread(self._sync.scope, name))

    scopes = awaited(UserMemory.scopes)
    conversations = awaited(UserMemory.conversations)
    remember = awaited(UserMemory.remember)
    remember_many = awaited(UserMemory.remember_many)
    import_memories = awaited(UserMemory.import_memories)
    recall = awaited(UserMemory.recall)
    search_context = awaited(UserMemory.search_context)
    about = awaited(UserMemory.about)
    similar = awaited(UserMemory.similar)
    insights = awaited(UserMemory.insights)
    tidy = awaited(UserMemory.tidy)
    clusters = awaited(UserMemory.clusters)
    merge = awaited(UserMemory.merge)
    get = awaited(UserMemory.get)
    update = awaited(UserMemory.update)
    rate = awaited(UserMemory.rate)
    history = awaited(UserMemory.history)
    list = awaited(UserMemory.list)
    count = awaited(UserMemory.count)
    stats = awaited(UserMemory.stats)
    forget = awaited(UserMemory.forget)
    export = awaited(UserMemory.export)
    import_archive = awaited(UserMemory.import_archive)
    before_prompt = awaited(UserMemory.before_prompt)
    start_session = awaited(UserMemory.start_session)
    after_turn = awaited(UserMemory.after_turn)
    end_session = awaited(UserMemory.end_session)


class AsyncScopes(AsyncTwin[Scopes]):
    """`memory.scopes`, awaited."""

    add = awaited(Scopes.add)
    remove = awaited(Scopes.remove)
    list = awaited(Scopes.list)
    members = awaited(Scopes.members)
    delete = awaited(Scopes.delete)


class AsyncModels(AsyncTwin[StoreModels]):
    """`memory.models`, awaited."""

    list = awaited(StoreModels.list)
    reembed = awaited(StoreModels.reembed)
    estimate = awaited(StoreModels.estimate)
    cancel_reembed = awaited(StoreModels.cancel_reembed)
    drop = awaited(StoreModels.drop)


class AsyncMemory(AsyncTwin[Memory]):
    """An open store, for `async with await AsyncMemory.open()`. See `Memory`."""

    def __init__(self, sync: Memory) -> None:
        super().__init__(sync)
        self.scopes = AsyncScopes(sync.scopes)
        self.models = AsyncModels(sync.models)
        self.keys = sync.keys  # short verbs: nothing to await
        self.operations = sync.operations  # for threads
        self.settings = sync.settings

    @classmethod
    async def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
        create: bool = True,
    ) -> Self:
        """Open a store. See `Memory.open`."""
        return cls(
            await to_thread(
                Memory.open,
                database,
                settings=settings,
                clock=clock,
                embedder=embedder,
                summarizer=summarizer,
                create=create,
            )
        )

    restore = staticmethod(in_thread(Memory.restore))
    repair = staticmethod(in_thread(Memory.repair))
    distribute = staticmethod(in_thread(Memory.distribute))

    @property
    def repaired(self) -> Repaired | None:
        """What was done when the file was found damaged while this store was opened; None when it was sound."""
        return self._sync.repaired

    @property
    def me(self) -> AsyncUserMemory:
        """The part of the settings' user, for whom the command line and the service work unless told otherwise."""
        return AsyncUserMemory(self._sync.me)

    def user(
        self, user_id: str, *, audit: AuditedWrite | None = None, agent: str = "", zone: str = ""
    ) -> AsyncUserMemory:
        """Return one user's part of the store; the user need not exist yet."""
        return AsyncUserMemory(self._sync.user(user_id, audit=audit, agent=agent, zone=zone))

    stats = awaited(Memory.stats)
    status = awaited(Memory.status)
    doctor = awaited(Memory.doctor)
    export = awaited(Memory.export)
    import_archive = awaited(Memory.import_archive)
    load = awaited(Memory.load)
    maintain = awaited(Memory.maintain)
    backup = awaited(Memory.backup)
    purge = awaited(Memory.purge)
    verify_erasure = awaited(Memory.verify_erasure)
    embed_waiting = awaited(Memory.embed_waiting)
    retry_parked = awaited(Memory.retry_parked)
    close = awaited(Memory.close)
    __aexit__ = awaited(Memory.__exit__)

    async def __aenter__(self) -> Self:
        """Return the store itself."""
        return self
