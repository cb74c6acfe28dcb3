"""Contract: copies of a scene in a batch do what single scenes do, to the bit, for any number of threads."""

import numpy as np
import pytest

import insonate


def press(physics, pose, start, force=5.0):
    physics.place(*start)
    physics.control_force(*pose, force)


@pytest.fixture(scope="module")
def scene():
    return insonate.Scene()


@pytest.fixture(scope="module")
def poses(scene):
    physics = insonate.Physics(scene)
    return physics.pose_on_skin(0.0, 0.0), physics.pose_on_skin(0.0, 0.0, 0.005)


def test_each_copy_does_what_a_single_scene_does(scene, poses):
    forces = [2.0, 5.0, 8.0]
    batches = [insonate.PhysicsBatch(scene, 3, n_threads=n_threads) for n_threads in (1, 2)]
    for batch in batches:
        press(batch, *poses, forces)
        batch.step(250)
    for index, force in enumerate(forces):
        physics = insonate.Physics(scene)
        press(physics, *poses, force)
        physics.step(250)
        for batch in batches:
            assert len(batch) == 3
            assert batch.time[index] == physics.time
            for name in ("qpos", "qvel", "ctrl"):
                np.testing.assert_array_equal(getattr(batch, name)[index], getattr(physics, name))
            np.testing.assert_array_equal(
                batch.read("force_in_world")[index], physics.read("force_in_world")
            )


@pytest.mark.parametrize("torso", ["fast", "elastic", "xpbd"])
def test_a_changed_softness_is_that_of_a_scene_with_it(torso, poses):
    softness = {"stiffness": 600.0, "damping": 8.0}
    made = insonate.Physics(insonate.Scene(torso=torso, **softness))
    changed = insonate.Physics(insonate.Scene(torso=torso))
    changed.set_softness(**softness)
    unchanged = insonate.Physics(insonate.Scene(torso=torso))
    found = []
    for physics in (made, changed, unchanged):
        start = physics.pose_on_skin(0.0, 0.0, 0.005)
        physics.place(*start)
        physics.control_pose(*physics.pose_on_skin(0.0, 0.0, -0.008), stiffness=2000.0)
        physics.step(60)
        found.append(np.linalg.norm(physics.read("force_in_world")))
    assert found[0] > 0.5
    assert found[1] == pytest.approx(found[0], rel=1e-6)
    assert found[2] > 1.2 * found[0]


def test_a_softness_lasts_over_resets_and_saves(scene, poses):
    batch = insonate.PhysicsBatch(scene, 2)
    batch.set_softness([500.0, 2000.0], [6.0, 25.0])
    batch.reset()
    press(batch, *poses)
    batch.step(500)
    soft, stiff = batch.read("probe_position")[:, 2]
    assert soft < stiff - 0.001
    other = insonate.PhysicsBatch(scene, 2, n_threads=1)
    other.restore(batch.save())
    batch.step(20)
    other.step(20)
    np.testing.assert_array_equal(other.qpos, batch.qpos)


def test_all_copies_start_from_a_state_of_one_scene(scene, poses):
    physics = insonate.Physics(scene)
    press(physics, *poses)
    physics.step(100)
    batch = insonate.PhysicsBatch(scene, 3)
    batch.restore(physics.save())
    torques = physics.ctrl
    physics.ctrl = torques + 0.1
    batch.ctrl = torques + [[0.0], [0.1], [-0.1]]
    physics.step(10)
    batch.step(10)
    np.testing.assert_array_equal(batch.qpos[1], physics.qpos)
    assert (batch.qpos[0] != physics.qpos).any()
    with pytest.raises(ValueError, match="give one for all, or 3"):
        batch.restore(batch.save()[:2])


def test_positions_and_velocities_can_be_set():
    scene = insonate.Scene(torso=None)
    source = insonate.Physics(scene)
    source.ctrl = np.full(7, 0.5)
    source.step(50)
    batch = insonate.PhysicsBatch(scene, 2)
    batch.qpos, batch.qvel = source.qpos, source.qvel
    np.testing.assert_array_equal(batch.qvel[1], source.qvel)
    position = source.read("probe_position")
    np.testing.assert_allclose(batch.read("probe_position")[0], position, atol=1e-9)
    physics = insonate.Physics(scene)
    physics.qpos, physics.qvel = source.qpos, source.qvel
    copy = insonate.Physics(scene)
    copy.restore(physics.save())
    np.testing.assert_array_equal(copy.qpos, source.qpos)
    for values in (np.zeros(3), np.full(7, np.nan)):
        with pytest.raises(ValueError, match="qpos"):
            physics.qpos = values


def test_wrong_arguments_are_refused(scene, poses):
    with pytest.raises(ValueError, match="n is 0"):
        insonate.PhysicsBatch(scene, 0)
    batch = insonate.PhysicsBatch(scene, 2)
    assert repr(batch) == "PhysicsBatch(panda_c5-2_fast, n=2)"
    with pytest.raises(ValueError, match=r"ctrl has shape \(3,\); it must have shape \[2, 7\], or \[7\] for all"):
        batch.ctrl = np.zeros(3)
    with pytest.raises(ValueError, match="physics 1 of the batch: stiffness is -1"):
        batch.set_softness([900.0, -1.0], 9.0)
    with pytest.raises(ValueError, match="physics 1 of the batch: force is 400"):
        batch.control_force(*poses[0], [5.0, 400.0])
    flex = insonate.Physics(insonate.Scene(torso="flex"))
    with pytest.raises(insonate.SimulationError, match="softness of a flex torso is compiled"):
        flex.set_softness(900.0, 9.0)
