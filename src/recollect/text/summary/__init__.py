"""Summaries of what was said: their one written form, and a summariser that needs no model."""
