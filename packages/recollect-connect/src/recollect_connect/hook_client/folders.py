"""The folders of a user, as `platformdirs` has them, for those who cannot wait for its import."""

import os
import sys


def config_file() -> str:
    """Give the path of the file that says where the service is, unless another is named."""
    return os.path.join(_folder("XDG_CONFIG_HOME", ".config"), "hook.json")  # noqa: PTH118 - pathlib imports slowly


def data_folder() -> str:
    """Give the folder of the user's data."""
    return _folder("XDG_DATA_HOME", os.path.join(".local", "share"))  # noqa: PTH118 - as above


def _folder(variable: str, below_home: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 - as above
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")  # noqa: PTH118 - as above
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")  # noqa: PTH118 - as above
    else:
        base = os.environ.get(variable, "").strip() or os.path.join(home, below_home)  # noqa: PTH118 - as above
    return os.path.join(base, "recollect")  # noqa: PTH118 - as above
