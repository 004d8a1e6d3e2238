"""Facts, preferences, events and lessons, on both stores."""

from datetime import timedelta

import pytest

from recollect import InvalidInput, Memory, UserMemory
from recollect.errors import InvalidMemory
from tests.fixtures import SteppingClock
from tests.rows import every


def test_a_fact_about_a_thing(memory: Memory, clock: SteppingClock) -> None:
    me = memory.user("user 0")
    kept = me.facts.set("light.office", "location", "home office")
    (fact,) = me.facts("light.office")
    assert (fact.id, fact.type, fact.content) == (kept.id, "fact", "light.office location: home office")
    assert (fact.subject, fact.key, fact.value) == ("light.office", "location", "home office")
    me.facts.set("light.office", "purpose", "reading", content="The office light is for reading")
    me.facts.set("light.kitchen", "location", "kitchen")
    assert [record.key for record in me.facts("light.office")] == ["purpose", "location"]
    assert [record.subject for record in me.facts(key="location")] == ["light.kitchen", "light.office"]
    assert len(me.facts()) == 3
    assert me.facts("light.attic") == ()
    assert me.recall("what is the location of the office light?").hits[0].id == kept.id

    # a memory that ended is not listed
    me = memory.user("user 1")
    me.facts.set("car", "location", "garage", valid_until=clock.moment + timedelta(hours=1))
    me.preferences.set("tea", "sugar", "none", expires_at=clock.moment + timedelta(hours=1))
    assert len(me.facts()) == len(me.preferences()) == 1
    clock.advance(hours=2)
    assert me.facts() == me.preferences() == ()


SOURCES = {
    "inferred": 2, "learned": 2, "agent": 2, "Agent: kitchen": 2, "some_sensor": 2, "file": 1,
    "external": 0, "import:mem0": 0, "tool:weather": 0, "web": 0,
}  # fmt: skip


def test_what_is_stated_outranks_what_any_other_source_says(memory: Memory) -> None:
    for source, tier in SOURCES.items():
        is_outranked(memory.user(source), source, tier)


def is_outranked(me: UserMemory, source: str, tier: int) -> None:
    """Check what becomes of claims of a source."""
    stated = me.facts.set("user", "home", "Brno")
    liked = me.preferences.set("food", "breakfast", "porridge")
    claims = [
        me.facts.set("user", "home", "Oslo", source=source),
        me.remember("Home is Graz", type="fact", subject="user", key="home", value="Graz", source=source),
        *me.remember_many(
            [{"content": "Lives in Linz", "type": "fact", "subject": "user", "key": "home", "source": source}]
        ),
        me.preferences.set("food", "breakfast", "bacon", source=source, trust=None),
    ]
    if not source.startswith("import"):  # a user may say that an import is to be trusted; no other name raises itself
        claims.append(me.facts.set("user", "home", "Rome", source=source, trust=3))
    assert {claim.action for claim in claims} == {"outranked"}
    assert {me.get(claim.id).trust for claim in claims} == {tier}
    assert [(row.id, row.value, row.trust) for row in me.facts("user")] == [(stated.id, "Brno", 3)]
    assert [row.value for row in me.preferences("food")] == ["porridge"]
    doubts = me.facts.doubts()
    assert {(doubt.memory.id, doubt.contradicted_by.id) for doubt in doubts} == {
        (liked.id if claim is claims[3] else stated.id, claim.id) for claim in claims
    }
    assert {doubt.memory.id for doubt in me.facts.doubts("user")} == {stated.id}
    with pytest.raises(InvalidMemory, match="may not correct it"):
        me.update(stated.id, value="Rome", source=source)
    me.update(stated.id, value="Praha")
    me.forget(claims[3].id)
    assert me.facts.doubts() == ()


def test_a_source_is_trusted_as_much_as_it_says_of_itself_or_less(me: UserMemory) -> None:
    offered = [("user:telegram", None), ("", None), ("user_stated", 1), ("learned", 0), ("import:mem0", 3)]
    kept = [me.remember(f"Note {n}", source=source, trust=trust) for n, (source, trust) in enumerate(offered)]
    assert [me.get(one.id).trust for one in kept] == [3, 3, 1, 0, 3]
    assert me.update(kept[3].id, source="user_stated").trust == 3
    assert me.update(kept[0].id, source="learned").trust == 2


