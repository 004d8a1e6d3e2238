"""Messages that are longer than one window: own words are found, pasted ones teach nothing, the rest is not read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recollect.model.calibration import KEEP
from recollect.models.local import LocalReader
from recollect.models.reader_graph import MOST_CHARACTERS, MOST_PIECES, WINDOW_PIECES
from tests.models.conftest import seen
from tests.rows import every
from tests.sizes import sized

CHATTER = "well the weather was nice today and we walked around for a while, nothing special really. "
NEWS = "The committee met again to discuss the budget. Several members raised concerns about the cost of transport. "
LETTER = (
    "My name is Jean Moreau and I was born in Lyon in 1971. After school I moved to Marseille, where I worked in the "
    "harbour for six years. I met my wife Claire there; she is a nurse at the children's hospital. We have two "
    "daughters, Emma and Louise. Emma studies law in Paris, Louise still goes to school and plays the cello. In 2009 "
    "we bought a small house near Avignon with a garden and three old olive trees. I have been running a bakery in the "
    "village since then. I get up at three every morning and I go to bed at eight. On Sundays we are closed and I go "
    "fishing with my brother Paul. I cannot eat nuts, which is a pity for a baker. My doctor says I should work less, "
    "but I do not listen to him. Last year our dog Bruno died, and since then the house is rather quiet. Claire would "
    "like to have a cat. I prefer dogs. We are going to Portugal in September, to see my old friend Miguel, who has "
    "opened a restaurant in Porto. My mother is 84 and lives with us on the ground floor."
)


def pieces(reader: LocalReader, text: str) -> int:
    return len(reader._loaded()._pieces.encode(text).ids)


@every("times", range(6, 26, sized(5, 1)))
def test_a_fact_is_found_wherever_the_windows_meet(reader: LocalReader, times: int) -> None:
    text = CHATTER * times + "I live in Brno with my wife Jana. " + CHATTER * 3
    reading = reader.read(text)
    sure = replace(reading, statements=tuple(found for found in reading.statements if found.confidence >= KEEP))
    assert [(found[0], found[2]) for found in seen(sure, text)] == [("fact", "I live in Brno with my wife Jana")]


def test_facts_after_three_hundred_pieces_are_found(reader: LocalReader) -> None:
    before = CHATTER * 18
    text = before + "oh and my daughter Emma starts school in September, and I'm allergic to peanuts."
    assert pieces(reader, before) > 300
    assert seen(reader.read(text), text) == [
        ("event", "", "my daughter Emma starts school in September", "September"),
        ("fact", "allergy", "I'm allergic to peanuts", "peanuts"),
    ]


def test_a_long_letter_of_the_users_own_teaches_much(reader: LocalReader) -> None:
    reading = reader.read(LETTER)
    assert pieces(reader, LETTER) > WINDOW_PIECES
    assert len(reading.statements) >= 10


@every(
    "instruction",
    [
        "translate this into German please:",
        "Proofread my grandfather's memoir:",
        "přelož to prosím do angličtiny:",
        "переведи это на английский:",
    ],
)
@every("place", ["before", "after"])
def test_a_pasted_text_teaches_nothing_wherever_the_instruction_stands(
    reader: LocalReader, instruction: str, place: str
) -> None:
    text = f"{instruction}\n\n{LETTER}" if place == "before" else f"{LETTER}\n\n{instruction[:-1]}"
    reading = reader.read(text)
    assert not any(found.confidence >= KEEP for found in reading.statements)
    assert sum(span.end - span.start for span in reading.handed_over) > 0.9 * len(LETTER)
    assert not any(instruction[:-1] in span.of(text) for span in reading.handed_over)


def test_the_rest_of_a_pasted_text_is_not_computed(reader: LocalReader, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reader._loaded()
    sizes: list[int] = []
    run = graph._run

    def counted(ids: Sequence[int]) -> dict[str, Any]:
        sizes.append(len(ids))
        return run(ids)

    monkeypatch.setattr(graph, "_run", counted)
    text = "translate this into German please:\n\n" + LETTER * 10
    assert pieces(reader, text) > 2_000
    assert reader.read(text).handed_over[-1].end == len(text)
    assert len(sizes) == 2  # the ends, for the need, and one window
    assert max(sizes) <= WINDOW_PIECES


@every("times", [10, sized(300, 1_500)])
def test_the_need_of_a_long_message_is_that_of_its_ends(reader: LocalReader, times: int) -> None:
    asked = "what did I tell you about my sister's allergy?"
    task = "summarise this in three points please"
    for text in (f"{NEWS * times}\n{asked}", f"{asked}\n{NEWS * times}"):
        assert reader.read(text).need.yes > 0.5
    for text in (f"{NEWS * times}\n{task}", f"{task}\n{NEWS * times}"):
        assert reader.read(text).need.no > 0.5


def test_a_message_of_many_pieces_is_pasted(reader: LocalReader) -> None:
    own = "I live in Brno. "
    times = MOST_PIECES // pieces(reader, own)
    at_most = own * times
    assert pieces(reader, at_most) == MOST_PIECES
    assert len(at_most) < MOST_CHARACTERS
    assert not reader.read(at_most).pasted
    reading = reader.read(at_most + "Yes")
    assert (reading.pasted, reading.statements, reading.handed_over) == (True, (), ())


def test_a_message_of_many_characters_is_pasted_however_few_its_pieces(reader: LocalReader) -> None:
    assert not reader.read("I live in Brno" + " " * (MOST_CHARACTERS - 14)).pasted
    reading = reader.read("I live in Brno" + " " * MOST_CHARACTERS)
    assert (reading.pasted, reading.statements) == (True, ())


def test_megabytes_are_not_cut_into_pieces(reader: LocalReader, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = reader._loaded()._pieces
    sizes: list[int] = []
    encode = vocabulary.encode

    def counted(text: str) -> Any:
        sizes.append(len(text))
        return encode(text)

    monkeypatch.setattr(vocabulary, "encode", counted)
    assert reader.read(NEWS * 10_000).pasted
    assert sum(sizes) < 10_000


def test_each_piece_is_read_once_in_windows_that_fit(reader: LocalReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that only repeats the pieces it is given shows which of them each output is about."""
    graph = reader._loaded()

    def repeated(ids: Sequence[int]) -> dict[str, Any]:
        assert len(ids) <= WINDOW_PIECES
        own = {name: np.array(ids, np.float32) for name in ("value", "who", "needs")}
        wide = {"tag": np.zeros((len(ids), 11)), "key": np.zeros((len(ids), 47))}
        return own | wide | {"handed": np.zeros(len(ids))}

    monkeypatch.setattr(graph, "_run", repeated)
    for length in range(WINDOW_PIECES + 1, 4 * WINDOW_PIECES, sized(7, 1)):
        for closing in (0, 1, 30):
            found = graph._read_in_windows(range(length), length - closing)
            np.testing.assert_array_equal(found["value"], np.arange(length))
            assert not found["handed"].any()
