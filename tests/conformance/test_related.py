"""At doors for agents and people, unrelated queries get nothing and no answer is lost, on both stores."""

import pytest

from recollect import UserMemory
from tests.fixtures import OpenMemory

MEMORIES = (
    "my sister Petra lives in Graz with her two boys",
    "I'm allergic to walnuts",
    "the spare bicycle pump is in the garage",
    "our dog Biscuit is a beagle",
    "I prefer tea to coffee",
    "I work as a nurse at the Hillsborough practice",
)
UNRELATED = (
    "what is the capital of Mongolia?", "столица Монголии?", "hlavní město Mongolska?", "Hauptstadt der Mongolei?",
    "how do airplanes fly", "python list comprehension", "explain quantum physics", "hello", "ok thanks", "спасибо",
    "play some jazz", "включи радио", "zapni světla", "mach lauter", "čau", "hallöchen",
)  # fmt: skip
RELATED = {
    "where does my sister live?": MEMORIES[0],
    "Petra": MEMORIES[0],
    "food allergies": MEMORIES[1],
    "garage": MEMORIES[2],
    "GARAGE pump": MEMORIES[2],
    "garage -car": MEMORIES[2],
    '"bicycle pump"': MEMORIES[2],
    "na co mám alergii?": MEMORIES[1],
    "Where does the user work?": MEMORIES[5],
    "What does the user like to drink?": MEMORIES[4],
    "what does she drink": MEMORIES[4],
    "dog breed": MEMORIES[3],
    "pet": MEMORIES[3],
}


@pytest.fixture
def me(open_memory: OpenMemory) -> UserMemory:
    user = open_memory().user("me")
    user.remember_many(MEMORIES)
    return user


def test_unrelated_queries_get_nothing_and_others_their_answer(me: UserMemory) -> None:
    for query in UNRELATED:
        for verb in (me.recall, me.search_context):
            assert verb(query).hits == (), query
        assert me.recall(query, only_related=False).hits, "then it gives what is nearest"
    for query, answer in RELATED.items():
        for verb in (me.recall, me.search_context):
            assert answer in [hit.content for hit in verb(query).hits[:3]], query


def test_a_passage_answers_a_general_question(me: UserMemory) -> None:
    passage = (
        "Walnuts are good for the heart, as is said: they are rich in unsaturated fat, protein, fibre and manganese, "
        "and one hundred grams of them have about 650 calories, more than most other nuts."
    )
    me.remember(passage)
    assert me.recall("what are walnuts good for").hits[0].content == passage


def test_near_a_place_what_has_nothing_to_do_with_a_question_is_no_answer_either(me: UserMemory) -> None:
    me.remember("Pizzeria Nonna: good pizza, slow service", lat=49.2, lng=16.6)
    for question in ("what is the capital of Mongolia?", "jak se dělá beton?"):
        assert me.recall(question, location=(49.2, 16.6)).hits == (), question
    for question in ("where did I eat pizza?", "pizza", "where have I been around here?"):
        hits = me.recall(question, location=(49.2, 16.6)).hits
        assert any(hit.content.startswith("Pizzeria") for hit in hits), question


def test_hits_that_hardly_match_are_left_out_but_not_those_with_the_words(me: UserMemory) -> None:
    assert len(me.recall("garage", limit=6, only_related=False).hits) == len(MEMORIES)
    assert [hit.content for hit in me.recall("garage", limit=6).hits] == [MEMORIES[2]]
    me.conversation("c").append("user", "Jana", speaker="Jana")
    assert me.search_context("Jana").hits[0].content == "Jana"


def test_what_was_asked_for_by_time_or_place_is_related(me: UserMemory) -> None:
    me.remember("Lunch with Ada", type="event", lat=49.2, lng=16.6)
    assert me.recall("what happened today?").hits
    assert me.recall("zebra crossing", location=(49.2, 16.6)).hits


SMALL_TALK = (
    "ok", "hi", "good morning!", "gd mornin", "hiii 👋", "👍", "thx!!", "lol", "haha", "bye for now x", "ок", "привет",
    "доброе утро!", "спс 🙏", "ahoj", "dobré ráno", "díky 😊", "jj", "hallo", "guten Morgen!", "dankeee", "tschüss",
)  # fmt: skip


def test_terse_requests_get_a_block(me: UserMemory) -> None:
    me.remember_many(
        ["When Redis is down, the auth service falls back to the database", "We run k8s 1.34 on three nodes"]
    )
    for text, answer in (("auth redis failure modes", "Redis"), ("k8s?", "k8s"), ("garage pump", "pump")):
        assert answer in me.before_prompt(text, session="s").block, text


def test_small_talk_gets_no_block(me: UserMemory) -> None:
    for text in SMALL_TALK:
        context = me.before_prompt(text, session="s")
        assert (text, context.block, context.hits, context.degraded) == (text, "", (), ())
