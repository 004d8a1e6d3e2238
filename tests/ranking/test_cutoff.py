"""Where an answer ends, from scores and terms alone."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.ranking.cutoff import DEPTH, RatedMemory, kept, of_others

SUBJECTS = ("anna", "bea", "carla")
SURE, NONE_BEHIND = 0.9, 0.0


def words(*asked: str) -> list[frozenset[str]]:
    return [frozenset((word,)) for word in asked]


def row(text: str, score: float) -> RatedMemory:
    return RatedMemory(text, score, frozenset(text.split()))


FAMILY = (
    row("anna drives red fiat", 0.8),
    row("anna keeps parrot", 0.45),
    row("anna works bakery", 0.44),
    row("anna lives leeds", 0.42),
    row("bea drives red volvo", 0.4),
    row("bea keeps tortoise", 0.1),
)


def ids(rows: tuple[RatedMemory, ...]) -> list[str]:
    return [one.id for one in rows]


def test_the_rest_of_the_family_is_no_answer() -> None:
    assert ids(kept(words("car", "anna"), FAMILY, SURE, NONE_BEHIND)) == ["anna drives red fiat"]


def test_what_is_about_as_good_as_the_best_is_one_too() -> None:
    books = (row("anna read solaris", 0.8), row("anna read momo", 0.77), *FAMILY[1:])
    assert ids(kept(words("books", "anna", "read"), books, SURE, NONE_BEHIND)) == [book.id for book in books[:2]]


def test_in_a_large_store_nothing_is_left_out_for_its_score() -> None:
    assert kept(words("car", "anna"), FAMILY, SURE, 0.3) == FAMILY


def test_where_no_row_holds_a_word_of_the_question_scores_do_not_decide() -> None:
    assert kept(words("vehicle"), FAMILY, SURE, NONE_BEHIND) == FAMILY


def test_what_hardly_answers_is_no_answer_and_a_known_subject_asks_for_more() -> None:
    assert kept(words("vehicle"), FAMILY, 0.1, NONE_BEHIND) == ()
    assert kept(words("vehicle"), FAMILY, 0.3, NONE_BEHIND) == FAMILY
    assert kept(words("shoes", "anna"), FAMILY, 0.3, NONE_BEHIND) == ()
    assert kept(words("anna"), FAMILY, 0.3, NONE_BEHIND), "all of the question is there"


def test_what_is_said_of_others_is_no_answer_about_a_subject_that_was_never_told() -> None:
    cars = tuple(row(f"{name} drives red fiat", 0.7) for name in SUBJECTS)
    told = (*cars, row("anna keeps parrot", 0.2), row("bea lives leeds", 0.2), row("carla works bakery", 0.2))
    assert of_others(words("edith", "drive", "car"), told) == {car.id for car in cars}
    assert kept(words("edith", "drive", "car"), told, SURE, NONE_BEHIND) == ()
    assert not of_others(words("drives", "red"), told), "all of the question is there: it asks who does"
    assert of_others(words("anna", "vehicle"), told) == {car.id for car in cars[1:]}


def test_values_of_one_subject_are_not_taken_for_subjects() -> None:
    grown = tuple(row(f"grow {plant} balcony", 0.7) for plant in ("basil", "chilli", "tomato"))
    assert not of_others(words("plants", "balcony"), (*grown, row("drink tea mornings", 0.1)))


rows = st.lists(
    st.tuples(st.floats(0.0, 1.0), st.frozensets(st.sampled_from("abcdefgh"), max_size=5)), max_size=DEPTH
).map(lambda drawn: tuple(RatedMemory(str(n), s, t) for n, (s, t) in enumerate(sorted(drawn, key=lambda one: -one[0]))))
asked = st.lists(st.frozensets(st.sampled_from("abcdefghxyz"), min_size=1, max_size=2), max_size=4)


@given(asked, rows, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_rows_stay_in_order_and_a_likelier_answer_never_shows_less(
    question: list[frozenset[str]], found: tuple[RatedMemory, ...], likely: float, background: float
) -> None:
    left = kept(question, found, likely, background)
    assert list(left) == [one for one in found if one in left]
    assert set(left) <= set(kept(question, found, 1.0, background))
