"""The bot's commands, and whose memory a request means.

Each command acts for the person who sent the signed request, and answers that person alone. Ids of Slack are unique
within a team only, so the team is part of the name of a person. In a channel that is configured as a shared scope, the
channel is the member of the scope, and who may write there is up to Slack; anywhere else commands work in the person's
own memory. Nothing else of one person is ever shown to another.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, NamedTuple

from slack_bolt import Ack, App, Respond
from slack_sdk import WebClient

from recollect.api.memory import Memory
from recollect.api.user import UserMemory
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect_connect.integrations.slack import replies
from recollect_connect.integrations.write_spool import WriteSpool, public

_ACTOR = "slack"

_API: Final = "https://slack.com/api/"
_HITS: Final = 5
_LONGEST_QUERY: Final = 500  # a button carries it
_EVENTS_KEPT: Final = 10_000
_WORKERS: Final = 32
_MENTION = re.compile(r"<@[A-Z0-9]+>")

Body = dict[str, Any]
Said = str | list[dict[str, Any]]


def user_name(team: str, person: str) -> str:
    """Give the name of the memory user of a person. Raises InvalidInput for what is no id of Slack."""
    return f"slack:{_checked(team)}:{_checked(person)}"


def channel_name(channel: str) -> str:
    """Give the name of the memory user that stands for a channel. Raises InvalidInput for what is no id of Slack."""
    return f"slack:{_checked(channel)}"


def _checked(word: str) -> str:
    if not word.isalnum() or not word.isascii():
        raise InvalidInput(f"{word!r} is no id of a team, person or channel of Slack.")
    return word


class People:
    """The memories of the people of Slack, and the shared scopes of channels, by the ids of the channels."""

    def __init__(self, memory: Memory, shared_channels: Mapping[str, str] | None = None) -> None:
        self._memory = memory
        self._scopes = {channel_name(channel): scope for channel, scope in (shared_channels or {}).items()}

    def admit_channels(self) -> None:
        """Make the channels members of their scopes."""
        for member, scope in self._scopes.items():
            if all((own.scope, own.role) != (scope, "writer") for own in self._memory.user(member).scopes()):
                self._memory.scopes.add(scope, member, role="writer", actor=_ACTOR)

    def is_shared(self, channel: str) -> bool:
        """Tell whether a channel is a shared scope."""
        return f"slack:{channel}" in self._scopes

    def name_of(self, team: str, person: str, channel: str) -> str:
        """Give the name of the memory that a request of a person in a channel is about."""
        return channel_name(channel) if self.is_shared(channel) else user_name(team, person)

    def named(self, name: str) -> UserMemory:
        """Give a memory by that name."""
        me, scope = self._memory.user(name), self._scopes.get(name)
        return me if scope is None else me.scope(scope)


class _Sender(NamedTuple):
    """Who sent a request, and in which channel."""

    team: str
    person: str
    channel: str


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """The bot's token, the secret that Slack signs requests with, and where the API of Slack is.

    `shared_channels` are scopes by the ids of channels. A person who waits longer than `patience_s` is told so; what
    the store does not take waits in `spool_folder`.
    """

    bot_token: str
    signing_secret: str = ""
    api_url: str = _API
    shared_channels: Mapping[str, str] = field(default_factory=dict)
    patience_s: float = 2.5
    spool_folder: str = ""


def spool_of(memory: Memory, settings: SlackSettings) -> WriteSpool:
    """Give what people told the bot and the store has not taken yet; `delivering` stores it when that is back."""
    people = People(memory, settings.shared_channels)
    return WriteSpool(f"{memory.me.address} slack", people.named, settings.spool_folder or None)


def make_app(memory: Memory, settings: SlackSettings) -> App:
    """Make the bot. Raises InvalidInput for settings that cannot be served."""
    people = People(memory, settings.shared_channels)
    people.admit_channels()
    app = App(
        client=WebClient(token=settings.bot_token, base_url=settings.api_url),
        signing_secret=settings.signing_secret,
        token_verification_enabled=False,
        request_verification_enabled=bool(settings.signing_secret),
    )
    _SlackBot(people, spool_of(memory, settings), settings.patience_s).listen(app)
    return app


class _SlackBot:
    """What the bot does. An error is told to the person; nothing is forgotten then, and what is to be stored waits."""

    def __init__(self, people: People, writes: WriteSpool, patience_s: float) -> None:
        self._people, self._writes, self._patience_s = people, writes, patience_s
        self._running = ThreadPoolExecutor(_WORKERS, thread_name_prefix="recollect-slack")
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def listen(self, app: App) -> None:
        """Register all there is."""
        app.command("/memory-search")(self.search)
        app.command("/memory-store")(self.store)
        app.command("/memory-forget")(self.ask_to_forget)
        app.action(replies.FORGET)(self.forget)
        app.action(replies.KEEP)(self.keep)
        app.event("app_mention")(self.mentioned)
        app.shortcut("remember_this")(self.remember_message)

    def search(self, ack: Ack, respond: Respond, command: Body) -> None:
        """Answer a search with hits."""
        ack()
        query = command.get("text", "").strip()
        if not query:
            respond("What do you look for? `/memory-search which tea do I like?`")
            return
        self._act(respond, _sender(command), lambda me: _found(me, query))

    def store(self, ack: Ack, respond: Respond, command: Body) -> None:
        """Store a text."""
        ack()
        text = command.get("text", "").strip()
        if not text:
            respond("What is to be remembered? `/memory-store I prefer green tea`")
            return
        self._store(respond, _sender(command), text, source="user_stated")

    def ask_to_forget(self, ack: Ack, respond: Respond, command: Body) -> None:
        """Show what says it, with a button to forget it."""
        ack()
        query = command.get("text", "").strip()
        if not 0 < len(query) <= _LONGEST_QUERY:
            respond(f"What is to be forgotten, in at most {_LONGEST_QUERY} characters? `/memory-forget green tea`")
            return

        def preview(me: UserMemory) -> Said:
            would = me.forget(query=query, all=True, dry_run=True)
            texts = [item.text or item.path for item in would.items if item.kind != "version"]
            if would.action == "would_delete":
                return replies.confirmation(texts, query)
            return "\n".join([replies.NOT_SAID, *(f"• {replies.escaped(hit.content)}" for hit in would.candidates)])

        self._act(respond, _sender(command), preview)

    def forget(self, ack: Ack, respond: Respond, body: Body) -> None:
        """Forget what the button carries, of the person who pressed it."""
        ack()
        query = body["actions"][0]["value"]

        def confirmed(me: UserMemory) -> str:
            forgotten = me.forget(query=query, all=True)
            return replies.forgotten(forgotten.items) if forgotten.action == "deleted" else replies.NOT_SAID

        self._act(respond, _person(body), confirmed, replace_original=True)

    def keep(self, ack: Ack, respond: Respond) -> None:
        """Leave all as it is."""
        ack()
        respond("Nothing was forgotten.", replace_original=True)

    def mentioned(self, body: Body, client: WebClient) -> None:
        """Answer a question, for the eyes of who asked it; Slack may deliver an event more than once."""
        event = body["event"]
        if not self._is_new(body.get("event_id", "")):
            return
        query = _MENTION.sub(" ", event.get("text", "")).strip()

        def post(text: str, **_: Any) -> None:  # noqa: ANN401 - as `respond` takes them
            thread = {"thread_ts": event["thread_ts"]} if event.get("thread_ts") else {}
            client.chat_postEphemeral(channel=event["channel"], user=event["user"], text=text, **thread)

        if query:
            sender = _Sender(body["team_id"], event["user"], event["channel"])
            self._act(post, sender, lambda me: _found(me, query))
        else:
            post("Ask me what you once told me, or store something with `/memory-store`.")

    def remember_message(self, ack: Ack, respond: Respond, body: Body) -> None:
        """Store a message for the person who chose the action. What others wrote is trusted less."""
        ack()
        sender, message = _person(body), body["message"]
        source = "user_stated" if message.get("user") == sender.person else "external:slack"
        noted = {"channel": sender.channel, "ts": message.get("ts", "")}
        self._store(respond, sender, message.get("text", ""), source=source, noted=noted)

    def _store(
        self,
        respond: Callable[..., Any],
        sender: _Sender,
        text: str,
        *,
        source: str,
        noted: Mapping[str, str] | None = None,
    ) -> None:
        """Store a text; while the store is away it waits, and the person is told. A shared one says who stored it."""
        by = {"user": sender.person} if self._people.is_shared(sender.channel) else {}
        details = {**(noted or {}), **by}

        def stored() -> str:
            fields = {"source": source, **({"metadata": {"slack": details}} if details else {})}
            made = self._writes.remember(self._people.name_of(*sender), text, **fields)
            if made is None:
                return f"{replies.AWAY} This is stored when it is back: {replies.escaped(public(text))}"
            return replies.remembered(made, lambda: self._people.named(self._people.name_of(*sender)).get(made.id))

        self._answer(respond, stored)

    def _act(
        self, respond: Callable[..., Any], sender: _Sender, action: Callable[[UserMemory], Said], **how: bool
    ) -> None:
        """Do something with the memory that a person means, and answer."""
        self._answer(respond, lambda: action(self._people.named(self._people.name_of(*sender))), **how)

    def _answer(self, respond: Callable[..., Any], work: Callable[[], Said], **how: bool) -> None:
        """Answer with what some work gives; say what is wrong when it cannot be done, or takes long."""
        working = self._running.submit(_said, work)

        def answer(said: Said) -> None:
            if isinstance(said, str):
                respond(said, **how)
            else:
                respond(text="Forget this for good?", blocks=said, **how)

        try:
            answer(working.result(self._patience_s))
        except TimeoutError:
            respond(replies.SLOW)
            working.add_done_callback(lambda done: answer(done.result()))

    def _is_new(self, event_id: str) -> bool:
        with self._lock:
            if not event_id or event_id in self._answered:
                return not event_id
            self._answered[event_id] = None
            while len(self._answered) > _EVENTS_KEPT:
                self._answered.popitem(last=False)
            return True


def _said(work: Callable[[], Said]) -> Said:
    try:
        return work()
    except (InvalidInput, NotFound) as error:
        return f"That cannot be done: {replies.escaped(str(error))}"
    except RecollectError:
        return f"{replies.AWAY} Nothing was changed; please try again later."


def _sender(command: Body) -> _Sender:
    return _Sender(command["team_id"], command["user_id"], command.get("channel_id", ""))


def _person(body: Body) -> _Sender:
    """Give who did something where. In channels that teams share it is the team of the person."""
    channel = (body.get("channel") or {}).get("id") or (body.get("container") or {}).get("channel_id", "")
    return _Sender(body["user"].get("team_id") or body["team"]["id"], body["user"]["id"], channel)


def _found(me: UserMemory, query: str) -> str:
    return replies.answer(me.search_context(query, limit=_HITS))
