"""Brings what other systems know: folders of OpenClaw, and exports of ChatGPT, Claude, mem0 and basic-memory.

The invariant: what is imported is never changed, not even by a file appearing beside it; and bringing it twice is
bringing it once.
"""

from recollect.importing.detect_format import is_own_export
from recollect.importing.exports import import_file, import_own
from recollect.importing.openclaw import import_openclaw
from recollect.importing.report import ImportProgress, ImportReport, Skipped

__all__ = [
    "ImportProgress", "ImportReport", "Skipped", "import_file", "import_openclaw", "import_own", "is_own_export",
]  # fmt: skip
