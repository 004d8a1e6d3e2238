"""One vocabulary for all: loaded once as long as it is used, whatever folder it lies in, and let go of after that."""

import gc
import shutil
import weakref
from pathlib import Path

from recollect.embedding import LocalEmbedder
from recollect.embedding.local import LocalTokenizer
from recollect.models.bundled import FOLDER, TOKENIZER_FILE
from recollect.models.local import LocalReader
from recollect.models.word_pieces import load_word_pieces


def test_encoder_counter_and_reader_share_one_vocabulary() -> None:
    reader, embedder, tokenizer = LocalReader(), LocalEmbedder(threads=1), LocalTokenizer()
    reader.read("hello there")
    embedder.embed(["hello there"], "query")
    tokenizer.count("hello there")
    assert reader._loaded()._pieces is embedder._loaded()._pieces is tokenizer._loaded()


def test_the_same_content_is_loaded_once(tmp_path: Path) -> None:
    pieces = load_word_pieces(FOLDER / TOKENIZER_FILE)
    copied = Path(shutil.copy(FOLDER / TOKENIZER_FILE, tmp_path))
    assert load_word_pieces(copied) is pieces
    copied.write_bytes(copied.read_bytes().replace(b'"lowercase":true', b'"lowercase":false'))
    other = load_word_pieces(copied)
    assert other is not pieces
    assert other.encode("Tea").ids != pieces.encode("Tea").ids


def test_a_vocabulary_that_is_no_longer_used_is_let_go_of(tmp_path: Path) -> None:
    copied = tmp_path / "tokenizer.json"
    copied.write_bytes((FOLDER / TOKENIZER_FILE).read_bytes() + b"\n")
    gone = weakref.ref(load_word_pieces(copied))
    gc.collect()
    assert gone() is None
