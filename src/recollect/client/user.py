"""One user's memories over HTTP: the verbs of `recollect.UserMemory`, with the same parameters and results."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike, fspath
from typing import Any, Self, Unpack, cast

from recollect.client.arguments import location_fields, memory_body, message_body, place_fields, refuse_vector
from recollect.client.conversation import ServiceConversation, ServiceMessages, ServicePlaces
from recollect.client.decode import decode, decode_all
from recollect.client.facts import ServiceEvents, ServiceFacts, ServiceInstructions, ServiceLessons, ServicePreferences
from recollect.client.media import ServiceMedia
from recollect.client.scoped import ServiceScoped
from recollect.client.service import path_part
from recollect.errors import InvalidInput, NotFound
from recollect.model.filters import FilterFields
from recollect.model.insights import Clusters, Insights, Tidying, TidyRule
from recollect.model.literals import USUAL_SOURCES, DocumentsFate, MemoryType, Source
from recollect.model.memories import (
    MemoryChanges,
    MemoryFields,
    MemoryRecord,
    NewMemory,
    Page,
    Remembered,
    VectorLike,
)
from recollect.model.messages import Content, ConversationInfo, NewMessage
from recollect.model.places import LocationLike, LocationMode, with_location
from recollect.model.scopes import Membership
from recollect.model.search import About, Forgotten, PromptContext, Recall, TurnOutcome
from recollect.model.stats import Stats

_BATCH = 100


class ServiceUserMemory(ServiceScoped):
    """One user's memories in a service. Get one from `Client.user`. The verbs are those of `UserMemory`."""

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
        shared = type(self)(self._service.in_scope(name), self._user_id)
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

    def remember(self, content: str, *, wait: bool | None = None, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory. It is durable when this returns. `wait` is up to the service and must be None."""
        _refuse_wait(wait)
        body = memory_body({"content": content, **fields})
        return decode(Remembered, self._post("/api/memories/unified", body))

    def remember_many(
        self,
        memories: Iterable[str | NewMemory | Mapping[str, Any]],
        *,
        wait: bool | None = None,
    ) -> tuple[Remembered, ...]:
        """Store many memories, in requests of a hundred, each whole or not at all; one result for each, in order."""
        if isinstance(memories, (str, Mapping)):
            raise InvalidInput("remember_many takes several memories, for example a list. To store one, use remember.")
        _refuse_wait(wait)
        bodies = [memory_body(memory) for memory in memories]
        stored: list[Remembered] = []
        for start in range(0, len(bodies), _BATCH):
            found = self._post("/api/memories/bulk", {"memories": bodies[start : start + _BATCH]})
            stored += decode_all(Remembered, found["results"])
        return tuple(stored)

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        files: bool = False,
        only_related: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        location_radius_km: float | None = None,
        scopes: str | Sequence[str] | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """Find memories by meaning and by words, best first; with `files` also in synced folders and documents."""
        refuse_vector(vector)
        switches = {"diverse": diverse, "files": files, "only_related": only_related}
        found = self._get(
            "/api/memories/search",
            whole=True,
            query=query,
            limit=limit,
            min_score=min_score,
            prefer=_several(prefer),
            scopes=_scopes(scopes),
            radius_km=radius_km,
            location_radius_km=location_radius_km,
            location_weight=location_weight,
            location_mode=location_mode,
            **{name: True for name, on in switches.items() if on},
            **location_fields(location),
            **_filters(filters),
        )
        return decode(Recall, found)

    def search_context(
        self,
        query: str,
        *,
        limit: int = 10,
        sources: Sequence[Source] = USUAL_SOURCES,
        session: str | None = None,
        current: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        min_score: float = 0.0,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        only_related: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        location_radius_km: float | None = None,
        scopes: str | Sequence[str] | None = None,
    ) -> Recall:
        """Search memories, messages and files together, best first."""
        refuse_vector(vector)
        if None not in (radius_km, location_radius_km):
            raise InvalidInput("radius_km and location_radius_km are the same; give one of them.")
        body = {
            "query": query,
            "limit": limit,
            "sources": list(sources),
            "session": session,
            "current": current,
            "since": since,
            "until": until,
            "min_score": min_score,
            "prefer": _several(prefer) or [],
            "diverse": diverse,
            "only_related": only_related,
            "scopes": _scopes(scopes),
            "radius_km": location_radius_km if radius_km is None else radius_km,
            "location_weight": location_weight,
            "location_mode": location_mode,
            "whole": True,
            **location_fields(location),
        }
        return decode(Recall, self._post("/api/context/search", body))

    def about(self, topic: str, *, limit: int = 5) -> About:
        """Collect what is known about a topic: under its name, under its nicknames, and by meaning."""
        return decode(About, self._get("/api/about", topic=topic, limit=limit, whole=True))

    def similar(self, id: str, *, limit: int = 5) -> Recall:
        """Find the current memories nearest in meaning to a memory, nearest first. Raises NotFound."""
        return decode(Recall, self._get(f"{_memory(id)}/similar", limit=limit, whole=True))

    def clusters(self, *, limit: int = 20, examples: int = 5) -> Clusters:
        """Find groups of similar memories, the largest first, and memories that say the same."""
        return decode(Clusters, self._get("/api/memories/clusters", limit=limit, examples=examples))

    def merge(self, id: str, *, into: str) -> MemoryRecord:
        """Merge a memory into another that says the same, and return that one, which stays as it is."""
        return decode(MemoryRecord, self._post(f"{_memory(id)}/merge", {"into": into}))

    def get(self, id: str, *, reveal: bool = False) -> MemoryRecord:
        """Return one memory, current or superseded. Raises NotFound. `reveal` shows the secrets that it keeps."""
        return decode(MemoryRecord, self._get(_memory(id), reveal=reveal or None))

    def update(self, id: str, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """Change a memory's content or fields and return it; the version before stays in its `history`."""
        refuse_vector(changes.get("vector"))
        return decode(MemoryRecord, self._send("PATCH", _memory(id), with_location(changes)))

    def rate(self, id: str, feedback: int | None, *, comment: str = "") -> MemoryRecord:
        """Store the user's feedback on a memory: 1, -1, or None to take it back. Raises NotFound."""
        return decode(MemoryRecord, self._post(f"{_memory(id)}/feedback", {"feedback": feedback, "comment": comment}))

    def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """Return all versions of a memory, oldest first, by the id of any of them. Raises NotFound."""
        return decode_all(MemoryRecord, self._get(f"{_memory(id)}/history")["items"])

    def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
        """List current memories, newest first, a page of at most 100 at a time."""
        return decode(Page, self._get("/api/memories", limit=limit, cursor=cursor, **_filters(filters)))

    def stats(self) -> Stats:
        """Return statistics of what this user has stored."""
        return decode(Stats, self._get("/api/stats"))

    def insights(self, *, days: int = 90, limit: int = 10) -> Insights:
        """Return what is asked of this user's memory, and what it holds; queries come from the service's search log."""
        return decode(Insights, self._get("/api/insights", days=days, limit=limit))

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

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        folder: str | PathLike[str] | None = None,
        everything: bool = False,
        all: bool = False,
        sources: bool = False,
        allow_again: bool = False,
        purge: bool = False,
        receipt: bool = False,
        dry_run: bool = False,
        documents: DocumentsFate = "ask",
    ) -> Forgotten:
        """Delete for good, with everything that was derived from it. `purge` is for the operator of the service."""
        if purge:
            raise InvalidInput("A service is purged by its operator, with `recollect purge`. Leave `purge` out.")
        path = None if folder is None else fspath(folder)
        target = {"id": id, "query": query, "session": session, "source": source, "folder": path}
        switches = {
            "everything": everything,
            "all": all,
            "sources": sources,
            "allow_again": allow_again,
            "receipt": receipt,
            "dry_run": dry_run,
        }
        named = {name: value for name, value in {**target, **switches}.items() if value not in (None, False)}
        if query is not None:
            named["whole"] = True
        if documents != "ask":
            named["documents"] = documents
        return decode(Forgotten, self._post("/api/forget", named))

    def before_prompt(
        self,
        content: Content,
        *,
        session: str,
        id: str = "",
        speaker: str = "",
        metadata: Mapping[str, Any] | None = None,
        location: LocationLike | None = None,
        max_tokens: int | None = None,
    ) -> PromptContext:
        """Hook before an agent answers: recall for the user's message, then save it as a request."""
        body = {
            "prompt": content if isinstance(content, str) else [*content],
            "session": session,
            "id": id,
            "speaker": speaker,
            "metadata": dict(metadata or {}),
            "max_tokens": max_tokens,
            "whole": True,
            **place_fields(location),
        }
        return decode(PromptContext, self._post("/api/hooks/before-prompt", body))

    def start_session(self, project: str = "", *, max_tokens: int | None = None) -> PromptContext:
        """Hook when a session begins: what is known about a project, by its name, and what the user prefers."""
        found = self._get("/api/hooks/session-start", project=project, max_tokens=max_tokens, whole=True)
        return decode(PromptContext, found)

    def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: str) -> TurnOutcome:
        """Hook after an agent has answered: save the turn's messages and capture what the user's words say."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("after_turn takes the messages of a turn, for example a list.")
        body = {"session": session, "messages": [message_body(message) for message in messages]}
        return decode(TurnOutcome, self._post("/api/hooks/agent-end", body))

    def end_session(self, session: str) -> Remembered | None:
        """Hook at the end of a session: store its summary as a memory, if `session_summaries` is set."""
        summary = self._post("/api/hooks/session-end", {"session": session})["summary"]
        return None if summary is None else decode(Remembered, summary)


def _memory(id: str) -> str:
    return f"/api/memories/{path_part(id)}"


def _filters(filters: FilterFields) -> dict[str, object]:
    given = dict(filters)
    return {**given, "type": _several(given.get("type"))}


def _several(given: object) -> list[object] | None:
    """Give one or several types as a list, and none as None."""
    several: list[object] = [given] if isinstance(given, str) else [*cast("Sequence[object]", given or ())]
    return several or None


def _scopes(given: str | Sequence[str] | None) -> list[object] | None:
    """Give the shared scopes of a search as a list; None leaves the choice to the service."""
    return None if given is None else _several(given) or ["none"]


def _refuse_wait(wait: bool | None) -> None:  # noqa: FBT001 - as the verbs have it
    if wait is not None:
        raise InvalidInput("Whether a vector is waited for is up to the service. Leave `wait` out.")
