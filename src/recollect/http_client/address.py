"""Where to ask and with which key, checked before anything is sent."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from recollect.errors import SettingsError


def checked_url(url: str, whose: str, example: str) -> str:
    """Give an address without its last slash. Raises SettingsError for one that no key may be sent to."""
    base = url.strip().rstrip("/")
    try:
        parts = urlsplit(base)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise SettingsError(
            f"The address of {whose} is not a URL with http or https. Expected something like {example}."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            f"The address of {whose} at {parts.hostname} carries a login, a query or a fragment. "
            "Give the bare address, and the key as the API key."
        )
    return base


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key and the header it travels in. An empty one travels nowhere."""

    value: str = field(default="", repr=False)
    header: str = "Authorization"
    scheme: str = "Bearer "

    def __post_init__(self) -> None:
        value = self.value.strip()
        if not value.isascii() or not value.isprintable():
            raise SettingsError("The API key holds characters that no header can carry. Copy it again.")
        object.__setattr__(self, "value", value)

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries."""
        return {self.header: f"{self.scheme}{self.value}"} if self.value else {}

    def hidden_in(self, text: str) -> str:
        """Give a text without the key."""
        return text.replace(self.value, "[key]") if self.value else text
