"""What another said last before a message."""

from recollect.dialogue.exchanges import turn_before
from recollect.model.messages import Message
from tests.dialogue.talks import answered, called, said
from tests.rows import every

ASKED = said("assistant", "Where do you live?", number=1)
JANA = said("user", "Where do you live?", number=2, speaker="Jana")
PETR = said("user", "One moment.", number=3, speaker="Petr")
OWN = said("user", "One moment.", number=4)


@every(
    ("speaker", "earlier", "found"),
    [
        ("", [], None),
        ("", [OWN], None),
        ("", [ASKED], ASKED),
        ("", [ASKED, OWN], ASKED),
        ("", [ASKED, OWN, OWN], ASKED),
        ("", [ASKED, OWN, OWN, OWN], None),  # so long a monologue answers nothing any more
        ("", [said("assistant", "Hello!"), OWN, ASKED], ASKED),
        # what tools, thoughts, prompts and summaries say is no turn, nor is a call without words
        ("", [ASKED, called("t1"), answered("t1")], ASKED),
        ("", [ASKED, said("reasoning", "Hm."), said("system", "Be brief."), said("summary", "They met.")], ASKED),
        ("", [called("t1"), answered("t1")], None),
        # people of a group answer each other
        ("Petr", [JANA], JANA),
        ("Petr", [ASKED, JANA, PETR], JANA),
        ("Jana", [ASKED, JANA], ASKED),
        ("Jana", [ASKED, JANA, PETR], PETR),
    ],
)
def test_the_turn_before_is_what_another_said_last(speaker: str, earlier: list[Message], found: Message | None) -> None:
    assert turn_before("user", speaker, earlier) == found
