"""The Slack bot: what people ask of it over signed HTTP, whose memory it uses, and what it refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode

import pytest
import uvicorn
from tests.waiting import PATIENCE_S, until

from recollect import InvalidInput, Memory, UserMemory
from recollect.api.memory import AuditedWrite
from recollect.errors import StoreUnavailable
from recollect_connect.integrations.slack import SlackSettings, http_app, make_app, spool_of
from recollect_connect.integrations.slack.bot import user_name
from recollect_connect.integrations.slack.replies import FORGET, KEEP
from tests_connect.integrations.slack.fake_slack import ANNA, BERT, SECRET, TEAM, FakeSlack, fake_slack

TEA = "I prefer green tea in the morning"


@contextmanager
def slack_with(memory: Memory, **settings: Any) -> Iterator[FakeSlack]:
    """Slack, with the bot that serves it."""
    with fake_slack() as running:
        app = make_app(memory, SlackSettings("xoxb-test", SECRET, running.url, **settings))
        config = uvicorn.Config(http_app(app, SECRET), port=0, log_level="warning", lifespan="off")
        with config.bind_socket() as socket:
            server = uvicorn.Server(config)
            thread = Thread(target=server.run, kwargs={"sockets": [socket]})
            thread.start()
            until(lambda: server.started)
            running.bot_url = f"http://127.0.0.1:{socket.getsockname()[1]}/slack/events"
            yield running
            server.should_exit = True
            thread.join()


@pytest.fixture
def slack(memory: Memory) -> Iterator[FakeSlack]:
    """Slack, with the bot that serves it."""
    with slack_with(memory, patience_s=PATIENCE_S) as running:
        yield running


def test_a_person_stores_and_finds_their_own_memory(slack: FakeSlack, memory: Memory) -> None:
    assert slack.command("/memory-store", TEA) == f"Remembered: {TEA}"
    assert slack.command("/memory-store", TEA) == "I knew that already."
    found = slack.command("/memory-search", "which tea do I like?")
    assert found.startswith(f"1. {TEA} _(memory, 2026-03-01, ")
    assert slack.command("/memory-search", "which tea do I like?", user=BERT) == "No relevant memories found."
    assert slack.command("/memory-search", "green tea", team="T0OTHER") == "No relevant memories found."
    assert slack.command("/memory-search", " ").startswith("What do you look for?")
    assert memory.user(user_name(TEAM, ANNA)).count() == 1


def test_what_is_repeated_is_what_was_kept(slack: FakeSlack) -> None:
    how = "Secrets are left out; to keep one, use `recollect store --keep-secret` instead."
    without = f"It was kept without the access code. {how}"
    kept = "Remembered: The gate code is [redacted: access code]"
    assert slack.command("/memory-store", "The gate code is 4711") == f"{kept} {without}"
    assert slack.command("/memory-store", "The gate code is 4712") == f"I knew that already. {without}"
    assert slack.command("/memory-store", "Tea is<private> not</private> good") == "Remembered: Tea is good"


def test_forgetting_is_confirmed_by_the_person_it_belongs_to(slack: FakeSlack, memory: Memory) -> None:
    anna = memory.user(user_name(TEAM, ANNA))
    anna.remember(TEA)
    assert slack.command("/memory-forget", "zeppelin").startswith("Nothing says this")
    assert slack.command("/memory-forget", "green tea") == "Forget this for good?"
    press = {"type": "block_actions", "actions": [{"action_id": KEEP, "block_id": "b", "value": "green tea"}]}
    assert slack.interact(press) == "Nothing was forgotten."
    assert anna.count() == 1
    press["actions"] = [{"action_id": FORGET, "block_id": "b", "value": "green tea"}]
    assert slack.interact(press, user=BERT) == "Nothing says this in these words. Nothing was forgotten."
    assert anna.count() == 1
    assert slack.interact(press) == f"Forgotten for good:\n• {TEA}"
    assert anna.count() == 0


def test_a_mention_is_answered_once_and_to_one_person(slack: FakeSlack, memory: Memory) -> None:
    memory.user(user_name(TEAM, ANNA)).remember("The <!channel> code is 12 & 3")
    event = {
        "type": "app_mention",
        "user": ANNA,
        "channel": "C1",
        "text": "<@U0BOT> what is the channel code?",
        "ts": "1",
    }
    for age_s in (2, 1):  # Slack delivers again what was not confirmed in time
        assert slack.event(event, "Ev1", age_s) == 200
    path, posted = slack.next_post()
    assert path == "/api/chat.postEphemeral"
    assert (posted["user"], posted["channel"]) == (ANNA, "C1")
    assert "The &lt;!channel&gt; code is 12 &amp; 3" in posted["text"]
    assert slack.command("/memory-search", "nothing") == "No relevant memories found."
    assert slack.is_quiet


def test_a_message_is_remembered_with_where_it_was_said(slack: FakeSlack, memory: Memory) -> None:
    action = {"type": "message_action", "callback_id": "remember_this", "channel": {"id": "C1"}, "trigger_id": "t"}
    slack.interact({**action, "message": {"type": "message", "user": ANNA, "text": TEA, "ts": "17.5"}})
    slack.interact({**action, "message": {"type": "message", "user": BERT, "text": "The gate is red", "ts": "18"}})
    theirs, own = memory.user(user_name(TEAM, ANNA)).list().items
    assert (own.source, own.metadata) == ("user_stated", {"slack": {"channel": "C1", "ts": "17.5"}})
    assert theirs.source == "external:slack"
    assert theirs.trust < own.trust
    assert memory.user(user_name(TEAM, BERT)).count() == 0


def test_forged_old_and_repeated_requests_are_refused(slack: FakeSlack, memory: Memory) -> None:
    asked = {"command": "/memory-store", "text": TEA, "user_id": ANNA, "team_id": TEAM, "channel_id": "C1"}
    body = urlencode({**asked, "response_url": slack.response_url})
    assert slack.send(body, {}) == 401
    assert slack.send(body, slack.headers(body, secret="another")) == 401  # noqa: S106 - a secret of a test
    assert slack.send(body, slack.headers(body, age_s=600)) == 401
    assert slack.send(body.replace("green", "black"), slack.headers(body)) == 401
    assert memory.user(user_name(TEAM, ANNA)).count() == 0
    signed = slack.headers(body)
    assert [slack.send(body, signed), slack.send(body, signed)] == [200, 401]
    assert slack.next_post()[1]["text"] == f"Remembered: {TEA}"
    assert slack.send("x" * 1_100_000) == 413


def test_what_goes_wrong_is_said_in_words(slack: FakeSlack) -> None:
    assert slack.command("/memory-store", "x" * 100_001).startswith("That cannot be done: The content has 100,001")
    assert slack.command("/memory-search", "tea", user="../anna").startswith("That cannot be done")


def test_only_a_channel_that_is_configured_is_shared(memory: Memory) -> None:
    asked = "where is the kettle?"
    with slack_with(memory, patience_s=PATIENCE_S, shared_channels={"C9": "kitchen"}) as slack:
        assert slack.command("/memory-store", TEA).startswith("Remembered")
        stored = slack.command("/memory-store", "The kettle is in the attic", channel="C9")
        assert stored == "Remembered: The kettle is in the attic"
        assert "attic" in slack.command("/memory-search", asked, user=BERT, channel="C9")
        assert slack.command("/memory-search", "green tea", channel="C9") == "No relevant memories found."
        for user in (ANNA, BERT):
            assert slack.command("/memory-search", asked, user=user) == "No relevant memories found."
        action = {"type": "message_action", "callback_id": "remember_this", "channel": {"id": "C9"}, "trigger_id": "t"}
        said = {"type": "message", "user": BERT, "text": "The gate is red", "ts": "18"}
        slack.interact({**action, "message": said})
        press = {"type": "block_actions", "actions": [{"action_id": FORGET, "block_id": "b", "value": "the kettle"}]}
        assert slack.interact({**press, "channel": {"id": "C9"}}, user=BERT).startswith("Forgotten for good:\n")
    (gate,) = memory.user("slack:C9").scope("kitchen").list().items
    assert gate.metadata == {"slack": {"channel": "C9", "ts": "18", "user": ANNA}, "author": "slack:C9"}
    assert memory.user(user_name(TEAM, ANNA)).count() == 1
    with pytest.raises(InvalidInput):
        make_app(memory, SlackSettings("xoxb-test", SECRET, shared_channels={"C9": "two words"}))


class Interrupted(Memory):
    """A store that is away, or answers late."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory._engine)
        self.away, self.answers = True, Event()
        self.answers.set()

    def user(self, user_id: str, *, audit: AuditedWrite | None = None, agent: str = "", zone: str = "") -> UserMemory:
        self.answers.wait(PATIENCE_S)
        if self.away and user_id.startswith("slack:"):
            raise StoreUnavailable("No connection to the database.")
        return super().user(user_id, audit=audit, agent=agent, zone=zone)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_is_told_while_the_store_is_away_is_stored_later(memory: Memory, tmp_path: Path) -> None:
    interrupted, folder = Interrupted(memory), str(tmp_path / "spool")
    action = {"type": "message_action", "callback_id": "remember_this", "channel": {"id": "C1"}}
    with slack_with(interrupted, patience_s=PATIENCE_S, spool_folder=folder) as slack:
        assert (
            slack.command("/memory-store", TEA)
            == f"The memory is away right now. This is stored when it is back: {TEA}"
        )
        said = slack.interact({**action, "message": {"type": "message", "user": BERT, "text": "The gate is red"}})
        assert said.startswith("The memory is away right now. This is stored")
        assert slack.command("/memory-search", "tea").startswith("The memory is away right now. Nothing was changed")
    interrupted.away = False
    assert spool_of(interrupted, SlackSettings("", spool_folder=folder)).deliver()
    theirs, own = memory.user(user_name(TEAM, ANNA)).list().items
    assert (own.content, own.source) == (TEA, "user_stated")
    assert (theirs.content, theirs.source) == ("The gate is red", "external:slack")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_person_is_told_soon_that_the_store_is_slow(memory: Memory) -> None:
    slow = Interrupted(memory)
    slow.away = False
    with slack_with(slow, patience_s=0.01) as slack:
        slow.answers.clear()
        assert slack.command("/memory-search", "tea").startswith("The memory does not answer yet")
        slow.answers.set()
        assert slack.next_post()[1]["text"] == "No relevant memories found."
