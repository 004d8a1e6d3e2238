"""Cutting of long texts into passages: whole sentences, no gaps, bounded in length and number."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.passages import LONGEST_PASSAGE, MOST_PASSAGES, cut_passages
from tests.growth import assert_linear
from tests.rows import every


def sentences(amount: int, words: int = 10) -> str:
    return " ".join(f"{' '.join(f'w{number}' for _ in range(words - 1))} end{number}." for number in range(amount))


@every("text", ["", "One.", sentences(LONGEST_PASSAGE // 10), "a " * LONGEST_PASSAGE, "漢字" * 90])
def test_a_short_text_is_its_own_passage(text: str) -> None:
    assert cut_passages(text) == [text]


def test_passages_end_where_sentences_do_and_are_of_a_like_length() -> None:
    for amount in (10, 13, 17, 50, 99):
        passages = cut_passages(sentences(amount))
        assert all(passage.endswith(".") for passage in passages)
        assert all(LONGEST_PASSAGE // 2 <= len(passage.split()) <= LONGEST_PASSAGE for passage in passages)
        assert " ".join(passages) == sentences(amount)


@every("end", ["! ", "? ", "… ", '." ', "\n", "؟ ", "। ", ".) "])
def test_sentences_end_in_many_ways(end: str) -> None:
    text = end.join(" ".join(["слово"] * 30) for _ in range(6))
    passages = cut_passages(text)
    assert len(passages) == 2
    assert all(len(passage.split()) in (89, 90, 91) for passage in passages)


def test_sentences_end_without_a_blank_in_scripts_that_have_none() -> None:
    passages = cut_passages("。".join("漢字" * 25 for _ in range(6)) + "。")
    assert [passage.count("。") for passage in passages] == [3, 3]
    assert all(passage.endswith("。") for passage in passages)


def test_lines_are_sentences_of_lists_and_code() -> None:
    text = "\n".join(f"- item {number} of a list without full stops" for number in range(40))
    assert all(passage.startswith("- item") for passage in cut_passages(text))


@every("text", ["word " * 5_000, "x" * 50_000, "漢" * 10_000, "ไทย" * 5_000, "no,end," * 9_000])
def test_a_text_without_an_end_is_cut_by_length(text: str) -> None:
    passages = cut_passages(text.strip())
    assert len(passages) > 20
    assert max(len(passage.split()) for passage in passages) <= LONGEST_PASSAGE
    assert max(map(len, passages)) <= 16 * LONGEST_PASSAGE


def test_a_text_has_so_many_passages_and_no_more() -> None:
    passages = cut_passages(sentences(9 * MOST_PASSAGES))
    assert len(passages) == MOST_PASSAGES
    assert cut_passages(sentences(90 * MOST_PASSAGES))[: MOST_PASSAGES - 2] == passages[: MOST_PASSAGES - 2]


@given(
    st.lists(st.sampled_from(["word ", "a. ", "!", "\n", "漢字", "。", "longwordwithoutend", " ", "x"]), max_size=700)
)
def test_nothing_is_lost_and_nothing_doubled(parts: list[str]) -> None:
    text = "".join(parts).strip()
    passages = cut_passages(text)
    assert "".join("".join(passages).split()) == "".join(text.split())
    assert all(passages) or not text


def test_cutting_takes_time_in_proportion() -> None:
    texts = {size: sentences(size) for size in (50, 800)}
    assert_linear(lambda size: cut_passages(texts[size]), 800)


def test_a_paragraph_is_not_mixed_with_others_unless_they_fit_into_one_passage() -> None:
    paragraphs = [sentences(12), sentences(3), sentences(4), sentences(12), sentences(1)]
    passages = cut_passages("\n\n".join(paragraphs))
    assert [len(passage.split()) for passage in passages] == [60, 60, 70, 60, 60, 10]
    assert passages[2] == "\n\n".join(paragraphs[1:3])
