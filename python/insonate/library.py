"""Path of libmujoco: that of the package `mujoco` if it has the version of this wheel, else the wheel's own.

``MUJOCO_DYNAMIC_LINK_DIR`` names a folder with another one, ``libmujoco.so``. Other versions of MuJoCo may be used in the same process: each
library has its own symbols.
"""

import importlib.util
from pathlib import Path

from ._insonate import set_library


def find() -> None:
    """Sets the path in the compiled module. If there is no library, the error comes when a scene is compiled."""
    own = sorted((Path(__file__).parent / "lib").glob("libmujoco.so.*"))
    package = importlib.util.find_spec("mujoco")
    folders = (package.submodule_search_locations if package else None) or ()
    installed = [library for folder in folders for library in sorted(Path(folder).glob("libmujoco.so.*"))]
    # Equal names are equal versions; the package's library is then in memory once.
    same = [library for library in installed if library.name in {it.name for it in own}]
    for library in [*same, *own, *installed]:
        set_library(library)
        return
