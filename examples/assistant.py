"""An assistant with a memory. Usage: python examples/assistant.py SESSION < what-the-user-says.txt

Put your model in place of `answer`: it gets the memories that fit, labelled as data, and what the user said.

It prints:

    user: My name is Anna. I moved to Brno last week.
    assistant: I know 0 things about that.
    learned: My name is Anna
    learned: I moved to Brno last week
    user: Which city do I live in now?
    assistant: I know 1 thing about that.
"""

import sys

from recollect import Memory, PromptContext


def answer(context: PromptContext, prompt: str) -> str:  # noqa: ARG001 - a real model reads it
    """Stand in for a language model, which would be sent `context.block` and the prompt."""
    count = len(context.hits)
    return f"I know {count} thing{'' if count == 1 else 's'} about that."


with Memory.open() as memory:
    me = memory.user("example-assistant")
    session = sys.argv[1]
    for prompt in map(str.strip, sys.stdin):
        context = me.before_prompt(prompt, session=session)
        reply = answer(context, prompt)
        print(f"user: {prompt}\nassistant: {reply}")

        turn = [{"role": "user", "content": prompt}, {"role": "assistant", "content": reply}]
        for captured in me.after_turn(turn, session=session).captured:
            print("learned:", me.get(captured.id).content)
