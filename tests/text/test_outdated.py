# letters of other alphabets are the point here
"""A later statement may outdate an earlier one where there is one such thing at a time, and nowhere else."""

from recollect.text.outdated import may_outdate, names_several
from tests.rows import every

OUTDATED = (
    ("Uses SQLite for storage of orders", "Now uses TiDB for storage of orders"),
    ("The retro is on Tuesday", "The retro is on Thursday"),
    ("My current bank account number is 77", "My current bank account number is 91"),
    ("Retrospektiva je ve čtvrtek", "Retrospektiva je v pátek"),
    ("Backend běží na Javě 17", "Backend teď běží na Javě 21"),
    ("Das Lager liegt in einem Keller", "Das Lager liegt in der Halle"),
    ("Die Heizung ist auf 20 Grad eingestellt", "Die Heizung ist jetzt auf 18 Grad eingestellt"),
    ("Архив хранится в облаке", "Архив теперь хранится в сейфе"),
)
BESIDE = (
    ("likes tea", "likes coffee"),
    ("The hall lamp runs on Zigbee", "The attic lamp runs on Zigbee"),
    ("Uses SQLite for storage", "Uses SQLite and Redis for storage"),
    ("Uses SQLite for storage", "Uses SQLite for tests"),
    ("Uses SQLite for storage", "uses sqlite for storage"),
    ("A neighbour lives in Graz", "A neighbour lives in Linz"),
    ("My sister lives in Graz", "My sister lives in Linz"),
    ("Works at ACME", "Works at another firm"),
    ("", "Uses SQLite for storage"),
    ("Mluví česky", "Mluví polsky"),
    ("Meine Schwester wohnt in Ulm", "Meine Schwester wohnt in Bonn"),
    ("Мой брат живёт в Туле", "Мой брат живёт в Омске"),
)


@every("earlier, later", OUTDATED)
def test_one_thing_at_a_time_is_outdated(earlier: str, later: str) -> None:
    assert may_outdate(later, earlier)


@every("earlier, later", BESIDE)
def test_what_stands_beside_each_other_is_not(earlier: str, later: str) -> None:
    assert not may_outdate(later, earlier)
    assert not may_outdate(earlier, later)


@every("text", ["I also work for ACME", "Pracuju taky pro ACME", "Ich arbeite auch für ACME", "Ещё я работаю в ACME"])
def test_another_one_beside_the_first_is_named(text: str) -> None:
    assert names_several(text)
    assert not names_several("I work for Globex")
