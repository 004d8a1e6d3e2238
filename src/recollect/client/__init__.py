"""Clients of the HTTP service with the verbs and types of the embedded store.

    from recollect.client import Client

    with Client.open("http://127.0.0.1:8787", key="rk_…") as memory:
        memory.me.remember("Prefers dark mode")

A program moves from an embedded store to a service by changing the line that opens it. Verbs that only make sense
beside the store (folders, archives, models, keys) are not here.
"""

from asyncio import to_thread
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from recollect.api.twins import AsyncTwin, awaited
from recollect.client.conversation import ServiceConversation, ServiceMessages, ServicePlaces
from recollect.client.media import ServiceMedia
from recollect.client.service import ServiceConnection
from recollect.client.user import (
    ServiceEvents,
    ServiceFacts,
    ServiceInstructions,
    ServiceLessons,
    ServicePreferences,
    ServiceUserMemory,
)
from recollect.verbs import Verbs

__all__ = ["AsyncClient", "AsyncServiceUserMemory", "Client", "ServiceUserMemory"]

_TIMEOUT_S: Final = 30.0


class Client(Verbs):
    """A Recollect service. Threads may share one."""

    def __init__(self, service: ServiceConnection) -> None:
        """Use `open` instead."""
        self._service = service

    @classmethod
    def open(cls, url: str, *, key: str, timeout_s: float = _TIMEOUT_S) -> Self:
        """Open a service at its address, with a key that it gave.

        Raises SettingsError for an address that is none, ServiceUnavailable when no Recollect service answers there,
        VersionMismatch when its version does not fit, and UnknownKey when it does not know the key.
        """
        service = ServiceConnection(url, key, timeout_s)
        with ExitStack() as undo:
            undo.callback(service.close)
            service.check()
            undo.pop_all()
        return cls(service)

    @property
    def me(self) -> ServiceUserMemory:
        """The part of the key's own user."""
        return ServiceUserMemory(self._service, "")

    def user(self, user_id: str = "", *, zone: str = "") -> ServiceUserMemory:
        """Return one user's part; only an admin's key may name another user than its own.

        `zone` is the time zone that decides what "yesterday" means; without it that is the user's in the service.
        """
        return ServiceUserMemory(self._service.asked(zone=zone), user_id)

    def close(self) -> None:
        """Give back the connections."""
        self._service.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give back the connections."""
        self.close()


class AsyncServiceFacts(AsyncTwin[ServiceFacts]):
    """`me.facts`, awaited."""

    __call__ = awaited(ServiceFacts.__call__)
    set = awaited(ServiceFacts.set)
    doubts = awaited(ServiceFacts.doubts)
    settle = awaited(ServiceFacts.settle)


class AsyncServicePreferences(AsyncTwin[ServicePreferences]):
    """`me.preferences`, awaited."""

    __call__ = awaited(ServicePreferences.__call__)
    set = awaited(ServicePreferences.set)


class AsyncServiceEvents(AsyncTwin[ServiceEvents]):
    """`me.events`, awaited."""

    __call__ = awaited(ServiceEvents.__call__)
    log = awaited(ServiceEvents.log)
    timeline = awaited(ServiceEvents.timeline)


class AsyncServiceLessons(AsyncTwin[ServiceLessons]):
    """`me.lessons`, awaited."""

    __call__ = awaited(ServiceLessons.__call__)
    add = awaited(ServiceLessons.add)


class AsyncServiceInstructions(AsyncTwin[ServiceInstructions]):
    """`me.instructions`, awaited."""

    __call__ = awaited(ServiceInstructions.__call__)
    add = awaited(ServiceInstructions.add)


class AsyncServiceMessages(AsyncTwin[ServiceMessages]):
    """`me.messages`, awaited."""

    get = awaited(ServiceMessages.get)
    around = awaited(ServiceMessages.around)
    between = awaited(ServiceMessages.between)
    origins = awaited(ServiceMessages.origins)
    rate = awaited(ServiceMessages.rate)


class AsyncServiceMedia(AsyncTwin[ServiceMedia]):
    """`me.media`, awaited."""

    add = awaited(ServiceMedia.add)
    original = awaited(ServiceMedia.original)


class AsyncServicePlaces(AsyncTwin[ServicePlaces]):
    """`me.places`, awaited."""

    list = awaited(ServicePlaces.list)
    within = awaited(ServicePlaces.within)
    named = awaited(ServicePlaces.named)
    set = awaited(ServicePlaces.set)
    forget = awaited(ServicePlaces.forget)
    geocode = awaited(ServicePlaces.geocode)


class AsyncServiceConversation(AsyncTwin[ServiceConversation]):
    """One conversation, with verbs to await."""

    append = awaited(ServiceConversation.append)
    extend = awaited(ServiceConversation.extend)
    window = awaited(ServiceConversation.window)
    compact = awaited(ServiceConversation.compact)
    info = awaited(ServiceConversation.info)
    messages = awaited(ServiceConversation.messages)
    summary = awaited(ServiceConversation.summary)
    originals = awaited(ServiceConversation.originals)
    learned = awaited(ServiceConversation.learned)
    set_private = awaited(ServiceConversation.set_private)


class AsyncServiceUserMemory(AsyncTwin[ServiceUserMemory]):
    """One user's memories in a service, with verbs to await."""

    def __init__(self, sync: ServiceUserMemory) -> None:
        super().__init__(sync)
        self.user_id = sync.user_id
        self.address = sync.address
        self.facts = AsyncServiceFacts(sync.facts)
        self.preferences = AsyncServicePreferences(sync.preferences)
        self.events = AsyncServiceEvents(sync.events)
        self.lessons = AsyncServiceLessons(sync.lessons)
        self.instructions = AsyncServiceInstructions(sync.instructions)
        self.messages = AsyncServiceMessages(sync.messages)
        self.media = AsyncServiceMedia(sync.media)
        self.places = AsyncServicePlaces(sync.places)

    def conversation(self, id: str) -> AsyncServiceConversation:
        """Return a conversation by its id; it need not exist yet."""
        return AsyncServiceConversation(self._sync.conversation(id))

    async def scope(self, name: str) -> Self:
        """Return a shared scope that this user is a member of, with the same verbs. Raises NotFound."""
        return type(self)(await to_thread(self._sync.scope, name))

    scopes = awaited(ServiceUserMemory.scopes)
    conversations = awaited(ServiceUserMemory.conversations)
    remember = awaited(ServiceUserMemory.remember)
    remember_many = awaited(ServiceUserMemory.remember_many)
    recall = awaited(ServiceUserMemory.recall)
    search_context = awaited(ServiceUserMemory.search_context)
    about = awaited(ServiceUserMemory.about)
    similar = awaited(ServiceUserMemory.similar)
    insights = awaited(ServiceUserMemory.insights)
    tidy = awaited(ServiceUserMemory.tidy)
    clusters = awaited(ServiceUserMemory.clusters)
    merge = awaited(ServiceUserMemory.merge)
    get = awaited(ServiceUserMemory.get)
    update = awaited(ServiceUserMemory.update)
    rate = awaited(ServiceUserMemory.rate)
    history = awaited(ServiceUserMemory.history)
    list = awaited(ServiceUserMemory.list)
    stats = awaited(ServiceUserMemory.stats)
    forget = awaited(ServiceUserMemory.forget)
    before_prompt = awaited(ServiceUserMemory.before_prompt)
    start_session = awaited(ServiceUserMemory.start_session)
    after_turn = awaited(ServiceUserMemory.after_turn)
    end_session = awaited(ServiceUserMemory.end_session)


class AsyncClient(AsyncTwin[Client]):
    """A Recollect service, for `async with await AsyncClient.open(url, key=…)`. See `Client`."""

    @classmethod
    async def open(cls, url: str, *, key: str, timeout_s: float = _TIMEOUT_S) -> Self:
        """Open a service. See `Client.open`."""
        return cls(await to_thread(Client.open, url, key=key, timeout_s=timeout_s))

    @property
    def me(self) -> AsyncServiceUserMemory:
        """The part of the key's own user."""
        return AsyncServiceUserMemory(self._sync.me)

    def user(self, user_id: str = "", *, zone: str = "") -> AsyncServiceUserMemory:
        """Return one user's part; only an admin's key may name another user than its own."""
        return AsyncServiceUserMemory(self._sync.user(user_id, zone=zone))

    close = awaited(Client.close)
    __aexit__ = awaited(Client.__exit__)

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self