def test_a_key_may_have_many_values(memory: Memory, me: UserMemory) -> None:
    def languages() -> set[str]:
        return {row.value for row in me.facts("user", key="language")}

    czech, german = (me.facts.set("user", "language", value, many=True) for value in ("Czech", "German"))
    assert (czech.action, german.action, languages()) == ("created", "created", {"Czech", "German"})
    assert me.facts.set("user", "language", "czech", many=True).id == czech.id
    polish = me.remember("Speaks Polish", type="fact", subject="user", key="language", value="Polish")
    assert polish.action == "created"  # the key has many values by now
    guessed = me.facts.set("user", "language", "Latin", source="inferred")
    assert (guessed.action, len(languages())) == ("created", 4)
    me.update(german.id, value="Dutch", content="user language: Dutch", metadata={"since": 2020})
    assert languages() == {"Czech", "Dutch", "Polish", "Latin"}
    with pytest.raises(InvalidMemory, match="already says this"):
        me.update(german.id, value="Czech", content="Now it is Czech")
    me.forget(czech.id)
    me.forget(guessed.id)
    assert languages() == {"Dutch", "Polish"}
    assert me.facts.set("user", "language", "Czech").action == "created"
    assert languages() == {"Czech", "Dutch", "Polish"}
    assert me.facts.doubts() == ()
    drinks = [{"content": f"Likes {one}", "type": "preference", "key": "drink", "many": True} for one in ("tea", "ale")]
    assert [one.action for one in me.remember_many(drinks)] == ["created", "created"]
    with pytest.raises(InvalidMemory, match="with a key"):
        me.remember("No key at all", many=True)
    assert memory.doctor() == ()


def test_one_of_many_values_may_be_told_more_about(me: UserMemory) -> None:
    slot = {"type": "fact", "subject": "user", "key": "allergy", "many": True}
    first = me.remember("I am allergic to nuts", value="nuts", **slot)  # type: ignore[arg-type]
    assert me.facts.set("user", "allergy", "Nuts", many=True).id == first.id
    fuller = me.remember("I am deathly allergic to nuts", value="nuts", **slot)  # type: ignore[arg-type]
    assert (fuller.action, fuller.existing_id) == ("superseded", first.id)
    assert me.remember("I am allergic to nuts", value="nuts", **slot).id == fuller.id  # type: ignore[arg-type]
    other = me.remember("I am allergic to nuts since childhood", value="nuts", **slot)  # type: ignore[arg-type]
    assert other.action == "created"
    assert [row.id for row in me.facts("user", key="allergy")] == [other.id, fuller.id]


@every(("said", "key", "values"), [
        (("Call me Annie please", "you can also call me Anička"), "nickname", {"Annie", "Anička"}),
        (("my number is 777 123 456", "my work number is 603 999 888"), "phone", {"777 123 456", "603 999 888"}),
        (("I'm allergic to nuts", "I'm also allergic to penicillin", "I'm allergic to nuts"), "allergy",
         {"nuts", "penicillin"}),
    ])  # fmt: skip
def test_what_life_has_several_of_is_captured_side_by_side(
    memory: Memory, said: tuple[str, ...], key: str, values: set[str]
) -> None:
    me = memory.user(key)
    for number, text in enumerate(said):
        me.after_turn([{"role": "user", "content": text}], session=f"s{number}")
    held = me.list(subject="user", key=key).items
    assert (len(held), {row.value for row in held}) == (len(values), values)
    me.forget(held[0].id)
    assert {row.value for row in me.list(subject="user", key=key).items} == values - {held[0].value}


def test_instructions_are_a_kind_of_their_own(me: UserMemory) -> None:
    kept = me.instructions.add("Always answer in lower case")
    me.after_turn([{"role": "user", "content": "plan mir keine Termine vor 10 uhr ein"}], session="s1")
    me.preferences.set("food", "breakfast", "porridge")
    assert [one.content for one in me.instructions()] == [
        "plan mir keine Termine vor 10 uhr ein",
        "Always answer in lower case",
    ]
    assert me.instructions.add("always answer in lower case.").id == kept.id
    assert "Always answer in lower case" in me.before_prompt("Hello!", session="s2").block
    me.forget(kept.id)
    assert [one.content for one in me.instructions()] == ["plan mir keine Termine vor 10 uhr ein"]
    assert "lower case" not in me.before_prompt("Hello!", session="s3").block


