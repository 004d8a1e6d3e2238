"""Brings what other systems know: folders of OpenClaw, and exports of ChatGPT, Claude, mem0 and basic-memory.

The invariant: what is imported is never changed, not even by a file appearing beside it; and bringing it twice is
bringing it once.
"""

from recollect.api.backups import import_own, is_own_export
from recollect.model.backups import ImportProgress, ImportReport, Skipped
from recollect_connect.importing.exports import import_file
from recollect_connect.importing.openclaw import import_openclaw

__all__ = [
    "ImportProgress", "ImportReport", "Skipped", "import_file", "import_openclaw", "import_own", "is_own_export",
]  # fmt: skip
