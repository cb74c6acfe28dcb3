"""Contract: the wheel runs with its own libmujoco, next to any version of the package `mujoco`, in either order of import."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import insonate

MUJOCO = """
def with_mujoco():
    import mujoco
    text = "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 10)
    # Free fall over ten steps of 2 ms by the semi-implicit Euler method: 9.81 · 0.002² · (1 + 2 + … + 10).
    assert abs(data.qpos[2] - (1.0 - 9.81 * 0.002**2 * 55)) < 1e-9, data.qpos
    print("mujoco", mujoco.__version__)


def with_insonate():
    import insonate
    env = insonate.Env("probe-sweep")
    env.reset(seed=0)
    print("insonate", repr(env.step([0.0] * env.action_space.shape[0])[1]))
    env.close()
"""


def outcome(*order):
    lines = [MUJOCO, *(f"with_{name}()" for name in order)]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_package_has_its_own_library():
    libraries = list((Path(insonate.__file__).parent / "lib").glob("libmujoco.so.*"))
    assert len(libraries) == 1
    assert not any(line.startswith("mujoco") for line in metadata.requires("insonate") or ())


@pytest.mark.parametrize("order", [("mujoco", "insonate"), ("insonate", "mujoco"), ("mujoco", "insonate", "mujoco", "insonate")])
def test_both_step_in_one_process(order):
    pytest.importorskip("mujoco")
    alone = outcome("insonate")
    lines = outcome(*order)
    assert [line for line in lines if line.startswith("insonate")] == alone * order.count("insonate")
    assert len(lines) == len(order)
