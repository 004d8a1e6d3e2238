"""Language models over the chat-completions protocol. Nothing here is used unless an endpoint is configured."""

from recollect.llm.chat import ChatClient, ChatCompletion
from recollect.llm.reader import ChatReader
from recollect.llm.summarizer import ChatSummarizer

__all__ = ["ChatClient", "ChatCompletion", "ChatReader", "ChatSummarizer"]
