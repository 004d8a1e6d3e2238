"""`me.conversation(id)`: its messages, its window, compaction; `me.messages`: single messages of any, and capture."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from recollect.api.scoped import Scoped, canonical, check_limit
from recollect.engine.base.context import Engine
from recollect.engine.conversations import capture, compact, message_drafts, message_log
from recollect.engine.memories.update import rate_message
from recollect.engine.search import times
from recollect.errors import InvalidInput
from recollect.model import kinds
from recollect.model.literals import MessageRole, Trust
from recollect.model.memories import Remembered, Scope
from recollect.model.messages import (
    Appended,
    Compaction,
    Content,
    ConversationInfo,
    Message,
    MessageFields,
    NewMessage,
    Window,
    message_of,
)
from recollect.model.readings import Captured, ExplainedReading, MemoryOrigin, Reading, TaughtMemory

_MAX_AROUND = 50


class Conversation(Scoped):
    """One conversation. It begins with the first message that is appended."""

    def __init__(self, engine: Engine, scope: Scope, id: str) -> None:
        super().__init__(engine, scope)
        self._id = message_drafts.conversation_name(id)

    @property
    def user_id(self) -> str:
        """The user whose conversation this is."""
        return self._scope.user_id

    @property
    def id(self) -> str:
        """The id of the conversation, chosen by the program that appends to it."""
        return self._id

    def append(self, role: MessageRole, content: Content = "", **fields: Unpack[MessageFields]) -> Appended:
        """Append a message. It is durable when this returns; its vector follows.

        With `id`, the host's own id for it, appending is idempotent. `content` is a text, or blocks in the format of
        OpenAI or Anthropic. An assistant's `tool_calls` and the results with their `tool_call_id` stay together in
        every window. `speaker` is the name of the person who says it, where there are several.
        """
        message = message_of(role, content, fields)
        parts = message_log.expand([message])
        position = next((number for number, part in enumerate(parts) if part is message), 0)
        return self._append_all(parts)[position]

    def extend(self, messages: Iterable[NewMessage | Mapping[str, Any]]) -> tuple[Appended, ...]:
        """Append several messages, all or none; mappings may be in the format of OpenAI or Anthropic."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("extend takes several messages, for example a list. To add one, use append.")
        return self._append_all(message_log.expand(messages))

    def import_messages(
        self, messages: Iterable[NewMessage | Mapping[str, Any]], *, trust: int = Trust.EXTERNAL
    ) -> tuple[Appended, ...]:
        """Import messages of another program, all or none. Each needs its `id`, so that importing is idempotent.

        What was forgotten here stays forgotten. No message is trusted more than `trust`: by default as little as an
        external source, so that `before_prompt` recalls none of it; a search does.
        """
        return message_log.bring(self._engine, self._scope, self._id, message_log.expand(messages), trust)

    def _append_all(self, messages: Sequence[NewMessage]) -> tuple[Appended, ...]:
        results = message_log.append(self._engine, self._scope, self._id, messages)
        if not self._engine.summarizers.chosen.costs and any(result.action == "created" for result in results):
            compact.if_due(self._engine, self._scope, self._id)
        return results

    def window(self, max_tokens: int | None = None, *, reasoning: bool = False) -> Window:
        """Return what to show a model: system prompts, the current summary and the newest turns that fit.

        Without `max_tokens` the setting `compaction.window_tokens` counts.
        """
        budget = self._engine.settings.compaction.window_tokens if max_tokens is None else max_tokens
        return message_log.show(self._engine, self._scope, self._id, budget, reasoning=reasoning)

    def compact(self, *, keep_recent: int | None = None) -> Compaction:
        """Fold all but the newest messages into the summary. Nothing is deleted; it is idempotent."""
        if keep_recent is not None and (isinstance(keep_recent, bool) or keep_recent < 0):
            raise InvalidInput(f"keep_recent is {keep_recent}; it must be a whole number, not negative.")
        return compact.compact(self._engine, self._scope, self._id, keep_recent=keep_recent)

    def info(self) -> ConversationInfo | None:
        """Return the statistics of the conversation; None when it does not exist yet."""
        return message_log.info(self._engine, self._scope, self._id)

    def messages(self, *, limit: int = 100, before: int | None = None) -> tuple[Message, ...]:
        """Return the last messages in order, compacted ones too; to page, pass a sequence number as `before`."""
        return message_log.messages(self._engine, self._scope, self._id, check_limit(limit), before)

    def summary(self) -> Message | None:
        """Return the current summary, if there is one."""
        return message_log.summary(self._engine, self._scope, self._id)

    def originals(self, summary_id: str) -> tuple[Message, ...]:
        """Return the messages that a summary was made from, in order."""
        return message_log.originals(self._engine, self._scope, canonical(summary_id, "message"))

    def learned(self) -> tuple[TaughtMemory, ...]:
        """Return the memories that were captured from the messages of this conversation, oldest first."""
        return message_log.learned(self._engine, self._scope, self._id)

    def describe(self, metadata: Mapping[str, Any]) -> None:
        """Set the conversation's metadata, such as its title or channel; it is part of the listing."""
        message_log.describe(self._engine, self._scope, self._id, metadata)

    def set_private(self, private: bool = True) -> None:  # noqa: FBT001, FBT002 - reads well as a switch
        """Switch storing off, or on again, from now on. What was stored before stays: `forget` it."""
        message_log.set_private(self._engine, self._scope, self._id, private=private)


