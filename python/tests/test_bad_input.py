"""Contract: for any input from Python, an exception says what is wrong. Nothing aborts, and the environment stays
usable."""

import multiprocessing
import os
import threading

import numpy as np
import pytest

import insonate

N_ENVS = 4


@pytest.fixture
def envs():
    envs = insonate.VectorEnv("reacher", N_ENVS, n_threads=2)
    envs.reset(seed=0)
    yield envs
    envs.close()


def zeros(envs, dtype=np.float32):
    return np.zeros(envs.action_space.shape, dtype)


def bad(name, make, error, words):
    return pytest.param(make, error, words, id=name)


BAD_ACTIONS = [
    bad("one row", lambda good: good[:1], ValueError, "shape"),
    bad("flat", lambda good: good.ravel(), ValueError, "shape"),
    bad("no rows", lambda good: good[:0], ValueError, "shape"),
    bad("scalar", lambda good: np.float32(0), TypeError, "float32"),
    bad("zero dimensions", lambda good: np.array(0, np.float32), ValueError, "shape"),
    bad("float64", lambda good: good.astype(np.float64), TypeError, "float64"),
    bad("int64", lambda good: good.astype(np.int64), TypeError, "int64"),
    bad("complex", lambda good: good.astype(np.complex64), TypeError, "complex64"),
    bad("objects", lambda good: good.astype(object), TypeError, "object"),
    bad("strings", lambda good: good.astype(str), TypeError, "U"),
    bad("other byte order", lambda good: good.astype(">f4"), TypeError, "f4"),
    bad("columns of more", lambda good: np.zeros((N_ENVS, 4), np.float32)[:, ::2], ValueError, "contiguous"),
    bad("backwards", lambda good: good[::-1], ValueError, "contiguous"),
    bad("Fortran order", lambda good: np.asfortranarray(good), ValueError, "contiguous"),
    bad("misaligned", lambda good: np.zeros(33, np.uint8)[1:].view(np.float32).reshape(N_ENVS, 2), ValueError, "contiguous"),
    bad("NaN", lambda good: np.full_like(good, np.nan), ValueError, "NaN"),
    bad("infinite", lambda good: np.full_like(good, np.inf), ValueError, "inf"),
    bad("out of bounds", lambda good: np.full_like(good, 1.5), ValueError, "out of bounds"),
    bad("none", lambda good: None, TypeError, "NoneType"),
    bad("a list", lambda good: good.tolist(), TypeError, "list"),
    bad("a dict", lambda good: {}, TypeError, "dict"),
]


@pytest.mark.parametrize(("make", "error", "words"), BAD_ACTIONS)
def test_bad_actions_change_nothing(envs, make, error, words):
    with pytest.raises(error, match=words):
        envs.step(make(zeros(envs)))
    fresh = insonate.VectorEnv("reacher", N_ENVS)
    fresh.reset(seed=0)
    ours, theirs = envs.step(zeros(envs)), fresh.step(zeros(envs))
    np.testing.assert_array_equal(ours[0], theirs[0])
    fresh.close()


def test_read_only_actions_are_fine(envs):
    actions = zeros(envs)
    actions.flags.writeable = False
    envs.step(actions)


@pytest.mark.parametrize(
    ("seed", "words"),
    [(-1, "whole number"), (2**64, "whole number"), (1.5, "whole number"), ([1, 2], "2 seeds")],
)
def test_bad_seeds(envs, seed, words):
    with pytest.raises((ValueError, TypeError), match=words):
        envs.reset(seed=seed)


@pytest.mark.parametrize(
    "mask",
    [np.ones(N_ENVS + 1, bool), np.zeros(N_ENVS, bool), np.ones(N_ENVS), [True] * N_ENVS],
)
def test_bad_masks(envs, mask):
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("options", [{"x": "soft"}, {"x": None}, {"x": np.zeros(2)}, {"nonsense": 1}])
def test_bad_options(envs, options):
    with pytest.raises((ValueError, TypeError)):
        envs.reset(options=options)


@pytest.mark.parametrize("n_envs", [0, -1, 1.5, "4"])
def test_bad_numbers_of_environments(n_envs):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        insonate.VectorEnv("reacher", n_envs)


def test_a_step_before_the_first_reset():
    envs = insonate.VectorEnv("reacher", 2)
    with pytest.raises(insonate.OrderError, match="reset"):
        envs.step(zeros(envs))
    env = insonate.Env("reacher")
    with pytest.raises(insonate.OrderError, match="reset"):
        env.step(np.zeros(2, np.float32))


def test_a_step_after_the_end():
    env = insonate.Env("reacher")
    env.reset(seed=0)
    over = False
    while not over:
        *_, terminated, truncated, _ = env.step(np.zeros(2, np.float32))
        over = terminated or truncated
    with pytest.raises(insonate.OrderError, match="over"):
        env.step(np.zeros(2, np.float32))


def test_use_after_close():
    env, envs = insonate.Env("reacher"), insonate.VectorEnv("reacher", 2)
    uses = [
        lambda: env.step(np.zeros(2, np.float32)),
        env.reset,
        env.scripted_action,
        lambda: env.parameters,
        lambda: envs.step(np.zeros((2, 2), np.float32)),
        envs.reset,
        envs.reward_terms,
        lambda: envs.draw(0, None, 64, 48),
    ]
    for one in (env, envs):
        one.reset(seed=0)
        one.close()
        one.close()
    for use in uses:
        with pytest.raises(insonate.ClosedError):
            use()


def test_another_thread_may_step_but_not_at_the_same_moment():
    envs = insonate.VectorEnv("probe-sweep", 8, n_threads=1)
    envs.reset(seed=0)
    actions = zeros(envs)
    seen = []

    def step_often():
        for _ in range(30):
            try:
                envs.step(actions)
                seen.append("stepped")
            except insonate.OrderError as error:
                seen.append(str(error))

    threads = [threading.Thread(target=step_often) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "stepped" in seen
    assert all(what == "stepped" or "another thread" in what for what in seen)
    envs.step(actions)
    envs.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork_the_child_is_told_and_the_parent_goes_on(envs):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # The child must not leave this block, or it would continue with the tests.
        try:
            envs.step(zeros(envs))
            said = "stepped"
        except insonate.OrderError as error:
            said = str(error)
        envs.close()
        own = insonate.VectorEnv("reacher", 2)
        own.reset(seed=0)
        own.step(np.zeros((2, 2), np.float32))
        own.close()
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert "fork" in said
    envs.step(zeros(envs))


def work_in_child(seed):
    env = insonate.Env("reacher")
    return env.reset(seed=seed)[0]


def test_children_that_are_spawned_have_their_own():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        rows = pool.map(work_in_child, [0, 1])
    here = insonate.VectorEnv("reacher", 2).reset(seed=0)[0]
    np.testing.assert_array_equal(np.stack(rows), here)


@pytest.mark.parametrize("observation", [np.zeros(3, np.float32), np.zeros((2, 2, 2), np.float32), "x", None])
def test_bad_observations_of_a_policy(policy_file, observation):
    policy = insonate.load_policy(policy_file)
    with pytest.raises((ValueError, TypeError)):
        policy(observation)
    with pytest.raises(ValueError, match="NaN"):
        policy(np.full(len(policy.observation_names), np.nan, np.float32))


def test_bad_policy_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        insonate.load_policy(tmp_path / "nowhere.safetensors")
    (tmp_path / "junk.safetensors").write_bytes(b"\xff" * 64)
    with pytest.raises(ValueError, match="junk"):
        insonate.load_policy(tmp_path / "junk.safetensors")
