"""What the tests of settings share."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import strategies as st

from recollect.errors import SettingsError
from recollect.settings import (
    load_settings,
)

Write = Callable[[str], Path]

PLAIN_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20)
FILLED_TEXT = PLAIN_TEXT.filter(lambda text: text.strip() != "")


def refusal(
    config: Path | str | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> str:
    """Load settings that are wrong, and give the message."""
    with pytest.raises(SettingsError) as caught:
        load_settings(config, environ=environ or {}, overrides=overrides)
    return str(caught.value)


def escaped(value: object) -> object:
    if isinstance(value, tuple):
        return [escaped(part) for part in value]
    return value.replace("${", "$${") if isinstance(value, str) else value
