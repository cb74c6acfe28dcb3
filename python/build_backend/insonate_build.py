"""The build backend: maturin, with libmujoco in the folder where the bindings' build script expects
it.

Nothing is linked with libmujoco (`sim/src/loader.rs`), but the build script of the bindings wants to see it.
"""

import importlib.util
import os
import shutil
from pathlib import Path

import maturin
from maturin import get_requires_for_build_editable, get_requires_for_build_wheel

__all__ = [
    "build_editable",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

FOLDER = "MUJOCO_DYNAMIC_LINK_DIR"
VERSION = "3.17.0"
"""Version of MuJoCo that the bindings are made for."""
ROOT = Path(__file__).resolve().parents[2]


def provide_libmujoco() -> None:
    """Copies the library from the package `mujoco`, unless there is one already, and into the package."""
    if FOLDER in os.environ:
        folder = Path(os.environ[FOLDER])
    elif (ROOT / ".mujoco/lib/libmujoco.so").exists():
        folder = ROOT / ".mujoco/lib"
    else:
        folder = copy_of_package()
        os.environ[FOLDER] = str(folder)
    into_package(folder / "libmujoco.so")


def copy_of_package() -> Path:
    """A permanent folder with the library: the package is gone after an isolated build, and a changed path would trigger a full rebuild."""
    package = importlib.util.find_spec("mujoco")
    if package is None or package.submodule_search_locations is None:
        raise SystemExit(f"the build needs the Python package mujoco=={VERSION}, or `cargo xtask setup`")
    library = next(Path(package.submodule_search_locations[0]).glob("libmujoco.so.*"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    folder = (target / "libmujoco").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "libmujoco.so"
    if not link.exists():
        shutil.copyfile(library, link)
    return folder


def into_package(library: Path) -> None:
    """Copies the library where the package looks for it, so that the wheel runs next to any version of MuJoCo."""
    folder = ROOT / "python/insonate/lib"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(library, folder / f"libmujoco.so.{VERSION}")


def build_wheel(*arguments, **options):
    provide_libmujoco()
    return maturin.build_wheel(*arguments, **options)


def build_editable(*arguments, **options):
    provide_libmujoco()
    return maturin.build_editable(*arguments, **options)


def prepare_metadata_for_build_wheel(*arguments, **options):
    provide_libmujoco()
    return maturin.prepare_metadata_for_build_wheel(*arguments, **options)


def prepare_metadata_for_build_editable(*arguments, **options):
    provide_libmujoco()
    return maturin.prepare_metadata_for_build_editable(*arguments, **options)
