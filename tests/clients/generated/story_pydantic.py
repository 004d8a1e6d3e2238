"""A story for the Python client that openapi-generator makes: store, recall, change, say, forget."""

import os

import generated as api

settings = api.Configuration(host=os.environ["SERVICE_URL"], access_token=os.environ["SERVICE_KEY"])
with api.ApiClient(settings) as client:
    memories = api.MemoriesApi(client)
    stored = memories.store_memory(
        api.NewMemoryBody(content=" Prefers dark mode", subject="editor", lat=49.19, lng=16.61)
    )
    assert stored.action == "created", stored
    found = memories.search_memories("dark mode", limit=1)
    assert [hit.content for hit in found.hits] == ["Prefers dark mode"], found
    assert found.hits[0].lat == 49.19
    changed = memories.change_memory(stored.id, api.MemoryPatch(importance=0.9))
    assert changed.importance == 0.9, changed
    message = api.MessageBody(role="user", content=api.Content("Hello"))
    said = api.ConversationsApi(client).append_messages("c1", api.OneOrMoreMessages(message))
    assert said.results[0].action == "created", said
    forgotten = memories.forget(api.ForgetBody(id=changed.id))
    assert forgotten.action == "deleted", forgotten
    answer = memories.get_memory_without_preload_content(changed.id)
    assert answer.status == 404, answer.status
print("done")  # noqa: T201 - what the test waits for
