"""What an answer says about secrets that are left out, on both stores."""

from recollect import UserMemory
from recollect.model.literals import without

CODE = "The gate code is 4711"
PUBLIC = "The gate code is [redacted: access code]"
KINDS = ("access code",)


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
