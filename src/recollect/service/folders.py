"""Folders that the service keeps in step while it runs, for the user of the settings.

One thread does it, in one process of several. What goes wrong is counted and noted, by folders and figures, never by
what stands in a file; then it is tried again, for a disk may come back.
"""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.model.files import SyncReport
from recollect.service.naming import FAILED
from recollect.web.guarded import LOG

_AGAIN_S: Final = 60.0


class Folders:
    """The folders of `files.watch`. `count` hears how each sync ended, by one of the `SYNC_STATES`."""

    def __init__(self, memory: Memory, count: Callable[[str], None], *, again_s: float = _AGAIN_S) -> None:
        self._memory = memory
        self._count = count
        self._again_s = again_s
        self._stop = Event()
        self._thread: Thread | None = None
        self._last: dict[str, str] = {}  # how each folder was, so that only a change for the worse is complained of

    def start(self) -> None:
        """Begin, if there are any."""
        if self._memory.settings.files.watch:
            self._thread = Thread(target=self._keep, name="recollect-folders", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Say that it is over; whatever is under way is finished."""
        self._stop.set()

    def wait(self, timeout_s: float) -> None:
        """Wait for the end. What takes longer is left alone: a sync may be interrupted anywhere, and goes on later."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _keep(self) -> None:
        settings = self._memory.settings
        while not self._stop.is_set():
            try:
                me = self._memory.user(settings.user)
                me.files.watch(*settings.files.watch, stop=self._stop, tell=self._told)
            except Exception as error:  # noqa: BLE001 - the edge of this worker: it outlives whatever goes wrong
                self._failed(error)
                self._stop.wait(self._again_s)

    def _told(self, outcome: SyncReport | RecollectError) -> None:
        if isinstance(outcome, RecollectError):
            self._failed(outcome)
            return
        self._count(outcome.state)
        self._note(outcome)

    def _failed(self, error: Exception) -> None:
        """Note the kind of an error: what it says may quote a text."""
        if self._stop.is_set():
            return  # the store may be closed by now
        self._count(FAILED)
        LOG.error("%(event)s: %(failure)s", {"event": "folders cannot be synced", "failure": type(error).__name__})

    def _note(self, report: SyncReport) -> None:
        before = self._last.get(report.root, "synced")
        self._last[report.root] = report.state
        fields = {
            "event": "folder",
            "folder": report.root,
            "state": report.state,
            "files": report.seen,
            "changed": report.writes,
            "skipped": sum(report.skipped.values()),
        }
        if report.state not in ("synced", before):
            LOG.error("%(event)s %(folder)s is %(state)s", fields)
        elif report.writes:
            LOG.info("%(event)s %(folder)s: %(changed)d of %(files)d files changed", fields)
