"""Contract: a scene's file gives the same contact forces in the installed version of the package `mujoco` as in our own libmujoco."""

import mujoco
import numpy as np
import pytest

import insonate

VERSION = tuple(int(part) for part in mujoco.__version__.split(".")[:2])
# Largest difference in another version than ours, relative to the peak.
CLOSE = 1e-6


def contact_force(model, data):
    """Force on the probe, in world [N]."""
    total = np.zeros(3)
    wrench = np.zeros(6)
    for index, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, index, wrench)
        # The force on the second side. The sides of a flex have no geom.
        force = np.array(contact.frame).reshape(3, 3).T @ wrench[:3]
        names = [model.body(model.geom_bodyid[geom]).name if geom >= 0 else "torso" for geom in contact.geom]
        total += -force if names[1].startswith("torso") else force
    return total


@pytest.mark.parametrize("torso", ["composite", "flex"])
@pytest.mark.parametrize("robot", ["panda", "ur5e"])
def test_a_press_has_the_same_forces(torso, robot):
    if torso == "flex" and VERSION >= (4, 0):
        pytest.skip("elements of a flex have other stiffnesses there, as the last test says")
    scene = insonate.Scene(robot, "c5-2", torso)
    physics = insonate.Physics(scene)
    physics.place(*physics.pose_on_skin(0.0, 0.0, 0.002))
    model = mujoco.MjModel.from_xml_string(scene.to_xml())
    data = mujoco.MjData(model)
    data.qpos[:] = physics.qpos
    physics.control_pose(*physics.pose_on_skin(0.0, 0.0, -0.012), 2000.0)
    ours, theirs = [], []
    for _ in range(150):
        physics.step()
        data.ctrl[:] = physics.ctrl
        mujoco.mj_step(model, data)
        ours.append(physics.read("contact_force"))
        theirs.append(contact_force(model, data))
    ours, theirs = np.array(ours), np.array(theirs)
    peak = np.linalg.norm(ours, axis=1).max()
    assert peak > 5.0
    error = np.abs(ours - theirs).max()
    print(f"MuJoCo {mujoco.__version__}: {torso}, {robot}: peak {peak:.2f} N, largest difference {error:.2e} N")
    assert error < (1e-9 if VERSION == (3, 17) else CLOSE) * peak


def test_a_stretched_tetrahedron_has_the_force_that_the_version_computes():
    """Our moduli of `flex` are fitted to MuJoCo 3.17, where the force has twice Lame's first constant; from 4.0 on it is Hooke's."""
    names = "abcd"
    slides = "".join(f"<joint type='slide' axis='{axis}'/>" for axis in ("1 0 0", "0 1 0", "0 0 1"))
    inertia = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    corners = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
    bodies = "".join(
        f"<body name='{name}' pos='{corner}'>{slides}{inertia}</body>" for name, corner in zip(names, corners, strict=True)
    )
    young, poisson, stretch = 1000.0, 0.4, 1e-5
    flex = (
        f"<flex name='solid' dim='3' body='{' '.join(names)}' vertex='{'0 0 0 ' * 4}' element='0 1 2 3'>"
        f"<elasticity young='{young}' poisson='{poisson}'/><contact selfcollide='none'/></flex>"
    )
    text = f"<mujoco><worldbody>{bodies}</worldbody><deformable>{flex}</deformable></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[3] = stretch
    mujoco.mj_forward(model, data)
    shear = young / (2.0 * (1.0 + poisson))
    first = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    factor = 1.0 if VERSION >= (4, 0) else 2.0
    # Stress times the gradient of the corner's shape function, 1/m, times the volume.
    wanted = -(factor * first + 2.0 * shear) * stretch / 6.0
    assert abs(data.qfrc_spring[3] / wanted - 1.0) < 1e-3
