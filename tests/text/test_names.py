# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Names near each other: which known name a word of a question means, and which words mean none."""

from recollect.text.names import near_names
from tests.growth import assert_linear
from tests.rows import every

KNOWN = ("Muhammad Ali", "Melanie", "Kinga", "Глеб", "Jasper")


@every(
    ("typed", "name"),
    [
        ("What did Muhamad cook?", "Muhammad Ali"),
        ("where does muhamad work", "Muhammad Ali"),
        ("What do Mel and her kids paint?", "Melanie"),
        ("Melaniina keramika", "Melanie"),
        ("Jak wygląda nowe mieszkanie Kingi?", "Kinga"),
        ("Где выступала Кинга?", "Kinga"),
        ("Where did Gleb find the puppy?", "Глеб"),
        ("За сколько ушла скрипка Яспера?", "Jasper"),
        ("What is Jaspre’s violin worth?", "Jasper"),
    ],
)
def test_a_name_in_another_form_means_the_one_that_is_near(typed: str, name: str) -> None:
    assert near_names(typed, KNOWN) == {name}


@every(
    "typed",
    [
        "What did they paint in May?",
        "who is king of Melbourne",
        "the jaspis stone",
        "Me and Al",
        "",
        "???",
    ],
)
def test_other_words_mean_none_of_them(typed: str) -> None:
    assert near_names(typed, KNOWN) == frozenset()


def test_what_is_near_two_names_means_neither() -> None:
    assert near_names("What does Maria like?", ("Marie", "Mariam")) == frozenset()
    assert near_names("What does Marie like?", ("Marie", "Mariam")) == frozenset()
    assert near_names("What does Mariie like?", ("Marie", "Jonas")) == {"Marie"}


def test_in_a_large_group_no_name_is_guessed() -> None:
    assert near_names("What did Muhamad say?", [*KNOWN, *(f"Name {number}" for number in range(300))]) == frozenset()


def test_long_names_and_questions_take_linear_time() -> None:
    def work(size: int) -> None:
        near_names(f"What did {'Abc' * size} say to Xyz? " + "Foo " * size, ["Abd" * size, "Melanie"])

    assert_linear(work, 4_000)
