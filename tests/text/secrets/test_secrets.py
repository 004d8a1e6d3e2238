# ruff: noqa: T201 -- the figures are the point
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.secrets import hints_at_secret, redact, redact_values
from recollect.text.secrets.redact import kinds
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized
from tests.text.secrets.hostile import hostile
from tests.text.secrets.ordinary import sentences
from tests.text.secrets.shapes import CONTEXTS, TOKENS, is_gone, planted

PIECES = st.sampled_from(
    [
        "password",
        "token",
        " is ",
        ": ",
        "=",
        '"',
        "\n",
        "[redacted: password]",
        "пароль",
        "heslo je ",
        "gh" + "p_",
        "sk-",
        "4111 ",
    ]
)
HOSTILE = st.lists(st.one_of(PIECES, st.text(max_size=12), st.text("abcXYZ0189-_", min_size=8, max_size=40))).map(
    "".join
)


@every("seed", range(sized(1, 3)))
def test_takes_secrets_out_of_the_places_where_people_leave_them(seed: int) -> None:
    cases = list(planted(seed))[:: sized(3, 1)]
    missed = [case for case in cases if not is_gone(case.secret, redact(case.text).text)]
    print(f"{len(missed)} of {len(cases)} missed")
    for (shape, context), count in Counter((case.shape, case.context) for case in missed).most_common():
        print(f"  {shape:20} {context:20} {count}")
    assert len(TOKENS) >= 40
    assert len(CONTEXTS) >= 20
    assert len(missed) <= 0.03 * len(cases)


def test_leaves_ordinary_sentences_alone() -> None:
    texts = sentences(sized(800, 2_000))
    touched = [text for text in texts if redact(text).found]
    for text in touched:
        print(f"  {redact(text).text}")
    assert len(touched) <= 0.005 * len(texts)


def test_a_text_that_hints_at_a_secret_does_so_among_others() -> None:
    """Bulk loads look at several texts in one, and only when that hints at something at each."""
    texts = [*(case.text for case in planted(0)), *sentences(2_000)][:: sized(5, 1)]
    hinting = [text for text in texts if hints_at_secret(text)]
    assert len(hinting) >= sized(200, 1_000)
    for text in hinting:
        for before, after in (("", ""), ("a", "a"), ("9-", "-9"), ("_", "_")):
            assert hints_at_secret(f"{before}\n{text}\n{after}"), text


def test_knows_at_least_forty_five_kinds() -> None:
    assert len({kind.name for kind in kinds()}) >= 45


@every(
    ("text", "redacted"),
    [
        ("my password is hunter2", "my password is [redacted: password]"),
        ("My password is hunter2.", "My password is [redacted: password]."),
        ("пароль от вайфая: kotik99", "пароль от вайфая: [redacted: password]"),
        ("heslo je Krtek99", "heslo je [redacted: password]"),
        ("das Passwort lautet Blume!7", "das Passwort lautet [redacted: password]"),
        ("the PIN is 4711", "the PIN is [redacted: PIN]"),
        ("мой пин 4711", "мой пин [redacted: PIN]"),
        ("the door code is 4711#", "the door code is [redacted: access code]"),
        ("код от подъезда: 1287", "код от подъезда: [redacted: access code]"),
        ("postgres://bob:s3cr3t@db/app", "postgres://bob:[redacted: password in a URL]@db/app"),
        ("curl -u bob:s3cr3t https://a.dev", "curl -u bob:[redacted: password] https://a.dev"),
        ("4111 1111 1111 1111, 12/27, 123", "[redacted: card number], 12/27, [redacted: card code]"),
        ("SSN 123-45-6789", "SSN [redacted: social security number]"),
        ("CVV: 123", "CVV: [redacted: card code]"),
        ("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&b=c", "otpauth://totp/a?secret=[redacted: TOTP secret]&b=c"),
        ("recovery codes: ab12-cd34, 1a2b-3c4d", "recovery codes: [redacted: recovery codes]"),
        ("Cookie: sid=abc123def456; a=b", "Cookie: [redacted: cookie]"),
        ("<password>hunter2</password>", "<password>[redacted: credential]</password>"),
        ("- name: DB_PASSWORD\n  value: hunter22", "- name: DB_PASSWORD\n  value: [redacted: credential]"),
        ("seed phrase: " + "apple tiger zebra " * 4, "seed phrase: [redacted: seed phrase] "),
        ("private key 0x" + "ab12" * 16, "private key [redacted: private key]"),
    ],
)
def test_replaces_the_secret_and_nothing_else(text: str, redacted: str) -> None:
    assert redact(text).text == redacted


def test_an_unclosed_key_is_redacted_as_far_as_its_lines_go() -> None:
    lines = "\n".join("Ab3/" * 16 for _ in range(4))
    text = "-----BEGIN PRIVATE" + f" KEY-----\n{lines}\nThen we went home."
    assert redact(text).text == "[redacted: private key]Then we went home."


@given(HOSTILE)
def test_is_idempotent_and_never_raises(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == (once.text, ())


@given(st.text())
def test_a_text_without_secrets_comes_back_as_it_is(text: str) -> None:
    result = redact(text)
    assert result.found or result.text is text


def test_survives_half_a_surrogate_pair() -> None:
    assert redact("cake\ud83d password: hunter2").text == "cake\ud83d password: [redacted: password]"


def test_redacts_values_by_their_text_and_by_their_key() -> None:
    value = {"user": "bob", "dbPassword": "plain", "X-Api-Key": 7, "note": ["PIN is 4711", None], "max_tokens": 50}
    redacted, found = redact_values(value)
    assert redacted == {
        "user": "bob",
        "dbPassword": "[redacted: credential]",
        "X-Api-Key": "[redacted: credential]",
        "note": ["PIN is [redacted: PIN]", None],
        "max_tokens": 50,
    }
    assert found == ("credential", "credential", "PIN")
    assert redact_values(redacted) == (redacted, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_redacting_values_keeps_their_structure(value: Any) -> None:
    once, found = redact_values(value)
    assert found or once == value
    assert redact_values(once) == (once, ())


def test_values_may_be_nested_deeply() -> None:
    value: Any = "PIN is 4711"
    for _ in range(5_000):
        value = [value]
    assert "4711" not in repr(redact_values(value)[0])


@every("name", hostile(1))
def test_redaction_of_a_hostile_megabyte_takes_linear_time(name: str) -> None:
    text = hostile(sized(60_000, 1_000_000))[name]
    assert_linear(lambda size: redact(text[:size]), len(text))
