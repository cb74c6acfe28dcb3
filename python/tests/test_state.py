"""Contract: saved states, copies and pickles of environments, physics and policies go on with the same bits."""

import _thread
import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import insonate

TASKS = ["pendulum", "reacher", "table-slide", "probe-sweep"]
ULTRASOUND = {
    "scene": {"shape": "adult"},
    "observation": {"ultrasound": {"readings": ["b_mode"]}},
}

GO_ON = """
import pathlib, pickle, sys
import numpy as np
folder = pathlib.Path(sys.argv[1])
made, actions = pickle.loads((folder / "made").read_bytes())
(folder / "done").write_bytes(pickle.dumps([made.step(row) for row in actions]))
"""


def actions_of(envs, n, seed=0):
    rng = np.random.default_rng(seed)
    low, high = envs.action_space.low, envs.action_space.high
    return [rng.uniform(low, high).astype(np.float32) for _ in range(n)]


def assert_same(a, b):
    """The same bits, and NaN where NaN is."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for name in a:
            assert_same(a[name], b[name])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, np.ndarray) and a.dtype != object:
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    elif isinstance(a, np.ndarray):
        assert_same(a.tolist(), b.tolist())
    else:
        assert a == b or (a != a and b != b)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_a_vector_goes_on_in_a_new_process(task, mode, tmp_path):
    """Its episodes end within the run, so new ones with other random parameters begin."""
    envs = insonate.VectorEnv(task, 3, autoreset_mode=mode, max_episode_steps=30)
    envs.reset(seed=4)
    actions = actions_of(envs, 70)
    for row in actions[:20]:
        envs.step(row)
    (tmp_path / "made").write_bytes(pickle.dumps((envs, actions[20:])))
    whole = [envs.step(row) for row in actions[20:]]
    subprocess.run([sys.executable, "-c", GO_ON, tmp_path], check=True)
    assert_same(whole, pickle.loads((tmp_path / "done").read_bytes()))
    ended = [np.any(terminated | truncated) for _, _, terminated, truncated, _ in whole]
    assert any(ended)


@pytest.mark.parametrize("task", TASKS)
def test_an_environment_goes_back(task):
    env = insonate.Env(task)
    env.reset(seed=1)
    actions = actions_of(env, 40)
    for row in actions[:10]:
        observation, *_ = env.step(row)
    state = env.save()
    first = [env.step(row) for row in actions[10:25]]
    env.reset(seed=7)
    assert_same(env.restore(state), observation)
    assert_same(first, [env.step(row) for row in actions[10:25]])
    # So does the stream of episodes.
    after, _ = env.reset()
    env.restore(state)
    assert_same(env.reset()[0], after)


def test_observed_ultrasound_goes_on():
    env = insonate.Env("probe-sweep", **ULTRASOUND)
    env.reset(seed=3)
    actions = actions_of(env, 12)
    for row in actions[:5]:
        env.step(row)
    other = pickle.loads(pickle.dumps(env))
    assert_same([env.step(row) for row in actions[5:]], [other.step(row) for row in actions[5:]])


def test_a_copy_goes_its_own_way_and_keeps_the_random_numbers_of_gymnasium():
    env = insonate.Env("pendulum")
    env.reset(seed=1)
    env.action_space.seed(5)
    other = copy.deepcopy(env)
    assert env.action_space.sample() == other.action_space.sample()
    assert env.np_random.integers(2**40) == other.np_random.integers(2**40)
    action = actions_of(env, 1)[0]
    kept = copy.deepcopy(other)
    after = env.step(action)
    env.step(action)
    assert_same(other.step(action), after)
    assert_same(kept.step(action), after)


def test_an_environment_before_its_first_reset_is_copied():
    env = insonate.Env("pendulum")
    other = copy.deepcopy(env)
    assert_same(env.reset(seed=2)[0], other.reset(seed=2)[0])


def test_a_wrong_state_is_refused_and_changes_nothing():
    env = insonate.Env("reacher")
    env.reset(seed=1)
    action = actions_of(env, 1)[0]
    env.step(action)
    state = env.save()
    pendulum = insonate.Env("pendulum")
    pendulum.reset(seed=1)
    longer = insonate.Env("reacher", max_episode_steps=7)
    physics = insonate.Physics(insonate.Scene(torso=None))
    newer = bytearray(state)
    newer[14] = 9
    changed = bytearray(state)
    changed[len(state) // 2] ^= 1
    for wrong, message in [
        (pendulum.save(), "is of the task pendulum"),
        (longer.save(), "another value of the setting"),
        (insonate.VectorEnv("reacher", 2).save(), "is of 2 environments"),
        (physics.save(), "is of physics"),
        (bytes(newer), "format 9"),
        (bytes(changed), "truncated or corrupt"),
        (state[:-10], "truncated or corrupt"),
        (b"", "not one that insonate saved"),
        (pickle.dumps(1), "not one that insonate saved"),
    ]:
        with pytest.raises(ValueError, match=message):
            env.restore(wrong)
        assert env.save() == state
        with pytest.raises(ValueError):
            physics.restore(state)
    with pytest.raises(TypeError):
        env.restore("text")


def test_a_closed_environment_is_not_copied():
    env = insonate.Env("pendulum")
    env.close()
    with pytest.raises(insonate.ClosedError):
        pickle.dumps(env)


def pressed(torso):
    physics = insonate.Physics(insonate.Scene(torso=torso, stiffness=900.0))
    physics.place(*physics.pose_on_skin(0.0, 0.0, 0.002))
    physics.control_force(*physics.pose_on_skin(0.0, 0.0), 5.0)
    physics.step(60)
    return physics


def readings(physics):
    names = [name for name, *_ in physics.quantities()]
    return [physics.time, physics.qpos, physics.qvel, *(physics.read(name) for name in names)]


@pytest.mark.parametrize("torso", ["fast", "composite", "xpbd", "mpm"])
def test_physics_goes_on(torso):
    physics = pressed(torso)
    state = physics.save()
    others = [copy.deepcopy(physics), pickle.loads(pickle.dumps(physics)), physics]
    after = []
    for index, other in enumerate(others):
        if index == 2:
            other.step(10)
            other.restore(state)
        assert other.save() == state
        other.step(30)
        other.control_pose(*other.pose_on_skin(0.01, 0.0), 300.0)
        other.step(15)
        other.ctrl = np.zeros_like(other.ctrl)
        other.step(5)
        after.append(readings(other))
    assert_same(after[0], after[2])
    assert_same(after[1], after[2])


@pytest.mark.parametrize("torso", ["fast", "composite", "xpbd", "mpm"])
def test_physics_after_a_reset_is_new(torso):
    """A copy repeats the commands since the reset alone, so nothing before it may count."""
    physics = pressed(torso)
    physics.reset()
    new = insonate.Physics(insonate.Scene(torso=torso, stiffness=900.0))
    new.reset()
    for each in (physics, new):
        each.control_force(*each.pose_on_skin(0.0, 0.0), 5.0)
        each.step(40)
    assert_same(readings(physics), readings(new))
    assert_same(readings(physics), readings(copy.deepcopy(physics)))


def test_a_state_of_another_scene_is_refused():
    physics = insonate.Physics(insonate.Scene(torso=None))
    other = insonate.Physics(insonate.Scene("ur5e", torso=None))
    with pytest.raises(ValueError, match="another scene"):
        physics.restore(other.save())


def test_a_scene_is_pickled():
    scene = insonate.Scene("ur5e", torso="composite", count=(9, 3, 9), spacing=0.04, stiffness=700.0)
    assert pickle.loads(pickle.dumps(scene)).to_xml() == scene.to_xml()
    assert copy.deepcopy(scene) is scene


def test_a_policy_is_pickled(policy_file):
    policy = insonate.load_policy(policy_file)
    observations = np.random.default_rng(0).normal(size=(8, len(policy.observation_names)))
    observations = observations.astype(np.float32)
    other = pickle.loads(pickle.dumps(policy))
    assert policy.to_bytes() == policy_file.read_bytes()
    assert other.settings == policy.settings
    assert_same(policy(observations), other(observations))
    with pytest.raises(ValueError, match="truncated or corrupt"):
        insonate.Policy(policy.to_bytes()[:-1])


def test_ctrl_c_ends_a_long_restore_and_the_next_one_succeeds():
    envs = insonate.VectorEnv("probe-sweep", 16, n_threads=1)
    envs.reset(seed=1)
    still = np.zeros(envs.action_space.shape, np.float32)
    for _ in range(100):
        rows, *_ = envs.step(still)
    state = envs.save()
    timer = threading.Timer(0.1, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        envs.restore(state)
        timer.join()
    timer.join()
    with pytest.raises(insonate.OrderError, match="reset"):
        envs.step(still)
    np.testing.assert_array_equal(envs.restore(state), rows)
    envs.close()
