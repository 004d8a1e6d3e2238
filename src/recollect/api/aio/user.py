"""One user's verbs, awaited."""

from asyncio import to_thread
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, Self, Unpack

from recollect.api.aio.conversation import AsyncConversation
from recollect.api.aio.files import AsyncFileVerbs
from recollect.api.aio.places import AsyncPlaceVerbs
from recollect.engine.audit.idempotency import AuditedWrite
from recollect.model.literals import USUAL_SOURCES, MemoryType, Source
from recollect.model.memories import (
    About,
    CommonFields,
    FilterFields,
    Forgotten,
    MemoryChanges,
    MemoryFields,
    MemoryRecord,
    NewMemory,
    Page,
    PromptContext,
    Recall,
    Remembered,
    TurnOutcome,
    VectorLike,
)
from recollect.model.messages import Captured, Content, ConversationInfo, Message, NewMessage
from recollect.model.places import LocationLike, LocationMode
from recollect.model.stats import Stats


class AsyncUserMemory(AsyncFileVerbs, AsyncPlaceVerbs):
    """One user's memories, with verbs to await. See `UserMemory`."""

    @property
    def user_id(self) -> str:
        """See `UserMemory.user_id`."""
        return self._memory.user_id

    def acting(self, deed: AuditedWrite) -> Self:
        """See `UserMemory.acting`."""
        return type(self)(self._memory.acting(deed))

    async def remember(self, content: str, *, wait: bool | None = None, **fields: Unpack[MemoryFields]) -> Remembered:
        """See `UserMemory.remember`."""
        return await to_thread(self._memory.remember, content, wait=wait, **fields)

    async def remember_many(
        self,
        memories: Iterable[str | NewMemory | Mapping[str, Any]],
        *,
        near_duplicates: bool = False,
        wait: bool | None = None,
    ) -> tuple[Remembered, ...]:
        """See `UserMemory.remember_many`."""
        return await to_thread(self._memory.remember_many, memories, near_duplicates=near_duplicates, wait=wait)

    async def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        prefer: MemoryType | Sequence[MemoryType] = (),
        diverse: bool = False,
        files: bool = False,
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """See `UserMemory.recall`."""
        return await to_thread(
            self._memory.recall,
            query,
            limit=limit,
            min_score=min_score,
            prefer=prefer,
            diverse=diverse,
            files=files,
            vector=vector,
            location=location,
            radius_km=radius_km,
            location_weight=location_weight,
            location_mode=location_mode,
            **filters,
        )

    async def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        folder: str | PathLike[str] | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """See `UserMemory.forget`."""
        return await to_thread(
            self._memory.forget,
            id,
            query=query,
            session=session,
            source=source,
            folder=folder,
            everything=everything,
            dry_run=dry_run,
        )

    async def get(self, id: str) -> MemoryRecord:
        """See `UserMemory.get`."""
        return await to_thread(self._memory.get, id)

    async def update(self, id: str, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """See `UserMemory.update`."""
        return await to_thread(self._memory.update, id, **changes)

    async def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
        """See `UserMemory.list`."""
        return await to_thread(self._memory.list, limit=limit, cursor=cursor, **filters)

    async def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.history`."""
        return await to_thread(self._memory.history, id)

    async def count(self, **filters: Unpack[FilterFields]) -> int:
        """See `UserMemory.count`."""
        return await to_thread(self._memory.count, **filters)

    async def stats(self) -> Stats:
        """See `UserMemory.stats`."""
        return await to_thread(self._memory.stats)

    async def state_fact(
        self, subject: str, key: str, value: str, *, content: str = "", **fields: Unpack[CommonFields]
    ) -> Remembered:
        """See `UserMemory.state_fact`."""
        return await to_thread(self._memory.state_fact, subject, key, value, content=content, **fields)

    async def set_preference(
        self, category: str, key: str, value: str, *, content: str = "", **fields: Unpack[CommonFields]
    ) -> Remembered:
        """See `UserMemory.set_preference`."""
        return await to_thread(self._memory.set_preference, category, key, value, content=content, **fields)

    async def log_event(
        self,
        summary: str,
        *,
        kind: str = "event",
        entity: str = "",
        details: str = "",
        occurred_at: datetime | None = None,
        **fields: Unpack[CommonFields],
    ) -> Remembered:
        """See `UserMemory.log_event`."""
        return await to_thread(
            self._memory.log_event,
            summary,
            kind=kind,
            entity=entity,
            details=details,
            occurred_at=occurred_at,
            **fields,
        )

    async def learn_lesson(self, lesson: str, **fields: Unpack[CommonFields]) -> Remembered:
        """See `UserMemory.learn_lesson`."""
        return await to_thread(self._memory.learn_lesson, lesson, **fields)

    async def facts(
        self, subject: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.facts`."""
        return await to_thread(self._memory.facts, subject, key=key, limit=limit)

    async def preferences(
        self, category: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.preferences`."""
        return await to_thread(self._memory.preferences, category, key=key, limit=limit)

    async def lessons(self, *, context: str | None = None, limit: int = 100) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.lessons`."""
        return await to_thread(self._memory.lessons, context=context, limit=limit)

    async def events(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: float | None = None,
        entity: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.events`."""
        return await to_thread(
            self._memory.events,
            since=since,
            until=until,
            min_importance=min_importance,
            entity=entity,
            kind=kind,
            limit=limit,
        )

    async def about(self, topic: str, *, limit: int = 5) -> About:
        """See `UserMemory.about`."""
        return await to_thread(self._memory.about, topic, limit=limit)

    def conversation(self, id: str) -> "AsyncConversation":
        """See `UserMemory.conversation`."""
        return AsyncConversation(self._memory.conversation(id))

    async def conversations(
        self, *, limit: int = 50, before: ConversationInfo | tuple[datetime, str] | None = None
    ) -> tuple[ConversationInfo, ...]:
        """See `UserMemory.conversations`."""
        return await to_thread(self._memory.conversations, limit=limit, before=before)

    async def before_prompt(
        self,
        content: Content,
        *,
        session: str,
        id: str = "",
        speaker: str = "",
        metadata: Mapping[str, Any] | None = None,
        location: LocationLike | None = None,
    ) -> PromptContext:
        """See `UserMemory.before_prompt`."""
        return await to_thread(
            self._memory.before_prompt,
            content,
            session=session,
            id=id,
            speaker=speaker,
            metadata=metadata,
            location=location,
        )

    async def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: str) -> TurnOutcome:
        """See `UserMemory.after_turn`."""
        return await to_thread(self._memory.after_turn, messages, session=session)

    async def end_session(self, session: str) -> Remembered | None:
        """See `UserMemory.end_session`."""
        return await to_thread(self._memory.end_session, session)

    async def search_context(
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
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
    ) -> Recall:
        """See `UserMemory.search_context`."""
        return await to_thread(
            self._memory.search_context,
            query,
            limit=limit,
            sources=sources,
            session=session,
            current=current,
            since=since,
            until=until,
            min_score=min_score,
            prefer=prefer,
            diverse=diverse,
            vector=vector,
            location=location,
            radius_km=radius_km,
            location_weight=location_weight,
            location_mode=location_mode,
        )

    async def surroundings(self, id: str, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """See `UserMemory.surroundings`."""
        return await to_thread(self._memory.surroundings, id, before=before, after=after)

    async def message(self, id: str) -> Message:
        """See `UserMemory.message`."""
        return await to_thread(self._memory.message, id)

    async def rate(self, message_id: str, feedback: int | None) -> Message:
        """See `UserMemory.rate`."""
        return await to_thread(self._memory.rate, message_id, feedback)

    async def should_capture(self, text: str) -> bool:
        """See `UserMemory.should_capture`."""
        return await to_thread(self._memory.should_capture, text)

    async def captures(self, text: str) -> tuple[Captured, ...]:
        """See `UserMemory.captures`."""
        return await to_thread(self._memory.captures, text)

    async def capture(self, text: str, *, session: str = "") -> tuple[Remembered, ...]:
        """See `UserMemory.capture`."""
        return await to_thread(self._memory.capture, text, session=session)
