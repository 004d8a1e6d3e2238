from hypothesis import given
from hypothesis import strategies as st

from recollect.text.repetition import same_statement
from tests.rows import every


@every(
    ("one", "other"),
    [
        ("The code of locker 17 is 4711", "the code of locker 17 is 4711."),
        ("User prefers dark mode", "The user prefers the dark mode."),
        ("User likes green tea", "The user likes drinking green tea"),
        ("I\u2019m allergic to peanuts", "I'm allergic to peanuts"),
        ("Anna has never smoked", "Anna has not smoked"),
        ("Пользователь любит зелёный чай", "Пользователь любит пить зелёный чай"),
        ("Petr má klíče od auta", "Petr má klíče od toho auta"),
        ("Anna trinkt gern Tee", "Anna trinkt gern den Tee"),
        ("猫が好き。", "猫が好き"),
    ],
)
def test_another_wording_of_the_same(one: str, other: str) -> None:
    assert same_statement(one, other)
    assert same_statement(other, one)


@every(
    ("one", "other"),
    [
        ("The code of locker 17 is 4711", "The code of locker 18 is 4712"),
        ("The temperature is 5", "The temperature is -5"),
        ("The budget is $100", "The budget is €100"),
        ("Has two children", "Has three children"),
        ("Meet at 10:30 on Monday", "Meet at 10:30 on Tuesday"),
        ("встреча в среду", "встреча в пятницу"),
        ("Release 2.1.0 is out", "Release 2.1.1 is out"),
        ("light.office is in the hall", "light.kitchen is in the hall"),
        ("Write to anna@example.com", "Write to anna@example.org"),
        ("The service is written in C++", "The service is written in C#"),
        ("Anna likes tea", "Maria likes tea"),
        ("She lives in Prague", "She lives in Brno"),
        ("Anna gave Maria the key", "Maria gave Anna the key"),
        ("the dog bit the man", "the man bit the dog"),
        ("Anna likes tea", "Anna doesn't like tea"),
        ("Anna likes tea", "Anna dislikes tea"),
        ("The server is available", "The server is unavailable"),
        ("Он пьёт кофе", "Он не пьёт кофе"),
        ("Petr má auto", "Petr nemá auto"),
        ("Ich trinke Kaffee", "Ich trinke keinen Kaffee"),
        ("Elle aime le café", "Elle n'aime pas le café"),
        ("The light is on", "The light is off"),
        ("Světlo je zapnuté", "Světlo je vypnuté"),
        ("Take it before lunch", "Take it after lunch"),
        ("Sie wohnt links", "Sie wohnt rechts"),
        ("Always takes sugar", "Never takes sugar"),
        ("Works in the morning", "Works in the evening"),
        ("He is her brother", "She is his sister"),
        ("Anna likes tea", "Does Anna like tea?"),
        ("我喜欢茶", "我不喜欢茶"),
        ("👍", "👎"),
    ],
)
def test_what_an_encoder_hardly_sees(one: str, other: str) -> None:
    assert not same_statement(one, other)
    assert not same_statement(other, one)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_says_the_same_as_itself(text: str) -> None:
    assert same_statement(text, text)


@given(st.text("ab1 .-'nN?"), st.text("ab1 .-'nN?"))
def test_the_order_of_the_two_does_not_matter(one: str, other: str) -> None:
    assert same_statement(one, other) == same_statement(other, one)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_different_numbers_never_say_the_same(one: int, other: int) -> None:
    assert same_statement(f"Room {one} is free", f"Room {other} is free") == (one == other)
