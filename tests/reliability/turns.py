"""A turn of an agent with all that it brings about, and what a store holds of it."""

from collections import Counter
from typing import Any

from tests.storage.catalogue import plain

TURN: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "I prefer green tea in the morning. My favourite colour is teal."},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Tea in the morning means light in the kitchen."},
            {"type": "text", "text": "Noted. I switch the light on."},
            {
                "type": "tool_use",
                "id": "call-1",
                "name": "turn_on",
                "input": {"entity_id": "light.kitchen", "brightness": 40},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "call-1", "content": "light.kitchen is on"},
    {"role": "assistant", "content": "The light in the kitchen is on."},
)


def named(turn: tuple[dict[str, Any], ...] = TURN) -> list[dict[str, Any]]:
    """Give each message of a turn the id that its host has for it."""
    return [{**message, "id": f"host-{number}-of-turn"} for number, message in enumerate(turn)]


def effect(database: str, user: str) -> dict[str, Any]:
    """Say what a user's part of a store holds: texts and figures, without ids and times, which are never the same.

    Vectors come later, in transactions of their own; `doctor` looks that each row has one or waits for it.
    """
    gap = "%s" if "://" in database else "?"
    with plain(database) as store:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return store.rows(f"{sql} WHERE user_id = {gap}", (user,))

        said = {
            str(row[0]): row[1:] for row in rows("SELECT id, content, role, status, sequence, learned FROM messages")
        }
        kept = {str(row[0]): row[1:] for row in rows("SELECT id, content, type, value, confidence FROM memories")}
        made = rows("SELECT made_id, source_id FROM derivations")
        figures = rows("SELECT memories, messages FROM users")
    names = {key: row[0] for key, row in (said | kept).items()}
    return {
        "said": sorted((*row[:4], bool(row[4])) for row in said.values()),
        "kept": sorted((*row[:3], round(row[3], 6)) for row in kept.values()),
        "made": Counter((names[str(one)], names[str(source)]) for one, source in made),
        "figures": figures,
    }
