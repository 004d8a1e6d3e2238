"""The version, for the package's metadata and for people."""

__version__ = "0.1.0"
