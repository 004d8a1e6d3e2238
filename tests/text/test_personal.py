"""Whether users speak of themselves, in the languages that have tables."""

import pytest

from recollect.text.personal import is_personal


@pytest.mark.parametrize(
    "text",
    [
        "where does my sister live?", "What did we decide about the roof", "I\u2019m at the shop, which size?",
        "wo wohnt meine Schwester?", "Was haben wir beschlossen", "was isst Oma gern?",
        "kde bydlí můj bratr?", "kam jedeme na výlet?", "kam jedeme na vylet s detmi", "odkud pochází manžel",
        "где живёт моя сестра?", "что я пью от сердца", "куда мы едем летом", "сколько я получаю в месяц",
    ],
)  # fmt: skip
def test_they_speak_of_themselves(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "ok", "17 * 4", "when do you prune apple trees?", "the theme of Jane Eyre", "wann blühen Pfingstrosen",
        "welche Probleme haben Katzen mit Creme?", "na co se používá penicilin?", "почему небо голубое",
        'translate "my son is ill"', "was heißt „mein Haus“ auf Englisch?", "переведи: «мой сын учится»",
    ],
)  # fmt: skip
def test_they_do_not(text: str) -> None:
    assert not is_personal(text)


def test_in_a_language_without_tables_it_is_left_to_the_reader() -> None:
    assert is_personal("où se trouve la gare de cette ville ?")
