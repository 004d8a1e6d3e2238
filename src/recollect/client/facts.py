"""Typed memories over HTTP. See `recollect.api.facts`, whose verbs these are."""

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.client.scoped import ServiceScoped
from recollect.client.sent import sent


class ServiceFacts(ServiceScoped):
    """Facts about things."""

    __call__ = sent(UserFacts.__call__)
    set = sent(UserFacts.set)
    doubts = sent(UserFacts.doubts)
    settle = sent(UserFacts.settle)


class ServicePreferences(ServiceScoped):
    """Preferences by category."""

    __call__ = sent(UserPreferences.__call__)
    set = sent(UserPreferences.set)


class ServiceEvents(ServiceScoped):
    """The timeline of what happened."""

    __call__ = sent(UserEvents.__call__)
    log = sent(UserEvents.log)
    timeline = sent(UserEvents.timeline)


class ServiceLessons(ServiceScoped):
    """Lessons learned."""

    __call__ = sent(UserLessons.__call__)
    add = sent(UserLessons.add)


class ServiceInstructions(ServiceScoped):
    """How the assistant shall behave."""

    __call__ = sent(UserInstructions.__call__)
    add = sent(UserInstructions.add)
