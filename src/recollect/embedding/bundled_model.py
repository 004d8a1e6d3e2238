"""Which encoders were released, the spaces of their vectors, and where their files are.

A vector is only comparable with vectors of the same encoder, and a store keeps them for years. So the files are checked
before they are used: a damaged download must not quietly fill a store with vectors of a space that does not exist.

New stores use the first encoder of `ENCODERS`, whose files are in the package. An older one has its files in a
distribution of its own, for stores that have not moved to the new one yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from recollect.errors import ModelDamaged
from recollect.model.memories import Space
from recollect.models.bundled import ENCODER, ENCODER_FILE, FOLDER, ReleasedFile

LANGUAGES: Final = frozenset({"en", "ru", "cs", "de", "fr", "es", "pl", "it", "pt", "nl", "uk", "ro"})


@dataclass(frozen=True, slots=True)
class BundledEncoder:
    """An encoder of this project.

    `graph` is the name of its graph, `files` are the files it needs in its folder. The files of one with a `package`
    come with the distribution of that import name, and with the extra of the same name as the encoder.
    `session_entries` are settings of onnxruntime that its graph needs.
    """

    name: str
    graph: str
    files: Mapping[str, ReleasedFile]
    package: str = ""
    session_entries: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def space(self) -> Space:
        """The space of its vectors."""
        revision = self.files[self.graph].sha256[:12]
        return Space("local", f"recollect-{self.name}", revision, "none", dimensions=384, normalised=True)

    def folder(self) -> Path:
        """Find the folder of its files. Raises ModelDamaged when their distribution is not installed."""
        if not self.package:
            return FOLDER
        found = find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            raise ModelDamaged(
                f"The files of the older encoder recollect-{self.name} are not installed. Run `recollect reembed` to "
                f"move the store to recollect-{ENCODERS[0].name}, or `pip install 'recollect[{self.name}]'` to stay."
            )
        return Path(found.submodule_search_locations[0])


ENCODERS: Final = (
    BundledEncoder("encoder-3", ENCODER_FILE, ENCODER),
    BundledEncoder(
        "encoder-1",
        "model.onnx",
        {"model.onnx": ReleasedFile("780bcbb8c78d776cca581aacd14646e01a1c750b75599d463abe76809aec90ea", 0x130A7C56)},
        package="recollect_encoder_1",
        # Its weights are stored in int8 and computed in float32: unfold them once, not in every call.
        session_entries=MappingProxyType({"session.disable_quant_qdq": "1"}),
    ),
)
LATEST: Final = ENCODERS[0]
SPACE: Final = LATEST.space


def encoder_of(space: Space) -> BundledEncoder | None:
    """Give the encoder that makes the vectors of a space; None when none of this project does."""
    return next((encoder for encoder in ENCODERS if encoder.space == space), None)


def encoder_named(model: str) -> BundledEncoder | None:
    """Give the encoder that a model's name means; None when none of this project has it."""
    return next((encoder for encoder in ENCODERS if encoder.space.model == model), None)
