"""One conversation, and the verbs for it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from recollect.api.scoped import Scoped, canonical, check_limit
from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact, message_drafts, message_log
from recollect.errors import InvalidInput, InvalidMessage
from recollect.model.literals import MessageRole, Trust
from recollect.model.memories import Scope
from recollect.model.messages import (
    Appended,
    Compaction,
    Content,
    ConversationInfo,
    Message,
    MessageFields,
    NewMessage,
    Window,
)


class Conversation(Scoped):
    """What was said in one conversation. It begins with the first message that is appended."""

    def __init__(self, engine: Engine, scope: Scope, id: str) -> None:
        super().__init__(engine, scope)
        self._id = message_drafts.conversation_name(id)

    @property
    def id(self) -> str:
        """The name of the conversation."""
        return self._id

    def append(self, role: MessageRole, content: Content = "", **fields: Unpack[MessageFields]) -> Appended:
        """Add a message. It is durable when this returns; its vector follows.

        With `id`, the host's own id for it, a message that comes twice is kept once. `content` is a text, or blocks in
        the manner of OpenAI or Anthropic. An assistant's `tool_calls` and the results with their `tool_call_id` stay
        together in every window. `speaker` is the name of whoever says it, where there are several people.
        """
        try:
            message = NewMessage(role, content, **fields)
        except TypeError as error:
            known = ", ".join(sorted(MessageFields.__annotations__))
            raise InvalidMessage(f"{error}. A message has: {known}.") from error
        parts = message_log.expand([message])
        position = next((number for number, part in enumerate(parts) if part is message), 0)
        return self._added(parts)[position]

    def extend(self, messages: Iterable[NewMessage | Mapping[str, Any]]) -> tuple[Appended, ...]:
        """Add several messages, all or none; mappings may be in the manner of OpenAI or Anthropic."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("extend takes several messages, for example a list. To add one, use append.")
        return self._added(message_log.expand(messages))

    def bring(
        self, messages: Iterable[NewMessage | Mapping[str, Any]], *, trust: int = Trust.EXTERNAL
    ) -> tuple[Appended, ...]:
        """Add what was said in another program, all or none. Each needs its `id`, so that it is brought once.

        What was forgotten here stays forgotten. Nobody is trusted more than `trust`: by default as far as a stranger,
        so that before a prompt nothing of it is recalled unless somebody searches for it.
        """
        return message_log.bring(self._engine, self._scope, self._id, message_log.expand(messages), trust)

    def _added(self, messages: Sequence[NewMessage]) -> tuple[Appended, ...]:
        appended = message_log.append(self._engine, self._scope, self._id, messages)
        if not self._engine.summarizer.costs and any(one.action == "created" for one in appended):
            compact.if_due(self._engine, self._scope, self._id)
        return appended

    def window(self, max_tokens: int | None = None, *, reasoning: bool = False) -> Window:
        """Give what to show a model: system prompts, the live summary and the newest turns that fit.

        Without `max_tokens` the setting `compaction.window_tokens` counts.
        """
        most = self._engine.settings.compaction.window_tokens if max_tokens is None else max_tokens
        return message_log.show(self._engine, self._scope, self._id, most, reasoning=reasoning)

    def compact(self, *, keep_recent: int | None = None) -> Compaction:
        """Fold all but the newest messages into the summary. Nothing is deleted; doing it twice changes nothing."""
        if keep_recent is not None and (isinstance(keep_recent, bool) or keep_recent < 0):
            raise InvalidInput(f"keep_recent is {keep_recent}; it must be a whole number, not negative.")
        return compact.compact(self._engine, self._scope, self._id, keep_recent=keep_recent)

    def info(self) -> ConversationInfo | None:
        """Give the figures of the conversation; None when there is no such one yet."""
        return message_log.info(self._engine, self._scope, self._id)

    def messages(self, *, limit: int = 100, before: int | None = None) -> tuple[Message, ...]:
        """Give the last messages in order, folded ones too; `before` is a sequence to go on from."""
        return message_log.messages(self._engine, self._scope, self._id, check_limit(limit), before)

    def summary(self) -> Message | None:
        """Give the live summary, if there is one."""
        return message_log.summary(self._engine, self._scope, self._id)

    def originals(self, summary_id: str) -> tuple[Message, ...]:
        """Give the messages that a summary was made from, in order."""
        return message_log.originals(self._engine, self._scope, canonical(summary_id, "message"))

    def describe(self, metadata: Mapping[str, Any]) -> None:
        """Note what you know about the conversation, such as its title or channel; it shows in the listing."""
        message_log.describe(self._engine, self._scope, self._id, metadata)

    def set_private(self, private: bool = True) -> None:  # noqa: FBT001, FBT002 - reads well as a switch
        """From now on keep nothing that is said here, or keep it again. What was kept before stays: `forget` it."""
        message_log.set_private(self._engine, self._scope, self._id, private=private)
