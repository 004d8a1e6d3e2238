"""What processes do to conversations while others do the same, or until they are killed."""

from collections.abc import Callable
from typing import Any

from recollect import Conversation
from recollect.model.messages import NewMessage
from tests.reliability.link import Link
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory


def line(speaker: str, number: int) -> str:
    """Say something that a summary would mention."""
    return f"I decided that parcel {number} of {speaker} goes to shelf {number * 7 % 31} in the cellar."


def append_at_once(link: Link, database: str, conversation: str, speaker: str, amount: int) -> None:
    """Say one thing after the other while others speak and compact; report what was acknowledged."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation(conversation)
        link.say("ready")
        link.hear()
        said = [_say(talk, speaker, number) for number in range(amount)]
    link.say(said)


def compact_at_once(link: Link, database: str, conversation: str, rounds: int) -> None:
    """Compact a conversation again and again while others do the same; report what came of it."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation(conversation)
        link.say("ready")
        link.hear()
        outcomes = [talk.compact(keep_recent=2).action for _ in range(rounds)]
    link.say(outcomes)


def talk_on(link: Link, database: str, conversation: str, speaker: str, rounds: int) -> None:
    """Speak and compact in turn, and acknowledge each; a compaction is announced before it begins."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation(conversation)
        talk.window()  # so that all connections are there when the moment to be killed is chosen
        link.say("ready")
        for number in range(rounds):
            link.say(["said", *_say(talk, speaker, 2 * number)])
            link.say(["said", *_say(talk, speaker, 2 * number + 1)])
            link.say(["compacting"])
            link.say(["compacted", talk.compact(keep_recent=1).action])
    link.say("done")


def _say(talk: Conversation, speaker: str, number: int) -> list[Any]:
    kept = talk.append("user" if number % 2 == 0 else "assistant", line(speaker, number), id=f"{speaker}-{number}")
    return [kept.id, line(speaker, number)]


def deliver_at_once(link: Link, database: str, user: str, session: str, turn: list[dict[str, Any]]) -> None:
    """Deliver a turn at the same moment as others; report how many messages were new, and what was learned."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        me = memory.user(user)
        me.count()
        link.say("ready")
        link.hear()
        outcome = me.after_turn(turn, session=session)
    link.say([outcome.saved, len(outcome.captured), len(outcome.events)])


def queue_on(link: Link, database: str, conversation: str, speaker: str, rounds: int) -> None:
    """Say things that then wait for their vectors, and acknowledge each batch."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation(conversation)
        talk.window()
        link.say("ready")
        for number in range(rounds):
            batch = [NewMessage("user", line(speaker, 3 * number + part)) for part in range(3)]
            link.say([kept.id for kept in talk.extend(batch)])
    link.say("done")


def embed_on(link: Link, database: str, rounds: int) -> None:
    """Give vectors to what waits for them, and say how many each time."""
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        memory.stats()
        link.say("ready")
        for _ in range(rounds):
            link.say(memory.maintain().embedded)
    link.say("done")


TASKS: tuple[Callable[..., None], ...] = (
    append_at_once,
    compact_at_once,
    talk_on,
    deliver_at_once,
    queue_on,
    embed_on,
)
