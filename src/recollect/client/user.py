"""One user's memories over HTTP, with typed ones: the verbs of `recollect.UserMemory`, and their results."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self, Unpack, cast

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.verbs import MemoryVerbs
from recollect.client.conversation import ServiceConversation, ServiceMessages, ServicePlaces, fields_of, message_body
from recollect.client.decode import decode, decode_all
from recollect.client.media import ServiceMedia
from recollect.client.sent import sent
from recollect.client.service import ServiceScoped, path_part
from recollect.errors import InvalidInput, InvalidMemory, NotFound
from recollect.model import kinds
from recollect.model.insights import Tidying, TidyRule
from recollect.model.memories import MemoryChanges, MemoryRecord, NewMemory, Remembered, VectorLike
from recollect.model.messages import ConversationInfo, NewMessage
from recollect.model.parameters import kind_of
from recollect.model.places import with_location
from recollect.model.scopes import Membership
from recollect.model.search import TurnOutcome

_BATCH = 100


class ServiceFacts(ServiceScoped):
    """Facts about things."""

    __call__ = sent(UserFacts.__call__)
    set = sent(UserFacts.set)
    doubts = sent(UserFacts.doubts)
    settle = sent(UserFacts.settle)


class ServicePreferences(ServiceScoped):
    """Preferences by category."""

    __call__ = sent(UserPreferences.__call__)
    set = sent(UserPreferences.set)


class ServiceEvents(ServiceScoped):
    """The timeline of what happened."""

    __call__ = sent(UserEvents.__call__)
    log = sent(UserEvents.log)
    timeline = sent(UserEvents.timeline)


class ServiceLessons(ServiceScoped):
    """Lessons learned."""

    __call__ = sent(UserLessons.__call__)
    add = sent(UserLessons.add)


class ServiceInstructions(ServiceScoped):
    """How the assistant shall behave."""

    __call__ = sent(UserInstructions.__call__)
    add = sent(UserInstructions.add)


class ServiceUserMemory(ServiceScoped):
    """One user's memories in a service. Get one from `Client.user`. The verbs are those of `UserMemory`."""

    remember = sent(MemoryVerbs.remember)
    recall = sent(MemoryVerbs.recall)
    search_context = sent(MemoryVerbs.search_context)
    about = sent(MemoryVerbs.about)
    similar = sent(MemoryVerbs.similar)
    clusters = sent(MemoryVerbs.clusters)
    merge = sent(MemoryVerbs.merge)
    get = sent(MemoryVerbs.get)
    rate = sent(MemoryVerbs.rate)
    history = sent(MemoryVerbs.history)
    list = sent(MemoryVerbs.list)
    stats = sent(MemoryVerbs.stats)
    insights = sent(MemoryVerbs.insights)
    forget = sent(MemoryVerbs.forget)
    before_prompt = sent(MemoryVerbs.before_prompt)
    start_session = sent(MemoryVerbs.start_session)

    @property
    def user_id(self) -> str:
        """The user whose memories these are; empty for the key's own user."""
        return self._user_id

    @property
    def address(self) -> str:
        """Where these memories are, and whose: what waits for one is never stored in another."""
        address = f"{self._service.url} {self._user_id}"
        return f"{address} {self._service.scope}" if self._service.scope else address

    def scope(self, name: str) -> Self:
        """Return a shared scope that this user is a member of, with the same verbs. Raises NotFound."""
        if not name.strip():
            raise NotFound("A shared scope has a name. `scopes` lists those of the user.")
        shared = type(self)(self._service.asked(scope=name), self._user_id)
        shared.scopes()
        return shared

    def scopes(self) -> tuple[Membership, ...]:
        """List the shared scopes that this user is a member of, by name."""
        return decode_all(Membership, self._get("/api/scopes")["items"])

    @property
    def facts(self) -> ServiceFacts:
        """Facts about things."""
        return ServiceFacts(self._service, self._user_id)

    @property
    def preferences(self) -> ServicePreferences:
        """Preferences."""
        return ServicePreferences(self._service, self._user_id)

    @property
    def events(self) -> ServiceEvents:
        """The timeline."""
        return ServiceEvents(self._service, self._user_id)

    @property
    def lessons(self) -> ServiceLessons:
        """Lessons."""
        return ServiceLessons(self._service, self._user_id)

    @property
    def instructions(self) -> ServiceInstructions:
        """Standing instructions."""
        return ServiceInstructions(self._service, self._user_id)

    @property
    def messages(self) -> ServiceMessages:
        """Single messages by id."""
        return ServiceMessages(self._service, self._user_id)

    @property
    def media(self) -> ServiceMedia:
        """Pictures and the like."""
        return ServiceMedia(self._service, self._user_id)

    @property
    def places(self) -> ServicePlaces:
        """Places and geocoding."""
        return ServicePlaces(self._service, self._user_id)

    def conversation(self, id: str) -> ServiceConversation:
        """Return a conversation by its id; it need not exist yet."""
        return ServiceConversation(self._service, self._user_id, id)

    def conversations(
        self, *, limit: int = 50, before: ConversationInfo | tuple[datetime, str] | None = None
    ) -> tuple[ConversationInfo, ...]:
        """List conversations with their statistics, the most recently active first."""
        position = (before.updated_at, before.id) if isinstance(before, ConversationInfo) else before
        cursor = None if position is None else f"{position[0].timestamp() * 1_000_000:.0f}.{position[1]}"
        found = self._get("/api/conversations", limit=limit, cursor=cursor)
        return decode_all(ConversationInfo, found["items"])

    def remember_many(
        self, memories: Iterable[str | NewMemory | Mapping[str, Any]], *, wait: bool | None = None
    ) -> tuple[Remembered, ...]:
        """Store many memories, in requests of a hundred, each whole or not at all; one result for each, in order."""
        if isinstance(memories, (str, Mapping)):
            raise InvalidInput("remember_many takes several memories, for example a list. To store one, use remember.")
        if wait is not None:
            raise InvalidInput(kind_of(kinds.Wait).here)
        bodies = [_memory_body(memory) for memory in memories]
        stored: list[Remembered] = []
        for start in range(0, len(bodies), _BATCH):
            found = self._post("/api/memories/bulk", {"memories": bodies[start : start + _BATCH]})
            stored += decode_all(Remembered, found["results"])
        return tuple(stored)

    def update(self, id: kinds.ItemId, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """Change a memory's content or fields and return it; the version before stays in its `history`."""
        _refuse_vector(changes.get("vector"))
        return decode(MemoryRecord, self._send("PATCH", f"/api/memories/{path_part(id)}", with_location(changes)))

    def tidy(
        self, *, rules: TidyRule | Sequence[TidyRule] = (), limit: int = 100, apply: Iterable[str] = ()
    ) -> Tidying:
        """Suggest what could go; what `apply` names by the ids of suggestions is forgotten or archived."""
        if isinstance(apply, str):
            raise InvalidInput(f"apply is the text {apply!r}; give the ids of suggestions, for example ({apply!r},).")
        ids = [*apply]
        if not ids:
            return decode(Tidying, self._get("/api/tidy", rule=_several(rules), limit=limit))
        parts = [
            decode(Tidying, self._post("/api/tidy", {"apply": ids[first : first + _BATCH]}))
            for first in range(0, len(ids), _BATCH)
        ]
        forgotten = tuple(item_id for part in parts for item_id in part.forgotten)
        return Tidying((), forgotten, tuple(chat for part in parts for chat in part.archived))

    def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: kinds.Session) -> TurnOutcome:
        """Hook after an agent has answered: save the turn's messages and capture what the user's words say."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("after_turn takes the messages of a turn, for example a list.")
        body = {"session": session, "messages": [message_body(message) for message in messages]}
        return decode(TurnOutcome, self._post("/api/hooks/agent-end", body))

    def end_session(self, session: kinds.Session) -> Remembered | None:
        """Hook at the end of a session: store its summary as a memory, if `session_summaries` is set."""
        summary = self._post("/api/hooks/session-end", {"session": session})["summary"]
        return None if summary is None else decode(Remembered, summary)


def _refuse_vector(vector: VectorLike | None) -> None:
    """Refuse a vector, which the service makes by itself. Raises InvalidInput."""
    if vector is not None:
        raise InvalidInput("A vector cannot be sent to a service, which makes its own. Leave `vector` out.")


def _memory_body(memory: str | NewMemory | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a memory: what differs from the defaults."""
    if isinstance(memory, str):
        return {"content": memory}
    fields: Mapping[str, Any] = fields_of(memory) if isinstance(memory, NewMemory) else with_location(memory)
    _refuse_vector(fields.get("vector"))
    defaults = fields_of(NewMemory(""))
    if unknown := sorted(fields.keys() - defaults.keys()):
        raise InvalidMemory(f"A memory has no {', '.join(unknown)}. Its fields are: {', '.join(defaults)}, location.")
    return {
        name: value
        for name, value in fields.items()
        if name == "content" or name not in defaults or value != defaults[name]
    }


def _several(given: object) -> list[object] | None:
    """Give one or several types as a list, and none as None."""
    several: list[object] = [given] if isinstance(given, str) else [*cast("Sequence[object]", given or ())]
    return several or None
