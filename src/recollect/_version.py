"""The version, for the package's metadata and for people."""

__version__ = "0.1.0"


def is_compatible(version: str, ours: str = __version__) -> bool:
    """Tell whether a client and a service of two versions understand each other: one release, from 1.0 one major."""
    theirs, mine = version.split(".")[:2], ours.split(".")[:2]
    return theirs[:1] == mine[:1] and (mine[0] != "0" or theirs == mine)
