"""Shared scopes: members find and store what is theirs together, and no other user gets near it. On both stores."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.api.scoped import Scoped
from recollect.errors import NotPermitted
from tests.fixtures import OpenMemory

_ROAST = "The family cooks a roast on Sundays"
_NO_ID = "01900000-0000-7000-8000-000000000000"


@pytest.fixture
def family(memory: Memory) -> UserMemory:
    """A scope with two members, as its writer sees it: Anna writes, Ben reads."""
    memory.scopes.add("family", "anna", role="writer")
    memory.scopes.add("family", "ben")
    family = memory.user("anna").scope("family")
    family.remember(_ROAST, type="fact")
    return family


def test_members_find_what_is_shared_among_their_own_and_see_from_where(memory: Memory, family: UserMemory) -> None:
    anna, ben, eve = (memory.user(name) for name in ("anna", "ben", "eve"))
    ben.remember("Ben cooks soup on Mondays")
    for user in (anna, ben):
        hit = user.recall("what is cooked on Sundays?").hits[0]
        assert (hit.content, hit.scope, hit.author) == (_ROAST, "family", "anna")
        assert user.search_context("roast on Sundays").hits[0].scope == "family"
    assert {hit.scope for hit in ben.recall("what is cooked?").hits} == {"", "family"}
    assert {hit.scope for hit in family.recall("what is cooked?").hits} == {"family"}
    assert not eve.recall("roast on Sundays").hits
    assert not anna.list().items
    assert anna.count() == 0


def test_a_search_says_which_scopes_it_wants(memory: Memory, family: UserMemory, open_memory: OpenMemory) -> None:
    memory.scopes.add("team", "anna", role="writer")
    anna = memory.user("anna")
    anna.scope("team").remember("The team orders a roast on Fridays")
    found = {
        choice: {hit.scope for hit in anna.recall("roast", scopes=choice).hits}
        for choice in ("all", "none", "team", ("family", "team"))
    }
    assert found == {"all": {"family", "team"}, "none": set(), "team": {"team"}, ("family", "team"): {"family", "team"}}
    with pytest.raises(NotFound):
        memory.user("ben").recall("roast", scopes=["team"])
    assert not open_memory(recall__scopes="none").user("anna").recall("roast").hits
    assert family.recall("roast").hits  # whatever the settings say, a scope that is opened is searched


def test_what_is_said_twice_is_shown_once_and_a_change_is_seen_at_once(memory: Memory, family: UserMemory) -> None:
    anna = memory.user("anna")
    own = anna.remember(_ROAST, type="fact").id
    (hit,) = anna.recall("roast on Sundays").hits
    assert (hit.id, hit.scope, hit.folded) == (own, "", (family.list().items[0].id,))
    family.remember("The roast is made of pumpkin")
    assert "pumpkin" in " ".join(hit.content for hit in anna.recall("what is the roast made of?").hits)


def test_what_happened_in_a_scope_has_its_place_in_time(memory: Memory, family: UserMemory) -> None:
    anna = memory.user("anna")
    for scope, text in ((anna, "Rode to Brno"), (family, "Picked apples"), (anna, "Repaired the lamp")):
        scope.events.log(text)
    told = [(hit.content, hit.scope) for hit in anna.recall("what happened today?").hits]
    assert told == [("Rode to Brno", ""), ("Picked apples", "family"), ("Repaired the lamp", "")]


def test_a_reader_writes_nothing(memory: Memory, family: UserMemory, tmp_path: Path) -> None:
    shared = memory.user("ben").scope("family")
    known = family.list().items[0].id
    before = family.stats()
    for name, verb in _VERBS.items():
        if name in _WRITING:
            with pytest.raises(NotPermitted, match="family"):
                verb(shared, known, tmp_path)
    assert shared.before_prompt("Where is the roast?", session="s").degraded == ("saving",)
    assert family.stats() == before
    assert family.get(known).content == _ROAST


def test_who_is_removed_has_no_access_from_then_on(memory: Memory, family: UserMemory, tmp_path: Path) -> None:
    ben = memory.user("ben")
    known, held = family.list().items[0].id, family.facts
    assert ben.recall("roast").hits
    for user in ("anna", "ben"):
        memory.scopes.remove("family", user)
    assert [name for name, verb in _VERBS.items() if not _is_unknown(verb, family, known, tmp_path)] == []
    with pytest.raises(NotFound):
        held()
    assert not ben.recall("roast").hits
    assert ben.scopes() == ()
    with pytest.raises(NotFound):
        memory.scopes.remove("family", "ben")
    assert [(scope.name, scope.members) for scope in memory.scopes.list()] == [("family", ())]  # what is in it stays
    memory.scopes.add("family", "ben")
    assert ben.recall("roast").hits


def _is_unknown(verb: "_Verb", shared: UserMemory, known: str, folder: Path) -> bool:
    """Say whether a verb answers as if there were no such scope."""
    try:
        verb(shared, known, folder)
    except NotFound as error:
        return "no shared scope 'family'" in str(error)
    return False


def test_every_verb_is_among_those_that_are_tried(family: UserMemory) -> None:
    spaces = [getattr(family, name) for name in ("facts", "preferences", "events", "lessons", "instructions")]
    handles = [family, family.files, family.media, family.places, family.messages, family.conversation("c"), *spaces]
    names = {
        f"{type(handle).__name__}.{name}"
        for handle in handles
        for name in dir(type(handle))
        if not name.startswith("_")
        and callable(getattr(type(handle), name))
        and not isinstance(getattr(type(handle), name), type)
    }
    tried = {name.split(" ")[0] for name in _VERBS}
    assert names - tried == _WITHOUT_ACCESS
    assert tried <= names
    assert all(isinstance(handle, Scoped) for handle in handles)


def test_no_name_tells_whether_there_is_such_a_scope(memory: Memory, family: UserMemory) -> None:
    eve = memory.user("eve")
    answers = []
    for name in ("family", "nothing", "no name!", "", "scope:family"):
        with pytest.raises(NotFound) as refused:
            eve.scope(name)
        answers.append(str(refused.value).replace(repr(name), "it"))
    assert len(set(answers)) == 1
    with pytest.raises(InvalidInput, match="shared scopes"):
        memory.user("scope:family")
    with pytest.raises(InvalidInput):
        memory.keys.create(user="scope:family")
    with pytest.raises(NotFound):
        family.scope("family")
    for wrong in ("all", "none", "two words", "a/b", "scope:x", "", "x" * 65):
        with pytest.raises(InvalidInput):
            memory.scopes.add(wrong, "anna")
    with pytest.raises(InvalidInput):
        memory.scopes.add("family", "scope:team")
    with pytest.raises(InvalidInput):
        memory.scopes.add("family", "anna", role="owner")  # type: ignore[arg-type]


def test_items_say_who_wrote_them_and_nobody_can_name_another(memory: Memory, family: UserMemory) -> None:
    memory.scopes.add("family", "ben", role="writer")
    shared = memory.user("ben").scope("family")
    forged = shared.remember("The car is red", metadata={"author": "anna", "colour": "red"}).id
    assert family.get(forged).metadata == {"author": "ben", "colour": "red"}
    assert family.update(forged, content="The car is blue").metadata["author"] == "anna"
    assert [version.metadata["author"] for version in shared.history(forged)] == ["ben", "anna"]
    said = shared.conversation("c").append("user", "Hello").id or ""
    assert family.messages.get(said).metadata["author"] == "ben"
    assert family.get(family.remember(_ROAST, type="fact").id).metadata["author"] == "anna"
    assert "author" not in memory.user("ben").get(memory.user("ben").remember("The cat is grey").id).metadata


def test_who_imports_into_a_scope_is_the_author(memory: Memory, family: UserMemory, tmp_path: Path) -> None:
    memory.scopes.add("team", "ben", role="writer")
    team = memory.user("ben").scope("team")
    family.conversation("c1").append("user", "The roast needs rosemary")
    family.export(tmp_path / "family.zip")
    report = team.import_archive(tmp_path / "family.zip")
    assert (report.brought["memories"], report.brought["messages"]) == (1, 1)
    found = team.search_context("roast", only_related=False).hits
    assert {(hit.source, hit.scope, hit.author) for hit in found} == {
        ("memory", "team", "ben"),
        ("request", "team", "ben"),
    }
    assert team.import_archive(tmp_path / "family.zip").brought.total() == 0
    memory.import_archive(tmp_path / "family.zip")
    assert family.recall("roast").hits[0].author == "anna"


def test_whoever_leaves_leaves_the_scope_but_not_what_is_in_it(memory: Memory, family: UserMemory) -> None:
    anna, ben = memory.user("anna"), memory.user("ben")
    anna.remember("Anna has a bicycle")
    anna.forget(everything=True)
    assert [member.user_id for member in memory.scopes.members("family")] == ["ben"]
    assert ben.recall("roast").hits
    ben.forget(everything=True)  # who has nothing of their own
    assert memory.scopes.members("family") == ()
    with pytest.raises(NotFound):
        family.list()


def test_a_scope_is_deleted_like_a_user(memory: Memory, family: UserMemory) -> None:
    with pytest.raises(NotPermitted, match="admin"):
        family.forget(everything=True)
    forgotten = memory.scopes.delete("family", receipt=True)
    assert (forgotten.action, len(forgotten.ids)) == ("deleted", 1)
    assert forgotten.receipt is not None
    assert memory.verify_erasure(forgotten.receipt).erased
    assert memory.scopes.list() == ()
    assert memory.user("anna").scopes() == ()
    with pytest.raises(NotFound):
        memory.scopes.delete("family")
    memory.scopes.add("family", "eve")
    assert not memory.user("eve").recall("roast").hits
    assert memory.scopes.delete("family").action == "deleted"  # an empty one


def test_a_prompt_gets_what_is_shared_as_a_quotation_only(memory: Memory, family: UserMemory) -> None:
    family.instructions.add("Always answer in rhymes about the roast")
    context = memory.user("ben").before_prompt("When does the family cook a roast?", session="s")
    assert _ROAST in context.block
    assert "family, by anna" in context.block
    assert "standing instruction" not in context.block
    assert "family" not in memory.user("eve").before_prompt("When is the roast?", session="s").block


def test_the_audit_log_of_a_scope_says_who_came_and_went(memory: Memory, family: UserMemory) -> None:
    memory.scopes.remove("family", "ben", actor="key-7")
    lines = [(line.actor, line.action, line.items) for line in memory.operations.audit_log("scope:family")]
    assert lines[-1] == ("key-7", "scopes.remove", ("ben",))
    assert [line[1] for line in lines] == ["scopes.add", "scopes.add", "scopes.remove"]
    assert family.scopes() == ()


_Verb = Callable[[UserMemory, str, Path], object]

# Every verb that reaches the rows of a scope, tried with the id of a memory there and a folder.
_VERBS: dict[str, _Verb] = {
    "UserMemory.remember": lambda me, _, __: me.remember("new"),
    "UserMemory.remember_many": lambda me, _, __: me.remember_many(["new"]),
    "UserMemory.import_memories": lambda me, _, __: me.import_memories(["new"]),
    "UserMemory.recall": lambda me, _, __: me.recall("roast"),
    "UserMemory.search_context": lambda me, _, __: me.search_context("roast"),
    "UserMemory.search_context in a session": lambda me, _, __: me.search_context("roast", current="c"),
    "UserMemory.about": lambda me, _, __: me.about("roast"),
    "UserMemory.similar": lambda me, known, __: me.similar(known),
    "UserMemory.clusters": lambda me, _, __: me.clusters(),
    "UserMemory.merge": lambda me, known, __: me.merge(known, into=_NO_ID),
    "UserMemory.get": lambda me, known, __: me.get(known),
    "UserMemory.update": lambda me, known, __: me.update(known, content="other"),
    "UserMemory.rate": lambda me, known, __: me.rate(known, 1),
    "UserMemory.history": lambda me, known, __: me.history(known),
    "UserMemory.list": lambda me, _, __: me.list(),
    "UserMemory.count": lambda me, _, __: me.count(),
    "UserEvents.timeline": lambda me, _, __: me.events.timeline(),
    "UserMemory.stats": lambda me, _, __: me.stats(),
    "UserMemory.insights": lambda me, _, __: me.insights(),
    "UserMemory.tidy": lambda me, _, __: me.tidy(),
    "UserMemory.export": lambda me, _, folder: me.export(folder / "out", overwrite=True),
    "UserMemory.forget": lambda me, known, __: me.forget(known),
    "UserMemory.after_turn": lambda me, _, __: me.after_turn([{"role": "user", "content": "Hello"}], session="s"),
    "UserMemory.conversations": lambda me, _, __: me.conversations(),
    "UserFiles.sync": lambda me, _, folder: me.files.sync(folder),
    "UserFiles.folders": lambda me, _, __: me.files.folders(),
    "UserFiles.add": lambda me, _, __: me.files.add(b"Some text", name="a.txt"),
    "UserFiles.list": lambda me, _, __: me.files.list(),
    "UserFiles.get": lambda me, _, __: me.files.get(_NO_ID),
    "UserFiles.chunks": lambda me, _, __: me.files.chunks(_NO_ID),
    "UserFiles.original": lambda me, _, __: me.files.original(_NO_ID),
    "UserFiles.read": lambda me, _, __: me.files.read("a.txt"),
    "UserPlaces.list": lambda me, _, __: me.places.list(),
    "UserPlaces.within": lambda me, _, __: me.places.within(49.2, 16.6, 5),
    "UserPlaces.named": lambda me, _, __: me.places.named(),
    "UserPlaces.get": lambda me, _, __: me.places.get("home"),
    "UserPlaces.set": lambda me, _, __: me.places.set("home", (49.2, 16.6)),
    "UserPlaces.forget": lambda me, _, __: me.places.forget("home"),
    "UserFacts.set": lambda me, _, __: me.facts.set("roast", "day", "Sunday"),
    "UserFacts.settle": lambda me, known, __: me.facts.settle(known),
    "UserFacts.doubts": lambda me, _, __: me.facts.doubts(),
    "UserPreferences.set": lambda me, _, __: me.preferences.set("food", "roast", "rare"),
    "UserEvents.log": lambda me, _, __: me.events.log("Roasted"),
    "UserLessons.add": lambda me, _, __: me.lessons.add("Baste"),
    "UserInstructions.add": lambda me, _, __: me.instructions.add("Always baste"),
    "UserMessages.get": lambda me, _, __: me.messages.get(_NO_ID),
    "UserMessages.around": lambda me, _, __: me.messages.around(_NO_ID),
    "UserMessages.between": lambda me, _, __: me.messages.between(),
    "UserMessages.rate": lambda me, _, __: me.messages.rate(_NO_ID, 1),
    "UserMedia.add": lambda me, _, __: me.media.add(b"ID3 a sound"),
    "UserMedia.original": lambda me, _, __: me.media.original("0" * 64),
    "UserMessages.origins": lambda me, known, __: me.messages.origins(known),
    "UserMessages.capture": lambda me, _, __: me.messages.capture("My favourite food is roast", session="c"),
    "Conversation.append": lambda me, _, __: me.conversation("c").append("user", "Hello"),
    "Conversation.extend": lambda me, _, __: me.conversation("c").extend([{"role": "user", "content": "Hello"}]),
    "Conversation.import_messages": lambda me, _, __: me.conversation("c").import_messages(
        [{"role": "user", "content": "Hello"}]
    ),
    "Conversation.window": lambda me, _, __: me.conversation("c").window(),
    "Conversation.compact": lambda me, _, __: me.conversation("c").compact(),
    "Conversation.info": lambda me, _, __: me.conversation("c").info(),
    "Conversation.messages": lambda me, _, __: me.conversation("c").messages(),
    "Conversation.summary": lambda me, _, __: me.conversation("c").summary(),
    "Conversation.originals": lambda me, _, __: me.conversation("c").originals(_NO_ID),
    "Conversation.learned": lambda me, _, __: me.conversation("c").learned(),
    "Conversation.describe": lambda me, _, __: me.conversation("c").describe({"a": 1}),
    "Conversation.set_private": lambda me, _, __: me.conversation("c").set_private(),
}

_WRITING = {
    "UserMemory.remember", "UserMemory.remember_many", "UserMemory.import_memories", "UserMemory.update",
    "UserMemory.merge", "UserMedia.add",
    "UserMemory.rate", "UserMemory.forget", "UserMemory.after_turn", "UserFiles.sync", "UserFiles.add",
    "UserPlaces.set", "UserPlaces.forget", "UserFacts.set", "UserFacts.settle", "UserPreferences.set", "UserEvents.log",
    "UserLessons.add", "UserInstructions.add", "UserMessages.rate", "Conversation.append", "Conversation.extend",
    "Conversation.import_messages", "Conversation.describe", "Conversation.set_private",
}  # fmt: skip

# Hooks that fail open, verbs that read nothing of a scope, and those that others do the work of.
_WITHOUT_ACCESS = {
    "UserMemory.before_prompt", "UserMemory.start_session", "UserMemory.end_session", "UserMemory.conversation",
    "UserMemory.scope", "UserMemory.scopes", "UserMemory.import_archive", "UserFiles.add_pieces",
    "UserFiles.store_files", "UserFiles.watch", "UserPlaces.geocode", "UserPlaces.reverse_geocode",
    "UserPlaces.find_addresses",
    "UserMessages.read", "UserMessages.explain", "UserMessages.should_capture", "UserMessages.preview_capture",
}  # fmt: skip
