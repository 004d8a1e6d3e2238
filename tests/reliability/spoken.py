"""Canaries in conversations: words that occur nowhere else, said in every way in which something can be said."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.reliability.canaries import Asked, Canaries
from tests.sizes import sized

WITH_SUMMARIES: dict[str, Any] = {"session_summaries": True}
ASKING = "asking"  # the conversation in which one asks about the others


@dataclass
class Talks:
    """Conversations that were had, and the messages they consist of."""

    sessions: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def speak(store: Asked, user: str, canaries: Canaries, sessions: int) -> Talks:
    """Have conversations full of canaries: captured, folded into summaries, kept as the memory of a session."""
    talks = Talks()
    for _ in range(sessions):
        session = f"talk {canaries.word()}"
        talks.sessions.append(session)
        for number in range(sized(3, 4)):
            _turn(store, user, session, number, canaries)
        store.ask("end_session", user=user, session=session)
        for keep_recent in (6, 3):  # the second summary is made from the first
            folded = store.ask("compact", user=user, conversation=session, keep_recent=keep_recent)
            assert folded["action"] == "compacted"
        store.ask("append", user=user, conversation=session, role="user", content=canaries.text())
        said = store.ask("messages", user=user, conversation=session, limit=1000)
        talks.messages += [message["id"] for message in said]
    return talks


def _turn(store: Asked, user: str, session: str, number: int, canaries: Canaries) -> None:
    """One turn: a request, a thought, a call of a tool, its result, and blocks that are neither."""
    request = f"I prefer {canaries.word()} tea in the morning. I decided that {canaries.word()} goes to the cellar."
    store.ask("before_prompt", user=user, content=request, session=session, metadata={"note": canaries.word()})
    call = f"call{number}"
    arguments = {"entity_id": "light.kitchen", "note": canaries.word()}
    answer = [
        {"type": "thinking", "thinking": canaries.text()},
        {"type": "text", "text": f"I moved {canaries.word()} to the cellar. {canaries.text()}"},
        {"type": "image", "source": {"data": canaries.word()}},
        {"type": "tool_use", "id": call, "name": "turn_on", "input": arguments},
    ]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": request},
        {"role": "assistant", "content": answer, "metadata": {canaries.word(): [canaries.word()]}},
        {"role": "tool", "tool_call_id": call, "content": json.dumps({"found": canaries.word()})},
    ]
    outcome = store.ask("after_turn", user=user, messages=messages, session=session)
    assert outcome["captured"]
    assert outcome["events"]


def everything_shown(store: Asked, user: str, talks: Talks, words: list[str]) -> str:
    """Ask in every way in which somebody could get to see what was said."""
    shown = [store.ask("list", user=user, limit=1000), store.ask("conversations", user=user, limit=1000)]
    for session in talks.sessions:
        shown += [store.ask(verb, user=user, conversation=session) for verb in ("messages", "window", "summary")]
    every = ("memory", "request", "response", "reasoning", "tool", "system", "summary", "file")
    for word in words:
        shown.append(store.ask("search_context", user=user, query=word, limit=50, sources=every)["hits"])
        shown.append({**store.ask("about", user=user, topic=word), "topic": ""})
    asked = ("Which tea do I prefer in the morning?", "What goes to the cellar?")
    shown += [store.ask("before_prompt", user=user, content=text, session=ASKING)["block"] for text in asked]
    return json.dumps(shown, default=str)
