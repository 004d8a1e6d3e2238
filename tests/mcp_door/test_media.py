"""Pictures that a model stores, by their address or as base64, and sees again as words."""

import base64

from mcp import Client

from recollect import Memory
from tests.mcp_door.conftest import in_process, refused, speak
from tests.mcp_door.test_tools import ME, checked


def test_a_model_stores_pictures_and_reads_what_they_show(memory: Memory) -> None:
    data = base64.b64encode(b"ID3 a sound").decode()

    async def talk(client: Client) -> None:
        media = [
            {"url": "https://example.org/sofa.jpg", "caption": "The velvet sofa"},
            {"data": data, "transcript": "Water the begonias"},
        ]
        await checked(client, "memory_store", content="What the hall needs", media=media)
        text, found = await checked(client, "memory_recall", query="velvet")
        assert "What the hall needs [image: The velvet sofa] [audio: Water the begonias]" in text
        sofa, voice = found["memories"][0]["media"]
        assert (sofa["url"], voice["mime"]) == ("https://example.org/sofa.jpg", "audio/mpeg")
        for wrong in (
            {"url": "javascript:alert(1)"},
            {"data": "!"},
            {"data": data, "url": "https://example.org/a.png"},
        ):
            assert await refused(client, "memory_store", {"content": "Wrong", "media": [wrong]})

    speak(in_process(memory), talk)
    (record,) = memory.user(ME).list().items
    assert memory.user(ME).media.original(record.media[1].original) == b"ID3 a sound"
