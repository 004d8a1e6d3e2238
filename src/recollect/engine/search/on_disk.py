"""Which hits are from files that have changed or gone since a sync read them.

The disk is asked when an answer is given, and only where the folder is on this machine; what is stored stays as the
next sync will find it.
"""

from dataclasses import replace

from recollect.engine.base.context import Engine
from recollect.errors import PackageMissing
from recollect.model.files import Chunk
from recollect.model.memories import Scope
from recollect.model.search import Recall


def mark(engine: Engine, scope: Scope, found: Recall) -> Recall:
    """Let hits from synced files of the user's own say what has become of these."""
    chunks = [hit.record for hit in found.hits if isinstance(hit.record, Chunk) and hit.record.root and not hit.scope]
    if not chunks:
        return found
    ids = dict.fromkeys(chunk.file_id for chunk in chunks)
    files, folders = engine.store.read(
        scope, lambda reader: ([reader.file(file_id) for file_id in ids], reader.folders())
    )
    known = [file for file in files if file]
    try:
        states = engine.filing.states([folder.root for folder in folders], known)
    except PackageMissing:  # which may be where files only are searched
        return found
    hits = (
        replace(hit, on_disk=states.get(hit.record.file_id, "")) if isinstance(hit.record, Chunk) else hit
        for hit in found.hits
    )
    return replace(found, hits=tuple(hits)) if states else found
