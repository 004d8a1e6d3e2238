"""How a text becomes shorter without breaking a word."""

LONGEST_POINT = 220


def shortened(text: str, longest: int) -> str:
    """Cut a text to a number of characters, between words, at the end of a clause if one is near."""
    if len(text) <= longest:
        return text
    head = text[: max(1, longest - 1)]
    clause = max(head.rfind(mark) for mark in (", ", "; ", ": ", " – ", " — "))  # noqa: RUF001
    word = head.rfind(" ")
    cut = clause if clause > longest * 0.7 else word if word > longest * 0.5 else len(head)
    return head[:cut].rstrip(" ,;:–—-") + "…"  # noqa: RUF001
