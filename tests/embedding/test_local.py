"""The bundled encoder, loaded for real: its vectors, its promises about batches, and how it fails."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import enumerate as enumerate_threads
from threading import get_ident

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.embedding import LocalEmbedder
from recollect.embedding.known_models import ENCODERS, LATEST
from recollect.embedding.onnx import BATCH_PIECES, batches, require_usable
from recollect.errors import EmbeddingError, ModelDamaged, SettingsError
from recollect.model.memories import Space, Vector
from recollect.models.runtime import Graph
from tests.rows import every
from tests.sizes import sized

MEMORIES = (
    "The user is allergic to peanuts.",
    "The car's winter tyres are in the garage behind the house.",
    "Grandmother's birthday is on the third of May.",
    "The office Wi-Fi password was changed last week.",
    "She plays the violin in a small orchestra.",
    "The dentist appointment was moved to Thursday afternoon.",
)
TEXTS = (*MEMORIES, "yes", "", "Прививку собаке сделали в марте", "Kde je klíč od sklepa?", "🙂", "tea and cake " * 90)


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    local = LocalEmbedder(threads=2)
    yield local
    local.close()


@pytest.fixture(scope="module")
def alone(embedder: LocalEmbedder) -> Vector:
    return np.vstack([embedder.embed([text], "passage") for text in TEXTS])


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh process, for what depends on what a process has imported."""
    inherited = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    done = subprocess.run(
        [sys.executable, "-c", code], env=inherited | environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_the_space_is_known_without_loading_anything() -> None:
    code = """
import sys
from recollect.embedding import create_embedding_provider
from recollect.settings.sections import EmbeddingSettings
embedder = create_embedding_provider(EmbeddingSettings())
print(embedder.space.model, [name for name in ("onnxruntime", "tokenizers") if name in sys.modules])
"""
    assert run_python(code) == "recollect-encoder-4 []"


def test_the_space_names_the_encoder() -> None:
    expected = Space("local", "recollect-encoder-4", "f5b22ab90f63", "none", 384, normalised=True)
    assert LocalEmbedder().space == expected


def test_older_encoders_have_the_spaces_that_stores_know_them_by() -> None:
    spaces = [LocalEmbedder(encoder=encoder).space for encoder in ENCODERS]
    assert spaces[1:] == [
        Space("local", "recollect-encoder-3", "f4bd3c87af09", "none", 384, normalised=True),
        Space("local", "recollect-encoder-1", "780bcbb8c78d", "none", 384, normalised=True),
    ]


# What the encoder gave where it was made, to three digits. Processors and versions of onnxruntime round differently.
@every(
    ("text", "ids", "first"),
    [
        ("Where do I live?", [453, 459, 51, 824, 35], [0.104, -0.063, 0.131, 0.04, -0.018, -0.017]),
        ("Uživatel bydlí v Brně.", [35783, 52804, 64, 6367, 1018, 18], [0.082, -0.023, 0.013, -0.047, 0.004, -0.012]),
        (
            "мама: у меня аллергия на арахис",  # noqa: RUF001
            [35493, 30, 187, 28566, 32106, 45126, 34829, 28346, 29825, 8640, 29516, 28096],
            [-0.015, -0.127, 0.059, 0.039, 0.006, 0.053],
        ),
    ],
)
def test_pieces_and_vectors_are_those_of_the_release(
    embedder: LocalEmbedder, text: str, ids: list[int], first: list[float]
) -> None:
    assert embedder._loaded()._split(text, 1) == [2, *ids, 3]
    np.testing.assert_allclose(embedder.embed([text], "query")[0, :6], first, atol=5.5e-3)


@every(
    ("name", "texts", "expected", "margin"),
    [
        (
            "encoder-3",
            ["Where do I live?", "Uživatel bydlí v Brně.", "мама: у меня аллергия на арахис"],  # noqa: RUF001
            [[0.108, -0.067, 0.126], [0.081, 0.009, 0.01], [-0.001, -0.094, 0.05]],
            5.5e-3,
        ),
        (
            "encoder-1",
            ["Where do I live?", "The user lives in Brno.", "Buy stamps"],
            [[0.1247, -0.0460, 0.0911], [0.0454, -0.0183, -0.0607], [-0.0353, 0.0637, 0.0127]],
            1e-3,
        ),
    ],
)
def test_older_encoders_still_make_their_vectors(
    name: str, texts: Sequence[str], expected: Sequence[Sequence[float]], margin: float
) -> None:
    (encoder,) = (one for one in ENCODERS if one.name == name)
    np.testing.assert_allclose(LocalEmbedder(encoder=encoder).embed(texts, "query")[:, :3], expected, atol=margin)


def test_an_older_graph_takes_the_word_table_and_the_vocabulary_of_the_latest(tmp_path: Path) -> None:
    third = ENCODERS[1]
    shutil.copy(third.folder() / third.graph, tmp_path)
    alone = LocalEmbedder(encoder=third, folder=tmp_path).embed(TEXTS, "passage")
    for name in third.shared:
        shutil.copy(LATEST.folder() / name, tmp_path)
    beside = replace(third, files={**third.files, **third.shared}, shared={})
    np.testing.assert_array_equal(alone, LocalEmbedder(encoder=beside, folder=tmp_path).embed(TEXTS, "passage"))


def test_vectors_are_float32_of_length_one(alone: Vector) -> None:
    assert alone.shape == (len(TEXTS), 384)
    assert alone.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(alone, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_rows(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed([], "query")
    assert vectors.shape == (0, 384)
    assert vectors.dtype == np.float32


def test_questions_and_passages_are_encoded_alike(embedder: LocalEmbedder) -> None:
    np.testing.assert_array_equal(embedder.embed(MEMORIES, "query"), embedder.embed(MEMORIES, "passage"))


@settings(
    max_examples=sized(6, 15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=st.lists(st.sampled_from(range(len(TEXTS))), min_size=1, max_size=24), batch_size=st.integers(1, 40))
def test_a_vector_does_not_depend_on_its_batch(
    embedder: LocalEmbedder, alone: Vector, rows: list[int], batch_size: int
) -> None:
    encoder = embedder._loaded()
    encoder._batch_size = batch_size
    np.testing.assert_array_equal(encoder.embed([TEXTS[row] for row in rows]), alone[rows])


@every(
    ("words", "amount"),
    [(0, 40), (1, sized(12, 33)), (4, 9), (9, 5), (36, sized(4, 12)), (100, sized(2, 4)), (251, sized(2, 3))],
)
def test_a_vector_does_not_depend_on_other_texts_of_its_length(
    embedder: LocalEmbedder, words: int, amount: int
) -> None:
    texts = [f"number {number}{' tea' * words}" for number in range(10, 10 + amount)]
    assert len({len(embedder._loaded()._split(text, 1)) for text in texts}) == 1
    together = embedder.embed(texts, "passage")
    np.testing.assert_array_equal(together, np.vstack([embedder.embed([text], "passage") for text in texts]))
    for batch_size in (3, 2, 7)[: sized(1, 3)]:
        some = LocalEmbedder(threads=1, batch_size=batch_size)
        some._encoder = embedder._loaded()
        np.testing.assert_array_equal(some.embed(texts, "passage"), together)


def test_a_vector_does_not_depend_on_the_number_of_threads(alone: Vector) -> None:
    np.testing.assert_array_equal(LocalEmbedder(threads=1).embed(TEXTS, "passage"), alone)


def test_many_texts_are_shared_out_among_threads_and_get_the_same_vectors(
    embedder: LocalEmbedder, alone: Vector
) -> None:
    encoder = embedder._loaded()
    order = [*range(len(TEXTS)), *reversed(range(len(TEXTS)))]
    ran: set[int] = set()
    run = encoder._run

    def noted(pieces: Sequence[Sequence[int]], graph: Graph | None = None) -> Vector:
        ran.add(get_ident())
        return run(pieces, graph)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "_has_exact_batches", lambda: False)  # as on x86, where each text is a batch
        patch.setattr(encoder, "_run", noted)
        np.testing.assert_array_equal(embedder.embed([TEXTS[row] for row in order], "passage"), alone[order])
    assert get_ident() not in ran
    assert not [thread for thread in enumerate_threads() if thread.name.startswith("recollect-encoder")]


def test_a_failure_among_many_texts_is_an_embedding_error(embedder: LocalEmbedder) -> None:
    encoder = embedder._loaded()
    pieces = [[2, 1_000_000 if number == 7 else number, 3] for number in range(12)]
    vectors = np.empty((12, 384), np.float32)
    with pytest.raises(EmbeddingError, match="The local encoder failed"):
        encoder._run_shared_out(pieces, [[row] for row in range(12)], vectors)


@given(lengths=st.lists(st.integers(2, 256), max_size=80), batch_size=st.integers(1, 40))
def test_batches_hold_every_row_once_and_stay_small(lengths: list[int], batch_size: int) -> None:
    found = list(batches(lengths, batch_size))
    assert sorted(row for rows in found for row in rows) == list(range(len(lengths)))
    for rows in found:
        assert len({lengths[row] for row in rows}) == 1
        assert 1 <= len(rows) <= batch_size
        assert sum(lengths[row] for row in rows) <= BATCH_PIECES


def test_a_long_text_is_read_up_to_its_256th_piece(embedder: LocalEmbedder) -> None:
    beginning = "tea " * 254  # with the two marks around them, 256 pieces
    long, cut, short = embedder.embed(["tea " * 25_000 + "violin", beginning, "tea " * 253], "passage")
    np.testing.assert_array_equal(long, cut)
    assert not np.array_equal(cut, short)


@every(
    "text",
    [
        "",
        " \n\t",
        "\x00",
        "\u200b\ufeff",
        "🙂👩\u200d👩\u200d👧",
        "שלום עולם",
        "مرحبا",
        "\u202eabc",
        "日本語",
        "é" * 5_000,
        "e\u0301",
    ],
)
def test_any_text_gets_a_usable_vector(embedder: LocalEmbedder, text: str) -> None:
    vectors = embedder.embed([text], "passage")
    assert vectors.shape == (1, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors[0]), 1.0, atol=1e-6)


@every(
    ("question", "memory"),
    [
        ("What must not be in the food?", 0),
        ("На что у пользователя аллергия?", 0),  # noqa: RUF001
        ("На какой день перенесли приём у зубного врача?", 5),  # noqa: RUF001
        ("Kde jsou zimní pneumatiky?", 1),
        ("Na jaký hudební nástroj hraje?", 4),
    ],
)
def test_a_question_finds_the_english_memory(embedder: LocalEmbedder, question: str, memory: int) -> None:
    cosines = embedder.embed(MEMORIES, "passage") @ embedder.embed([question], "query")[0]
    assert int(np.argmax(cosines)) == memory


def test_threads_may_share_an_embedder_that_is_not_loaded_yet(alone: Vector) -> None:
    fresh = LocalEmbedder(threads=2)

    def embed(shift: int) -> Vector:
        order = [*range(shift, len(TEXTS)), *range(shift)]
        return np.roll(fresh.embed([TEXTS[row] for row in order], "passage"), shift, axis=0)

    with ThreadPoolExecutor(max_workers=4) as pool:
        for vectors in pool.map(embed, range(4)):
            np.testing.assert_array_equal(vectors, alone)


def test_it_can_be_closed_twice_and_used_again(alone: Vector) -> None:
    local = LocalEmbedder()
    local.close()
    first = local.embed(TEXTS[:1], "query")
    local.close()
    local.close()
    np.testing.assert_array_equal(local.embed(TEXTS[:1], "query"), first)
    np.testing.assert_array_equal(first, alone[:1])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the threads of a process in /proc")
def test_it_computes_with_as_many_threads_as_it_was_told() -> None:
    code = """
import os
from recollect.embedding import LocalEmbedder

def threads_of_a_loaded_embedder(threads):
    embedder = LocalEmbedder(threads=threads)
    before = len(os.listdir("/proc/self/task"))
    embedder.embed(["hello"], "query")
    grown = len(os.listdir("/proc/self/task")) - before
    embedder.close()
    return grown

threads_of_a_loaded_embedder(1)  # so that the libraries' own threads are there already
print([threads_of_a_loaded_embedder(threads) for threads in (1, 2, 3)])
"""
    # The thread that calls counts as one of them.
    assert run_python(code) == "[0, 1, 2]"


def test_nothing_is_reported_to_anybody(tmp_path: Path) -> None:
    # Without the switch onnxruntime leaves a device identifier and a queue of events in the cache folder.
    code = """
from recollect.embedding import LocalEmbedder
LocalEmbedder(threads=1).embed(["hello"], "query")
"""
    run_python(code, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert list(tmp_path.rglob("*")) == []


def test_a_library_that_cannot_be_imported_is_an_embedding_error() -> None:
    code = """
import sys
sys.modules["onnxruntime"] = None
from recollect.embedding import LocalEmbedder
from recollect.errors import EmbeddingError
try:
    LocalEmbedder().embed(["hello"], "query")
except EmbeddingError as error:
    print(error)
"""
    assert "a library cannot be imported" in run_python(code)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "encoder"
    made.mkdir()
    for name in LATEST.files:
        shutil.copy(LATEST.folder() / name, made)
    return made


@pytest.mark.parametrize("name", LATEST.files)
def test_a_damaged_file_is_refused(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelDamaged, match="is damaged") as caught:
        LocalEmbedder(folder=folder).embed(["hello"], "query")
    message = str(caught.value)
    assert str(path) in message
    assert LATEST.files[name].sha256 in message
    assert "Reinstall" in message


@pytest.mark.parametrize("name", LATEST.files)
def test_a_missing_file_is_reported(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelDamaged, match="is missing") as caught:
        LocalEmbedder(folder=folder).embed(["hello"], "query")
    assert str(folder / name) in str(caught.value)


def test_a_folder_in_place_of_a_file_is_reported(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").mkdir()
    with pytest.raises(ModelDamaged, match="cannot be read"):
        LocalEmbedder(folder=folder).embed(["hello"], "query")


def test_it_recovers_when_the_files_are_repaired(folder: Path, alone: Vector) -> None:
    local = LocalEmbedder(folder=folder)
    (folder / "tokenizer.json").rename(folder / "elsewhere")
    with pytest.raises(ModelDamaged):
        local.embed(TEXTS[:1], "query")
    (folder / "elsewhere").rename(folder / "tokenizer.json")
    np.testing.assert_array_equal(local.embed(TEXTS[:1], "query"), alone[:1])


def test_a_lone_surrogate_is_refused_with_its_place(embedder: LocalEmbedder) -> None:
    with pytest.raises(EmbeddingError, match=r"Text 2 is not valid Unicode.*U\+D83D, at character 4"):
        embedder.embed(["fine", "half\ud83d"], "passage")


def test_a_failure_of_onnxruntime_is_an_embedding_error(embedder: LocalEmbedder) -> None:
    unknown_piece = 1_000_000
    with pytest.raises(EmbeddingError, match="The local encoder failed"):
        embedder._loaded()._run([[2, unknown_piece, 3]])


@every("row", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 0.0]])
def test_an_unusable_vector_is_refused(row: Sequence[float]) -> None:
    with pytest.raises(EmbeddingError, match="text 2"):
        require_usable(np.array([[0.6, 0.8], row], dtype=np.float32))


@every("wrong", [{"threads": 0}, {"threads": -1}, {"batch_size": 0}])
def test_numbers_below_one_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match="expected at least 1"):
        LocalEmbedder(threads=wrong.get("threads"), batch_size=wrong.get("batch_size", 32))
