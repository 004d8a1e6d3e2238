"""The bundled reranker, loaded for real: how it scores, what it does within a time budget, and how it fails."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from recollect.errors import RerankerError, SettingsError
from recollect.models.bundled import FOLDER, RERANKER
from recollect.models.local import LocalReranker
from recollect.models.reranker_graph import PieceLimits, RerankerGraph
from recollect.ports import Reranker, RerankText
from tests.rows import every

ABOUT = 0.15  # versions of onnxruntime and processors round differently
ILLNESS = "which illness do I have?"
DIABETES = RerankText("I was diagnosed with type 1 diabetes in 2019")
NURSE = RerankText("My sister is a nurse in Graz")


@pytest.fixture(scope="module")
def reranker() -> Iterator[LocalReranker]:
    local = LocalReranker()
    yield local
    local.close()


@pytest.fixture(scope="module")
def graph() -> RerankerGraph:
    return RerankerGraph(FOLDER, threads=1, limits=PieceLimits(question=7, previous=3, text=5))


@every(
    ("question", "text", "ids", "score"),
    [
        (
            ILLNESS,
            DIABETES,
            [2, 409, 5735, 459, 51, 411, 35, 3, 51, 381, 9821, 387, 1208, 21, 13049, 379, 8856, 3],
            -1.04,
        ),
        (ILLNESS, NURSE, [2, 409, 5735, 459, 51, 411, 35, 3, 406, 1285, 383, 43, 5201, 379, 25284, 3], -6.13),
        (
            "when did Tom move?",
            RerankText("Tom: great, we moved in last May", "Ann: so how is the new place?"),
            [
                *(2, 423, 486, 1799, 1073, 35, 3, 4134, 30, 441, 509, 383, 376, 427, 553, 35, 3),
                *(1799, 30, 687, 16, 437, 713, 379, 577, 469, 3),
            ],
            0.58,
        ),
    ],
)
def test_texts_are_scored_as_the_released_model_scored_them(
    reranker: LocalReranker, question: str, text: RerankText, ids: list[int], score: float
) -> None:
    assert reranker._loaded().input_ids(question, text) == ids
    assert reranker.score(question, [text]) == pytest.approx([score], abs=ABOUT)


def test_a_score_depends_on_its_text_alone(reranker: LocalReranker) -> None:
    texts = [DIABETES, NURSE, RerankText("it rained " * 30), RerankText("")]
    together = reranker.score(ILLNESS, texts)
    assert together == [reranker.score(ILLNESS, [text])[0] for text in texts]
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(lambda _: reranker.score(ILLNESS, texts), range(4))) == [together] * 4


def test_parts_are_cut_and_a_long_text_to_what_resembles_the_question(graph: RerankerGraph) -> None:
    question = "where is the key of the boat and my hat"
    text = RerankText("we sat outside for hours and talked until the key of the boat fell", "so much was said then")
    cut, before, shown = (graph._encode(part, 99) for part in (question, text.previous, "the key of the boat"))
    assert graph.input_ids(question, text) == [2, *cut[:7], 3, *before[:3], 3, *shown, 3]


def test_half_a_character_and_megabytes_are_scored(reranker: LocalReranker) -> None:
    texts = [RerankText("I live in Brno \ud83d", "\ud83d"), RerankText("a b c " * 500_000)]
    assert len(reranker.score("where do I live?", texts)) == 2


def ticking(seconds: float) -> RerankerGraph:
    """Give a graph whose clock goes on by some seconds whenever it is read."""
    ticks = count()
    return RerankerGraph(FOLDER, threads=1, limits=PieceLimits(), clock=lambda: seconds * next(ticks))


def test_as_many_texts_are_scored_as_the_time_allows() -> None:
    texts = [DIABETES, NURSE] * 10
    whole = ticking(0.010).score(ILLNESS, texts, None)
    assert len(whole) == 20
    part = ticking(0.010).score(ILLNESS, texts, 0.150)
    assert 3 <= len(part) <= 7  # a text takes two ticks
    assert part == whole[: len(part)]
    assert ticking(0.010).score(ILLNESS, texts, 0.001) == []


def test_a_machine_that_turns_out_slow_scores_fewer_texts() -> None:
    slow = ticking(0.100)
    assert len(slow.score(ILLNESS, [NURSE] * 20, 1.0)) > len(slow.score(ILLNESS, [NURSE] * 20, 1.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "files"))


@pytest.mark.parametrize("name", RERANKER)
def test_a_damaged_file_is_refused(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(RerankerError, match="is damaged") as caught:
        LocalReranker(folder=folder).score(ILLNESS, [NURSE])
    assert str(path) in str(caught.value)


def test_what_fails_while_it_is_prepared_is_reported_by_the_score(folder: Path) -> None:
    (folder / "reranker.onnx").unlink()
    local = LocalReranker(folder=folder)
    local.prepare()
    for _ in range(2):
        with pytest.raises(RerankerError, match="is missing"):
            local.score(ILLNESS, [NURSE])
    local.close()


def test_a_graph_that_onnxruntime_refuses_is_a_reranker_error(folder: Path) -> None:
    (folder / "words.bin").write_bytes(b"")
    with pytest.raises(RerankerError, match="cannot load the reranker"):
        RerankerGraph(folder, threads=1, limits=PieceLimits())


def test_a_failure_of_onnxruntime_is_a_reranker_error(graph: RerankerGraph) -> None:
    with pytest.raises(RerankerError, match="The local reranker failed on 1 word pieces"):
        graph._run([1_000_000])


def test_fewer_than_one_thread_is_refused() -> None:
    with pytest.raises(SettingsError, match="expected at least 1"):
        LocalReranker(threads=0)


def test_it_can_be_prepared_closed_and_used_again(reranker: LocalReranker) -> None:
    local: Reranker = LocalReranker()
    assert local.score(ILLNESS, []) == []
    local.prepare()
    local.prepare()
    first = local.score(ILLNESS, [NURSE])
    local.close()
    local.close()
    assert local.score(ILLNESS, [NURSE]) == first == reranker.score(ILLNESS, [NURSE])
