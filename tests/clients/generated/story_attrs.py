"""A story for the client that openapi-python-client makes: store, recall, change, say, forget."""

import os

from generated import AuthenticatedClient
from generated.api.conversations import append_messages
from generated.api.memories import change_memory, forget, get_memory, search_memories, store_memory
from generated.models import ForgetBody, MemoryPatch, MessageBody, MessageBodyRole, NewMemoryBody, Problem

client = AuthenticatedClient(os.environ["SERVICE_URL"], os.environ["SERVICE_KEY"], raise_on_unexpected_status=True)
stored = store_memory.sync(
    client=client, body=NewMemoryBody(content="Prefers dark mode", subject="editor", lat=49.19, lng=16.61)
)
assert stored.action == "created", stored
found = search_memories.sync(client=client, query="dark mode", limit=1)
assert [hit.content for hit in found.hits] == ["Prefers dark mode"], found
assert found.hits[0].lat == 49.19
changed = change_memory.sync(client=client, id=stored.id, body=MemoryPatch(importance=0.9))
assert changed.importance == 0.9, changed
said = append_messages.sync(client=client, id="c1", body=MessageBody(role=MessageBodyRole.USER, content="Hello"))
assert said.results[0].action == "created", said
forgotten = forget.sync(client=client, body=ForgetBody(id=changed.id))
assert forgotten.action == "deleted", forgotten
gone = get_memory.sync(client=client, id=changed.id)
assert isinstance(gone, Problem), gone
assert gone.status == 404
print("done")  # noqa: T201 - what the test waits for
