"""Path of libmujoco: in the package `mujoco`, unless `MUJOCO_DYNAMIC_LINK_DIR` names a folder."""

import importlib.util
from pathlib import Path

from ._insonate import set_library


def find() -> None:
    """Sets the path in the compiled module. If the package is missing, the error comes when a scene is compiled."""
    package = importlib.util.find_spec("mujoco")
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        for library in Path(folder).glob("libmujoco.so.*"):
            set_library(library)
            return
