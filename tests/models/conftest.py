from recollect.model.readings import Reading


def seen(reading: Reading, text: str) -> list[tuple[str, str, str, str | None]]:
    """Give the statements as type, key, span and value."""
    return [
        (found.type, found.key, found.span.of(text), found.value.of(text) if found.value else None)
        for found in reading.statements
    ]
