"""The reader that comes with the package: our own model, run on this machine, without a key and without a network.

The invariant: nothing is loaded before the first message arrives.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import ReaderError
from recollect.model.readings import NEED_NONE, Reading
from recollect.models.bundled import READER, READER_NAME
from recollect.models.shared_graphs import SharedGraphs, graph_key

if TYPE_CHECKING:
    from recollect.models.reader_graph import ReaderGraph


_graphs: SharedGraphs["ReaderGraph"] = SharedGraphs("reader", READER, ReaderError)


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
        self._key = graph_key(threads, folder)
        self._graph: ReaderGraph | None = None

    @property
    def name(self) -> str:
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
        if graph is None:
            graph = self._graph = _graphs.get(self._key, _load)
        return graph


def _load(folder: Path, threads: int) -> "ReaderGraph":
    # Imported late on purpose: onnxruntime and tokenizers take time that most commands need not spend.
    from recollect.models.reader_graph import ReaderGraph  # noqa: PLC0415

    return ReaderGraph(folder, threads=threads)
