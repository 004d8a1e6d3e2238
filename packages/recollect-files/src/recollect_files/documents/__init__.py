"""Documents of many formats: what they are, what they say, and the folder that keeps their originals."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect_files.documents.detect_kind import detect
    from recollect_files.documents.extract import LocalDocuments

# Names are looked up when they are used, so that a child that reads one document does not pay for NumPy.
_HOME_OF = {"LocalDocuments": "recollect_files.documents.extract", "detect": "recollect_files.documents.detect_kind"}

__all__ = ["LocalDocuments", "detect"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- whatever the name stands for
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
