"""A request to forget: what is named, and how far it reaches."""

import json
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.forgetting import by_query, forget
from recollect.engine.forgetting.purge import purge
from recollect.engine.forgetting.receipt import ReceiptDraft, settled
from recollect.errors import InvalidInput, StoreFull
from recollect.model.literals import DocumentsFate
from recollect.model.memories import Scope
from recollect.model.search import Forgotten
from recollect.text.clean import clean

ForgetTarget: TypeAlias = Literal["id", "query", "session", "source", "folder", "everything"]


class ForgetRequest(NamedTuple):
    """One of `id`, `query`, `session`, `source`, `folder` and `everything`, and what goes with it."""

    id: str | None = None
    query: str | None = None
    session: str | None = None
    source: str | None = None
    folder: str | None = None
    everything: bool = False
    all: bool = False
    sources: bool = False
    allow_again: bool = False
    purge: bool = False
    receipt: bool = False
    dry_run: bool = False
    documents: DocumentsFate = "ask"

    @property
    def target(self) -> ForgetTarget:
        """What is named. Raises InvalidInput when several things are, or none, or options do not fit."""
        if self.allow_again and not self.everything:
            raise InvalidInput("allow_again goes with everything: only a fresh start lets the forgotten come again.")
        named: list[ForgetTarget] = []
        for name in ("id", "query", "session", "source", "folder"):
            named += [name] if getattr(self, name) is not None else []
        named += ["everything"] if self.everything else []
        if len(named) != 1:
            raise InvalidInput(
                "Say what to forget with exactly one of: id, query, session, source, folder, everything."
            )
        if self.all and self.query is None:
            raise InvalidInput("`all` belongs to a query: it forgets everything that the query finds.")
        if self.sources and self.id is None:
            raise InvalidInput("`sources` belongs to an id; a query reaches the messages anyway.")
        if self.documents not in ("ask", "forget", "keep"):
            raise InvalidInput(f"documents is {self.documents!r:.80}; it must be ask, forget or keep.")
        if self.documents != "ask" and self.query is None:
            raise InvalidInput("`documents` belongs to a query: a document named by its id is forgotten whole.")
        if self.receipt and self.dry_run:
            raise InvalidInput("A dry run forgets nothing, so there is no receipt. Leave out one of the two.")
        return named[0]


def run(engine: Engine, scope: Scope, request: ForgetRequest) -> Forgotten:
    """Forget what was named."""
    target = request.target
    engine.search.notes.flush()  # so that no query comes after what it asked for is gone
    draft = _draft(engine, scope, target, request) if request.receipt else None
    try:
        forgotten = _forget(engine, scope, request, draft)
    except StoreFull:
        if request.query is not None and not request.all:  # what it means is decided anew by what is left
            raise
        try:
            forgotten = _forget_in_parts(engine, scope, request, draft)
        finally:
            engine.store.restock_reserve()
    if not request.purge or forgotten.action != "deleted":
        return forgotten
    pending = " ".join(purge(engine).failed)
    receipt = forgotten.receipt and settled(engine, forgotten.receipt, pending, purged=True)
    return replace(forgotten, pending=pending, receipt=receipt)


def _draft(engine: Engine, scope: Scope, target: ForgetTarget, request: ForgetRequest) -> ReceiptDraft:
    """Begin a receipt. The first one gives the store its number, for which a full disk may have no room."""
    begin = partial(ReceiptDraft, engine, scope, target, allow_again=request.allow_again, documents=request.documents)
    try:
        return begin()
    except StoreFull:
        with engine.store.released_reserve():
            draft = begin()
        engine.store.restock_reserve()
        return draft


def _forget_in_parts(engine: Engine, scope: Scope, request: ForgetRequest, draft: ReceiptDraft | None) -> Forgotten:
    """Forget what does not fit on a full disk at once. Raises StoreFull where there is no reserve to begin with."""
    with engine.store.released_reserve() as released:
        if not released:
            raise StoreFull("The disk is full, and no room is kept to forget in: nothing was forgotten. Make room.")
        noted = request._replace(purge=False, receipt=False)
        note = json.dumps({"user": scope.user_id, **noted._asdict()}, ensure_ascii=False)
        try:
            return _forget(replace(engine, forgetting=note), scope, noted, draft)
        except StoreFull as error:
            begun = note in engine.store.unfinished_forgetting()
            done = "the rest goes with `recollect maintain`" if begun else "nothing was forgotten"
            raise StoreFull(f"The disk is too full to forget all of it: {done}. Make room.") from error


def finish(engine: Engine) -> None:
    """Forget the rest of what a full disk or a crash has interrupted."""
    for note in engine.store.unfinished_forgetting():
        noted = json.loads(note)
        scope = Scope(noted.pop("user"))
        with engine.store.released_reserve():
            _forget(replace(engine, forgetting=note, audit=None), scope, ForgetRequest(**noted), None)


def _forget(engine: Engine, scope: Scope, request: ForgetRequest, draft: ReceiptDraft | None) -> Forgotten:
    match request:
        case ForgetRequest(query=str(query)):
            whole = request.documents == "forget"
            reach = {"all_found": request.all, "dry_run": request.dry_run, "whole_documents": whole}
            return by_query.forget_query(engine, scope, query, **reach, receipt=draft)
        case ForgetRequest(session=str(session)):
            return forget.forget_session(engine, scope, clean(session), dry_run=request.dry_run, receipt=draft)
        case ForgetRequest(source=str(source)):
            return forget.forget_source(engine, scope, clean(source), dry_run=request.dry_run, receipt=draft)
        case ForgetRequest(folder=str(folder)):
            return forget.forget_folder(engine, scope, folder, dry_run=request.dry_run, receipt=draft)
        case ForgetRequest(id=str(id_)):
            return _forget_id(engine, scope, id_, request, draft)
        case _:
            reach = {"allow_again": request.allow_again, "dry_run": request.dry_run}
            return forget.forget_everything(engine, scope, **reach, receipt=draft)


def _forget_id(
    engine: Engine, scope: Scope, given: str, request: ForgetRequest, draft: ReceiptDraft | None
) -> Forgotten:
    known_id = ids.canonical(given)
    if known_id is None:
        return Forgotten("not_found", dry_run=request.dry_run)
    reach = {"sources": request.sources, "dry_run": request.dry_run}
    return forget.forget_id(engine, scope, known_id, **reach, receipt=draft)