def test_preferences_and_lessons_the_surest_first(memory: Memory) -> None:
    me = memory.user("user 0")
    me.preferences.set("lighting", "brightness", "40%", context="after_sunset", confidence=0.5)
    me.preferences.set("lighting", "brightness", "90%", confidence=0.9)
    me.preferences.set("music", "volume", "low", confidence=0.7)
    assert [(record.value, record.context) for record in me.preferences("lighting")] == [
        ("90%", ""),
        ("40%", "after_sunset"),
    ]
    assert [record.subject for record in me.preferences()] == ["lighting", "music", "lighting"]
    assert [record.value for record in me.preferences(key="volume")] == ["low"]
    assert me.preferences("lighting")[1].content == "lighting: brightness 40% (after sunset)"
    assert len(me.preferences(limit=1)) == 1

    # lessons the surest first
    me = memory.user("user 1")
    me.lessons.add("Check the oven before leaving", context="home", confidence=0.5)
    me.lessons.add("Ask before deleting files", context="work", confidence=0.9)
    assert [record.content for record in me.lessons()] == ["Ask before deleting files", "Check the oven before leaving"]
    assert [record.confidence for record in me.lessons(context="home")] == [0.5]

    # hearing it again makes it surer but never certain
    me = memory.user("user 2")
    kept = me.preferences.set("lighting", "evening_brightness", "40%", confidence=0.4)
    seen = [me.get(kept.id).confidence]
    for _ in range(4):
        assert me.preferences.set("lighting", "evening_brightness", "40%", confidence=0.4).action == "duplicate"
        seen.append(me.get(kept.id).confidence)
    assert seen == sorted(set(seen))
    assert seen[0] == 0.4
    assert seen[-1] < 1
    assert len(me.history(kept.id)) == 1


def test_events_in_the_order_in_which_they_happened(me: UserMemory, clock: SteppingClock) -> None:
    noon = clock.moment
    me.events.log("The door was opened", entity="door", kind="state_change", details="open", occurred_at=noon)
    me.events.log("The night was quiet", occurred_at=noon - timedelta(hours=9), importance=0.1)
    me.events.log(
        "The alarm went off", kind="alert", entity="alarm", occurred_at=noon - timedelta(hours=3), importance=1.0
    )
    me.events.log("Just now")
    assert [event.content for event in me.events()] == [
        "The night was quiet",
        "The alarm went off",
        "The door was opened",
        "Just now",
    ]
    assert [event.content for event in me.events(limit=2)] == ["The door was opened", "Just now"]
    night = me.events(since=noon - timedelta(hours=10), until=noon, min_importance=0.3)
    assert [event.content for event in night] == ["The alarm went off"]
    assert [event.value for event in me.events(entity="door")] == ["open"]
    assert [event.content for event in me.events(kind="alert")] == ["The alarm went off"]
    assert me.events()[-1].importance == 0.5


def test_what_says_nothing_is_refused(me: UserMemory) -> None:
    for subject, key, value in (("", "location", "x"), ("car", " ", "x"), ("car", "location", "\n")):
        with pytest.raises(InvalidMemory, match="is empty"):
            me.facts.set(subject, key, value)
        with pytest.raises(InvalidMemory, match="is empty"):
            me.preferences.set(subject, key, value)
    with pytest.raises(InvalidMemory):
        me.events.log("")
    for limit in (0, 1_001):
        with pytest.raises(InvalidInput, match="limit"):
            me.events(limit=limit)


def test_an_event_has_participants_and_is_found_by_them(me: UserMemory) -> None:
    dinner = me.events.log("Dinner at the harbour", participants=[" Marek ", "Ingrid", "Marek"], metadata={"table": 4})
    me.events.log("Dinner at the station")
    assert me.events()[0].metadata == {"table": 4, "participants": ["Marek", "Ingrid"]}
    for query in ("Ingrid", '"marek"'):
        (hit,) = me.recall(query, min_score=0.2).hits
        assert (hit.id, hit.participants, hit.learned_from) == (dinner.id, ("Marek", "Ingrid"), "user_stated")
    for wrong in ("Marek", [1], ["x"] * 1 + [str(number) for number in range(100)], ["x" * 201], [""], ["Marek", " "]):
        with pytest.raises(InvalidMemory, match="participants"):
            me.events.log("Dinner at home", participants=wrong)  # type: ignore[arg-type]


def test_a_hit_says_through_which_channel_a_message_came(me: UserMemory) -> None:
    conversation = me.conversation("c1")
    conversation.append("user", "The violin is at the repair shop", speaker="Ingrid", metadata={"channel": "telegram"})
    conversation.append("user", "The piano is out of tune", metadata={"channel": 7})
    hits = {hit.content: hit for hit in me.search_context("violin or piano?").hits}
    violin, piano = hits["The violin is at the repair shop"], hits["The piano is out of tune"]
    assert (violin.channel, violin.learned_from, violin.participants, piano.channel) == ("telegram", "", (), "")
