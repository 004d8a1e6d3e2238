"""Clients that store one thing after the other, and send again what was not answered, under the same name."""

import time
from collections import Counter
from threading import Event, Lock, Thread
from uuid import uuid4

import httpx2

from tests.service.restart.house import Service
from tests.waiting import PATIENCE_S

_PAUSE_S = 0.1


class Writers:
    """Several clients at work. What they were told is kept by what they sent."""

    def __init__(self, service: Service, user: str, amount: int) -> None:
        self._service = service
        self._user = user
        self._stop = Event()
        self._lock = Lock()
        self._threads = [Thread(target=self._write, args=(number,)) for number in range(amount)]
        self.acknowledged: dict[str, dict[str, str]] = {}
        self.statuses: Counter[int] = Counter()
        self.complaints: list[str] = []
        self.replayed = 0
        self.longest_s = 0.0
        self.last_s = 0.0  # when something was acknowledged
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """Let everybody get their last answer."""
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()

    def refused(self) -> int:
        """Count how often somebody was told to come back."""
        return self.statuses[503]

    def _write(self, number: int) -> None:
        with self._service.user(self._user) as client:
            turn = 0
            while not self._stop.is_set():
                turn += 1
                self._store(client, f"Writer {number} kept note {turn} about bicycle {number * 100_000 + turn}")

    def _store(self, client: httpx2.Client, content: str) -> None:
        named = {"Idempotency-Key": str(uuid4())}
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            started = time.monotonic()
            try:
                answer = client.post("/api/memories/unified", json={"content": content}, headers=named)
            except httpx2.TransportError as error:
                self._complain(f"{type(error).__name__} after {time.monotonic() - started:.1f} s")
                time.sleep(_PAUSE_S)
                continue
            if self._noted(answer, content, time.monotonic() - started):
                return
            time.sleep(_PAUSE_S)
        self._complain(f"gave up on {content}")

    def _noted(self, answer: httpx2.Response, content: str, took_s: float) -> bool:
        with self._lock:
            self.statuses[answer.status_code] += 1
            self.longest_s = max(self.longest_s, took_s)
            if answer.status_code == 503 and "retry-after" not in answer.headers:
                self.complaints.append("503 without Retry-After")
            if answer.status_code != 201:
                return False
            self.acknowledged[content] = answer.json()
            self.replayed += "idempotency-replayed" in answer.headers
            self.last_s = time.monotonic()
            return True

    def _complain(self, complaint: str) -> None:
        with self._lock:
            self.complaints.append(complaint)
