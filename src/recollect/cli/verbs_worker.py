"""Making the vectors that are waited for, once or until somebody asks to stop."""

from dataclasses import dataclass
from threading import Event
from time import monotonic

from recollect.api.memory import Memory
from recollect.cli.edge import FAILED
from recollect.cli.errand import Answer, Errand
from recollect.cli.watching import Watch, until_asked_to_stop
from recollect.cli.words import counted
from recollect.errors import SettingsError, StoreUnavailable
from recollect.model.stats import WorkReport

_IN_USE = ("active", "building")
_THOROUGH_S = 600.0  # how often to look for what nobody noted as waiting
_STORE_PAUSE_S = 5.0


@dataclass(frozen=True, slots=True)
class Shift:
    """What a worker did, what is left, and why, if that is for a reason.

    `retried` items had been given up on and were let into the queue again. `in_bulk` texts are in batches at the
    provider. `located` items got their address.
    """

    embedded: int
    parked: int
    waiting: int
    retried: int = 0
    in_bulk: int = 0
    unavailable: str = ""
    located: int = 0


def worker(errand: Errand) -> Answer:
    """Serve the queue."""
    memory, asked = errand.memory, errand.asked
    if memory.settings.embedding.provider == "none" and memory.settings.places.geocoder == "none":
        raise SettingsError(
            "Vectors are switched off: embedding.provider is none, and so is places.geocoder. Name a provider to have "
            "some made."
        )
    retried = memory.retry_parked() if asked["retry_parked"] else 0
    with until_asked_to_stop(errand.watch) as stop:
        duty = _Duty(memory, errand.watch, stop)
        last = duty.round() if asked["once"] else duty.serve(asked["poll"])
    shift = Shift(duty.embedded, duty.parked, waiting(memory), retried, last.in_bulk, last.unavailable, duty.located)
    return Answer(shift, FAILED if asked["once"] and last.unavailable else 0)


def waiting(memory: Memory) -> int:
    """Count what is waited for in the space that is searched and in one that is being built."""
    used = [model for model in memory.models(ask=False) if model.state in _IN_USE]
    return sum(source.waiting for model in used for source in model.coverage)


class _Duty:
    """A worker at work: it counts what it has done, and says when it cannot go on, once."""

    def __init__(self, memory: Memory, watch: Watch, stop: Event) -> None:
        self._memory = memory
        self._watch = watch
        self._stop = stop
        self._away = False
        self.embedded = 0
        self.parked = 0
        self.located = 0

    def round(self, *, thorough: bool = True) -> WorkReport:
        """Do all that can be done."""
        with self._watch.work("Embedding", waiting(self._memory)) as tell:
            worked = self._memory.embed_waiting(thorough=thorough, stop=self._stop, tell=tell)
        self.embedded += worked.embedded
        self.parked += worked.parked
        self.located += worked.located
        return worked

    def serve(self, poll_s: float) -> WorkReport:
        """Do so until somebody asks to stop."""
        self._watch.say("Waiting for texts to embed. Ctrl-C ends it.")
        looked_at = float("-inf")
        while True:
            thorough = monotonic() - looked_at > _THOROUGH_S
            try:
                worked = self.round(thorough=thorough)
                looked_at = monotonic() if thorough else looked_at
            except StoreUnavailable as error:
                worked = WorkReport(unavailable=str(error), pause_s=_STORE_PAUSE_S)
            self._report(worked)
            if self._stop.wait(max(poll_s, worked.pause_s)):
                return worked

    def _report(self, worked: WorkReport) -> None:
        """Say what changed, and what was done: a provider that stays away is mentioned once."""
        if worked.unavailable and not self._away:
            self._watch.say(f"Waiting until it works again: {worked.unavailable}")
        elif self._away and not worked.unavailable:
            self._watch.say("It works again.")
        self._away = bool(worked.unavailable)
        if worked.embedded:
            self._watch.say(f"Embedded {counted(worked.embedded, 'text', 'texts')}.")
        if worked.located:
            self._watch.say(f"Found {counted(worked.located, 'address', 'addresses')}.")
        if worked.parked:
            self._watch.say(f"Gave up on {counted(worked.parked, 'text', 'texts')}; `recollect status` says why.")
