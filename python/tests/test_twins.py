"""Contract: each function gives the digits of the command of its name."""

import json
import os
import subprocess

import numpy as np
import pytest

import insonate
from insonate import psm

CLI = os.environ.get("INSONATE_CLI")
needs_cli = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")

TIMES = {"train_s", "evaluation_s", "wall_s", "frames_per_second", "seconds_per_frame", "steps_per_second"}
"""Figures that differ between two runs."""


def command(*arguments, folder=None):
    """The figures of a command."""
    done = subprocess.run([CLI, *map(str, arguments), "--json"], capture_output=True, check=False, cwd=folder)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def timeless(summary):
    return {name: value for name, value in summary.items() if name not in TIMES}


@needs_cli
def test_evaluate(policy_file):
    options = ["--set", "time.limit=0.5", "--set", "randomization.breathing=true", "--fix", "torso.stiffness=900"]
    theirs = command("evaluate", policy_file, "--episodes", "2", "--seed", "7", *options)
    settings = {"time": {"limit": 0.5}, "randomization.breathing": True}
    ours = insonate.evaluate(policy_file, episodes=2, seed=7, fix={"torso.stiffness": 900.0}, **settings)
    assert ours.summary == theirs
    assert list(ours.columns["seed"]) == [7, 8]
    assert np.mean(ours.columns["return"]) == pytest.approx(theirs["return_mean"])


@needs_cli
def test_evaluate_several(policy_file):
    theirs = command("evaluate", "zero", "random", "scripted", "--task", "reacher", "--episodes", "5")
    assert insonate.evaluate(["zero", "random", "scripted"], task="reacher", episodes=5).summary == theirs


@needs_cli
def test_rollout(tmp_path):
    theirs = command("rollout", "random", "--task", "reacher", "--seed", "3", "--output", tmp_path, "--no-pictures")
    ours = insonate.rollout("random", task="reacher", seed=3)
    assert ours.summary == theirs
    assert ours.rewards.sum() == pytest.approx(theirs["return"])
    header = (tmp_path / "log.csv").read_text().splitlines()[0]
    assert ",".join(ours.columns) == header.replace('"', "")
    assert ours.observations.shape == (theirs["length"], 10)
    names = [name for name in ours.columns if name.startswith("observation/")]
    columns = np.stack([ours.columns[name] for name in names], axis=1)
    assert np.array_equal(columns.astype(np.float32), ours.observations)


@needs_cli
def test_train_and_export(tmp_path):
    options = ["--steps", "4096", "--envs", "8", "--evaluate-episodes", "3", "--no-tensorboard", "--set", "ppo.gae_lambda=0.9"]
    theirs = command("train", "pendulum", *options, "--output", tmp_path / "theirs")
    ours = insonate.train(
        "pendulum",
        output=tmp_path / "ours",
        steps=4096,
        envs=8,
        evaluate_episodes=3,
        tensorboard=False,
        ppo={"gae_lambda": 0.9},
    )
    assert timeless(ours.summary) == timeless(theirs)
    files = [tmp_path / folder / "policy.safetensors" for folder in ("theirs", "ours")]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert ours.policy().n_trained_steps == ours.summary["global_step"]
    assert ours.columns["global_step"][-1] == ours.summary["global_step"]

    with pytest.raises(FileExistsError):
        insonate.train("pendulum", output=tmp_path / "ours", steps=4096)

    theirs = command("export", tmp_path / "theirs", "--onnx", tmp_path / "theirs.onnx")
    ours = insonate.export(tmp_path / "ours", onnx=tmp_path / "ours.onnx")
    paths = {"policy_file", "onnx"}
    assert {k: v for k, v in ours.items() if k not in paths} == {k: v for k, v in theirs.items() if k not in paths}
    assert (tmp_path / "theirs.onnx").read_bytes() == (tmp_path / "ours.onnx").read_bytes()


@needs_cli
def test_demonstrate_and_imitate(tmp_path):
    demos = [tmp_path / f"{whose}.hdf5" for whose in ("theirs", "ours")]
    options = ["--episodes", "3", "--seed", "2", "--action-noise", "0.1", "--format", "robomimic"]
    theirs = command("demonstrate", "pendulum", *options, "--output", demos[0])
    ours = insonate.demonstrate(
        "pendulum", demos[1], episodes=3, seed=2, action_noise=0.1, format="robomimic"
    )
    assert ours | {"output": ""} == theirs | {"output": ""}
    assert demos[0].read_bytes() == demos[1].read_bytes()

    folders = [tmp_path / whose for whose in ("theirs", "ours")]
    theirs = command("imitate", "pendulum", "--data", demos[0], "--epochs", "4", "--hidden", "16", "--output", folders[0])
    ours = insonate.imitate("pendulum", demos[0], epochs=4, hidden=[16], output=folders[1])
    assert ours.summary | {"policy": ""} == theirs | {"policy": ""}
    assert ours.columns["training_loss"][theirs["best_epoch"] - 1] == theirs["training_loss"]
    policies = [(folder / "policy.safetensors").read_bytes() for folder in folders]
    assert policies[0] == policies[1]


