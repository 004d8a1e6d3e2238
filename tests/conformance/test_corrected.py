"""What was corrected stays corrected: what taught it is marked, stands behind what holds now, or is not shown."""

from datetime import timedelta

from recollect import Hit, Memory, UserMemory
from recollect.model.literals import Source
from tests.fixtures import SteppingClock
from tests.rows import every

SAID: tuple[Source, ...] = ("memory", "request", "response")  # with the questions among it


def tell(me: UserMemory, text: str, session: str = "earlier", reply: str = "I see.") -> str:
    """Let a turn pass; gives the id of the first memory that it taught."""
    turn = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
    return next((one.id for one in me.after_turn(turn, session=session).captured), "")


def lines(me: UserMemory, question: str) -> list[str]:
    """Give what a block before a prompt shows."""
    return me.before_prompt(question, session="now").block.splitlines()[2:-1]


def found(me: UserMemory, query: str, content: str) -> Hit:
    """Give the hit that is or holds a text."""
    return next(hit for hit in me.search_context(query).hits if content in hit.content)


MOVES = {
    "en": ("I live in Brno.", "I moved to Prague last month.", "Where do I live?", "Prague"),
    "cs": ("Bydlím v Brně.", "Přestěhoval jsem se do Prahy.", "Kde bydlím?", "Prahy"),
    "de": ("Ich wohne in Graz.", "Ich wohne jetzt in Linz.", "Wo wohne ich?", "Linz"),
    "ru": ("Я живу в Казани.", "Теперь я живу в Москве.", "Где я живу?", "Москве"),
}


@every("language", [*MOVES])
def test_what_holds_now_comes_first(memory: Memory, clock: SteppingClock, language: str) -> None:
    before, after, question, value = MOVES[language]
    me = memory.user(language)
    tell(me, before)
    clock.advance(days=30)
    day = clock.now().date().isoformat()
    now = tell(me, after, "later")
    shown = lines(me, question)
    assert value in shown[0]
    old = [line for line in shown if line.endswith(before)]
    assert all(f"no longer so (said before {day}; now: " in line and value in line for line in old)
    hit = found(me, question, before)
    (mark,) = hit.corrected
    assert (mark.said, mark.by, mark.value) == (before, now, value)
    assert mark.at - hit.created_at >= timedelta(days=30)
    assert hit.parts.factors["corrected"] < 1.0
    assert found(me, question, after.rstrip(".")).corrected == ()


def test_an_update_reaches_the_message(me: UserMemory) -> None:
    employer = tell(me, "I work at ACME.")
    me.update(employer, content="My employer is Globex")
    shown = lines(me, "Where do I work?")
    assert "Globex" in shown[0]
    assert not any("ACME" in line and "no longer so" not in line for line in shown)
    (mark,) = found(me, "Where do I work?", "I work at ACME.").corrected
    assert (mark.by, mark.now, mark.value) == (employer, "My employer is Globex", "")


def test_a_change_of_nothing_said_corrects_nothing(me: UserMemory) -> None:
    employer = tell(me, "I work at ACME.")
    me.update(employer, importance=0.9)
    tell(me, "I work at ACME.", "again")
    assert not any(hit.corrected for hit in me.search_context("Where do I work?").hits)


def test_what_was_forgotten_is_not_shown(memory: Memory, me: UserMemory) -> None:
    employer = tell(me, "I work at ACME.", reply="Noted: you work at ACME.")
    assert me.forget(employer).action == "deleted"
    assert lines(me, "Where do I work?") == []
    marks = {hit.content: hit.corrected for hit in me.search_context("Where do I work?").hits}
    assert {(one.said, one.by, one.now) for several in marks.values() for one in several} == {
        ("I work at ACME.", "", ""),
        ("Noted: you work at ACME.", "", ""),
    }
    assert memory.doctor() == ()


def test_what_is_said_again_after_it_was_forgotten_holds(me: UserMemory) -> None:
    me.forget(tell(me, "I work at ACME."))
    again = tell(me, "I work at ACME.", "again")
    assert [hit.id for hit in me.recall("Where do I work?").hits] == [again]
    assert any(line.endswith("I work at ACME") for line in lines(me, "Where do I work?"))


def test_the_rest_of_a_message_still_holds(me: UserMemory) -> None:
    tell(me, "I live in Brno. My cat is called Micka.")
    tell(me, "I moved to Prague last month.", "later")
    hit = found(me, "What is my cat called?", "I live in Brno. My cat")
    assert [one.said for one in hit.corrected] == ["I live in Brno."]
    shown = lines(me, "What is my cat called?")
    assert [line.partition("] ")[2] for line in shown] == ["My cat is called Micka"]


