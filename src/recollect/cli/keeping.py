"""Keeping folders in step until somebody asks to stop, with a line for each sync that did something.

The invariant: what is as it was is not told again, however often it is looked at.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.cli.errand import Errand
from recollect.cli.folders import in_one_line
from recollect.cli.watching import Watch, until_asked_to_stop
from recollect.cli.words import counted
from recollect.errors import RecollectError
from recollect.model.files import SyncReport


def keep_in_step(errand: Errand, paths: Sequence[str], wishes: Mapping[str, Any]) -> None:
    """Sync folders, and again whenever they change. Vectors are made meanwhile, by the thread of this process."""
    told = _Told(errand.watch)
    with until_asked_to_stop(errand.watch) as stop:
        with errand.watch.steps() as step:
            reports = errand.me.sync(
                *paths,
                **wishes,
                wait=bool(errand.asked["wait"]),
                tell=lambda progress: step("Reading files", progress.done, progress.total),
            )
        for report in reports:
            told.tell(report)
        errand.watch.say(f"Watching {counted(len(reports), 'folder', 'folders')}. Ctrl-C ends it.")
        roots = [report.root for report in reports]
        patterns = {name: wishes[name] for name in ("source", "include", "exclude", "hidden", "gitignore")}
        errand.me.keep_in_step(*roots, stop=stop, tell=told.tell_news, **patterns)


class _Told:
    """Tells whoever watches what is new, and remembers what they know."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._known: dict[str, SyncReport] = {}
        self._failure = ""

    def tell(self, report: SyncReport) -> None:
        """Tell of a folder, whatever there is to tell."""
        before = self._known.get(report.root)
        self._known[report.root] = report
        self._watch.announce(in_one_line(report, before.trouble if before else ()), report)

    def tell_news(self, outcome: SyncReport | RecollectError) -> None:
        """Tell what came of a sync, if that is new."""
        if isinstance(outcome, RecollectError):
            if str(outcome) != self._failure:
                self._failure = str(outcome)
                self._watch.announce(f"It is tried again later: {outcome}", outcome)
            return
        self._failure = ""
        if outcome.writes > outcome.touched or not _as_before(outcome, self._known.get(outcome.root)):
            self.tell(outcome)


def _as_before(report: SyncReport, before: SyncReport | None) -> bool:
    """Say whether a folder is as somebody knows it: seen as much as then, with the same trouble."""
    return before is not None and (report.state, report.trouble) == (before.state, before.trouble)