@needs_cli
def test_psm_track_and_identify(tmp_path):
    options = ["--trajectory", "excitation-1", "--duration", "6", "--no-pictures", "--output", tmp_path]
    theirs = command("psm", "track", *options)
    ours = psm.track(trajectory="excitation-1", duration=6.0)
    assert timeless(ours.summary) == timeless(theirs)
    error = np.sqrt(np.mean((ours.columns["q"] - ours.columns["wanted"]) ** 2, axis=0))
    assert error.shape == (7,) and np.all(error < 0.1)

    log = tmp_path / "log.csv"
    theirs = command("psm", "identify", log, "--method", "wls", "--output", tmp_path / "identified")
    ours = psm.identify(log, method="wls")
    assert ours.summary == theirs
    assert ours.html == (tmp_path / "identified/report.html").read_text()
    assert len(ours.to_pandas()) == theirs["n_base_parameters"]


@needs_cli
def test_psm_palpate(tmp_path):
    options = ["--torso", "composite", "--depth", "0.01", "--duration", "0.5", "--no-pictures", "--output", tmp_path]
    theirs = command("psm", "simulate", *options)
    ours = psm.palpate(insonate.Scene("psm", torso="composite"), depth=0.01, duration=0.5)
    assert timeless(ours.summary) == timeless(theirs)
    assert ours.columns["tip_force"].shape == (len(ours.columns["time"]), 3)


def test_kinematics_of_the_psm_invert_each_other():
    arm = psm.Psm()
    q = np.array([0.1, 0.2, 0.12, 0.3, 0.2, 0.1, 0.3])
    position, quaternion = arm.tool_pose(q)
    assert np.allclose(arm.inverse_kinematics(position, quaternion, jaw_opening=0.2), q, atol=1e-9)
    # The velocity of the tool by differences.
    step = 1e-6
    jacobian = arm.tool_jacobian(q)
    for joint in range(7):
        moved = q.copy()
        moved[joint] += step
        velocity = (np.array(arm.tool_pose(moved)[0]) - np.array(position)) / step
        assert np.allclose(velocity, jacobian[:3, joint], atol=1e-5)
    mass = arm.mass_matrix(q)
    assert np.allclose(mass, mass.T) and np.all(np.linalg.eigvalsh(mass) > 0.0)
    still = np.zeros(7)
    torque = arm.inverse_dynamics(q, still, np.eye(7)[0]) - arm.inverse_dynamics(q, still, still)
    assert np.allclose(torque, mass[:, 0])
    assert arm.forward_kinematics(q).shape[1:] == (4, 4)
    with pytest.raises(ValueError, match="finite"):
        arm.tool_pose([np.nan] * 7)


def test_trained_policies_have_names(policy_file):
    assert insonate.load_policy("probe-sweep").to_bytes() == insonate.load_policy(policy_file).to_bytes()
    assert insonate.load_policy("cube-push").task == "cube-push"
    with pytest.raises(FileNotFoundError, match="probe-sweep"):
        insonate.load_policy("probe-swep")


def assert_same_image(ours, theirs):
    expected = {name: value for name, value in theirs.items() if name not in TIMES | {"device", "site_m"}}
    assert ours.summary == expected


@needs_cli
@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (["--seed", "3", "--site", "-0.09,0.03"], {"seed": 3, "site": (-0.09, 0.03)}),
        (["--phantom", "neck", "--probe", "l12-5"], {"phantom": "neck", "probe": "l12-5"}),
        (["--phantom", "cysts", "--probe", "l12-5"], {"phantom": "cysts", "probe": "l12-5"}),
    ],
    ids=["adult", "neck", "cysts"],
)
def test_image(options, keywords, tmp_path):
    size = {"lines": 64, "samples": 256, "size": 96}
    line = [word for name, value in size.items() for word in (f"--{name}", value)]
    theirs = command("image", *options, *line, "--iq", "--output", tmp_path)
    ours = insonate.image(**keywords, **size, iq=True)
    assert_same_image(ours, theirs)
    assert ours.png == (tmp_path / "b_mode.png").read_bytes()
    assert ours.b_mode.shape[1] == 96 and ours.envelope.shape == (64, 256)
    values = np.frombuffer((tmp_path / "iq.nrrd").read_bytes().split(b"\n\n", 1)[1], np.complex64)
    assert np.array_equal(values, ours.iq.ravel())


@needs_cli
def test_a_pressed_image(tmp_path):
    size = ["--lines", "64", "--samples", "256", "--size", "96"]
    theirs = command("image", "--patient", "adult", "--force", "5", *size)
    ours = insonate.image(force=5.0, lines=64, samples=256, size=96)
    assert_same_image(ours, theirs)


def test_a_running_scene_is_imaged_as_the_probe_deforms_it():
    physics = insonate.Physics(insonate.Scene(shape="adult"))
    scanner = insonate.Scanner(lines=64, samples=128, size=64)
    site = (-0.06, -0.02)
    physics.place(*physics.pose_on_skin(*site, 0.02))
    away = scanner.frame(physics, confidence=False)
    assert away.summary["contact_share"] == 0.0 and away.confidence is None and away.iq is None
    physics.control_force(*physics.pose_on_skin(*site), 8.0)
    physics.step(600)
    pressed = scanner.frame(physics, iq=True)
    assert pressed.summary["contact_share"] > 0.3
    assert pressed.legend[0] == "air" and pressed.coupled.mean() == pytest.approx(pressed.summary["contact_share"])
    again = insonate.Scanner(lines=64, samples=128, size=64).frame(physics, iq=True)
    assert np.array_equal(pressed.envelope, again.envelope) and np.array_equal(pressed.iq, again.iq)
    with pytest.raises(ValueError, match="pose"):
        scanner.frame(physics, ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="adult"):
        scanner.frame(physics, phantom=insonate.Phantom.neck())