def test_who_repeats_what_was_corrected_is_marked_too(me: UserMemory, clock: SteppingClock) -> None:
    tell(me, "I live in Brno.", reply="Good to know that you live in Brno.")
    clock.advance(days=1)
    tell(me, "I moved to Prague last month.", "later", reply="So you left Brno, where you live no more, for Prague.")
    assert [one.value for one in found(me, "Where do I live?", "Good to know").corrected] == ["Prague"]
    assert found(me, "Where do I live?", "So you left").corrected == ()


def test_a_return_makes_the_first_message_true_again(me: UserMemory) -> None:
    tell(me, "I live in Brno.")
    tell(me, "I moved to Prague last month.", "later")
    tell(me, "I live in Brno again.", "much later")
    assert found(me, "Where do I live?", "I live in Brno").corrected == ()
    assert [one.value for one in found(me, "Where do I live?", "I moved to Prague").corrected] == ["Brno"]


def test_a_summary_of_what_was_corrected_is_marked(me: UserMemory) -> None:
    tell(me, "I live in Brno.")
    tell(me, "What a fine day it is today, is it not?")
    me.conversation("earlier").compact(keep_recent=0)
    tell(me, "I moved to Prague last month.", "later")
    (summary,) = me.search_context("Where do I live? Brno", sources=("summary",)).hits
    assert "I live in Brno" in summary.content
    assert [one.value for one in summary.corrected] == ["Prague"]


def test_a_slot_that_was_set_by_hand_corrects_what_was_said(me: UserMemory) -> None:
    tell(me, "I live in Brno.")
    me.facts.set("user", "home", "Prague")
    assert [one.value for one in found(me, "Where do I live?", "I live in Brno.").corrected] == ["Prague"]


def test_a_name_that_a_host_uses_too_breaks_nothing(me: UserMemory) -> None:
    me.conversation("earlier").append("user", "I work at ACME.", metadata={"forgotten_sentences": {"sentence": 7}})
    me.conversation("earlier").append("user", "I like ACME a lot.", metadata={"forgotten_sentences": "all"})
    assert not any(hit.corrected for hit in me.search_context("ACME").hits)


def test_an_answer_that_says_a_value_in_another_form_is_marked(memory: Memory) -> None:
    me = memory.user("cs")
    employer = tell(me, "Pracuju v Avastu.", reply="Aha, pracuješ v Avastu. Avast je z Prahy.")
    me.update(employer, content="Pracuju v Seznamu")
    (mark,) = found(me, "Kde pracuju?", "Aha, pracuješ").corrected
    assert (mark.said, mark.by) == ("Aha, pracuješ v Avastu.", employer)
    me = memory.user("de")
    me.forget(tell(me, "Ich arbeite bei Miele.", reply="Aha, du arbeitest bei Miele. Miele baut Herde."))
    (gone,) = found(me, "Wo arbeite ich?", "Aha, du").corrected
    assert (gone.said, gone.by) == ("Aha, du arbeitest bei Miele.", "")


def test_two_answers_to_one_question_are_seen_as_two(me: UserMemory, clock: SteppingClock) -> None:
    old = me.remember("Uses SQLite for storage of the orders")
    clock.advance(days=10)
    new = me.remember("Uses TiDB for storage of the orders")
    twins = [me.remember(text).id for text in ("Likes tea in the morning", "Likes coffee in the morning")]
    hits = me.recall("What is used for storage of the orders?").hits
    assert [hit.id for hit in hits[:2]] == [new.id, old.id]
    assert not hits[0].corrected
    (mark,) = hits[1].corrected
    assert (mark.doubted, mark.by, mark.now) == (True, new.id, "Uses TiDB for storage of the orders")
    assert "possibly outdated (said before" in lines(me, "What is used for storage of the orders?")[1]
    assert not any(hit.corrected for hit in me.recall("tea or coffee in the morning?").hits if hit.id in twins)
    assert [(one.memory.id, one.contradicted_by.id) for one in me.facts.doubts()] == [(old.id, new.id)]
    me.rate(old.id, 1)
    assert me.facts.doubts() == ()
    assert not any(hit.corrected for hit in me.recall("What is used for storage of the orders?").hits)
    me.rate(old.id, None)
    me.forget(old.id)
    assert me.facts.doubts() == ()


