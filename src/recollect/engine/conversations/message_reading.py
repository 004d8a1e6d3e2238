"""Reading of messages, once a turn: what the hook before a prompt has read, capture does not read again."""

from hashlib import blake2b
from typing import NamedTuple

from recollect.engine.base.context import Engine
from recollect.errors import InvalidInput, InvalidMemory, ReaderError
from recollect.model.memories import Scope
from recollect.model.messages import Usage
from recollect.model.readings import Reading
from recollect.ports import Reader
from recollect.text.clean import clean
from recollect.text.quoting.fence import is_only_wrappers, without_fences
from recollect.text.secrets import REDACTION_MARK

_PURPOSE = "capture"
# A colon announces text of another person; that of our own mark does not. Offsets stay.
_UNANNOUNCED = REDACTION_MARK.replace(":", " ")


class ReadMessage(NamedTuple):
    """The user's words in a message, and their reading; None without a reader.

    `failed` is set when a reader could not read it, `unasked` when that was the language model of the settings.
    """

    text: str
    reading: Reading | None = None
    failed: bool = False
    unasked: bool = False


def own_text(content: str) -> str:
    """Give what a user wrote, without what hosts and this package wrap around it; empty for half a character."""
    try:
        return "" if is_only_wrappers(content) else clean(without_fences(content)).strip()
    except InvalidMemory:
        return ""


def read(engine: Engine, scope: Scope, content: str) -> ReadMessage:
    """Read a message for capture, with the reader of the settings; the bundled one stands in for a language model."""
    text = own_text(content)
    reader = engine.capture.reader
    if not text or reader is None:
        return ReadMessage(text)
    if reader.costs and engine.has_tokens_left():
        try:
            return ReadMessage(text, _cached(engine, scope, reader, text))
        except ReaderError as error:
            engine.record_usage(scope, _PURPOSE, reader.name, Usage(output_tokens=error.usage_tokens))
            return read_locally(engine, scope, content)._replace(failed=True, unasked=True)
    return read_locally(engine, scope, content)


def read_locally(engine: Engine, scope: Scope, content: str) -> ReadMessage:
    """Read a message with the bundled reader, which costs nothing."""
    text = own_text(content)
    reader = engine.capture.local
    if not text or reader is None:
        return ReadMessage(text)
    try:
        return ReadMessage(text, _cached(engine, scope, reader, text))
    except ReaderError:
        return ReadMessage(text, failed=True)


def read_strictly(engine: Engine, scope: Scope, text: str) -> Reading:
    """Read a text as it is, for a caller who wants to see it. Raises InvalidInput without a reader, or ReaderError."""
    reader = engine.capture.reader
    if reader is None:
        raise InvalidInput("No reader is set (capture.reader is none). Set it to local to read messages.")
    if reader.costs and not engine.has_tokens_left():
        raise InvalidInput("The tokens of the day (llm.tokens_per_day) are spent. Try again tomorrow, or raise it.")
    return _cached(engine, scope, reader, clean(text))


def _cached(engine: Engine, scope: Scope, reader: Reader, text: str) -> Reading:
    key = (reader.name, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())  # not the text
    reading = engine.capture.readings.find(scope, key)
    if reading is None:
        reading = reader.read(text.replace(REDACTION_MARK, _UNANNOUNCED))
        engine.capture.readings.keep(scope, key, reading)
        if reader.costs:
            engine.record_usage(scope, _PURPOSE, reader.name, reading.usage)
    return reading
