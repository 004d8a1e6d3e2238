from recollect.text.secrets import redact
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized
from tests.text.secrets.hostile import hostile

SIZE = sized(60_000, 1_000_000)


@every("name", hostile(1))
def test_redaction_of_a_hostile_megabyte_takes_linear_time(name: str) -> None:
    text = hostile(SIZE)[name]
    assert_linear(lambda size: redact(text[:size]), len(text))
