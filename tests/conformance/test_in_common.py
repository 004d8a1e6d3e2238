"""Questions about what people have in common: memories about one that resemble one about the other come first."""

from collections.abc import Sequence

from recollect import UserMemory

FACTS = (
    "Tom plays the violin",
    "Tom drives an old Skoda",
    "Tom and his brother visited Brno",
    "Tom works at the town hall",
    "Mia plays the violin in an orchestra",
    "Mia is afraid of spiders",
    "Mia must not eat nuts",
    "Mia studies chemistry",
    "I am allergic to nuts",
    "Anna plays the violin as well",
    "Anna was in Oslo at Easter",
)


def contents(me: UserMemory, question: str, limit: int = 2) -> Sequence[str]:
    return [hit.content for hit in me.recall(question, limit=limit, only_related=False).hits]


def test_what_two_people_share_comes_first(me: UserMemory) -> None:
    me.remember_many(FACTS, wait=True)
    assert set(contents(me, "What do Tom and Mia have in common?")) == {FACTS[0], FACTS[4]}
    assert {FACTS[6], FACTS[8]} <= set(contents(me, "What do I share with Mia?", limit=3))
    parts = me.recall("What do Tom and Mia have in common?", limit=1, only_related=False).hits[0].parts
    assert parts.channels["in common"].score > 0.0
    total = sum(part.score * part.weight for part in parts.channels.values())
    assert abs(total - parts.relevance) < 1e-6
    hits = me.recall(
        "What do Tom and Ferdinand have in common?", limit=3, only_related=False
    ).hits  # nobody knows Ferdinand
    assert hits
    assert all("in common" not in hit.parts.channels for hit in hits)


def test_a_memory_by_its_subject_is_about_that_person(me: UserMemory) -> None:
    me.remember("Plays the trumpet", subject="tom", wait=True)
    me.remember_many(["Mia plays the trumpet in a band", *FACTS[1:4], *FACTS[5:8]], wait=True)

    found = contents(me, "What do Tom and Mia have in common?")

    assert set(found) == {"Plays the trumpet", "Mia plays the trumpet in a band"}
