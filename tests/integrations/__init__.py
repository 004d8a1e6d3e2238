"""Recollect inside other frameworks."""
