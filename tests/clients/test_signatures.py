"""The verbs of the client are those of the embedded store: the same names, parameters and results."""

import inspect
from collections.abc import Iterator

from recollect import UserMemory
from recollect.api.conversation import Conversation, UserMessages
from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.files import UserMedia
from recollect.api.places import UserPlaces
from recollect.client import (
    AsyncServiceConversation,
    AsyncServiceEvents,
    AsyncServiceFacts,
    AsyncServiceInstructions,
    AsyncServiceLessons,
    AsyncServiceMedia,
    AsyncServiceMessages,
    AsyncServicePlaces,
    AsyncServicePreferences,
    AsyncServiceUserMemory,
)
from recollect.client.conversation import ServiceConversation, ServiceMessages, ServicePlaces
from recollect.client.media import ServiceMedia
from recollect.client.user import (
    ServiceEvents,
    ServiceFacts,
    ServiceInstructions,
    ServiceLessons,
    ServicePreferences,
    ServiceUserMemory,
)
from tests.rows import every

TWINS: dict[type, tuple[type, type]] = {
    UserMemory: (ServiceUserMemory, AsyncServiceUserMemory),
    UserFacts: (ServiceFacts, AsyncServiceFacts),
    UserPreferences: (ServicePreferences, AsyncServicePreferences),
    UserEvents: (ServiceEvents, AsyncServiceEvents),
    UserLessons: (ServiceLessons, AsyncServiceLessons),
    UserInstructions: (ServiceInstructions, AsyncServiceInstructions),
    UserMessages: (ServiceMessages, AsyncServiceMessages),
    UserMedia: (ServiceMedia, AsyncServiceMedia),
    UserPlaces: (ServicePlaces, AsyncServicePlaces),
    Conversation: (ServiceConversation, AsyncServiceConversation),
}

# What works on files beside the store, or has no route yet. A new verb needs a twin or a line here.
EMBEDDED_ONLY = {
    "UserMemory.files", "UserMemory.import_memories", "UserMemory.export", "UserMemory.import_archive",
    "UserMemory.count",
    "UserMessages.should_capture", "UserMessages.preview_capture", "UserMessages.read",
    "UserMessages.explain", "UserMessages.capture",
    "UserPlaces.get", "UserPlaces.reverse_geocode", "UserPlaces.find_addresses",
    "Conversation.import_messages", "Conversation.describe", "Conversation.user_id",
    "UserMemory.zone",
}  # fmt: skip
NAMESPACES = {"facts", "preferences", "events", "lessons", "instructions", "messages", "places", "files", "media"}


def verbs(kind: type) -> Iterator[str]:
    """List the public names of a class and of its bases in the package, and the call."""
    bases = (base for base in kind.__mro__ if base.__module__.startswith("recollect."))
    named = dict.fromkeys(name for base in bases for name in vars(base))
    yield from (name for name in named if not name.startswith("_") or name == "__call__")


def test_every_verb_has_a_twin_or_a_reason() -> None:
    missing = {
        f"{embedded.__name__}.{name}"
        for embedded, (client, _) in TWINS.items()
        for name in verbs(embedded)
        if not hasattr(client, name) and not (embedded is Conversation and name == "id")
    }
    assert missing == EMBEDDED_ONLY


def test_the_client_has_no_other_verbs() -> None:
    for embedded, (client, _) in TWINS.items():
        assert set(verbs(client)) <= set(verbs(embedded)), client


@every("embedded", TWINS)
def test_parameters_and_results_are_the_same(embedded: type) -> None:
    client, awaited = TWINS[embedded]
    for name in verbs(client):
        ours, theirs = inspect.getattr_static(client, name), inspect.getattr_static(embedded, name)
        if isinstance(ours, property) or name == "conversation":
            continue
        assert inspect.signature(ours) == inspect.signature(theirs), f"{client.__name__}.{name}"
        assert inspect.signature(getattr(awaited, name)) == inspect.signature(theirs), f"{awaited.__name__}.{name}"


def test_the_namespaces_are_the_same() -> None:
    offered = {name for name, found in vars(ServiceUserMemory).items() if isinstance(found, property)}
    assert offered == NAMESPACES - {"files"} | {"user_id", "address"}
