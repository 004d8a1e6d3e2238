"""A client of `recollect serve`. Usage: python examples/client.py, with RECOLLECT_URL and RECOLLECT_KEY set.

It prints:

    201 created
    201 created (replayed)
    Prefers dark mode in all applications
    deleted
"""

import os
from uuid import uuid4

import httpx2  # any HTTP client will do

url, key = os.environ["RECOLLECT_URL"], os.environ["RECOLLECT_KEY"]
with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as service:
    # An idempotency key makes a retry safe: the write is executed once, and the same answer is returned.
    request = {"content": "Prefers dark mode in all applications", "type": "preference"}
    once = {"Idempotency-Key": str(uuid4())}
    for _ in range(2):
        answer = service.post("/api/memories/unified", json=request, headers=once)
        replayed = " (replayed)" if "Idempotency-Replayed" in answer.headers else ""
        print(f"{answer.status_code} {answer.json()['action']}{replayed}")

    found = service.get("/api/memories/search", params={"query": "which theme do I like?", "limit": 1})
    hit = found.raise_for_status().json()["hits"][0]
    print(hit["content"])
    print(service.delete(f"/api/memories/{hit['id']}").json()["action"])
