"""A statement is found equally well however it came in: what it means does not depend on who stored it."""

from recollect import Memory, NewMemory, UserMemory
from recollect.embedding.local import LocalEmbedder
from recollect.engine.drafts.items import embedded_texts, terms_of
from recollect.model.memories import MemoryRecord
from tests.rows import every

BUNDLED = LocalEmbedder().space
SAID = "My favourite band is Radiohead."


def kept(me: UserMemory, **fields: str) -> MemoryRecord:
    return me.get(me.remember(**{"content": SAID, **fields}).id)  # type: ignore[arg-type]


def test_a_captured_statement_scores_as_the_stored_one(memory: Memory) -> None:
    told, stored = memory.user("told"), memory.user("stored")
    told.after_turn([{"role": "user", "content": SAID}], session="s")
    (captured,) = told.list().items
    assert captured.subject == "user"
    stored.remember(captured.content, type=captured.type)
    memory.embed_waiting()
    for question in ("Which band do I like?", "What music shall I put on?", "Radiohead"):
        (one,), (other,) = told.recall(question).hits, stored.recall(question).hits
        assert one.similarity == other.similarity
        assert one.similarity is not None


@every("subject", ["", "user", "User", "assistant"])
def test_whose_statement_it_is_changes_neither_vectors_nor_words(memory: Memory, subject: str) -> None:
    me = memory.user(f"says {subject!r}")
    record = kept(me, subject=subject, key="possession" if subject else "", value="Radiohead" if subject else "")
    assert embedded_texts(record, BUNDLED) == (SAID,)
    assert terms_of(record) == terms_of(record._replace(subject="", key="", value=""))


def test_what_a_memory_is_about_stays_with_a_bare_value(me: UserMemory) -> None:
    assert embedded_texts(kept(me, content="Radiohead", subject="user", key="favourite_band", value="Radiohead")) == (
        "favourite band: Radiohead",
    )
    assert embedded_texts(kept(me, content="on", subject="light.office", key="state")) == ("light.office state: on",)


def test_a_preference_is_also_embedded_as_a_wish(me: UserMemory) -> None:
    wish = kept(me, content="Always answer in Czech.", type="preference", subject="assistant")
    assert embedded_texts(wish, BUNDLED) == ("Always answer in Czech.", "user: Always answer in Czech.")
    assert embedded_texts(wish) == ("Always answer in Czech.",)


def test_a_request_finds_the_wish_and_not_what_it_is_about(memory: Memory, me: UserMemory) -> None:
    wish = "Please use metric units, I never learned miles."
    facts = [
        f"{town} is a town with an old bridge and a railway." for town in ("Lyon", "Geneva", "Basel", "Turin", "Nice")
    ]
    me.remember_many([NewMemory(wish, type="preference", subject="assistant"), *facts])
    memory.embed_waiting()
    assert wish in [hit.content for hit in me.recall("Tell me how far I can drive with a full tank.", limit=2).hits]
