"""Where a message was said, as hosts tell it."""

import pytest

from recollect.dialogue.blocks import messages_of
from recollect.errors import InvalidMessage
from tests.rows import every

HERE = {"lat": 49.2, "lng": 16.6, "address": "Street 1", "place_label": "pub"}


@every("told", [HERE, {"location": HERE}])
def test_a_place_is_kept(told: dict[str, object]) -> None:
    (message,) = messages_of({"role": "user", "content": "Hello", **told})
    assert (message.lat, message.lng, message.address, message.place_label) == (49.2, 16.6, "Street 1", "pub")


def test_nowhere() -> None:
    (message,) = messages_of({"role": "user", "content": "Hello"})
    assert (message.lat, message.lng, message.address, message.place_label) == (None, None, "", "")


def test_an_address_that_is_no_text() -> None:
    with pytest.raises(InvalidMessage, match="are texts"):
        list(messages_of({"role": "user", "content": "Hello", "address": {"street": 1}}))
