"""What a place does to a score, in numbers that can be checked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ranking import geo

SHARE = st.floats(0, 1)


def test_nearness_halves_with_each_scale() -> None:
    assert [geo.nearness(km, 2.0) for km in (0.0, 2.0, 4.0, 6.0)] == [1.0, 0.5, 0.25, 0.125]


def test_names_that_have_nothing_in_common_are_not_alike() -> None:
    assert [geo.likeness(cosine) for cosine in (-1.0, 0.3, 0.5, 0.75, 1.0)] == [0.0, 0.0, 0.0, 0.5, 1.0]


def test_whichever_says_more_counts() -> None:
    assert geo.place_part(0.5, 0.3, 1.0, 0.7, 0.2).geo == 0.7
    assert geo.place_part(0.5, 0.3, 1.0, 0.1, 0.2).geo == 0.2
    assert geo.place_part(0.5, 0.3, None, None, 0.2).geo == 0.2
    assert geo.blend(geo.place_part(0.5, 0.3, 1.0, 1.0, None)) == pytest.approx(0.7 * 0.5 + 0.3)


def test_what_is_here_and_answers_well_comes_before_what_is_elsewhere() -> None:
    near, far = geo.place_part(0.78, 0.3, 0.1, 0.97, None), geo.place_part(0.92, 0.3, 111.0, 0.0, None)
    mercy = geo.elsewhere_floor(near.content * near.geo / 0.92)
    assert mercy == 0.0
    assert geo.blend(geo.scale_by_content(near, 0.92, mercy)) > geo.blend(geo.scale_by_content(far, 0.92, mercy))


def test_what_is_here_and_says_nothing_leaves_the_answer_where_it_was() -> None:
    near, far = geo.place_part(0.2, 0.3, 0.0, 1.0, None), geo.place_part(0.6, 0.3, 9_000.0, 0.0, None)
    mercy = geo.elsewhere_floor(near.content * near.geo / 0.6)
    assert mercy == 1.0
    assert geo.blend(geo.scale_by_content(far, 0.6, mercy)) == pytest.approx(0.6)
    assert geo.blend(geo.scale_by_content(near, 0.6, mercy)) < 0.3
    assert geo.blend(near) > geo.blend(far) - 0.02  # a weight at its word would have put them side by side


@given(content=SHARE, best=SHARE, nearness=SHARE, here=SHARE, weight=SHARE)
def test_the_parts_of_a_gentle_place_are_sound(
    content: float, best: float, nearness: float, here: float, weight: float
) -> None:
    place = geo.scale_by_content(
        geo.place_part(content, weight, 1.0, nearness, None), max(content, best), geo.elsewhere_floor(here)
    )
    assert 0 <= place.fit <= 1
    assert place.least <= content
    assert place.geo == max(nearness * place.fit, place.least)
    assert 0 <= geo.blend(place) <= 1
