from hypothesis import given
from hypothesis import strategies as st

from recollect.embedding.local import LocalTokenizer
from recollect.embedding.provider import fitted, requests


def never(text: str) -> int:
    raise AssertionError("the tokenizer was asked")


def letters(text: str) -> int:
    return len(text)


def test_what_certainly_fits_is_not_counted() -> None:
    assert fitted("ä" * 50, 100, never) == "ä" * 50
    assert fitted("x" * 10_000, None, never) == "x" * 10_000


@given(text=st.text(max_size=300), limit=st.integers(1, 100))
def test_what_is_cut_is_a_beginning_that_fits(text: str, limit: int) -> None:
    cut = fitted(text, limit, letters)
    assert text.startswith(cut)
    assert len(cut) <= limit
    if len(text) <= limit:
        assert cut == text
    elif limit > 40:
        assert len(cut) > limit * 0.9


def test_a_text_of_megabytes_is_not_counted_whole() -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(text) // 4

    assert 900 < len(fitted("abcd" * 1_000_000, 256, count)) // 4 * 4 <= 1024
    assert max(counted) <= 256 * 16


def test_other_scripts_fit_too() -> None:
    tokenizer = LocalTokenizer()
    for text in ("крыша из дерева " * 400, "屋根は木でできている" * 400, "🙂👩‍👧" * 800, "0f3a9c" * 900):
        cut = fitted(text, 500, tokenizer.count)
        assert text.startswith(cut)
        assert 350 < tokenizer.count(cut) <= 500


@given(
    texts=st.lists(st.text(max_size=30), max_size=60), most=st.integers(1, 20), tokens=st.integers(1, 60) | st.none()
)
def test_requests_hold_every_text_once_in_order(texts: list[str], most: int, tokens: int | None) -> None:
    found = list(requests(texts, most, tokens))
    assert [text for batch in found for text in batch] == texts
    for batch in found:
        assert 1 <= len(batch) <= most
        size = sum(len(text.encode("utf-8", "replace")) for text in batch)
        assert tokens is None or len(batch) == 1 or size <= tokens * 1.7


def test_requests_are_no_smaller_than_they_must_be() -> None:
    assert [len(batch) for batch in requests(["x"] * 10, 4, None)] == [4, 4, 2]
    assert [len(batch) for batch in requests(["x" * 17] * 7, 100, 30)] == [3, 3, 1]
