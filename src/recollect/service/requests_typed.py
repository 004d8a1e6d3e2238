"""Request bodies of typed memories: each has the fields that its type uses."""

from typing import Any

from pydantic import ConfigDict

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.service.body_model import EXAMPLES, StrictBody
from recollect.service.request_locations import LocatableBody
from recollect.service.requests import JsonObject, MediaList
from recollect.service.verb_fields import taking


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


@taking(UserFacts.set)
class FactBody(TypedBody):
    """A fact about a thing."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["FactBody"])


@taking(UserFacts.settle, "id")
class SettleBody(StrictBody):
    """Which of two memories that contradict each other is right."""


@taking(UserPreferences.set)
class PreferenceBody(TypedBody):
    """What the user prefers."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["PreferenceBody"])


@taking(UserEvents.log)
class EventBody(TypedBody):
    """Something that happened."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["EventBody"])


@taking(UserLessons.add)
class LessonBody(TypedBody):
    """Something that was learned."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["LessonBody"])


@taking(UserInstructions.add)
class InstructionBody(TypedBody):
    """How the assistant shall behave."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["InstructionBody"])
