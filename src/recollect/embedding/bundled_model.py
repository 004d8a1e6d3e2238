"""Which encoder was released, and the check that this is the one that is installed.

A vector is only comparable with vectors of the same encoder, and a store keeps them for years. So the files are checked
before they are used: a damaged download must not quietly fill a store with vectors of a space that does not exist.
"""

import hashlib
import zlib
from pathlib import Path
from typing import Final

from recollect.errors import ModelDamaged
from recollect.model.memories import Space

MODEL_FILE: Final = "model.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"
SHA256: Final = {
    MODEL_FILE: "780bcbb8c78d776cca581aacd14646e01a1c750b75599d463abe76809aec90ea",
    TOKENIZER_FILE: "220d6246f230ff38e3b387565fa720a3c8e9c17a78304abc4fded090ec90235e",
}
# Damage shows in a CRC-32 as well, in a seventh of the time: a cold start pays for the check each time.
CRC32: Final = {MODEL_FILE: 0x130A7C56, TOKENIZER_FILE: 0xA171E6C0}
FOLDER: Final = Path(__file__).parent / "encoder"

LANGUAGES: Final = frozenset({"en", "ru", "cs", "de", "fr", "es", "pl", "it", "pt", "nl", "uk", "ro"})

SPACE: Final = Space(
    provider="local",
    model="recollect-encoder-1",
    revision=SHA256[MODEL_FILE][:12],
    prefix_scheme="none",
    dimensions=384,
    normalised=True,
)


def check_files(folder: Path) -> None:
    """Compare the encoder's files with the released ones. Raises ModelDamaged for the first that differs."""
    for name, expected in SHA256.items():
        path = folder / name
        content = _read(path)
        if zlib.crc32(content) != CRC32[name]:
            found = hashlib.sha256(content).hexdigest()
            raise ModelDamaged(
                f"The encoder file {path} is damaged: its SHA-256 is {found}, expected {expected}. {_ADVICE}"
            )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ModelDamaged(f"The encoder file {path} is missing. {_ADVICE}") from None
    except OSError as error:
        raise ModelDamaged(f"The encoder file {path} cannot be read: {error.strerror}. {_ADVICE}") from error


_ADVICE: Final = "Reinstall the package: pip install --force-reinstall recollect."
