"""Recollect inside other frameworks and hosts. Each is an extra, imported when it is named.

    langgraph       a `BaseStore`                                recollect[langgraph]
    langchain       a retriever, a chat history                  recollect[langchain]
    llamaindex      a retriever, a chat memory                   recollect[llamaindex]
    openai_agents   a `Session`                                  no extra
    tools           functions for agents of any framework        no extra
    slack           a bot, for `recollect slack`                 recollect[slack]
    chat_items      chat histories as conversations
    found           hits as documents
    write_spool     writes that wait while the memory is away

The invariant: what an adapter writes are memories like all others. They are found by `recall`, erased by `forget`,
exported and backed up, and they belong to one user.
"""
