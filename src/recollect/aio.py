"""The same verbs for programs that await: each runs in a worker thread. There is no second implementation here."""

from asyncio import to_thread
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from threading import Event
from types import TracebackType
from typing import Any, Self, Unpack

from recollect.doors import Doors
from recollect.engine.deeds import Deed
from recollect.figures import Estimate, Maintenance, Model, Problem, Reembedding, Stats, Status, StoreStats, Worked
from recollect.keys import Keys
from recollect.memory import Memory, UserMemory
from recollect.messages import (
    Appended,
    Captured,
    Compaction,
    Content,
    ConversationInfo,
    Message,
    MessageFields,
    NewMessage,
    Window,
)
from recollect.ports import Clock, Embedder, Summarizer
from recollect.settings import Settings
from recollect.types import (
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
    Space,
    TurnOutcome,
    VectorLike,
)
from recollect.user import Conversation
from recollect.vocabulary import USUAL_SOURCES, MemoryType, MessageRole, Source


class AsyncMemory:
    """An open store, for `async with`. See `Memory`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @classmethod
    async def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
    ) -> Self:
        """See `Memory.open`."""
        return cls(
            await to_thread(
                Memory.open, database, settings=settings, clock=clock, embedder=embedder, summarizer=summarizer
            )
        )

    def user(self, user_id: str) -> "AsyncUserMemory":
        """See `Memory.user`."""
        return AsyncUserMemory(self._memory.user(user_id))

    @property
    def keys(self) -> Keys:
        """See `Memory.keys`; its verbs are short, and there is nothing to await."""
        return self._memory.keys

    @property
    def doors(self) -> Doors:
        """See `Memory.doors`; its verbs are for threads."""
        return self._memory.doors

    @property
    def settings(self) -> Settings:
        """See `Memory.settings`."""
        return self._memory.settings

    async def stats(self) -> StoreStats:
        """See `Memory.stats`."""
        return await to_thread(self._memory.stats)

    async def status(self) -> Status:
        """See `Memory.status`."""
        return await to_thread(self._memory.status)

    async def doctor(self) -> tuple[Problem, ...]:
        """See `Memory.doctor`."""
        return await to_thread(self._memory.doctor)

    async def maintain(self) -> Maintenance:
        """See `Memory.maintain`."""
        return await to_thread(self._memory.maintain)

    async def embed_waiting(
        self, *, thorough: bool = True, stop: Event | None = None, tell: Callable[[Worked], None] | None = None
    ) -> Worked:
        """See `Memory.embed_waiting`."""
        return await to_thread(self._memory.embed_waiting, thorough=thorough, stop=stop, tell=tell)

    async def retry_parked(self) -> int:
        """See `Memory.retry_parked`."""
        return await to_thread(self._memory.retry_parked)

    async def reembed(
        self,
        provider: str | None = None,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        embedder: Embedder | None = None,
        wait: bool = True,
        bulk: bool | None = None,
        without_parked: bool = False,
        stop: Event | None = None,
        tell: Callable[[Worked], None] | None = None,
    ) -> Reembedding:
        """See `Memory.reembed`."""
        return await to_thread(
            self._memory.reembed,
            provider,
            model,
            dimensions=dimensions,
            embedder=embedder,
            wait=wait,
            bulk=bulk,
            without_parked=without_parked,
            stop=stop,
            tell=tell,
        )

    async def estimate(
        self, provider: str | None = None, model: str | None = None, *, dimensions: int | None = None
    ) -> Estimate:
        """See `Memory.estimate`."""
        return await to_thread(self._memory.estimate, provider, model, dimensions=dimensions)

    async def cancel_reembed(self) -> Space:
        """See `Memory.cancel_reembed`."""
        return await to_thread(self._memory.cancel_reembed)

    async def drop_model(self, name: str) -> Space:
        """See `Memory.drop_model`."""
        return await to_thread(self._memory.drop_model, name)

    async def models(self, *, ask: bool = True) -> tuple[Model, ...]:
        """See `Memory.models`."""
        return await to_thread(self._memory.models, ask=ask)

    async def close(self) -> None:
        """See `Memory.close`."""
        await to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        """Give itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        await self.close()


class AsyncUserMemory:
    """One user's memories, with verbs to await. See `UserMemory`."""

    def __init__(self, memory: UserMemory) -> None:
        self._memory = memory

    @property
    def user_id(self) -> str:
        """See `UserMemory.user_id`."""
        return self._memory.user_id

    def acting(self, deed: Deed) -> Self:
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
        vector: VectorLike | None = None,
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
            vector=vector,
            **filters,
        )

    async def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """See `UserMemory.forget`."""
        return await to_thread(
            self._memory.forget, id, query=query, session=session, source=source, everything=everything, dry_run=dry_run
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
    ) -> PromptContext:
        """See `UserMemory.before_prompt`."""
        return await to_thread(
            self._memory.before_prompt, content, session=session, id=id, speaker=speaker, metadata=metadata
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


class AsyncConversation:
    """One conversation, with verbs to await. See `Conversation`."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def user_id(self) -> str:
        """See `Conversation.user_id`."""
        return self._conversation.user_id

    @property
    def id(self) -> str:
        """See `Conversation.id`."""
        return self._conversation.id

    async def append(self, role: MessageRole, content: Content = "", **fields: Unpack[MessageFields]) -> Appended:
        """See `Conversation.append`."""
        return await to_thread(self._conversation.append, role, content, **fields)

    async def extend(self, messages: Iterable[NewMessage | Mapping[str, Any]]) -> tuple[Appended, ...]:
        """See `Conversation.extend`."""
        return await to_thread(self._conversation.extend, messages)

    async def window(self, max_tokens: int | None = None, *, reasoning: bool = False) -> Window:
        """See `Conversation.window`."""
        return await to_thread(self._conversation.window, max_tokens, reasoning=reasoning)

    async def compact(self, *, keep_recent: int | None = None) -> Compaction:
        """See `Conversation.compact`."""
        return await to_thread(self._conversation.compact, keep_recent=keep_recent)

    async def info(self) -> ConversationInfo | None:
        """See `Conversation.info`."""
        return await to_thread(self._conversation.info)

    async def messages(self, *, limit: int = 100, before: int | None = None) -> tuple[Message, ...]:
        """See `Conversation.messages`."""
        return await to_thread(self._conversation.messages, limit=limit, before=before)

    async def summary(self) -> Message | None:
        """See `Conversation.summary`."""
        return await to_thread(self._conversation.summary)

    async def originals(self, summary_id: str) -> tuple[Message, ...]:
        """See `Conversation.originals`."""
        return await to_thread(self._conversation.originals, summary_id)

    async def describe(self, metadata: Mapping[str, Any]) -> None:
        """See `Conversation.describe`."""
        await to_thread(self._conversation.describe, metadata)

    async def set_private(self, private: bool = True) -> None:  # noqa: FBT001, FBT002 - as in the twin
        """See `Conversation.set_private`."""
        await to_thread(self._conversation.set_private, private)
