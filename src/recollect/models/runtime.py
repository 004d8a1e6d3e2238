"""Opens and runs graphs: word pieces in, arrays out. The only module that knows onnxruntime; importing it is slow."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final
from weakref import finalize

import numpy as np

# From 1.29 on onnxruntime writes a device id to the disk and reports to its maker over the network, unless this is set
# before it is first imported. Memories are private, and so is the fact that they are kept.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as ort

from recollect.forking import leak, take_part
from recollect.models.bundled import WORDS_FILE

VERSION: Final[str] = onnxruntime.__version__
_SILENT: Final = 4
_FOLDER_OF_WORDS: Final = "session.model_external_initializers_file_folder_path"
MOST_AT_ONCE: Final = max(2, min(8, os.cpu_count() or 1))

# onnxruntime has no base class for its errors; RuntimeError is what a C++ exception it did not expect turns into.
ORT_ERRORS: Final = (
    ort.EPFail,
    ort.EngineError,
    ort.Fail,
    ort.InvalidArgument,
    ort.InvalidGraph,
    ort.InvalidProtobuf,
    ort.NoModel,
    ort.NoSuchFile,
    ort.NotImplemented,
    ort.RuntimeException,
    RuntimeError,
)


class MappedFile:
    """A file that onnxruntime has mapped into memory. Reading what was cut off it would end the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._size = os.fstat(self._descriptor).st_size
        finalize(self, os.close, self._descriptor)

    def insist_whole(self) -> None:
        """Raise RuntimeError when the file has become shorter."""
        found = os.fstat(self._descriptor).st_size
        if found < self._size:
            raise RuntimeError(
                f"{self._path} was cut short while in use: it has {found:,} of {self._size:,} bytes. Reinstall the "
                "package and start this process again"
            )


class Graph:
    """A loaded model. Any number of threads may run one; a few at a time do. Raises one of ORT_ERRORS.

    onnxruntime keeps for ever what the most runs at once have needed. With as many as a service has threads that was
    hundreds of megabytes, and no faster than as many as there are cores.
    """

    def __init__(
        self, path: Path, *, threads: int, entries: Mapping[str, str] | None = None, words: Path | None = None
    ) -> None:
        """Load a file, which must have been checked before; `entries` are settings that this model needs.

        `words` is its word table, if it needs one; by default the one beside it.
        """
        # For the rare process that imported onnxruntime before, and for Windows, which has its own switch.
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _SILENT
        # Idle threads must not spin: on a busy machine that made two threads slower than one.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        for name, value in (entries or {}).items():
            options.add_session_config_entry(name, value)
        words = words or path.with_name(WORDS_FILE)
        self._mapped = MappedFile(words) if words.is_file() else None
        graph: str | bytes = str(path)
        if words.parent != path.parent:  # what a graph refers to is looked for elsewhere only if its bytes are given
            graph = path.read_bytes()
            options.add_session_config_entry(_FOLDER_OF_WORDS, str(words.parent))
        self._session: Any = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._turns = BoundedSemaphore(MOST_AT_ONCE)
        self._outputs = [output.name for output in self._session.get_outputs()]
        take_part(self)

    def before_fork(self) -> None:
        """Do nothing."""

    def after_fork_in_parent(self) -> None:
        """Do nothing."""

    def after_fork_in_child(self) -> None:
        """Never free the session: it would wait for its threads, which a child does not have."""
        leak(self._session)
        self._turns = BoundedSemaphore(MOST_AT_ONCE)

    def run(self, pieces: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Run texts with the same number of pieces; gives each output by its name."""
        if self._mapped is not None:
            self._mapped.insist_whole()
        ids = np.array(pieces, dtype=np.int64)
        with self._turns:
            arrays = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return dict(zip(self._outputs, arrays, strict=True))
