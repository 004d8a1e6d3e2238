"""Recollect inside other frameworks and hosts. Each is an extra, imported when it is named.

    langgraph    a `BaseStore` for LangGraph                        recollect[langgraph]

The invariant: what an adapter writes are memories like all others. They are found by `recall`, erased by `forget`,
exported and backed up, and they belong to one user.
"""
