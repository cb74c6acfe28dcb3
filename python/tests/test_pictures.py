"""Contract: environments are rendered, and observed cameras give a dict of state and image."""

import os

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import insonate


def can_draw():
    env = insonate.Env("probe-press", render_mode="rgb_array", width=64, height=48)
    env.reset(seed=0)
    try:
        return env.render().shape == (48, 64, 3)
    except insonate.SimulationError:
        return False
    finally:
        env.close()


needs_opengl = pytest.mark.skipif(not can_draw(), reason="this machine has no OpenGL")


@needs_opengl
def test_gymnasium_has_nothing_to_say_of_pictures():
    env = gymnasium.make("insonate/ProbeSweep-v0", width=64, height=48).unwrapped
    assert "rgb_array" in env.metadata["render_modes"]
    check_env(env)
    env.close()


def test_what_cannot_be_drawn_tells_no_render_modes():
    for task in ("pendulum", "reacher"):
        assert insonate.Env(task).metadata["render_modes"] == []
        assert insonate.VectorEnv(task, 2).metadata["render_modes"] == []


@needs_opengl
def test_pictures_show_what_moves():
    env = gymnasium.make(
        "insonate/ProbeSweep-v0", render_mode="rgb_array", width=160, height=120, camera="side"
    )
    env.reset(seed=0)
    env.action_space.seed(0)
    first = env.render()
    for _ in range(5):
        env.step(env.action_space.sample())
    last = env.render()
    assert first.dtype == np.uint8 and first.shape == (120, 160, 3)
    assert first.std() > 10 and (first != last).any()
    with pytest.raises(ValueError, match="camera"):
        insonate.Env("probe-press", render_mode="rgb_array", camera="nowhere").render()
    env.close()


@needs_opengl
def test_every_env_of_a_vector_is_drawn():
    envs = gymnasium.make_vec(
        "insonate/ProbePress-v0", num_envs=3, render_mode="rgb_array", width=64, height=48
    )
    envs.reset(seed=0)
    pictures = envs.render()
    assert len(pictures) == 3 and (pictures[0] != pictures[1]).any()
    envs.close()


@needs_opengl
def test_cameras_are_observed_as_a_dict():
    camera = {"name": "close", "width": 16, "height": 12, "kind": "rgb"}
    settings = {"observation": {"camera": camera, "n_stack": 2}}
    env = insonate.Env("probe-press", **settings)
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    assert observation["camera"].shape == (12, 16, 6)
    assert observation["camera"].dtype == np.uint8 and 10 < observation["camera"].mean() < 245
    # At the start all images of the stack are the first one.
    np.testing.assert_array_equal(observation["camera"][..., :3], observation["camera"][..., 3:])
    envs = insonate.VectorEnv("probe-press", 2, autoreset_mode="same_step", **settings)
    rows, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(rows["camera"][0], observation["camera"])
    np.testing.assert_array_equal(rows["state"][0], observation["state"])
    insonate.check_vector_env(envs, n_steps=30)
    real = insonate.Env("probe-press", pictures="float32", **settings)
    floats = real.reset(seed=0)[0]["camera"]
    assert floats.dtype == np.float32
    np.testing.assert_allclose(255.0 * floats, observation["camera"], atol=1e-4)
    flat = insonate.Env("probe-press", pictures="flat", **settings)
    row = flat.reset(seed=0)[0]
    assert row.shape == (len(flat.observation_names),) == (observation["state"].size + floats.size,)
    with pytest.raises(ValueError, match="pictures"):
        insonate.Env("probe-press", pictures="int8")


@needs_opengl
def test_depth_keeps_its_precision():
    camera = {"name": "close", "width": 16, "height": 12, "kind": "depth"}
    env = insonate.Env("probe-press", observation={"camera": camera})
    depth = env.reset(seed=0)[0]["camera"]
    assert depth.dtype == np.float32 and len(np.unique(depth)) > 64


@needs_opengl
@pytest.mark.parametrize("is_observed", [False, True])
def test_closed_environments_leave_no_pictures_in_memory(is_observed):
    camera = {"name": "close", "width": 64, "height": 48, "kind": "rgb"}
    settings = {"observation": {"camera": camera}} if is_observed else {"render_mode": "rgb_array"}

    def draw_and_close():
        env = insonate.Env("probe-press", **settings)
        env.reset(seed=0)
        env.render()
        env.close()

    for _ in range(3):
        draw_and_close()
    before = resident_memory()
    for _ in range(4):
        draw_and_close()
    # Each context that is not released keeps 30 to 100 MB, so four of them at least 120 MB.
    assert resident_memory() - before < 50e6


def resident_memory():
    """Memory of this process [bytes]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_ultrasound_is_observed_as_a_dict():
    ultrasound = {"readings": ["b_mode", "labels"], "lines": 8, "samples": 24, "depth": 0.03}
    settings = {
        "scene": {"shape": "adult"},
        "observation": {"ultrasound": ultrasound, "n_stack": 2},
        "time": {"limit": 0.2},
    }
    env = insonate.Env("probe-press", **settings)
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    assert observation["b_mode"].shape == observation["labels"].shape == (8, 24, 2)
    assert observation["b_mode"].dtype == np.uint8 and 0 < observation["b_mode"].mean() < 255
    assert env.observation_space["labels"].high.max() == 255.0
    groups = [(name, kind, age) for name, _, _, kind, age in env.environments.observation_groups]
    images = [("b_mode", "image"), ("labels", "image")]
    assert groups == [(*group, age) for age in (1, 0) for group in [("state", "state"), *images]]
    # The probe starts in air, which is material 0.
    np.testing.assert_array_equal(observation["labels"], np.zeros((8, 24, 2)))


def test_organs_are_observed_as_pictures():
    env = insonate.Env("find-view")
    check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=0)
    size = env.settings["observation"]["ultrasound"]
    for organ in ("liver", "kidney"):
        assert observation[organ].shape == (size["lines"], size["samples"], 1)
        assert set(np.unique(observation[organ])) <= {0, 255}
    assert observation["liver"].any()


def test_a_window_needs_pygame():
    try:
        import pygame  # noqa: F401
    except ImportError:
        env = insonate.Env("probe-press", render_mode="human")
        if can_draw():
            with pytest.raises(gymnasium.error.DependencyNotInstalled, match="pygame"):
                env.reset()
