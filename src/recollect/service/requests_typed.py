"""Request bodies of typed memories: each has the fields that its type uses."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from recollect.model.kinds import LONGEST_NAME, MOST_ITEMS
from recollect.model.memories import CommonFields, KeyedFields
from recollect.model.places import LONGEST_LABEL
from recollect.service.body_model import EXAMPLES, VISIBLE, Timestamp
from recollect.service.request_locations import LocatableBody
from recollect.service.requests import (
    JsonObject,
    MediaList,
    MemoryText,
    ShortText,
)
from recollect.service.verb_fields import holding

_TypedName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=VISIBLE)]
_TypedValue = Annotated[str, Field(min_length=1, max_length=100_000, pattern=VISIBLE)]
_TypedContent = Annotated[MemoryText | None, Field(description="The sentence to store; without it, one is made.")]


@holding(CommonFields)
class TypedBody(LocatableBody):
    """What all typed memories may have. Without a field, the default of its type counts."""

    metadata: JsonObject | None = None
    media: MediaList | None = None

    @property
    def texts(self) -> int:
        """One."""
        return 1

    def arguments(self) -> dict[str, Any]:
        """Give the keyword arguments of the verb: what was said."""
        return {name: value for name, value in self.model_dump().items() if value not in (None, "")}


@holding(KeyedFields)
class KeyedBody(TypedBody):
    """What a memory with a key and a value may have."""


class FactBody(KeyedBody):
    """A fact about a thing."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["FactBody"])

    subject: _TypedName
    key: _TypedName
    value: _TypedValue
    content: _TypedContent = None


class PreferenceBody(KeyedBody):
    """What the user prefers."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["PreferenceBody"])

    category: _TypedName
    key: _TypedName
    value: _TypedValue
    content: _TypedContent = None


class EventBody(TypedBody):
    """Something that happened."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["EventBody"])

    summary: MemoryText
    kind: ShortText = ""
    entity: ShortText = ""
    details: Annotated[str, Field(max_length=100_000)] = ""
    participants: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=VISIBLE)]],
        Field(max_length=MOST_ITEMS, description="The names of those who took part"),
    ] = Field(default_factory=list)
    occurred_at: Timestamp | None = None


class LessonBody(TypedBody):
    """Something that was learned."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["LessonBody"])

    lesson: MemoryText


class InstructionBody(TypedBody):
    """How the assistant shall behave."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["InstructionBody"])

    instruction: MemoryText
