"""A server on loopback that speaks the protocol of every rerank provider, and misbehaves on demand."""

import json
import math
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Final, Self

PATHS: Final = {"cohere": "/v2", "jina": "/v1", "tei": "", "compatible": "/api"}
JUNK: Final = {"html": b"<html>Sign in</html>", "empty": b"", "huge": b"x" * 2_000_000}
STATUS: Final = {"unauthorized": 401, "busy": 503}
_WORD: Final = re.compile(r"\w+")


def logit(question: str, text: str) -> float:
    """Score a text by the words it shares with a question: 2 for each, beginning at -4."""
    return 2.0 * len({*_WORD.findall(question.lower())} & {*_WORD.findall(text.lower())}) - 4.0


class RerankServer:
    """All providers behind one port. `fault` holds until it is set to something else; `times` counts it down."""

    def __init__(self) -> None:
        self.fault = ""
        self.times = 1_000_000
        self.requests: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []
        self.let_go = Event()
        self._listener: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                status, headers, content = outer.answer(self.path, body)
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._listener.daemon_threads = True
        Thread(target=self._listener.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go.set()
        if self._listener is not None:
            self._listener.shutdown()
            self._listener.server_close()

    def url(self, provider: str) -> str:
        """Say where a provider is asked."""
        assert self._listener is not None
        return f"http://127.0.0.1:{self._listener.server_port}{PATHS[provider]}"

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Answer as the provider of a path does, or as the fault has it."""
        fault = self.fault if self.times > 0 else ""
        self.times -= 1
        if fault == "redirect":
            return 307, {"location": f"{self.url('tei')}/elsewhere"}, b""
        if fault == "hangs":
            self.let_go.wait(60)
        if fault in JUNK:
            return 200, {"content-type": "text/html"}, JUNK[fault]
        if fault in STATUS:
            return STATUS[fault], {}, json.dumps({"message": "not now"}).encode()
        results = self._results(path, body)
        if fault:
            self._spoil(fault, results)
        if path == "/rerank":
            return 200, {}, json.dumps(results).encode()
        return 200, {}, json.dumps({"id": "1", "results": results, "meta": {"api_version": {"version": "2"}}}).encode()

    def _results(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Give the results, the best first, as all of them do."""
        texts = body["texts" if path == "/rerank" else "documents"]
        scored = [(logit(body["query"], text), index) for index, text in enumerate(texts)]
        name = "score" if path == "/rerank" else "relevance_score"
        raw = path in {"/rerank", "/api/rerank"}
        return [
            {"index": index, name: score if raw else 1 / (1 + math.exp(-score))}
            for score, index in sorted(scored, key=lambda pair: (-pair[0], pair[1]))
        ]

    @staticmethod
    def _spoil(fault: str, results: list[dict[str, Any]]) -> None:
        name = next(key for key in results[0] if key != "index")
        match fault:
            case "few":
                results.pop()
            case "twice":
                results[0]["index"] = results[1]["index"]
            case "beyond":
                results[0]["index"] = len(results)
            case "no index":
                del results[0]["index"]
            case "nan":
                results[0][name] = math.nan
            case "text":
                results[0][name] = "high"
