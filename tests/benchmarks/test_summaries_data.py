"""The labelled conversations are whole, and their summaries keep what must survive."""

from benchmarks.summaries import LabelledTalk, figures, summarize, talks

from tests.rows import every

TALKS = talks()


def test_there_are_enough_of_them_in_four_languages_and_two_halves() -> None:
    assert len(TALKS) >= 20
    assert {talk.language for talk in TALKS} == {"en", "ru", "cs", "de"}
    assert [talk.part for talk in TALKS].count("tune") == [talk.part for talk in TALKS].count("held-back") == 10
    assert len({talk.name for talk in TALKS}) == len(TALKS)


@every("talk", TALKS)
def test_each_has_things_that_were_said_and_filler(talk: LabelledTalk) -> None:
    assert 30 <= len(talk.turns) <= 80
    assert len(talk.things) >= 12
    assert len(talk.filler) >= 8
    said = [turn.content for turn in talk.turns]
    assert [thing.label for thing in talk.things if not any(map(thing.is_in, said))] == []
    assert not any("~" in text for text in said)


@every("part", ["tune", "held-back"])
def test_nine_in_ten_things_survive_and_little_filler(part: str) -> None:
    assert [figure.line() for figure in figures(summarize(part), part) if not figure.reached] == []
