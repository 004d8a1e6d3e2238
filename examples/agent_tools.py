"""Tools for agents of any framework. In CrewAI: `Agent(tools=[tool(each) for each in memory_tools(me)])`.

It prints:

    recall_memory, store_memory, forget_memory
    created
    Prefers green tea in the morning
    No relevant memories found.
"""

from recollect import Memory
from recollect.integrations.tools import memory_tools

with Memory.open() as memory:
    tools = memory_tools(memory.user("example-tools"))
    recall, store, forget = tools
    print(", ".join(tool.__name__ for tool in tools))
    print(store("Prefers green tea in the morning").partition(":")[0])
    print(recall("which tea does the user like?").partition("] ")[2].rpartition(" (")[0])
    forget("Prefers green tea in the morning")
    print(recall("which tea does the user like?"))
