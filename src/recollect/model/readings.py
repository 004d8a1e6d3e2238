"""What a reader finds in one message: lasting statements, text that is not the user's own, and the need of memory."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from recollect.model.literals import MemoryType, StatementType
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message, Usage

SkipReason = Literal["handed_over", "pasted", "secret", "type", "injection", "once", "short", "confidence"]

READING_KEYS: Final = (
    *("name", "nickname", "birthday", "age", "origin", "home", "address", "phone", "email", "account", "employer"),
    *("job", "school", "language", "partner", "child", "parent", "sibling", "relative", "friend", "colleague", "pet"),
    *("health", "allergy", "diet", "medicine", "car", "device", "tool", "project", "finance", "possession", "hobby"),
    *("sport", "belief", "schedule", "habit", "goal", "size", "timezone", "code", "trait", "like", "dislike"),
    *("favourite", "prefer"),
)  # in the order of the bundled model's outputs

# The subjects of what users say of themselves, and of standing instructions. Neither says more than whose memory it is.
USER: Final = "user"
ASSISTANT: Final = "assistant"

# What the metadata of a captured memory hold: what found it, which property its value is of, whether it is an
# instruction that applies always, where the message says it, and where the turn before asks for it.
CAPTURED_BY: Final = "captured_by"
PROPERTY: Final = "property"
STANDING: Final = "standing"
SPAN: Final = "span"
QUESTION: Final = "question"

# Properties that a person has one of at a time: a new value may replace the old one. And those of which there are
# several: a new value stands beside the others.
SINGLE_VALUED: Final = frozenset({"name", "birthday", "age", "home", "address", "email", "employer", "timezone"})
MANY_VALUED: Final = frozenset({"nickname", "language", "phone", "allergy"})


# From which probability on a statement answers the turn before, and from which on it is better kept with its question.
NEEDS: Final = 0.5
LEANS: Final = 0.12


class TextSpan(NamedTuple):
    """A part of a text, by the offsets of its characters."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part itself."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Statement:
    """Something lasting that a message says, in a part of it.

    `type` is `rule` for a standing wish to the assistant. `key` names the property, one of `READING_KEYS`, empty when
    none fits. `value` and `who` are parts of the message: what the property is, and whom the statement is about when
    that is not the user. `confidence`, in [0, 1], is the probability that it should be kept; `needs` the probability
    that it cannot be understood without the turn before; then `about` is whom or what that turn asks about.
    """

    type: StatementType
    span: TextSpan
    confidence: float
    key: str = ""
    value: TextSpan | None = None
    who: TextSpan | None = None
    needs: float = 0.0
    about: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether only the turn before says what is meant."""
        return self.needs >= NEEDS

    @property
    def leans(self) -> bool:
        """Whether it is understood better with the turn before."""
        return self.needs >= LEANS


class Need(NamedTuple):
    """Whether answering a message needs long-term memory, as three probabilities."""

    no: float
    maybe: float
    yes: float


NEED_UNKNOWN = Need(0.0, 1.0, 0.0)
NEED_NONE = Need(1.0, 0.0, 0.0)
_FREE = Usage()


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read: its statements in order, the parts that are not the user's own words, the need of memory.

    `pasted` is set when the message is too long to be something a user wrote: then it teaches nothing. `reader` names
    the model, `usage` is what the reading cost.
    """

    statements: tuple[Statement, ...] = ()
    handed_over: tuple[TextSpan, ...] = ()
    need: Need = NEED_UNKNOWN
    pasted: bool = False
    reader: str = ""
    usage: Usage = _FREE


@dataclass(frozen=True, slots=True)
class Captured:
    """Something worth remembering in a user's message.

    `content` is what is kept, in the user's words. `subject` is whom or what it is about; `property` names what the
    `value` is of (`home`, `allergy`). A `key` is set where there is one value at a time: the next one supersedes it;
    and where there are `many`: the next one stands beside it. `rule` says what found it: a reader, `exact`, `asked`, or
    a pattern. `span` is where the message says it. `standing` marks an instruction to the assistant that applies
    always. `replaces` is the id of the memory whose value would go to the history.
    `question` is where the turn before asks what the content begins with, when only that says what is meant.
    """

    content: str
    type: MemoryType
    subject: str = ""
    key: str = ""
    value: str = ""
    context: str = ""
    importance: float = 0.7
    confidence: float = 0.9
    rule: str = ""
    property: str = ""
    span: TextSpan | None = None
    standing: bool = False
    replaces: str = ""
    many: bool = False
    question: TextSpan | None = None


@dataclass(frozen=True, slots=True)
class SkippedStatement:
    """A statement of a message that capture does not keep, and the reason.

    It is not the user's own words (`handed_over`), in a message that is a paste or mostly emoji (`pasted`), a `secret`,
    of a `type` that is switched off, an attempt to instruct a model (`injection`), a wish for this time only (`once`),
    too `short`, or below the `confidence` of the settings.
    """

    content: str
    type: MemoryType | StatementType
    confidence: float
    reason: SkipReason
    span: TextSpan | None = None
    property: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedReading:
    """A message, its reading, and what capture makes of it. All offsets are those of `text`.

    `text` is the message as it is read: without secrets, private parts, and what hosts wrap around it. `handed_over`
    are all the parts that are not the user's own words: those of the reading, and those that the layout shows, such as
    quotations and code.
    """

    text: str
    reading: Reading
    captured: tuple[Captured, ...] = ()
    skipped: tuple[SkippedStatement, ...] = ()
    handed_over: tuple[TextSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryOrigin:
    """A message that a memory was captured from. `text` is the message as it was read.

    `span` is the part that says it; None where that is unknown.
    """

    message: Message
    text: str
    span: TextSpan | None = None


class TaughtMemory(NamedTuple):
    """A memory that was captured from messages of a conversation, and the ids of these messages."""

    memory: MemoryRecord
    message_ids: tuple[str, ...]
