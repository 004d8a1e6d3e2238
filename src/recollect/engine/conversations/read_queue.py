"""The queue of messages that a worker reads after their turn, when a host does not wait for it.

Any number of workers may serve it at once. Messages are claimed with a lease, those of a user by one worker and in
order, so that what was said later is what holds. Memories are stored in the transaction that removes the job: a worker
that is killed has changed nothing, and a message is captured once.

A message that cannot be read keeps the later ones of its user waiting. It is retried with back-off, then parked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

from recollect.engine.base.context import Engine
from recollect.engine.conversations import capture
from recollect.errors import StoreUnavailable
from recollect.model.memories import Scope
from recollect.model.messages import ConversationRecord, Message
from recollect.model.stats import WorkReport
from recollect.storage.base import ReadJob, StoreWriter

_BATCH = 16
_MAX_ATTEMPTS = 5
_AWAY_FOR = timedelta(minutes=1)
_AWAY = "The model could not be asked; it is asked again."
_REFUSED = "The model does not read this message, though it reads others."
_PROBE = "The pump hums."


def is_used(engine: Engine) -> bool:
    """Tell whether messages are read by a worker rather than within their turn."""
    return engine.settings.auto_capture and engine.settings.capture.when == "worker"


def queue(writer: StoreWriter, conversation: ConversationRecord, messages: Sequence[Message], now: datetime) -> None:
    """Queue the messages of a turn in the transaction that saves them; those that must not or cannot teach are done."""
    ids = [message.id for message in messages]
    may_teach = [message.id for message in messages if message.role == "user" or message.tool_calls]
    unread = writer.unlearned([] if conversation.private else may_teach)
    writer.owe_readings(unread, now)
    writer.mark_learned([message_id for message_id in ids if message_id not in unread])


def serve(engine: Engine, *, stop: Event | None = None) -> WorkReport:
    """Read messages until none is due; nothing when capturing is switched off in this process."""
    done = WorkReport()
    while engine.settings.auto_capture and not (stop and stop.is_set()):
        now = engine.clock.now()
        lease_until = now + timedelta(seconds=engine.settings.embedding.lease_s)
        jobs = engine.store.claim_readings(_BATCH, now=now, lease_until=lease_until)
        if not jobs:
            break
        batch = _ReadBatch(engine, lease_until)
        batch.serve(jobs, stop)
        done += WorkReport(read=batch.read, parked=batch.parked)
    return done


class _ReadBatch:
    """Claimed messages: how many were read, and the users whose later messages have to wait."""

    def __init__(self, engine: Engine, lease_until: datetime) -> None:
        self._engine = engine
        self._lease_until = lease_until
        self._held: set[Scope] = set()
        self._away = False
        self.read = 0
        self.parked = 0

    def serve(self, jobs: Sequence[ReadJob], stop: Event | None) -> None:
        """Read one message after the other; gives back those that have to wait, unless others have them by now."""
        left = []
        for job in jobs:
            if self._engine.clock.now() >= self._lease_until:
                return
            waits = self._away or job.scope in self._held or bool(stop and stop.is_set())
            if waits or not self._serve(job):
                left.append(job)
        if left:
            due = self._engine.clock.now() + (_AWAY_FOR if self._away else timedelta(0))
            self._engine.store.postpone_readings(left, _AWAY if self._away else "", due, to_blame=False)

    def _serve(self, job: ReadJob) -> bool:
        """Read a message; says whether that is over. One whose turn comes again when the model is back is not."""
        try:
            engine = replace(self._engine, zone=self._engine.settings.zone_of(job.scope.user_id))
            learned = capture.learn(engine, job.scope, [job.message], _turns_before(engine, job))
            if not learned.unasked:
                _keep(engine, job, learned)
                self.read += 1
                return True
            self._away = not _model_works(self._engine, job)
            reason = _REFUSED
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the edge of the worker: a message must not stop all others
            reason = f"Reading it failed: {type(error).__name__}."  # without its words, which may be the user's
        if not self._away:
            self._blame(job, reason)
        return not self._away

    def _blame(self, job: ReadJob, reason: str) -> None:
        """Retry a message with exponential back-off; park one that has failed too often."""
        due = self._engine.next_try(job.attempts + 1, _MAX_ATTEMPTS)
        self._engine.store.postpone_readings([job], reason, due, to_blame=True)
        self._held.add(job.scope)
        self.parked += due is None


def _keep(engine: Engine, job: ReadJob, learned: capture.TurnLessons) -> None:
    """Store what a message teaches, unless it was forgotten, made private or read by another worker meanwhile."""
    message_id = job.message.id

    def work(writer: StoreWriter) -> None:
        if writer.finish_readings([message_id]):
            capture.keep(writer, engine, learned, {message_id: message_id}, writer.unlearned([message_id]))
            writer.mark_learned([message_id])

    engine.write(job.scope, work)


def _turns_before(engine: Engine, job: ReadJob) -> Mapping[str, capture.TurnBefore]:
    """Give what another said before a message, by its id."""
    message = job.message
    turn = engine.store.read(job.scope, lambda reader: capture.last_turn(reader, message, message.sequence))
    return {message.id: turn} if turn else {}


def _model_works(engine: Engine, job: ReadJob) -> bool:
    """Tell whether the language model reads a plain sentence: then the message is to blame."""
    probe = job.message._replace(content=_PROBE, tool_calls=())
    return not capture.learn(engine, job.scope, [probe]).unasked
