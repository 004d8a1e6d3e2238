"""What the commands do that bring what other systems hold. The importers are imported when one of them runs."""

from importlib import import_module
from typing import Any

from recollect.cli.errand import Answer, Errand, VerbFunction
from recollect.cli.watching import Steps
from recollect.model.literals import Trust


def import_export(errand: Errand) -> Answer:
    """Bring an export."""
    asked = errand.asked
    trust = Trust.STATED if asked["trusted"] else Trust.EXTERNAL
    wishes = {name: asked[name] for name in ("format", "of_user", "dry_run")}
    with errand.watch.steps() as step:
        return Answer(_importing().import_file(errand.me, asked["path"], trust=trust, tell=_told(step), **wishes))


def import_openclaw(errand: Errand) -> Answer:
    """Bring a folder of OpenClaw."""
    asked = errand.asked
    with errand.watch.steps() as step:
        return Answer(
            _importing().import_openclaw(errand.me, asked["path"], dry_run=asked["dry_run"], tell=_told(step))
        )


def _importing() -> Any:  # noqa: ANN401 - a module
    return import_module("recollect.importing")


def _told(step: Steps) -> Any:  # noqa: ANN401 - as the importers call it
    return lambda progress: step(f"Bringing {progress.what}", progress.done, progress.total)


VERBS: dict[str, VerbFunction] = {"import": import_export, "import-openclaw": import_openclaw}
