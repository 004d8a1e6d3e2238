"""Releases: what is shipped, checked, with the licences, hashes and a bill of materials of all that comes with it."""
