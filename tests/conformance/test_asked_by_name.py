# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What a question asks of the user by its name comes first, however many words or letters other texts share with it."""

from recollect import Memory, UserMemory
from recollect.text.questions import asked_properties
from tests.rows import every

ASKED = {
    "home": ("Where do I live?", "Kde teď bydlím?", "Wo wohne ich gerade?", "Где я сейчас живу?"),
    "employer": ("where do I work", "Kde pracuju?", "Für wen arbeite ich?", "На кого я работаю?"),
    "name": ("What's my name?", "Jak se jmenuju?", "Wie heiße ich?", "Как меня зовут?"),
    "birthday": (
        "When is my birthday?",
        "Kdy mám narozeniny?",
        "Wann habe ich Geburtstag?",
        "Когда мой день рождения?",
    ),
    "allergy": (
        "What am I allergic to?",
        "Na co mám alergii?",
        "Wogegen bin ich allergisch?",
        "На что у меня аллергия?",
    ),
}
OTHERS = (
    *("Where does my sister live?", "I live in Brno.", "What's my sister's name?", "How do I live longer?"),
    *(
        "Kde bydlí moje sestra?",
        "Bydlím v Brně.",
        "Wo wohnt meine Schwester?",
        "Где живёт моя сестра?",
        "Как зовут мою сестру?",
    ),
)


@every("name, questions", ASKED.items())
def test_a_question_names_what_it_asks_of_the_user(name: str, questions: tuple[str, ...]) -> None:
    assert [asked_properties(one) for one in questions] == [{name}] * len(questions)


@every("text", OTHERS)
def test_what_is_said_or_asked_of_others_asks_nothing_of_the_user(text: str) -> None:
    assert not asked_properties(text)


@every("question", ASKED["home"])
def test_a_slot_is_not_outvoted(memory: Memory, question: str) -> None:
    me = memory.user(question)
    me.facts.set("light.living", "nickname", "where I live")
    me.conversation("earlier").append("user", f"{question} I live and live, bydlím, wohne, живу where I live.")
    home = me.facts.set("user", "home", "Prague", content="Moved to Prague")
    for found in (me.recall(question), me.search_context(question)):
        best = found.hits[0]
        parts = best.parts
        assert best.id == home.id
        assert parts.channels["slot"].weight > 0
        assert found.answerable > 0.9
    assert "Moved to Prague" in me.before_prompt(question, session="now").block.splitlines()[2]


def test_a_slot_is_found_that_no_word_and_no_meaning_leads_to(me: UserMemory) -> None:
    me.remember_many([f"I live where number {number} lives" for number in range(60)])
    home = me.facts.set("user", "home", "x", content="zzz")
    assert me.recall("where do I live?", limit=1).hits[0].id == home.id
    assert me.recall("where do I live?", limit=1, key="age").hits == ()


def test_all_of_the_kind_that_is_asked_for_are_answers(memory: Memory) -> None:
    me = memory.user("kinds")
    for name in ("Rex", "Micka"):
        me.facts.set("Tom", "pet", name, content=f"{name} sleeps in the hall", many=True)
        me.facts.set("user", "hobby", name, content=f"Sunday mornings belong to {name}", many=True)
    me.facts.set("Tom", "job", "baker", content="Tom bakes bread at night")
    me.facts.set("Eva", "pet", "Bubu", content="Bubu hides from the vet")
    toms = {hit.content for hit in me.recall("Which animals does Tom have?").hits}
    assert {"Rex sleeps in the hall", "Micka sleeps in the hall"} <= toms
    assert not toms & {"Tom bakes bread at night", "Bubu hides from the vet"}
    mine = {hit.content for hit in me.recall("What are my hobbies?").hits}
    assert {"Sunday mornings belong to Rex", "Sunday mornings belong to Micka"} <= mine
