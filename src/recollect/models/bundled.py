"""Which model files were released, and the check that these are the ones that are installed.

All models refer to one table of words, `words.bin`, which onnxruntime finds beside their graphs, or is told of. A
damaged download must not give wrong answers for years, so the files that a model needs are checked before it is used.
"""

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from recollect.errors import ModelDamaged

WORDS_FILE: Final = "words.bin"
TOKENIZER_FILE: Final = "tokenizer.json"
ENCODER_FILE: Final = "encoder.onnx"
READER_FILE: Final = "reader.onnx"
READER_LABELS_FILE: Final = "reader.json"
READER_NAME: Final = "recollect-reader-2"
RERANKER_FILE: Final = "reranker.onnx"
RERANKER_NAME: Final = "recollect-reranker-2"
FOLDER: Final = Path(__file__).parent / "files"


class ReleasedFile(NamedTuple):
    """What a released file is known by.

    Damage shows in a CRC-32 as well as in a SHA-256, in a seventh of the time: a cold start pays for the check.
    """

    sha256: str
    crc32: int


WORDS: Final = ReleasedFile("1e9a9e6cf8306d069cd9c20f981a41235752e093b84159223b9256a4cd15a36b", 0x33DDC6DC)
TOKENIZER: Final = ReleasedFile("220d6246f230ff38e3b387565fa720a3c8e9c17a78304abc4fded090ec90235e", 0xA171E6C0)
ENCODER: Final[Mapping[str, ReleasedFile]] = {
    WORDS_FILE: WORDS,
    TOKENIZER_FILE: TOKENIZER,
    ENCODER_FILE: ReleasedFile("f5b22ab90f634ab7638192008742f6c3f5012dc615d7d3f00963eb3e54393cd9", 0xAC30BBD3),
}
READER: Final[Mapping[str, ReleasedFile]] = {
    WORDS_FILE: WORDS,
    TOKENIZER_FILE: TOKENIZER,
    READER_FILE: ReleasedFile("331adaa9c1dd67f860dd523a5cb486d8d4f4294d587ebc3ce4d825f6c1b3ae38", 0x3F0224F9),
    READER_LABELS_FILE: ReleasedFile("94eb3fc0a9ae7e4f06909d83675755d97bf6b33e223f7ab06d02921cfcf20ba7", 0xE6F7014F),
}
RERANKER: Final[Mapping[str, ReleasedFile]] = {
    WORDS_FILE: WORDS,
    TOKENIZER_FILE: TOKENIZER,
    RERANKER_FILE: ReleasedFile("2c24e3e1a7c3dd0a2a1d16f3aec14f3ffd6c61bc9e085657a22998dd073cfb67", 0x153B731B),
}

_CHUNK_BYTES: Final = 1 << 18  # read in parts: memory for a whole file would stay with the process
_ADVICE: Final = "Reinstall the package: pip install --force-reinstall recollect."


def check_files(folder: Path, released: Mapping[str, ReleasedFile]) -> None:
    """Compare a model's files with the released ones. Raises ModelDamaged for the first that differs."""
    for name, expected in released.items():
        path = folder / name
        try:
            if _crc32(path) != expected.crc32:
                raise ModelDamaged(
                    f"The model file {path} is damaged: its SHA-256 is {_sha256(path)}, expected {expected.sha256}. "
                    f"{_ADVICE}"
                )
        except FileNotFoundError:
            raise ModelDamaged(f"The model file {path} is missing. {_ADVICE}") from None
        except OSError as error:
            raise ModelDamaged(f"The model file {path} cannot be read: {error.strerror}. {_ADVICE}") from error


def _crc32(path: Path) -> int:
    found = 0
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK_BYTES):
            found = zlib.crc32(chunk, found)
    return found


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
