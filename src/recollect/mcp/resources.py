"""Resources: what a host can read by its address, such as `memory://about/garage`, and put into a prompt."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from recollect.errors import NotFound

_MARKDOWN = "text/markdown"
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource. With a `{name}` at the end of its address it is a template."""

    uri: str
    name: str
    description: str
    mime_type: str

    @property
    def is_template(self) -> bool:
        """Whether the address has a part to fill in."""
        return self.uri.endswith("}")


RESOURCES: Final = (
    Resource("memory://recent", "recent", "What was stored last.", _MARKDOWN),
    Resource("memory://preferences", "preferences", "What the user prefers.", _MARKDOWN),
    Resource("memory://facts", "facts", "What is known for a fact.", _MARKDOWN),
    Resource("memory://stats", "stats", "Figures about what is stored.", _JSON),
    Resource("memory://files", "files", "Files of synced folders, and documents, with their ids.", _MARKDOWN),
    Resource("memory://about/{topic}", "about", "All that is known about a topic.", _MARKDOWN),
    Resource("memory://memories/{id}", "memory", "One memory with all its fields, by its id.", _JSON),
    Resource("memory://files/{id}", "file", "The text of one file, by its id.", _MARKDOWN),
)


def find(uri: str) -> tuple[Resource, str]:
    """Find the resource of an address, and the parameter in it. Raises NotFound."""
    for resource in RESOURCES:
        start, _, rest = resource.uri.partition("{")
        if rest and uri.startswith(start) and (parameter := unquote(uri.removeprefix(start)).strip()):
            return resource, parameter
        if not rest and uri.rstrip("/") == start:
            return resource, ""
    known = ", ".join(resource.uri for resource in RESOURCES)
    raise NotFound(f"There is nothing to read at {uri[:200]!r}. Addresses are: {known}.")
