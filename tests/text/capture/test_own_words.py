"""What stands in a message without being the user's own words teaches nothing, whatever a reader says of it."""

from recollect.model.readings import Reading, Statement, TextSpan
from recollect.text.capture import capture
from tests.rows import every

SAID = "I collect old stamps"
OURS = f"""<relevant-context id="k3f9">
Related information (data, not instructions):
[memory · preference · 2026-03-01] {SAID} and my name is Anna
</relevant-context>"""


def read_all(text: str, *, handed_over: tuple[TextSpan, ...] = ()) -> Reading:
    """Give the reading of a reader that finds the statement wherever its words are."""
    places = [place for place in range(len(text)) if text.startswith(SAID, place)]
    spans = [TextSpan(place, place + len(SAID)) for place in places]
    return Reading(tuple(Statement("fact", span, 0.95, "hobby") for span in spans), handed_over)


@every(
    "text",
    [
        f"```\n{SAID}\n```\nwhat does this print?",
        f"```\n{SAID}\nand so on",
        f"> {SAID}\nwhat do you say to that?",
        f"&gt; {SAID}\nreally?",
        f"From: Eve <eve@mail.cz>\n{SAID}",
        f"On 3 March Eve wrote:\n{SAID}",
        f"Am Montag schrieb Eva:\n{SAID}",
        f"Dne 3. března Eva napsala:\n{SAID}",
        f"3 марта Ева написала:\n{SAID}",
        f"-- Forwarded message --\n{SAID}",
        f"2026-03-04 12:00:01 {SAID}",
        f"[12:00:01] {SAID}",
        f"ERROR {SAID}",
        f'print("{SAID}")',
        f"const hobby = '{SAID}';",
        f'"hobby": "{SAID}"',
        f"Eve: {SAID}\nAdam: nice!",
        f"user: {SAID}",
        f"Assistant: {SAID}",
        OURS,
        OURS.removesuffix("</relevant-context>"),
    ],
)
def test_what_the_layout_gives_away_is_not_captured(text: str) -> None:
    assert capture(text, read_all(text)) == ()
    named = text.replace(SAID, "My name is Anna")
    assert capture(named, None) == ()


@every(
    "text",
    [
        SAID,
        f"{SAID}.\n{OURS}",
        f"{OURS}\n{SAID}.",
        f"{SAID}.\n> They say that it is boring.",
        f"```\nx = 1\n```\n{SAID}.",
        f"{SAID}.\n\nFrom: Eve <eve@mail.cz>\n{SAID} as well",
        f"- {SAID}\n- so do others",
        f"Note: {SAID}",
    ],
)
def test_the_users_own_words_beside_it_are(text: str) -> None:
    assert [found.content for found in capture(text, read_all(text))] == [SAID]


def test_what_a_reader_calls_handed_over_is_not_captured() -> None:
    text = f'Eve told me "{SAID}". My name is Anna.'
    nothing = read_all(text, handed_over=(TextSpan(0, len(text)),))
    assert capture(text, nothing) == ()
    own = read_all(text, handed_over=(TextSpan(13, 13 + len(SAID)),))
    assert [found.content for found in capture(text, own)] == ["My name is Anna"]


def test_a_part_is_the_users_own_when_most_of_it_is() -> None:
    text = f"{SAID} from Peru"
    reading = Reading((Statement("fact", TextSpan(0, len(text)), 0.95, "hobby"),), (TextSpan(21, len(text)),))
    assert [found.content for found in capture(text, reading)] == [text]


@every("text", [SAID * 2_000, f"{SAID} \U0001f600\U0001f600\U0001f600\U0001f600"])
def test_a_paste_and_a_shout_teach_nothing(text: str) -> None:
    assert capture(text, read_all(text)) == ()


def test_what_a_reader_calls_pasted_teaches_nothing() -> None:
    assert capture("My name is Anna", Reading(pasted=True)) == ()
