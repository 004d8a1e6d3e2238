"""The verbs around an agent's turn, and for what was said in it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from recollect.api.conversation import Conversation
from recollect.api.scoped import Scoped, as_location, canonical, check_limit, types_of, whereabouts
from recollect.engine.audit import search_log
from recollect.engine.conversations import message_drafts, message_log, sessions, turns
from recollect.engine.drafts import memory_drafts
from recollect.engine.places import user_places
from recollect.engine.search import all_sources
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import USUAL_SOURCES, MemoryType, Source
from recollect.model.memories import (
    ChunkFilters,
    Filters,
    MessageFilters,
    PromptContext,
    Recall,
    Remembered,
    TurnOutcome,
    VectorLike,
)
from recollect.model.messages import Captured, Content, ConversationInfo, Message, NewMessage
from recollect.model.places import Location, LocationLike, LocationMode
from recollect.text import capture
from recollect.text.fence import is_envelope, without_fences

MAX_AROUND = 50


class TurnVerbs(Scoped):
    """The verbs that an agent's host calls."""

    def conversation(self, id: str) -> Conversation:
        """Give a conversation; it need not exist yet."""
        return Conversation(self._engine, self._scope, id)

    def conversations(
        self, *, limit: int = 50, before: ConversationInfo | tuple[datetime, str] | None = None
    ) -> tuple[ConversationInfo, ...]:
        """List the conversations with their figures, the one that was spoken in last first.

        `before` is the last one of the page before, or its `updated_at` and id.
        """
        place = (before.updated_at, before.id) if isinstance(before, ConversationInfo) else before
        if place is not None:
            place = (memory_drafts.utc(place[0], "before"), place[1])
        return message_log.listing(self._engine, self._scope, check_limit(limit), place)

    def before_prompt(
        self,
        content: Content,
        *,
        session: str,
        id: str = "",
        speaker: str = "",
        metadata: Mapping[str, Any] | None = None,
        location: LocationLike | None = None,
    ) -> PromptContext:
        """Call this with what the user said, before the agent answers.

        It searches, then saves the request, and gives a block of related information to put before the prompt. It does
        not fail because something is slow or broken: `degraded` says what is missing. `speaker` is the name of the
        user, where several people talk to the agent. `location` is where the user is: it is kept with the request, and
        what is near ranks higher.
        """
        where = Location() if location is None else self._placed(as_location(location))
        request = NewMessage(
            "user",
            content,
            id=id,
            speaker=speaker,
            metadata=metadata or {},
            lat=where.lat,
            lng=where.lng,
            address=where.address,
            place_label=where.place_label,
        )
        return turns.before_prompt(self._engine, self._scope, message_drafts.conversation_name(session), request)

    def _placed(self, location: Location) -> Location:
        """Give a place of the user's own its coordinates."""
        if location.lat is not None or not location.place_label:
            return location
        try:
            return user_places.place(self._engine, self._scope, location.place_label)
        except NotFound:
            return location

    def after_turn(self, messages: Iterable[NewMessage | Mapping[str, Any]], *, session: str) -> TurnOutcome:
        """Call this with the messages of a turn, after the agent has answered.

        It saves what is not saved yet, and keeps what can be learned from the user's words. Messages may be in the
        manner of OpenAI or Anthropic, and may contain the whole conversation: a turn that comes twice has one effect.
        """
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("after_turn takes the messages of a turn, for example a list.")
        return turns.after_turn(self._engine, self._scope, message_drafts.conversation_name(session), messages)

    def end_session(self, session: str) -> Remembered | None:
        """Call this when a session ends: it keeps a summary as a memory, if `session_summaries` is set."""
        if not self._engine.settings.session_summaries:
            return None
        return sessions.end(self._engine, self._scope, message_drafts.conversation_name(session))

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
        vector: VectorLike | None = None,
        location: LocationLike | None = None,
        radius_km: float | None = None,
        location_weight: float | None = None,
        location_mode: LocationMode = "boost",
    ) -> Recall:
        """Search memories, all that was said, and files, best first. The query is read as that of `recall`.

        `session` narrows it down to one conversation and what was stored in it, without files. `current` is the
        conversation that is going on: its last turn is left out, because it is what you ask about. `location` and what
        belongs to it are meant as in `recall`.
        """
        start = None if since is None else memory_drafts.utc(since, "since")
        end = None if until is None else memory_drafts.utc(until, "until")
        going_on: tuple[str, ...] = ()
        if current is not None:
            going_on = self._engine.store.read(self._scope, lambda reader: all_sources.current_turn(reader, current))
        ask = partial(
            all_sources.search,
            self._engine,
            self._scope,
            query,
            sources=sources,
            memories=Filters(now=self._engine.clock.now(), session=session, since=start, until=end),
            messages=MessageFilters(conversation=session, since=start, until=end, excluded=going_on),
            files=None if session is not None else ChunkFilters(since=start, until=end),
            wish=SearchOptions(
                check_limit(limit),
                min_score,
                preferred=types_of(prefer),
                diverse=diverse,
                where=whereabouts(location, radius_km, location_weight, location_mode),
            ),
            vector=vector,
        )
        return search_log.noted(self._engine, self._scope, "search", query, ask)

    def message(self, id: str) -> Message:
        """Give one message. Raises NotFound."""
        return message_log.message(self._engine, self._scope, canonical(id, "message"))

    def surroundings(self, id: str, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """Give a message with what was said before and after it, in order; the id may be that of a hit.

        What is folded or archived is given too, summaries are not. Raises NotFound.
        """
        for name, amount in (("before", before), ("after", after)):
            _check_reach(name, amount)
        return message_log.surroundings(self._engine, self._scope, canonical(id, "message"), before, after)

    def rate(self, message_id: str, feedback: int | None) -> Message:
        """Note what the user thought of a message: 1, -1, or None to take it back. Raises NotFound."""
        return message_log.rate(self._engine, self._scope, canonical(message_id, "message"), feedback)

    def should_capture(self, text: str) -> bool:
        """Tell whether a user's message says anything worth keeping."""
        return not is_envelope(text) and capture.should_capture(without_fences(text), self._engine.patterns)

    def captures(self, text: str) -> tuple[Captured, ...]:
        """Give what the rules would keep of a user's message, without keeping it."""
        found = () if is_envelope(text) else without_fences(text)
        limit = self._engine.settings.capture.limit
        return capture.capture(found, limit=limit, patterns=self._engine.patterns) if found else ()

    def capture(self, text: str, *, session: str = "") -> tuple[Remembered, ...]:
        """Keep what a user's message says about them; usually `after_turn` does this."""
        return turns.capture(self._engine, self._scope, text, session)


def _check_reach(name: str, amount: int) -> None:
    if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount <= MAX_AROUND:
        raise InvalidInput(f"{name} is {amount!r}; it must be from 0 to {MAX_AROUND}.")
