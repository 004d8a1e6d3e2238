"""Token counts are never absurd: a window that is full by our count must not overflow in a model."""

import random
import string
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.embedding.local import LocalTokenizer
from tests.rows import every
from tests.sizes import sized

_LONG = sized(250_000, 1_000_000)  # bytes

COUNT = LocalTokenizer().count

# What a vocabulary of a hundred thousand pieces that many models share makes of these.
KNOWN = (
    ("The quick brown fox jumps over the lazy dog.", 10),
    ("def add(a, b):\n    return a + b\n", 13),
    ("Пользователь предпочитает тёмную тему во всех приложениях.", 20),
    ("Uživatel dává přednost tmavému režimu ve všech aplikacích.", 25),
    ("Der Benutzer bevorzugt in allen Anwendungen den dunklen Modus.", 13),
)


@every(("text", "tokens"), KNOWN)
def test_a_count_is_near_that_of_a_common_model(text: str, tokens: int) -> None:
    assert tokens * 0.7 <= COUNT(text) <= tokens * 2


def test_nothing_is_nothing() -> None:
    assert COUNT("") == 0


@every(
    ("text", "least"),
    [
        ("🦊" * 10, 10),
        ("👩‍👩‍👧" * 5, 15),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 20),
        ("x" * 1_000, 60),
        ("я" * 400, 60),
        ("漢字仮名交じり文" * 10, 60),
        ("ไฟในห้องครัวเสีย" * 5, 30),
        ("\U0001f9ff\U00012000\U000e0041" * 20, 60),
        ("a1b2c3d4e5f6" * 200, 600),
        ("=" * 1_000, 15),
    ],
)
def test_what_the_tokenizer_does_not_know_is_not_one_token(text: str, least: int) -> None:
    assert COUNT(text) >= least


@every("text", ["a", "word", "🦊", "ž", "漢"])
def test_what_can_be_seen_is_at_least_one_token(text: str) -> None:
    assert COUNT(text) >= 1


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=300)
@given(one=TEXTS, other=TEXTS)
def test_two_texts_together_are_about_as_long_as_both(one: str, other: str) -> None:
    together, apart = COUNT(f"{one}\n{other}"), COUNT(one) + COUNT(other)
    assert together <= apart * 2 + 4
    assert apart <= together * 2.5 + 8


@settings(max_examples=300)
@given(text=TEXTS)
def test_a_token_is_at_most_one_byte_and_not_less_than_a_long_word(text: str) -> None:
    assert COUNT(text) <= len(text.encode()) + 1


@given(words=st.lists(st.sampled_from(["tulip", "garden", "жёлтый", "zahrada", "🦊", "9f86d0"]), max_size=200))
def test_more_words_are_more_tokens(words: list[str]) -> None:
    counts = [COUNT(" ".join(words[:length])) for length in range(0, len(words) + 1, 20)]
    assert counts == sorted(set(counts))


def _noise(size: int) -> str:
    return "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=size))


@every(
    "text",
    [
        *("word " * (_LONG // 5), "x" * _LONG, "я" * (_LONG // 2), "🦊" * (_LONG // 4), " " * _LONG + "end"),
        _noise(1_000_000),
    ],
)
def test_a_megabyte_comes_to_an_end(text: str) -> None:
    counted, size = COUNT(text), len(text.encode())
    assert 1 <= counted <= size + 1
    if not text.startswith(" "):
        assert counted >= size / 40


def test_threads_may_share_one() -> None:
    shared = LocalTokenizer()
    texts = [f"{number} tulips in the garden of number {number}" for number in range(64)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(shared.count, texts)) == [COUNT(text) for text in texts]


@every("text", ["\ufffd" * 1_000, "\u200d" * 1_000, "\u2062" * 1_000])
def test_what_the_tokenizer_drops_is_read_by_models(text: str) -> None:
    assert COUNT(f"a{text}b") >= 20
