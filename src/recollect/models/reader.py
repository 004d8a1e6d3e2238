"""The reader that comes with the package: our own model, run on this machine, without a key and without a network.

The invariant: nothing is loaded before the first message arrives.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from recollect.errors import ModelDamaged, ReaderError, SettingsError
from recollect.forking import module_lock
from recollect.model.readings import NEED_NONE, Reading
from recollect.models.bundled import FOLDER, READER, READER_NAME, check_files

if TYPE_CHECKING:
    from recollect.models.reader_graph import ReaderGraph


# The loaded graphs of this process: any number of readers over the same files share one, and the last frees it.
_loaded_graphs: WeakValueDictionary[tuple[Path, int], "ReaderGraph"] = WeakValueDictionary()
_loading = module_lock()

if hasattr(os, "register_at_fork"):  # a child loads its own: another thread may have been in the middle of a graph
    os.register_at_fork(after_in_child=_loaded_graphs.clear)


class LocalReader:
    """Reads messages with the bundled reader. Any number of threads may share one.

    A message of at most 128 word pieces is read at once, a longer one in windows, and its need of memory is judged by
    its beginning and its end. One of more than 4,000 pieces is taken for pasted text: it has no statements.
    """

    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Take note of the settings; the model is loaded by the first `read`.

        `threads` is how many threads one call computes with. `folder` holds the model's files, by default the bundled
        ones.
        """
        if threads < 1:
            raise SettingsError(f"threads is {threads}, expected at least 1.")
        self._threads = threads
        self._folder = folder or FOLDER
        self._graph: ReaderGraph | None = None

    @property
    def name(self) -> str:
        """Which model it is."""
        return READER_NAME

    @property
    def costs(self) -> bool:
        """It spends nothing but time."""
        return False

    def read(self, text: str) -> Reading:
        """Read one message. One that is empty needs no memory; one that is not valid Unicode cannot be judged.

        Raises ReaderError when the model cannot be loaded or fails.
        """
        if not text.strip():
            return Reading(need=NEED_NONE, reader=READER_NAME)
        try:
            text.encode()
        except UnicodeEncodeError:
            return Reading(reader=READER_NAME)
        return self._loaded().read(text)

    def close(self) -> None:
        """Let go of the model; reading again would load it again."""
        self._graph = None

    def _loaded(self) -> "ReaderGraph":
        graph = self._graph
        if graph is not None:
            return graph
        key = (self._folder, self._threads)
        with _loading:
            graph = _loaded_graphs.get(key)
            if graph is None:
                graph = _loaded_graphs[key] = self._load()
        self._graph = graph
        return graph

    def _load(self) -> "ReaderGraph":
        try:
            check_files(self._folder, READER)
            # Imported late on purpose: onnxruntime and tokenizers take time that most commands need not spend.
            from recollect.models.reader_graph import ReaderGraph  # noqa: PLC0415
        except ModelDamaged as error:
            raise ReaderError(str(error)) from error
        except ImportError as error:
            raise ReaderError(
                f"The local reader cannot run, because a library cannot be imported: {error}. Reinstall the package."
            ) from error
        return ReaderGraph(self._folder, threads=self._threads)
