"""Which messages tell something, in the twelve languages."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.telling import only_asks, says_nothing, telling_part
from tests.rows import every


@every(
    "text",
    [
        "What did Dave say about the knee?",
        "what did dave say about the knee",
        "Hey Dave, what did you eat yesterday?",
        "Wow! Did you see that band?",
        "When we were in Rome, where did we sleep?",
        "kde bydlí moje sestra",
        "A co tvoje ucho, pořád píská?",
        "Was hat Dave über das Knie gesagt?",
        "wo habe ich das Auto geparkt",
        "Что сказал Дима про колено?",
        "где живёт моя сестра",
        "¿Dónde vive mi hermana?",
        "Où habite ma sœur ?",
        "Gdzie mieszka moja siostra?",
        "Când vine Ana?",
        "Waar woont mijn zus?",
        "Dove abita mia sorella?",
        "Onde mora a minha irmã?",
        "Де живе моя сестра?",
    ],
)
def test_a_question_only_asks(text: str) -> None:
    assert only_asks(text)
    assert not says_nothing(text)


@every(
    "text",
    [
        "I moved to Brno, what should I see?",
        "I moved to Brno so what should I see?",
        "My sister Jana lives in Brno. Where should we meet?",
        "Přestěhoval jsem se do Brna, co tam mám vidět?",
        "Ich bin nach Brünn gezogen, was soll ich sehen?",
        "Я переехал в Брно, что посмотреть?",
        "Je suis allergique aux noix, puis-je manger ça ?",
        "Me mudé a Madrid, ¿qué puedo ver?",
        "Mam alergię na orzechy, czy mogę to zjeść?",
        "what i need is a new bike",
        "when i was in rome i lost my wallet",
        "yes, on Friday",
        "2 pm",
        "Jana",
        "Please, no more 'as an AI'.",
    ],
)
def test_what_tells_something_is_neither(text: str) -> None:
    assert not only_asks(text)
    assert not says_nothing(text)


@every(
    "text",
    [
        "ok",
        "👍",
        "Noted, thank you.",
        "Got it, thanks a lot!",
        "Dobře, děkuju.",
        "Poznamenáno, díky.",
        "Alles klar, danke!",
        "Понял, спасибо.",
        "Зрозуміло, дякую",
        "Ok, dzięki!",
        "D'accord, merci beaucoup.",
        "Vale, gracias.",
        "Capito, grazie mille",
        "Entendido, obrigado",
        "Begrepen, bedankt",
        "Am înțeles, mulțumesc.",
    ],
)
def test_an_acknowledgement_says_nothing(text: str) -> None:
    assert says_nothing(text)
    assert not only_asks(text)


def test_what_tells_nothing_is_left_out_of_a_text() -> None:
    text = "Thanks! I signed up for pottery yesterday. Have you tried it?"
    assert telling_part(text, questions=False) == "I signed up for pottery yesterday."
    assert telling_part(text, questions=True) == "I signed up for pottery yesterday. Have you tried it?"
    assert telling_part("Thanks!", questions=False) == "Thanks!"


@given(st.text(max_size=60))
def test_no_text_is_both_and_none_is_lost(text: str) -> None:
    assert not (only_asks(text) and says_nothing(text))
    assert bool(telling_part(text, questions=False).strip()) == bool(text.strip())
