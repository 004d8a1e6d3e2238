"""Whether users speak of themselves, in the languages that have tables."""

from recollect.text.questions import RequestForm, is_keywords, names_user, request_form, wants_deed
from tests.rows import every


def is_personal(text: str) -> bool:
    form = request_form(text)
    return form.own or form.for_me


@every(
    "text",
    [
        "where does my sister live?", "What did we decide about the roof", "I\u2019m at the shop, which size?",
        "wo wohnt meine Schwester?", "Was haben wir beschlossen", "was isst Oma gern?",
        "kde bydlí můj bratr?", "kam jedeme na výlet?", "kam jedeme na vylet s detmi", "odkud pochází manžel",
        "где живёт моя сестра?", "что я пью от сердца", "куда мы едем летом", "сколько я получаю в месяц",
    ],
)  # fmt: skip
def test_they_speak_of_themselves(text: str) -> None:
    assert is_personal(text)


@every(
    "text",
    [
        "", "ok", "17 * 4", "when do you prune apple trees?", "the theme of Jane Eyre", "wann blühen Pfingstrosen",
        "welche Probleme haben Katzen mit Creme?", "na co se používá penicilin?", "почему небо голубое",
        'translate "my son is ill"', "was heißt „mein Haus“ auf Englisch?", "переведи: «мой сын учится»",
    ],
)  # fmt: skip
def test_they_do_not(text: str) -> None:
    assert not is_personal(text)


def test_in_a_language_without_tables_it_is_left_to_the_reader() -> None:
    assert is_personal("où se trouve la gare de cette ville ?")


@every(
    ("text", "form"),
    [
        ("read me the news", RequestForm(own=False, for_me=True, command=True)),
        ("lies mir die Nachrichten vor", RequestForm(own=False, for_me=True, command=True)),
        ("přečti mi zprávy", RequestForm(own=False, for_me=True, command=True)),
        ("включи радио", RequestForm(own=False, command=True)),
        ("zapni svetla", RequestForm(own=False, command=True)),
        ("how do I reverse a list in python", RequestForm(own=False, for_me=True, asks=True)),
        ("wie drehe ich eine Liste um", RequestForm(own=False, for_me=True, asks=True)),
        ("wie alt bin ich", RequestForm(own=True, asks=True)),
        ("read me my list", RequestForm(own=True, command=True)),
        ("how often should a boiler be serviced?", RequestForm(own=False, general=True, asks=True)),
        ("wie oft wartet man eine Heizung?", RequestForm(own=False, general=True, asks=True)),
        ("чем обычно лечат простуду", RequestForm(own=False, general=True, asks=True)),
        ("what should I eat given my allergy", RequestForm(own=True, asks=True)),
        ("v jakem meste to lezi", RequestForm(own=False, asks=True)),
        ("was macht der Meniskus im Knie", RequestForm(own=False, asks=True)),
        ("в каком городе живёт сестра", RequestForm(own=True, asks=True)),
        ("где ключи или документы", RequestForm(own=False, asks=True)),
    ],
)
def test_the_form_of_a_request(text: str, form: RequestForm) -> None:
    assert request_form(text) == form


@every(
    "text",
    [
        "Plan a weekend in Vienna for us.", "write a caption for my new photo", "what should I cook on Sunday?",
        "Can you book me a flight?", "Schreib meiner Chefin.", "Was soll ich anziehen?",
        "könntest du uns ein Hotel suchen", "naplánuj nám výlet", "Co mám koupit babičce?", "Составь письмо клиенту.",
        "какой телефон мне купить?", "Куда поехать в отпуск?",
    ],
)  # fmt: skip
def test_wants_work_done_or_advice(text: str) -> None:
    assert wants_deed(text)


@every(
    "text",
    [
        "", "17", "where does my sister live?", "order number", "find", "what did I plan for Sunday?", "jaké mám auto?",
        "wo wohnt meine Schwester?", "что я пью от сердца", "what is the capital of Norway?",
        'who said "write it down"?', "où habite ma sœur ?",
    ],
)  # fmt: skip
def test_does_not_want_work_done(text: str) -> None:
    assert not wants_deed(text)


@every(
    ("text", "keywords"),
    [
        ("garage", True), ("dog food", True), ("любимый писатель", True), ("Garagencode", True),
        ("hi", False), ("good morning!", False), ("спасибо", False), ("dobrou noc", False), ("gute Nacht", False),
        ("where is the garage", False), ("столица Монголии?", False), ("", False), ("😂", False),
        ("well, speak later", False), ("one two three four five words", False),
        ("order number", True), ("spare key", True), ("seal17of2x", True), ("A4 paper", True), ("is it A4", False),
    ],
)  # fmt: skip
def test_knows_keywords_from_sentences_and_greetings(text: str, keywords: bool) -> None:  # noqa: FBT001
    assert is_keywords(text) is keywords


def test_knows_whom_an_agent_asks_about() -> None:
    assert names_user("Where does the user work?")
    assert names_user("где работает пользователь?")
    assert names_user("What sport does he do?")
    assert not names_user("Where do I work?")
