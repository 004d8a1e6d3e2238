"""What an answer says about secrets that are left out, and those that a person asked to keep, on both stores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, UserMemory
from recollect.encryption import make_key
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import without
from tests.conformance.test_turns_kept import stored
from tests.fixtures import OpenMemory
from tests.rows import every
from tests.storage.catalogue import is_server

CODE = "The gate code is 4711"
KEPT = "The gate code is [kept secret: access code]"
PUBLIC = "The gate code is [redacted: access code]"
KINDS = ("access code",)
SAID, SET = "QZW4711XJ", "58203917"  # that stand in no id and no digest by chance: whole files are searched for them


def test_an_answer_names_what_was_left_out(me: UserMemory) -> None:
    made = me.remember(CODE)
    assert (made.action, made.left_out) == ("created", KINDS)
    assert me.get(made.id).content == PUBLIC
    assert me.get(made.id).left_out == KINDS
    assert me.remember("I prefer tea").left_out == ()
    again = me.remember("The gate code is 4712")
    assert (again.action, again.left_out) == ("duplicate", KINDS)


def test_an_answer_names_what_was_left_out_of_any_part(me: UserMemory) -> None:
    media = [{"url": "https://example.org/a.jpg", "kind": "image", "caption": f"A note: {CODE}"}]
    assert me.remember("The note on the fridge", media=media).left_out == KINDS
    assert me.remember("A login", metadata={"login": {"password": "correct-horse-7"}}).left_out == ("credential",)
    assert me.facts.set("gate", "code", "4711", content=CODE).left_out == KINDS
    many = me.remember_many(["I prefer tea", CODE, CODE, {"content": f"{CODE}!", "key": "gate"}])
    assert [made.left_out for made in many] == [(), KINDS, KINDS, KINDS]


def test_an_update_names_what_was_left_out(me: UserMemory) -> None:
    made = me.remember("The gate is green")
    assert me.update(made.id, content=CODE).left_out == KINDS
    assert me.update(made.id, content="The gate is blue").left_out == ()


def test_messages_and_turns_name_what_was_left_out(me: UserMemory) -> None:
    said = me.conversation("c1").append("user", CODE)
    assert (said.action, said.left_out) == ("created", KINDS)
    me.before_prompt(f"{CODE}, which gate was it?", session="s1")
    outcome = me.after_turn([{"role": "user", "content": f"{CODE}, which gate was it?"}], session="s1")
    assert (outcome.left_out, outcome.captured) == (KINDS, ())
    again = me.after_turn([{"role": "user", "content": f"{CODE}, which gate was it?"}], session="s1")
    assert again.left_out == ()


def test_a_document_names_what_was_left_out(me: UserMemory) -> None:
    added = me.files.add(f"# House\n\n{CODE}\n".encode(), name="house.md")
    assert (added.action, added.left_out) == ("created", KINDS)


def test_kinds_are_said_in_words() -> None:
    assert without(KINDS) == "without the access code"
    assert without(("PIN", "password", "IBAN")) == "without the PIN, the password and the IBAN"


def test_a_value_is_no_way_around(me: UserMemory) -> None:
    for content in ("", "It is known"):
        me.facts.set("gate", "code", "4711", content=content)
    assert {one.value for one in me.facts("gate")} == {"[redacted: access code]"}
    assert me.get(me.facts.set("light.office", "country_code", "420").id).value == "420"


@every("keep", [False, True])
def test_no_sentence_repeats_a_value_that_is_a_secret(keeper: Memory, database: str, *, keep: bool) -> None:
    me = keeper.user(f"keeps: {keep}")
    for number, value in enumerate(["YWV9981QJ", "582-039-17", "hunter21", "582039174652", "w.v+[9]"]):
        made = me.facts.set(f"safe {number}", "pin", value, keep_secret=keep)
        record = me.get(made.id)
        assert value not in f"{record.content} {record.value}"
        assert record.content.startswith(f"safe {number} pin: [")
        assert (made.kept_secret if keep else made.left_out) == ("credential",)
        assert not keep or value in me.get(made.id, reveal=True).content
        assert not keep or me.get(made.id, reveal=True).value == value
    told = me.remember("The box opens with zaq12wsx", subject="box", key="password", value="zaq12wsx", keep_secret=keep)
    assert "zaq12wsx" not in me.get(told.id).content
    kept = stored(database)
    assert not [value for value in ("YWV9981QJ", "hunter21", "zaq12wsx") if value in kept]


@pytest.fixture
def keeper(database: str, tmp_path: Path, open_memory: OpenMemory) -> Iterator[Memory]:
    """A store that has a key for kept secrets."""
    make_key(tmp_path / "secrets.key")
    with open_memory(secret_key_file=str(tmp_path / "secrets.key")) as memory:
        yield memory


def test_a_person_who_asks_for_it_keeps_a_secret(keeper: Memory) -> None:
    me = keeper.user("me")
    made = me.remember(CODE, keep_secret=True)
    assert (made.action, made.left_out, made.kept_secret) == ("created", (), KINDS)
    assert me.get(made.id).content == KEPT
    assert (me.get(made.id).kept_secret, me.get(made.id).left_out) == (KINDS, ())
    assert me.get(made.id, reveal=True).content == CODE
    assert me.recall("gate code").hits[0].id == made.id
    fact = me.facts.set("safe", "pin", "9981", keep_secret=True)
    assert me.get(fact.id, reveal=True).value == "9981"
    many = me.remember_many([{"content": "The door code is 8812", "keep_secret": True}, "I prefer tea"])
    assert [me.get(one.id, reveal=True).content for one in many] == ["The door code is 8812", "I prefer tea"]
    assert (
        me.get(me.remember("The PIN is 7712 <private>7</private>", keep_secret=True).id, reveal=True).content
        == "The PIN is 7712"
    )


def test_the_next_secret_takes_the_place_of_the_one_before(keeper: Memory) -> None:
    me = keeper.user("me")
    left_out = me.remember("The gate code is 1111")
    made = [me.remember(f"The gate code is {code}", keep_secret=True) for code in (4711, 4711, 4712)]
    assert [one.action for one in made] == ["superseded", "duplicate", "superseded"]
    assert [me.get(one.id, reveal=True).content[-4:] for one in me.history(made[-1].id)] == ["ode]", "4711", "4712"]
    assert made[0].existing_id == left_out.id
    again = me.remember("The gate code is 4713")
    assert (again.action, again.left_out) == ("duplicate", KINDS)
    assert [one.content for one in me.list().items] == [KEPT]
    slots = [me.facts.set("safe", "pin", code, keep_secret=True) for code in ("9981", "9982", "9982")]
    assert [one.action for one in slots] == ["created", "superseded", "duplicate"]
    assert [me.get(one.id, reveal=True).value for one in me.facts("safe")] == ["9982"]
    bulk = me.remember_many(
        [{"content": f"The gate code is {code}", "keep_secret": True} for code in (4714, 4714, 4715)]
    )
    assert [one.action for one in bulk] == ["superseded", "duplicate", "superseded"]


def test_a_kept_secret_is_changed_with_its_memory(keeper: Memory) -> None:
    me = keeper.user("me")
    made = me.remember(CODE, keep_secret=True)

    def now() -> str:
        return me.get(made.id, reveal=True).content

    me.update(made.id, importance=0.9, metadata={"colour": "red"})
    assert (now(), me.get(made.id, reveal=True).metadata) == (CODE, {"colour": "red"})
    me.rate(made.id, 1)
    assert now() == CODE
    assert me.update(made.id, content="The gate code is 4712", keep_secret=True).kept_secret == KINDS
    assert now() == "The gate code is 4712"
    assert me.update(made.id, content="The gate code is 4713").left_out == KINDS
    assert now() == PUBLIC
    assert [me.get(one.id, reveal=True).content[-4:] for one in me.history(made.id)][-2:] == ["4712", "ode]"]
    fact = me.facts.set("safe", "pin", "9981", keep_secret=True)
    me.update(fact.id, content="The PIN of the safe")
    assert me.get(fact.id, reveal=True).value == "9981"


def test_a_kept_secret_is_shown_only_where_that_is_asked_for(keeper: Memory, database: str, tmp_path: Path) -> None:
    me, clear = keeper.user("me"), (SAID, SET)
    made = me.remember(f"The gate code is {SAID}", keep_secret=True)
    fact = me.facts.set("safe", "pin", SET, keep_secret=True)
    assert me.get(made.id, reveal=True).content == f"The gate code is {SAID}"
    assert me.get(fact.id, reveal=True).value == SET
    me.export(str(tmp_path / "archive"))
    readable = me.export(str(tmp_path / "readable"), readable=True)
    shown = [me.list(), me.recall("gate code"), me.search_context("gate code"), me.about("safe"), me.history(made.id)]
    shown += [
        me.before_prompt("What is the gate code?", session="s1"),
        me.start_session(""),
        me.similar(made.id),
        readable,
    ]
    told = "\n".join(
        [
            *map(repr, shown),
            *(
                path.read_text(errors="replace")
                for path in tmp_path.rglob("*")
                if path.is_file() and path.name != "secrets.key"
            ),
        ]
    )
    assert not [code for code in clear if code in told]
    keeper.close()
    assert not [code for code in clear if code in stored(database)]


def test_a_kept_secret_moves_encrypted_and_is_forgotten(
    keeper: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    me, archive = keeper.user("me"), str(tmp_path / "archive")
    made = me.remember(CODE, keep_secret=True)
    me.export(archive)
    other = keeper.user("other")
    other.import_archive(archive)
    with pytest.raises(InvalidInput, match="another user"):
        other.get(other.list().items[0].id, reveal=True)
    key = str(tmp_path / "secrets.key")
    with open_memory(database=str(tmp_path / "b.db"), secret_key_file=key) as second:
        second.user("me").import_archive(archive)
        assert second.user("me").get(made.id, reveal=True).content == CODE
    with (
        open_memory(database=str(tmp_path / "b.db")) as second,
        pytest.raises(InvalidInput, match="key of kept secrets is not"),
    ):
        second.user("me").get(made.id, reveal=True)
    receipt = me.forget(made.id, receipt=True).receipt
    assert receipt is not None
    assert keeper.verify_erasure(receipt).erased
    with pytest.raises(NotFound):
        me.get(made.id, reveal=True)


def test_what_is_kept_is_no_door_to_what_others_keep(keeper: Memory) -> None:
    sealed = keeper.user("me").get(keeper.user("me").remember(CODE, keep_secret=True).id).metadata["sealed"]
    thief = keeper.user("thief")
    made = thief.remember("The gate code is mine", metadata={"sealed": sealed})
    assert "sealed" not in thief.get(made.id).metadata
    assert "sealed" not in thief.update(made.id, metadata={"sealed": sealed}).metadata


def test_capture_and_messages_keep_none(keeper: Memory) -> None:
    me = keeper.user("me")
    content = f"Remember: The gate code is {SAID}"
    said: list[Any] = [{"role": "user", "content": content, "metadata": {"keep_secret": True}}]
    me.after_turn(said, session="s1")
    for asked in (f"Please remember that the gate code is {SAID}", f"Merk dir: der Türcode ist {SAID}"):
        me.messages.capture(asked)
    assert not me.list().items
    assert all(SAID not in repr(one) for one in me.conversation("s1").messages())


def test_a_key_is_made_beside_a_file_and_must_be_named_for_a_server(
    database: str, open_memory: OpenMemory, tmp_path: Path
) -> None:
    with open_memory() as memory:
        if is_server(database):
            with pytest.raises(InvalidInput, match="recollect new-key"):
                memory.user("me").remember(CODE, keep_secret=True)
            return
        memory.user("me").remember("I prefer tea", keep_secret=True)
        key = Path(f"{database}.secrets.key")
        assert not key.exists()
        made = memory.user("me").remember(CODE, keep_secret=True)
        assert key.stat().st_mode & 0o777 == 0o600
        key.rename(tmp_path / "elsewhere")
        with pytest.raises(InvalidInput, match=r"secrets\.key"):
            memory.user("me").get(made.id, reveal=True)
        (tmp_path / "elsewhere").rename(key)
        assert memory.user("me").get(made.id, reveal=True).content == CODE


def test_what_was_asked_is_noted_without_secrets(database: str, open_memory: OpenMemory) -> None:
    with open_memory(serve__search_log="queries") as memory:
        me = memory.user("me")
        me.remember("The gate is green")
        me.recall(f"is it true that the gate code is {SAID}")
        asked = repr(me.insights())
        assert "[redacted: access code]" in asked
        assert SAID not in asked
