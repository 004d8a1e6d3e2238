"""Watched folders (`files.watch`), kept in sync while the service runs, for the user of the settings.

One thread does it, in one process of several. Failures are counted and logged, by folders and figures, never with
content; then it is tried again, for a disk may come back.
"""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.model.files import SyncReport
from recollect.service.metrics.metric_labels import FAILED
from recollect.web.middleware import LOG

_RETRY_S: Final = 60.0


class WatchedFolders:
    """The thread that syncs the watched folders. `count` is called with how each sync ended: one of `SYNC_STATES`."""

    def __init__(self, memory: Memory, count: Callable[[str], None], *, retry_s: float = _RETRY_S) -> None:
        self._memory = memory
        self._count = count
        self._retry_s = retry_s
        self._stop = Event()
        self._thread: Thread | None = None
        self._states: dict[str, str] = {}  # of each folder, so that only a change for the worse is logged as an error

    def start(self) -> None:
        """Begin, if there are any."""
        if self._memory.settings.files.watch:
            self._thread = Thread(target=self._run, name="recollect-folders", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop after the sync that is under way."""
        self._stop.set()

    def wait(self, timeout_s: float) -> None:
        """Wait for the end, not longer than this: a sync may be interrupted anywhere, and goes on later."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        settings = self._memory.settings
        while not self._stop.is_set():
            try:
                me = self._memory.user(settings.user)
                me.files.watch(*settings.files.watch, stop=self._stop, tell=self._on_sync)
            except Exception as error:  # noqa: BLE001 - the edge of this worker: it outlives whatever goes wrong
                self._on_failure(error)
                self._stop.wait(self._retry_s)

    def _on_sync(self, outcome: SyncReport | RecollectError) -> None:
        if isinstance(outcome, RecollectError):
            self._on_failure(outcome)
            return
        self._count(outcome.state)
        self._log(outcome)

    def _on_failure(self, error: Exception) -> None:
        if self._stop.is_set():
            return  # the store may be closed by now
        self._count(FAILED)
        # the kind of the error only: what it says may quote a text
        LOG.error("%(event)s: %(failure)s", {"event": "folders cannot be synced", "failure": type(error).__name__})

    def _log(self, report: SyncReport) -> None:
        before = self._states.get(report.root, "synced")
        self._states[report.root] = report.state
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
