"""Contract: environments are rendered, and observed cameras give a dict of state and image."""

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
    assert 0.0 < observation["camera"].mean() < 1.0
    # At the start all images of the stack are the first one.
    np.testing.assert_array_equal(observation["camera"][..., :3], observation["camera"][..., 3:])
    envs = insonate.VectorEnv("probe-press", 2, autoreset_mode="same_step", **settings)
    rows, _ = envs.reset(seed=0)
    np.testing.assert_array_equal(rows["camera"][0], observation["camera"])
    np.testing.assert_array_equal(rows["state"][0], observation["state"])
    insonate.check_vector_env(envs, n_steps=30)


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
    assert 0.0 < observation["b_mode"].mean() < 1.0
    assert env.observation_space["labels"].high.max() == 255.0
    # The probe starts in air, which is material 0.
    np.testing.assert_array_equal(observation["labels"], np.zeros((8, 24, 2)))


def test_a_window_needs_pygame():
    try:
        import pygame  # noqa: F401
    except ImportError:
        env = insonate.Env("probe-press", render_mode="human")
        if can_draw():
            with pytest.raises(gymnasium.error.DependencyNotInstalled, match="pygame"):
                env.reset()
