"""Writes of adapters that a memory could not take: they wait in private files, and are carried out later, at most once.

The invariant: what an adapter was given is stored, waits in the spool, or its caller gets the error. An error of the
input is always the caller's. What is written down has its secrets redacted, as what is stored has.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import uuid4

from recollect.api.user import UserMemory
from recollect.clock import SystemClock
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.redaction import each_text
from recollect.errors import AccessDenied, AlreadyProcessed, RecollectError, StoreError
from recollect.text.private import without_private
from recollect.text.secrets import redact_values
from recollect_connect.hook_client import folders
from recollect_connect.hook_client.spool import DELIVERED, LATER, REFUSED, Spool, SpooledRequest

if TYPE_CHECKING:
    from recollect.client import ServiceUserMemory
    from recollect.client.service import ServiceConnection

AnyUserMemory: TypeAlias = "UserMemory | ServiceUserMemory"

LOG: Final = logging.getLogger("recollect.integrations")
AWAY: Final = (StoreError, AccessDenied)  # the store, the service or the key: not what was given
REMEMBER: Final = "remember"
EXTEND: Final = "extend"
_SLOW_S: Final = 5.0
_COOL_DOWN_S: Final = 60.0


def default_folder() -> str:
    """Give the folder in which writes wait: `spool-integrations` in the user's data folder."""
    return os.path.join(folders.data_folder(), "spool-integrations")  # noqa: PTH118 - as the spool has it


class WriteSpool:
    """The writes of an adapter to one store. `memory_of` gives the memory of a user.

    A store that took long to fail has a cool-down, so that not each turn waits for it.
    """

    def __init__(
        self,
        address: str,
        memory_of: Callable[[str], AnyUserMemory],
        folder: str | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spool = Spool(folder or default_folder(), address)
        self._memory_of = memory_of
        self._monotonic = monotonic
        self._cool_until = 0.0

    @property
    def cools_down(self) -> bool:
        """Whether the store took long to fail a moment ago, and is not asked."""
        return self._monotonic() < self._cool_until

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Note how long the store takes to fail. Raises what it raises."""
        started = self._monotonic()
        try:
            yield
        except AWAY:
            if self._monotonic() - started >= _SLOW_S:
                self._cool_until = self._monotonic() + _COOL_DOWN_S
            raise

    def remember(self, user: str, content: str, **fields: Any) -> Any | None:  # noqa: ANN401 - as of `remember`
        """Store a memory; None means that it waits. Raises what the store raises if it cannot wait, either."""
        return self._write(REMEMBER, {"user": user, "fields": {"content": content, **fields}})

    def extend(self, user: str, conversation: str, messages: list[dict[str, Any]]) -> Any | None:  # noqa: ANN401
        """Append messages, all or none, each with an id by which it is stored once; None means that they wait."""
        named = [{"id": uuid4().hex, **message} for message in messages]
        return self._write(EXTEND, {"user": user, "conversation": conversation, "messages": named})

    def waiting(self, conversation: str) -> list[dict[str, Any]]:
        """Give the messages that wait for a conversation."""
        return [
            message for request in self._spool.waiting() if _is_of(request, conversation) for message in _said(request)
        ]

    def discard(self, conversation: str) -> None:
        """Drop what waits for a conversation."""
        self._spool.discard(lambda request: _is_of(request, conversation))

    def deliver(self) -> bool:
        """Carry out what waits, oldest first; gives whether nothing waits any more."""
        if self.cools_down:
            return not self._spool.waiting()
        try:
            return self._spool.deliver(self._send)
        except OSError as error:  # a file cannot be removed or read
            LOG.error("The spool cannot be delivered: %s", error)  # noqa: TRY400 - it is no defect
            return False

    @contextmanager
    def delivering(self, every_s: float) -> Iterator[None]:
        """Deliver from time to time, in a thread."""
        ended = Event()

        def run() -> None:
            while not ended.wait(every_s):
                self.deliver()

        thread = Thread(target=run, name="recollect-spool", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _write(self, verb: str, body: dict[str, Any]) -> Any | None:  # noqa: ANN401 - as of the verb
        if not self.deliver() or self.cools_down:
            self._keep(verb, body, None)
            return None
        try:
            return self._carry_out(verb, body)
        except AWAY as error:
            self._keep(verb, body, error)
            return None

    def _keep(self, verb: str, body: dict[str, Any], error: RecollectError | None) -> None:
        try:
            self._spool.add(verb, _redacted(body))
        except OSError as full:
            LOG.error("Nothing was stored, and the spool cannot keep it: %s", full)  # noqa: TRY400 - it is raised
            raise (error or StoreError(f"The memory is away, and the spool cannot keep a write: {full}")) from full
        LOG.warning("The memory is away; what is to be stored waits in the spool. %s", error or "")
        if self._spool.displaced:
            LOG.error("The spool is full; %d of the oldest writes were dropped.", self._spool.displaced)

    def _send(self, request: SpooledRequest) -> str:
        try:
            self._carry_out(request.path, request.body, request.given_at)
        except AWAY:
            return LATER
        except AlreadyProcessed:
            return DELIVERED
        except (RecollectError, KeyError, TypeError) as error:
            LOG.error("A write that waited is refused, and kept aside: %s", error)  # noqa: TRY400 - it is no defect
            return REFUSED
        return DELIVERED

    def _carry_out(self, verb: str, body: Any, given_at: str = "") -> Any:  # noqa: ANN401 - JSON
        with self.asking():
            me = _as_given(self._memory_of(body["user"]), given_at)
            if verb == REMEMBER:
                return me.remember(**body["fields"])
            messages = [{**message, **_moment(message)} for message in body["messages"]]
            return me.conversation(body["conversation"]).extend(messages)


def _as_given(me: AnyUserMemory, given_at: str) -> AnyUserMemory:
    """Give a memory that takes no write of before everything was forgotten."""
    if given_at and isinstance(me, UserMemory):
        engine = tombstones.unless_older(me._engine, datetime.fromisoformat(given_at))  # noqa: SLF001 - as an import does
        return UserMemory(engine, me._scope)  # noqa: SLF001 - likewise
    service: ServiceConnection | None = getattr(me, "_service", None)  # the client is not imported for a store
    return me if service is None or not given_at else type(me)(service.asked(given_at=given_at), me.user_id)  # type: ignore[arg-type]


def _redacted(body: dict[str, Any]) -> dict[str, Any]:
    """Give a write as it may lie on the disk, with the moment at which each message was said."""
    now = SystemClock().now().isoformat()
    if "fields" in body:
        return {**body, "fields": public(body["fields"])}
    messages = [{"said_at": now, **public(message), "id": message["id"]} for message in body["messages"]]
    return {**body, "messages": messages}


def public(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Give JSON as it may lie on the disk, and be repeated: without private parts and secrets."""
    return redact_values(each_text(value, without_private))[0]


def _moment(message: Mapping[str, Any]) -> dict[str, datetime]:
    said_at = message.get("said_at")
    return {"said_at": datetime.fromisoformat(said_at)} if isinstance(said_at, str) else {}


def _is_of(request: SpooledRequest, conversation: str) -> bool:
    return isinstance(request.body, Mapping) and request.body.get("conversation") == conversation


def _said(request: SpooledRequest) -> list[dict[str, Any]]:
    return list(request.body["messages"]) if isinstance(request.body, Mapping) else []
