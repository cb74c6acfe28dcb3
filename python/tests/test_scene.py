"""Contract: scenes load in the Python package of MuJoCo, run with controllers, and presses are calibrated."""

import os
import pickle
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import insonate

CLI = os.environ.get("INSONATE_CLI")


@pytest.mark.parametrize("torso", [None, "fast", "composite"])
def test_a_scene_opens_in_mujoco(torso):
    scene = insonate.Scene("ur5e", "l12-5", torso)
    model = mujoco.MjModel.from_xml_string(scene.to_xml())
    assert model.opt.timestep == scene.timestep == 0.002
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()


BLOCKED_BREAK = """
import ctypes, sys
import insonate, mujoco
xml = insonate.Scene(torso="composite").to_xml()
libc = ctypes.CDLL(None)
libc.sbrk.restype = libc.mmap.restype = libc.malloc.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
libc.malloc.argtypes = [ctypes.c_size_t]
page = -(-libc.sbrk(0) // 4096) * 4096
# PROT_NONE; MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE.
assert libc.mmap(page, 4096, 0, 0x02 | 0x20 | 0x100000, -1, 0) == page
def use_up():
    for size in (2**power for power in range(19, 5, -1)):
        for _ in range(2**21 // size):
            libc.malloc(size)
failed = 0
for _ in range(5):
    use_up()
    try:
        mujoco.MjModel.from_xml_string(xml)
    except ValueError as error:
        failed += "unknown error in attribute" in str(error)
    use_up()
    insonate.Physics(insonate.Scene(torso="composite"))
print(failed)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="about glibc's malloc")
def test_a_scene_compiles_if_the_break_of_the_process_cannot_grow():
    done = subprocess.run([sys.executable, "-c", BLOCKED_BREAK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # MuJoCo alone takes the errno that malloc leaves for an error in the scene, so the case is the one that is meant.
    assert int(done.stdout) > 0


def test_every_part_has_a_scene():
    names = dict(insonate.parts())
    assert {"panda", "ur5e"} <= set(names["robots"])
    for robot in names["robots"]:
        assert robot in insonate.Scene(robot, torso=None).to_xml()


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
@pytest.mark.parametrize("torso", ["fast", "composite", "flex", "mpm", "xpbd"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"shape": "box", "lattice": "thesis", "stiffness": 900.0, "damping": 12.0},
        {"shape": "human"},
        {"shape": "adult", "patient_height": 1.9, "patient_sex": "female"},
        {"shape": "adult", "spacing": 0.04},
    ],
)
def test_a_scene_is_that_of_the_command(torso, options, tmp_path):
    file = tmp_path / "scene.xml"
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([CLI, "scene", "--torso", torso, *words, "--output", file], check=True, capture_output=True)
    assert insonate.Scene(torso=torso, **options).to_xml() == file.read_text()


def test_a_scene_takes_a_robot_file_and_its_copy_notices_a_change(tmp_path):
    file = tmp_path / "arm.xml"
    arm = """<mujoco model="own"><worldbody><body name="base"><body name="link" pos="0 0 0.3">
        <joint name="turn" axis="0 0 1" range="-90 90"/><geom size="0.05"/><body name="hand" pos="0.3 0 0"><geom size="0.03"/>
        </body></body></body></worldbody></mujoco>"""
    file.write_text(arm)
    scene = insonate.Scene(torso=None, robot_file=file, flange="hand")
    assert 'name="robot/turn"' in scene.to_xml()
    copied = pickle.dumps(scene)
    assert pickle.loads(copied).to_xml() == scene.to_xml()
    file.write_text(arm.replace("-90 90", "-80 80"))
    with pytest.raises(ValueError, match="checksum"):
        pickle.loads(copied)
    with pytest.raises(ValueError, match="flange"):
        insonate.Scene(robot_file=file)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"robot": "ur6"}, "choose one of"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"timestep": 1.0}, "timestep"),
        ({"shape": "cube"}, "shape"),
        ({"lattice": "probes"}, "did you mean"),
        ({"lattice": "probe", "torso": "xpbd"}, "solid without gaps"),
        ({"lattice": "thesis", "spacing": 0.03}, "count and spacing"),
        ({"patient_height": 1.8}, "adult"),
    ],
)
def test_wrong_parts_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        insonate.Scene(**options)


def test_force_control_presses_with_the_force():
    physics = insonate.Physics(insonate.Scene())
    physics.place(*physics.pose_on_skin(0.0, 0.0, 0.005))
    physics.control_force(*physics.pose_on_skin(0.0, 0.0), 5.0)
    physics.step(1500)
    assert physics.time == pytest.approx(3.0)
    force = np.linalg.norm(physics.read("force_in_world"))
    assert force == pytest.approx(5.0, abs=0.5)
    assert physics.read("face_pressure").sum() * 0.005**2 == pytest.approx(5.0, abs=0.5)
    assert {name for name, *_ in insonate.Physics.quantities()} >= {"force_in_world"}
    with pytest.raises(ValueError, match="quantity"):
        physics.read("forse")


def test_physics_shows_its_scene_and_time():
    physics = insonate.Physics(insonate.Scene("ur5e", "l12-5", None))
    physics.step(250)
    assert repr(physics) == "Physics(ur5e_l12-5_none, time=0.500 s)"


def test_pose_control_goes_to_the_pose():
    physics = insonate.Physics(insonate.Scene(torso=None))
    scene = insonate.Physics(insonate.Scene())
    position, quaternion = scene.pose_on_skin(0.05, 0.0, 0.05)
    physics.control_pose(position, quaternion, stiffness=400.0)
    physics.step(1000)
    found = physics.read("probe_position")
    np.testing.assert_allclose(found, position, atol=5e-3)
    with pytest.raises(ValueError, match="quaternion"):
        physics.control_pose(position, [0.0] * 4)
    with pytest.raises(ValueError, match="torques"):
        physics.ctrl = np.full(physics.ctrl.shape, np.nan)


def press(stiffness=1300.0, damping=20.0):
    time = np.arange(0.0, 4.0, 0.002)
    indentation = 0.01 * (1.0 - np.cos(2.0 * np.pi * 0.5 * time)) + 1e-4
    velocity = np.gradient(indentation, time)
    noise = np.random.default_rng(0).normal(0.0, 0.02, len(time))
    force = stiffness * indentation + damping * velocity + noise
    return {"time": time, "indentation": indentation, "velocity": velocity, "force": force}


def test_a_press_of_known_truth_is_calibrated():
    found = insonate.calibrate(press(), model="kelvin-voigt")
    for name, truth in (("stiffness", 1300.0), ("damping", 20.0)):
        low, high = found["parameters"][name]["ci95"]
        assert low - 2.0 < truth < high + 2.0
    assert found["r_squared"] > 0.99 and found["rmse_n"] < 0.03


def test_a_file_gives_what_its_arrays_give(tmp_path):
    log = press()
    header = "time_s,indentation_m,velocity_m_s,force_n"
    columns = np.column_stack([log[name] for name in ("time", "indentation", "velocity", "force")])
    path = tmp_path / "press.csv"
    np.savetxt(path, columns, delimiter=",", header=header, comments="", fmt="%.17g")
    one, other = insonate.calibrate(path), insonate.calibrate(log)
    for name, parameter in one["parameters"].items():
        assert parameter["value"] == pytest.approx(other["parameters"][name]["value"], rel=1e-9)


def test_wrong_logs_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        insonate.calibrate(tmp_path / "nowhere.csv")
    log = press()
    for change, words in (
        ({"force": log["force"][:-1]}, "lengths"),
        ({"force": np.full(len(log["time"]), np.nan)}, "force"),
        ({"weight": log["force"]}, "weight"),
        ({"position": log["force"]}, "either"),
    ):
        with pytest.raises(ValueError, match=words):
            insonate.calibrate({**log, **change})
    with pytest.raises(ValueError, match="model is .hooke.*kelvin-voigt"):
        insonate.calibrate(log, model="hooke")
    with pytest.raises(TypeError):
        insonate.calibrate(3)
