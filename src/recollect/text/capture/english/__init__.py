"""How English says what is worth keeping: its words, its rules, and what is no memory. `tables` explains the layout."""

from recollect.text.capture.english.choices import CHOICES
from recollect.text.capture.english.facts import FACTS
from recollect.text.capture.english.names import NAMES
from recollect.text.capture.english.vetoes import VETO_WORDS, VETOES
from recollect.text.capture.english.words import ASKED, BARE, CONTEXT, ENDS, NOUNS, PEOPLE, TURNS, WORDS
from recollect.text.capture.tables import Language

ENGLISH = Language(
    words=WORDS + VETO_WORDS,
    people=PEOPLE,
    nouns=NOUNS,
    asked=ASKED,
    bare=BARE,
    vetoes=VETOES,
    rules=NAMES + CHOICES + FACTS,
    turns=TURNS,
    ends=ENDS,
    context=CONTEXT,
)
