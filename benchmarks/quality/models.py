"""The encoders that are installed, each with a file of the vectors it has made: no text is embedded twice."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import apsw
import numpy as np

from benchmarks.quality.results import digest_of_folder
from recollect import embedding as embedding_package
from recollect import models as models_package
from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import ENCODERS, BundledEncoder
from recollect.model.memories import Space, Vector
from recollect.ports import Role

NO_MODEL = "none"  # words only


def installed_models() -> Sequence[str]:
    """Name the encoders whose files are here, the newest first."""
    return [one.name for one in ENCODERS if not one.package or find_spec(one.package) is not None]


@contextmanager
def embedder_of(model: str, folder: Path) -> Iterator["str | CachedEmbedder"]:
    """Open an encoder of this project by its name; `none` makes no vectors."""
    if model == NO_MODEL:
        yield NO_MODEL
        return
    encoder = next(one for one in ENCODERS if one.name == model)
    embedder = CachedEmbedder(encoder, folder)
    with closing(embedder):
        yield embedder


class CachedEmbedder:
    """A local embedder that looks its vectors up in a file first. Any number of threads may share one.

    Another revision of the model, or of the code that runs it, has a file of its own.
    """

    def __init__(self, encoder: BundledEncoder, folder: Path) -> None:
        """Open the file in a folder, which is made when it is missing."""
        self._local = LocalEmbedder(encoder=encoder)
        self._lock = Lock()
        packages = (embedding_package, models_package)
        code = digest_of_folder(*(Path(str(package.__file__)).parent for package in packages))
        folder.mkdir(parents=True, exist_ok=True)
        self._vectors = apsw.Connection(str(folder / f"vectors-{encoder.name}-{code[:12]}.db"))
        self._vectors.set_busy_timeout(60_000)  # of another run
        self._vectors.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def space(self) -> Space:
        """The space of the encoder."""
        return self._local.space

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages of the encoder."""
        return self._local.languages

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text; those that are new are computed and saved."""
        keys = [hashlib.sha256(f"{role}\0{text}".encode()).digest() for text in texts]
        with self._lock:
            rows = {key: self._saved(key) for key in keys}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if rows[key] is None}
        if missing:
            made = self._local.embed(list(missing.values()), role)
            with self._lock, self._vectors:
                for key, vector in zip(missing, made, strict=True):
                    self._vectors.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
                    rows[key] = vector
        vectors: Vector = np.stack([row for key in keys if (row := rows[key]) is not None])
        return vectors

    def _saved(self, key: bytes) -> Vector | None:
        found = self._vectors.execute("SELECT vector FROM vectors WHERE text = ?", (key,)).fetchone()
        return None if found is None else np.frombuffer(found[0], dtype=np.float32)

    def close(self) -> None:
        """Close the file and the encoder."""
        self._vectors.close()
        self._local.close()
