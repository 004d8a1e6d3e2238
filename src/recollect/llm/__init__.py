"""Language models over the chat-completions protocol. Nothing here is used unless an endpoint is configured."""

from recollect.llm.chat import ChatClient
from recollect.llm.reader import ChatReader
from recollect.llm.summarizer import ChatSummarizer
from recollect.llm.wire import ChatCompletion

__all__ = ["ChatClient", "ChatCompletion", "ChatReader", "ChatSummarizer"]
