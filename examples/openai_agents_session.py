"""The OpenAI Agents SDK: `Runner.run(agent, "...", session=session)` reads and writes this session.

It prints:

    user: What should I drink?
    assistant: Green tea, as you like it.
"""

import asyncio

from recollect import Memory
from recollect.integrations.openai_agents import RecollectSession


async def main(memory: Memory) -> None:
    """Do what the SDK does around a turn."""
    session = RecollectSession(memory.user("example-agents"), "chat-1")
    await session.add_items([{"role": "user", "content": "What should I drink?"}])
    answer = {"type": "message", "role": "assistant"}
    await session.add_items([{**answer, "content": [{"type": "output_text", "text": "Green tea, as you like it."}]}])
    for item in await session.get_items():
        content = item["content"]
        print(f"{item['role']}: {content if isinstance(content, str) else content[0]['text']}")


with Memory.open() as memory:
    asyncio.run(main(memory))
