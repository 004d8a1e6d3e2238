"""Forgetting: first it is found out what would go, then whoever is there agrees, then it goes."""

from dataclasses import replace

from recollect.api.memory import UserMemory
from recollect.cli.edge import FAILED, NOT_FOUND
from recollect.cli.errand import Answer, Declined, Errand, Loss
from recollect.cli.values import Asked
from recollect.errors import InvalidInput, NotFound
from recollect.model.files import FileRecord
from recollect.model.memories import Forgotten, MemoryRecord

_SWEEPING = ("session", "source", "folder", "everything")


def forget(errand: Errand) -> Answer:
    """Delete what was asked for, after the person at the terminal has agreed."""
    asked, me = errand.asked, errand.me
    wanted = {name: asked[name] for name in ("id", "query", *_SWEEPING)}
    plan = me.forget(**wanted, dry_run=True)
    whole = _whole(asked)
    if whole and not (asked["yes"] or asked["dry_run"] or errand.confirm):
        raise InvalidInput(f"Forgetting {whole} needs --yes when there is no terminal to ask on.")
    if plan.action == "deleted":
        loss = _loss(me, plan, whole)
        if asked["dry_run"]:
            return Answer(loss)
        if errand.confirm and not asked["yes"] and not errand.confirm(loss, None if whole else _item(me, plan.ids[0])):
            raise Declined("Nothing was forgotten.")
        return Answer(replace(loss, receipt=me.forget(**wanted) if whole else me.forget(plan.id)))
    return Answer(Loss(replace(plan, dry_run=asked["dry_run"])), _unfinished(asked, plan))


def _whole(asked: Asked) -> str:
    """Name what goes as a whole."""
    if asked["everything"]:
        return "everything"
    if asked["session"] is not None:
        return f"conversation {asked['session']}"
    if asked["folder"] is not None:
        return f"the folder {asked['folder']}"
    return f"all that came from {asked['source']}" if asked["source"] is not None else ""


def _unfinished(asked: Asked, receipt: Forgotten) -> int:
    """Nothing to forget is what `--everything` wants; several candidates mean that the work is not done."""
    if receipt.action == "not_found":
        return 0 if asked["everything"] else NOT_FOUND
    return 0 if asked["dry_run"] else FAILED


def _loss(me: UserMemory, plan: Forgotten, whole: str) -> Loss:
    """Say how much of what goes. All that somebody has is too much to look at one by one."""
    if whole == "everything":
        stats = me.stats()
        live = stats.memories + stats.expired
        said = len(plan.ids) - live - stats.superseded - plan.files
        return Loss(plan, whole, live, stats.superseded, said, plan.files)
    memories = len(plan.ids) - plan.messages - plan.files
    if whole:
        return Loss(plan, whole, memories, 0, plan.messages, plan.files)
    found = [_item(me, item_id) for item_id in plan.ids]
    live = sum(isinstance(item, MemoryRecord) and item.superseded_by is None for item in found)
    return Loss(plan, whole, live, memories - live, plan.messages, plan.files)


def _item(me: UserMemory, id: str) -> MemoryRecord | FileRecord | None:
    """Give a memory or a file; None when the id is that of a message."""
    for find in (me.get, me.file):
        try:
            return find(id)
        except NotFound:
            continue
    return None
