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
    bad("scalar", lambda good: np.float32(0), ValueError, "shape"),
    bad("zero dimensions", lambda good: np.array(0, np.float32), ValueError, "shape"),
    bad("complex", lambda good: good.astype(np.complex64), TypeError, "complex64"),
    bad("objects", lambda good: good.astype(object), TypeError, "object"),
    bad("strings", lambda good: good.astype(str), TypeError, "U"),
    bad("NaN", lambda good: np.full_like(good, np.nan), ValueError, "NaN"),
    bad("infinite", lambda good: np.full_like(good, np.inf), ValueError, "inf"),
    bad("out of bounds", lambda good: np.full_like(good, 1.5), ValueError, "out of bounds"),
    bad("two units in the last place out of bounds", lambda good: np.full_like(good, 1.0 + 2.0**-22), ValueError, "out of bounds"),
    bad("booleans", lambda good: good.astype(bool), TypeError, "bool"),
    bad("a list of NaN", lambda good: (np.nan * good).tolist(), ValueError, "NaN"),
    bad("none", lambda good: None, TypeError, "NoneType"),
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


GOOD_ACTIONS = {
    "float16": lambda good: good.astype(np.float16),
    "float64": lambda good: good.astype(np.float64),
    "long double": lambda good: good.astype(np.longdouble),
    "other byte order": lambda good: good.astype(">f4"),
    "columns of more": lambda good: np.repeat(good, 2, axis=1)[:, ::2],
    "backwards": lambda good: good[::-1].copy()[::-1],
    "Fortran order": lambda good: np.asfortranarray(good),
    "misaligned": lambda good: np.concatenate([np.zeros(1, np.uint8), good.view(np.uint8).ravel()])[1:].view(np.float32).reshape(good.shape),
    "a list": lambda good: good.tolist(),
    "a list of rows": lambda good: list(good),
}


@pytest.mark.parametrize("make", GOOD_ACTIONS.values(), ids=GOOD_ACTIONS)
def test_actions_of_any_real_type_and_order_are_cast(envs, make):
    # Multiples of 1/64 are exact in all of these types.
    multiples = np.random.default_rng(0).integers(-64, 65, envs.action_space.shape)
    actions = (multiples / 64.0).astype(np.float32)
    fresh = insonate.VectorEnv("reacher", N_ENVS)
    fresh.reset(seed=0)
    given = make(actions)
    np.testing.assert_array_equal(np.asarray(given, np.float32), actions)
    np.testing.assert_array_equal(envs.step(given)[0], fresh.step(actions)[0])
    fresh.close()


def test_actions_that_rounding_left_out_of_bounds_are_clipped(envs):
    high = envs.single_action_space.high
    fresh = insonate.VectorEnv("reacher", N_ENVS)
    fresh.reset(seed=0)
    for at, beyond in ((high, np.inf), (-high, -np.inf)):
        actions = np.tile(at, (N_ENVS, 1))
        over = np.nextafter(actions, np.float32(beyond))
        np.testing.assert_array_equal(envs.step(over)[0], fresh.step(actions)[0])
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
    with pytest.raises((ValueError, TypeError), match="num_envs|n_envs"):
        insonate.VectorEnv("reacher", n_envs)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: insonate.VectorEnv("reacher", 2, n_threads=-1), "n_threads is -1"),
        (lambda: insonate.VectorEnv("reacher", 2, max_episode_steps=-1), "max_episode_steps is -1"),
        (lambda: insonate.Env("reacher", width=-1), "width is -1"),
        (lambda: insonate.VectorEnv("reacher", 1, height=0), "height is 0"),
        (lambda: insonate.Physics(insonate.Scene(torso=None)).step(-1), "n is -1"),
    ],
)
def test_negative_sizes_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


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
        lambda: envs.reward_terms,
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


@pytest.mark.parametrize(
    ("keywords", "problem"),
    [
        ({"task": "reacher"}, "task"),
        ({"torso": ["stone"]}, "torso"),
        ({"truth": (0.0, 1.0)}, "truth"),
        ({"episodes": 1}, "episodes"),
        ({"model": "none"}, "model is .none.*kelvin-voigt"),
        ({"resume": True, "overwrite": True}, "exclude"),
    ],
)
def test_bad_studies(keywords, problem, tmp_path):
    with pytest.raises(ValueError, match=problem):
        insonate.study("press.csv", output=tmp_path, **keywords)


def test_bad_calls_of_learning(tmp_path):
    for call in (
        lambda: insonate.evaluate([], task="reacher"),
        lambda: insonate.evaluate("zero"),
        lambda: insonate.evaluate("zero", task="reacher", episodes=0),
        lambda: insonate.evaluate("zero", task="reacher", seeds=[1, 2]),
        lambda: insonate.evaluate("zero", task="reacher", nothing=1),
        lambda: insonate.rollout("zero", task="nowhere"),
        lambda: insonate.train("pendulum", output=tmp_path, algorithm="dqn"),
        lambda: insonate.train("pendulum", output=tmp_path, sac={"seed": 1}),
        lambda: insonate.train(output=tmp_path),
        lambda: insonate.demonstrate("pendulum", tmp_path / "demos", format="zip"),
        lambda: insonate.export(tmp_path / "nowhere"),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert "--" not in str(raised.value)
    with pytest.raises(FileNotFoundError):
        insonate.imitate("pendulum", tmp_path / "nowhere.hdf5", output=tmp_path)


@pytest.mark.parametrize(
    "call",
    [
        lambda: insonate.Scanner("x"),
        lambda: insonate.Scanner(size=3),
        lambda: insonate.Scanner(lines=0),
        lambda: insonate.Phantom.block("stone"),
        lambda: insonate.Phantom.adult(height=9.0),
        lambda: insonate.Phantom.neck().probe_pose((3.0, 0.0)),
        lambda: insonate.image(phantom="stone"),
        lambda: insonate.image(force=3.0, phantom="neck"),
        lambda: insonate.image(force=3.0, indentation=0.01),
        lambda: insonate.psm.track(trajectory="circle"),
        lambda: insonate.psm.track(duration=0.0),
        lambda: insonate.psm.identify("log.csv", cutoff="low"),
    ],
)
def test_bad_calls_of_ultrasound_and_psm(call):
    with pytest.raises(ValueError) as raised:
        call()
    assert "--" not in str(raised.value)