class UserMessages(Scoped):
    """Single messages by id, and capture: what of a user's message is worth remembering."""

    def get(self, id: str) -> Message:
        """Return one message. Raises NotFound."""
        return message_log.message(self._engine, self._scope, canonical(id, "message"))

    def around(self, id: str, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """Return a message with its neighbours, in order; the id may be that of a hit. Raises NotFound.

        Compacted and archived messages are included, summaries are not.
        """
        for name, amount in (("before", before), ("after", after)):
            if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount <= _MAX_AROUND:
                raise InvalidInput(f"{name} is {amount!r}; it must be from 0 to {_MAX_AROUND}.")
        return message_log.surroundings(self._engine, self._scope, canonical(id, "message"), before, after)

    def between(
        self, *, since: kinds.Since | None = None, until: kinds.Until | None = None, limit: int = 50
    ) -> tuple[Message, ...]:
        """Return the newest messages of a time, of all conversations, in the order in which they were said."""
        first, last = times.bounds(self._engine, since, until)
        return message_log.between(self._reading, self._scope, first, last, check_limit(limit))

    def rate(self, message_id: str, feedback: int | None, *, comment: str = "") -> Message:
        """Store the user's feedback on a message: 1, -1, or None to take it back. Raises NotFound.

        What was rated down is found later. A `comment` that comes with two messages rated down becomes a lesson.
        """
        return rate_message(self._engine, self._scope, canonical(message_id, "message"), feedback, comment)

    def should_capture(self, text: str, *, before: str = "") -> bool:
        """Tell whether a user's message says anything worth remembering, after what another said `before` it."""
        return bool(self.preview_capture(text, before=before))

    def preview_capture(self, text: str, *, before: str = "") -> tuple[Captured, ...]:
        """Return what `capture` would store of a user's message, without storing it."""
        return capture.preview(self._engine, self._scope, text, before)

    def read(self, text: str, *, before: str = "") -> Reading:
        """Read a message: what lasts in it, what is not the user's own words, and whether an answer needs memory.

        `before` is what another said right before it: only the question says what "Jana" means.

        Raises ReaderError when the reader of the settings cannot read it, and InvalidInput when there is none.
        """
        return capture.read_strictly(self._engine, self._scope, text, before)

    def explain(self, text: str, *, before: str = "") -> ExplainedReading:
        """Read a message, and say what `capture` would make of it: what is kept, what is not, and why.

        Nothing is stored. Raises ReaderError and InvalidInput as `read` does.
        """
        return capture.explain(self._engine, self._scope, text, before)

    def origins(self, memory_id: str) -> tuple[MemoryOrigin, ...]:
        """Return the messages that a memory was captured from, with the words that say it. Raises NotFound.

        Messages that were forgotten are not among them; a memory that a program stored has none.
        """
        return capture.origins(self._engine, self._scope, canonical(memory_id))

    def capture(self, text: str, *, session: str = "", before: str = "") -> tuple[Remembered, ...]:
        """Store what a user's message says about the user; usually `after_turn` does this.

        `before` is what another said right before it; without it that is taken from the session.
        """
        return capture.capture_text(self._engine, self._scope, text, session, before)