def work(me: UserMemory, text: str, employer: str) -> str:
    """Store what capture is not sure of, without a key."""
    noted = {"property": "employer"}
    return me.remember(text, type="fact", subject="user", value=employer, metadata=noted).id


def test_an_unsure_correction_of_a_slot_is_shown_first(me: UserMemory) -> None:
    held = me.facts.set("user", "employer", "Bayer", content="I work at Bayer")
    unsure = work(me, "Since Monday I work at Audi", "Audi")
    hits = me.recall("Where do I work?").hits
    assert [hit.id for hit in hits[:2]] == [unsure, held.id]
    assert [(one.doubted, one.value) for one in hits[1].corrected] == [(True, "Audi")]
    also = work(me, "I also work at Miele", "Miele")
    marks = {hit.id: [one.by for one in hit.corrected] for hit in me.recall("Where do I work?").hits}
    assert marks == {held.id: [unsure], unsure: [], also: []}


def test_a_later_statement_may_begin_with_a_word_of_time(me: UserMemory, clock: SteppingClock) -> None:
    old = me.remember("The backend uses SQLite for storage")
    clock.advance(days=1)
    new = me.remember("Now the backend uses TiDB for storage")
    assert [(one.memory.id, one.contradicted_by.id) for one in me.facts.doubts()] == [(old.id, new.id)]


def test_what_is_told_together_or_is_no_value_is_no_doubt(me: UserMemory, clock: SteppingClock) -> None:
    me.remember_many(["The backend uses SQLite for storage", "The backend uses TiDB for storage"])
    clock.advance(days=1)
    work(me, "I work at ACME", "ACME")
    clock.advance(days=1)
    work(me, "I work alone", "alone")
    assert me.facts.doubts() == ()


def test_no_fingerprint_outlives_its_sentence(me: UserMemory) -> None:
    me.forget(tell(me, "I work at ACME. The weather is fine in Brno today."))
    (hit,) = [hit for hit in me.search_context("ACME").hits if hit.source == "request"]
    assert len(hit.metadata["forgotten_sentences"]) == 1
    me.forget(query="I work at ACME", all=True)
    (left,) = [hit for hit in me.search_context("weather in Brno").hits if hit.source == "request"]
    assert (left.content, left.metadata["forgotten_sentences"]) == ("The weather is fine in Brno today.", {})


def test_a_question_says_nothing_that_could_be_corrected(me: UserMemory) -> None:
    asked = [
        {"role": "assistant", "content": "Nice to meet you. Where do you live?"},
        {"role": "user", "content": "Brno"},
    ]
    me.after_turn(asked, session="s1")
    me.after_turn([{"role": "user", "content": "I moved to Prague last month."}], session="s2")
    marked = {hit.content: bool(hit.corrected) for hit in me.search_context("where do I live?", limit=10).hits}
    assert marked["I moved to Prague last month"] is False
    assert marked["Brno"] is True
    assert marked["Nice to meet you. Where do you live?"] is False


def test_a_question_that_states_what_was_agreed_to_is_corrected(me: UserMemory) -> None:
    asked = [
        {"role": "assistant", "content": "So you live in Brno these days?"},
        {"role": "user", "content": "yes, in Brno since May"},
    ]
    me.after_turn(asked, session="s1")
    me.after_turn([{"role": "user", "content": "I moved to Prague last month."}], session="s2")
    marked = {hit.content: bool(hit.corrected) for hit in me.search_context("do I live in Brno?", sources=SAID).hits}
    assert marked["So you live in Brno these days?"] is True


def test_what_was_so_before_comes_when_it_is_asked_for(me: UserMemory) -> None:
    for value in ("MySQL", "PostgreSQL"):
        text = f"The billing service stores invoices in {value}"
        me.remember(text, type="fact", subject="billing", key="database", value=value)
    for question in (
        "What did the billing service use before PostgreSQL?",
        "Where did the billing service use to store invoices?",
        "Wo hat der billing Dienst die Rechnungen vorher gespeichert?",
        "Kam billing předtím ukládal faktury?",
    ):
        now, before = me.recall(question, limit=2).hits
        assert ("PostgreSQL" in now.content, "MySQL" in before.content) == (True, True), question
        assert before.corrected[0].value == "PostgreSQL"
    (only,) = me.recall("Where does the billing service store invoices?", limit=2).hits
    assert "PostgreSQL" in only.content
    block = me.before_prompt("What did the billing service use before PostgreSQL?", session="s").block
    assert "MySQL" in block
    assert "no longer so" in block
