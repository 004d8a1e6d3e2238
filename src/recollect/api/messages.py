"""`me.messages`: single messages by id, whichever conversation they belong to, and what is captured from a text."""

from datetime import datetime

from recollect.api.scoped import Scoped, canonical, check_limit
from recollect.engine.conversations import capture, message_log
from recollect.engine.drafts import memory_drafts
from recollect.engine.memories.update import rate_message
from recollect.errors import InvalidInput
from recollect.model.memories import Remembered
from recollect.model.messages import Message
from recollect.model.readings import Captured, ExplainedReading, MemoryOrigin, Reading

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

    def between(
        self, *, since: datetime | None = None, until: datetime | None = None, limit: int = 50
    ) -> tuple[Message, ...]:
        """Return the newest messages of a time, of all conversations, in the order in which they were said."""
        first, last = memory_drafts.moment(since, "since"), memory_drafts.moment(until, "until")
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
