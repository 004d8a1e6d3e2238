"""The topic of a question about all that is known, in twelve languages."""

from recollect.text.topics import topic_of
from tests.growth import assert_linear
from tests.rows import every


@every(
    ("asked", "topic"),
    [
        ("What do I know about the garage?", "the garage"),
        ("tell me everything about Ellen's garden", "Ellen's garden"),
        ("What did I tell you about “Rosinante”?", "Rosinante"),
        ("Co vím o garáži?", "garáži"),
        ("Co jsem ti říkala o nové garáži", "nové garáži"),
        ("co vis o garazi", "garazi"),
        ("Was weiß ich über die Garage?", "die Garage"),
        ("Was habe ich dir über die Garage erzählt?", "die Garage"),
        ("Что я знаю о гараже?", "гараже"),  # noqa: RUF001 - Cyrillic
        ("Расскажи мне всё про гараж", "гараж"),
        ("Co wiem o garażu?", "garażu"),
        ("Що ти пам'ятаєш про гараж?", "гараж"),
        ("Que sais-je du garage ?", "garage"),
        ("Qu'est-ce que tu sais sur le garage ?", "le garage"),
        ("¿Qué sé del garaje?", "garaje"),
        ("Cosa so del garage?", "garage"),
        ("O que eu sei sobre a garagem?", "a garagem"),
        ("Wat heb ik je over de garage verteld?", "de garage"),
        ("Ce știu despre garaj?", "garaj"),
    ],
)
def test_the_words_that_ask_are_left_out(asked: str, topic: str) -> None:
    assert topic_of(asked) == topic


@every(
    "text", ["garage", "the garage door", "what do I know about", "All about Eve Ltd", "light.garage", "know-how", "?"]
)
def test_a_name_stays_as_it_is(text: str) -> None:
    expected = "Eve Ltd" if text.startswith("All about") else text
    assert topic_of(text) == expected


def test_long_texts_take_no_longer_than_their_length() -> None:
    assert_linear(lambda size: topic_of("what do i know about " + "the garage " * size), 2_000)
