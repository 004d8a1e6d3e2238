"""JSON by the C functions that `json` itself uses: to import the package takes longer than a request.

`loads` and `dumps` do what those of `json` do, to which all is left that these functions do not take.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Rules:
    """What a scanner asks about the details of JSON."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _refuse(value: object) -> object:
    raise TypeError(f"A value of type {type(value).__name__} cannot be written as JSON")


_scan: "Any" = None
_encode: "Any" = None
try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    _scan = make_scanner(_Rules)  # type: ignore[arg-type] # it asks for attributes only
    _encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, True)  # noqa: FBT003
except (ImportError, TypeError):  # another Python than that of python.org
    pass


def loads(content: bytes) -> "Any":  # noqa: ANN401 - JSON
    """Read JSON. Raises ValueError."""
    try:
        text = content.decode("utf-8").strip(" \t\n\r")
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except (StopIteration, SystemError, TypeError, ValueError):
        pass  # it is no JSON, as the package says better
    import json  # noqa: PLC0415 - as above

    return json.loads(content)


def dumps(value: object) -> str:
    """Write JSON in ASCII, as short as it can be. Raises TypeError and ValueError."""
    if _encode is not None:
        return "".join(_encode(value, 0))
    import json  # noqa: PLC0415 - as above

    return json.dumps(value, separators=(",", ":"))
