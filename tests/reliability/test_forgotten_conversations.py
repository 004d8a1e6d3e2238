"""What was said and is forgotten is gone: from every answer, from summaries and memories, and from the files."""

from collections.abc import Callable

import pytest

from tests.reliability.canaries import Canaries, left_in, left_in_files
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_VECTORS
from tests.reliability.spoken import ASKING, WITH_SUMMARIES, Talks, everything_shown, speak
from tests.reliability.zygote import Child, Zygote
from tests.sizes import sized
from tests.storage.catalogue import contents, is_server

_SESSIONS = sized(1, 3)
_SHOWN_EVERY = sized(40, 9)  # words
_ASKED_EVERY = sized(10, 1)  # messages


def _by_session(child: Child, talks: Talks) -> None:
    for session in talks.sessions:
        assert child.ask("forget", user="me", session=session)["action"] == "deleted"


def _everything(child: Child, talks: Talks) -> None:
    assert len(child.ask("forget", user="me", everything=True)["ids"]) > len(talks.messages)


_WAYS: dict[str, Callable[[Child, Talks], None]] = {"session": _by_session, "everything": _everything}


@pytest.mark.parametrize("way", ["session", pytest.param("everything", marks=pytest.mark.slow)])
def test_nothing_that_was_said_is_left(way: str, database: str, zygote: Zygote) -> None:
    canaries, bystander = Canaries(seed=11), Canaries(seed=12)
    child = zygote.serve(database, **WITH_QUICK_VECTORS, **WITH_SUMMARIES)
    staying = speak(child, "you", bystander, 1)
    talks = speak(child, "me", canaries, _SESSIONS)
    assert len(canaries.words) > sized(30, 100)
    if not is_server(database):
        assert left_in_files(database, canaries) == canaries.words, "the search would not find them"
    assert len(left_in(_shown(child, "me", talks, canaries), canaries)) > len(canaries.words) // 2

    _WAYS[way](child, talks)

    _insist_gone(child, database, talks, canaries)
    assert [one["id"] for one in child.ask("conversations", user="me")] == [ASKING]
    assert left_in(_shown(child, "you", staying, bystander), bystander), "the words of others must stay"
    assert len(child.ask("messages", user="you", conversation=staying.sessions[0])) == len(staying.messages)
    child.close()
    _insist_gone_from_bytes(database, canaries, "after the store was closed")
    _insist_sound(database, zygote)
    store = "postgresql" if is_server(database) else "sqlite"
    figure(9, f"{store}, messages by {way}", canaries=len(canaries.words), messages=len(talks.messages), left=0)


def test_a_message_goes_with_all_that_was_made_from_it(database: str, zygote: Zygote) -> None:
    """One after the other: what is forgotten is gone at once, what is not stays in its place."""
    canaries = Canaries(seed=13)
    child = zygote.serve(database, **WITH_QUICK_VECTORS, **WITH_SUMMARIES)
    talks = speak(child, "me", canaries, 1)
    (session,) = talks.sessions
    left = {one["id"]: one for one in child.ask("messages", user="me", conversation=session, limit=1000)}
    gone = Canaries(seed=0)
    for number, message_id in enumerate(talks.messages):
        doomed = left.pop(message_id)
        gone.words += [word for word in left_in(_raw(doomed), canaries) if word not in session]
        assert message_id in child.ask("forget", user="me", id=message_id)["ids"]
        gone.words = [word for word in gone.words if not left_in(_raw(list(left.values())), Canaries(0, [word]))]
        if number % _ASKED_EVERY == 0:
            assert left_in(_shown(child, "me", talks, gone), gone) == [], "an answer still has it"
        kept = child.ask("messages", user="me", conversation=session, limit=1000)
        assert [one["id"] for one in kept] == list(left)
    gone.words = [word for word in canaries.words if word not in session]  # the conversation itself was not forgotten
    _insist_gone(child, database, talks, gone)
    child.close()
    _insist_sound(database, zygote)


def _raw(value: object) -> bytes:
    return repr(value).encode()


def _shown(child: Child, user: str, talks: Talks, canaries: Canaries) -> bytes:
    return everything_shown(child, user, talks, canaries.words[::_SHOWN_EVERY]).encode()


def _insist_gone(child: Child, database: str, talks: Talks, canaries: Canaries) -> None:
    _insist_gone_from_bytes(database, canaries, "while the store is open")
    assert left_in(_shown(child, "me", talks, canaries), canaries) == []
    assert left_in("\n".join(contents(database).values()).encode(), canaries) == []


def _insist_gone_from_bytes(database: str, canaries: Canaries, when: str) -> None:
    if not is_server(database):
        assert left_in_files(database, canaries) == [], f"words are left {when}"


def _insist_sound(database: str, zygote: Zygote) -> None:
    child = zygote.serve(database, **WITH_QUICK_VECTORS)
    assert child.ask("doctor") == []
    child.close()
