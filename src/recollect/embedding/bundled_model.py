"""Which encoder was released, and the space of its vectors.

A vector is only comparable with vectors of the same encoder, and a store keeps them for years. So the files are checked
before they are used: a damaged download must not quietly fill a store with vectors of a space that does not exist.
"""

from pathlib import Path
from typing import Final

from recollect.model.memories import Space
from recollect.models.bundled import TOKENIZER, TOKENIZER_FILE, ReleasedFile

MODEL_FILE: Final = "model.onnx"
ENCODER: Final = {
    MODEL_FILE: ReleasedFile("780bcbb8c78d776cca581aacd14646e01a1c750b75599d463abe76809aec90ea", 0x130A7C56),
    TOKENIZER_FILE: TOKENIZER,
}
FOLDER: Final = Path(__file__).parent / "encoder"

LANGUAGES: Final = frozenset({"en", "ru", "cs", "de", "fr", "es", "pl", "it", "pt", "nl", "uk", "ro"})

SPACE: Final = Space(
    provider="local",
    model="recollect-encoder-1",
    revision=ENCODER[MODEL_FILE].sha256[:12],
    prefix_scheme="none",
    dimensions=384,
    normalised=True,
)
