import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.text.chunks import mask
from recollect.text.private import without_private
from recollect.text.secrets import redact
from tests.rows import every

KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 4 + "-----END PRIVATE KEY-----"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
PIECES = st.lists(
    st.sampled_from(
        ["<private>", "</private>", "<PRIVATE a='b'>", "<private/>", "<pri", "vate>", "x", " ", "\n", "\n\n", "<",
         "word", "é", "\ud800", TOKEN, KEY, "password: hunter22!\n", "[redacted: password]", "token=",
         "my password is "]
    ),
    max_size=12,
).map("".join)  # fmt: skip


def public(text: str) -> str:
    """Give what of a text a memory would keep."""
    kept = without_private(text)
    while kept is not text and "<" in kept:
        text, kept = kept, without_private(kept)
    return redact(kept).text


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


@every(
    ("text", "masked"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a\n<private>b\nc\n</private>d\ne", "a\n\n\nd\ne"),
        ("a\n<private>b\n\nc", "a\n\n\n"),
        ("a </private>\nb", "a \nb"),
        ("<private>a\n<private>b</private>\nc</private>\nd", "\n\n\nd"),
        (f"a\n{KEY}\nb {TOKEN}\nc", "a\n[redacted: private key]\n\n\n\n\n\nb [redacted: GitHub token]\nc"),
        ("<pri<private>\n</private>vate>\nsecret", "\n\n"),
    ],
)
def test_what_goes_leaves_its_line_feeds(text: str, masked: str) -> None:
    assert mask(text, redact=True) == masked


def test_secrets_stay_if_they_may() -> None:
    assert mask(f"{TOKEN} <private>x</private>", redact=False) == f"{TOKEN} "


@given(st.text())
@settings(deadline=None)  # the first look compiles the patterns
def test_a_text_with_neither_is_the_very_same_object(text: str) -> None:
    assert mask(text, redact=False) is text or "private" in text.lower()
    assert mask(text, redact=True) is text or redact(text).found or "private" in text.lower()


@given(text=PIECES, secrets=st.booleans())
@example(text="<pri" * 30 + "<private></private>" + "vate>\n" * 30 + "rest", secrets=True)
@settings(deadline=None)
def test_lines_keep_their_numbers_and_no_tag_survives(*, text: str, secrets: bool) -> None:
    masked = mask(text, redact=secrets)
    assert masked.count("\n") == text.count("\n")
    assert mask(masked, redact=secrets) == masked
    assert "<private>" not in masked.lower()
    if "<" not in text:
        lines, kept = text.split("\n"), masked.split("\n")
        assert all(line == other or "[redacted: " in masked for line, other in zip(lines, kept, strict=True))


@given(PIECES)
@settings(deadline=None)
def test_what_survives_is_what_a_memory_would_keep(text: str) -> None:
    assert letters(mask(text, redact=True)) == letters(public(text))
