"""Damaged files and what is saved of them."""
