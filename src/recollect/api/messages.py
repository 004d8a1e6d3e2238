"""`me.messages`: single messages by id, whichever conversation they belong to, and what is captured from a text."""

from recollect.api.scoped import Scoped, canonical
from recollect.engine.conversations import message_log, turns
from recollect.errors import InvalidInput
from recollect.model.memories import Remembered
from recollect.model.messages import Captured, Message
from recollect.text.fence import is_only_wrappers, without_fences

_MAX_AROUND = 50


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

    def rate(self, message_id: str, feedback: int | None) -> Message:
        """Store the user's feedback on a message: 1, -1, or None to take it back. Raises NotFound."""
        return message_log.rate(self._engine, self._scope, canonical(message_id, "message"), feedback)

    def should_capture(self, text: str) -> bool:
        """Tell whether a user's message says anything worth remembering."""
        from recollect.text import capture  # noqa: PLC0415 - its rules are compiled when it is imported

        return not is_only_wrappers(text) and capture.should_capture(
            without_fences(text), self._engine.capture.patterns
        )

    def preview_capture(self, text: str) -> tuple[Captured, ...]:
        """Return what `capture` would store of a user's message, without storing it."""
        from recollect.text import capture  # noqa: PLC0415 - as above

        plain = "" if is_only_wrappers(text) else without_fences(text)
        limit = self._engine.settings.capture.limit
        return capture.capture(plain, limit=limit, patterns=self._engine.capture.patterns) if plain else ()

    def capture(self, text: str, *, session: str = "") -> tuple[Remembered, ...]:
        """Store what a user's message says about the user; usually `after_turn` does this."""
        return turns.capture(self._engine, self._scope, text, session)
