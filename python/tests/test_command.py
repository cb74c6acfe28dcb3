"""Contract: `python -m insonate` and the script `insonate` are the command line of the Rust binary."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLI = os.environ.get("INSONATE_CLI")
MODULE = [sys.executable, "-m", "insonate"]
SCRIPT = [str(Path(sys.executable).with_name("insonate"))]

pytestmark = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")


def run(program, *arguments, **keywords):
    return subprocess.run([*program, *arguments], capture_output=True, timeout=300, **keywords)


@pytest.mark.parametrize("program", [MODULE, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--json"],
        ["--version"],
        ["--help"],
        [],
        ["scan", "--help"],
        ["describe", "probe-sweep"],
        ["scene", "--robot", "nobody"],
        ["scan", "--no-such-option"],
        ["calibrate", "missing.csv"],
        ["press", "--depth", "7", "--no-pictures"],
    ],
    ids=" ".join,
)
def test_output_and_status_are_those_of_the_binary(program, arguments, tmp_path):
    ours = run(program, *arguments, cwd=tmp_path)
    binary = run([CLI], *arguments, cwd=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (
        binary.returncode,
        binary.stdout,
        binary.stderr,
    )


def test_a_scene_is_compiled_with_the_installed_libmujoco(tmp_path):
    arguments = ["press", "--torso", "composite", "--depth", "0.005", "--speed", "0.2", "--no-pictures"]
    logs = []
    for name, program in (("module", MODULE), ("binary", [CLI])):
        done = run(program, *arguments, "--output", tmp_path / name)
        logs.append((done.returncode, (tmp_path / name / "log.csv").read_bytes()))
    assert logs[0] == logs[1]


def test_ctrl_c_ends_a_command_which_says_what_it_saved(tmp_path):
    command = [*MODULE, "scan", "--no-pictures", "--speed", "0.001", "--output", str(tmp_path / "scan")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    scene = tmp_path / "scan/scene.xml"
    while not scene.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(3.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted after" in errors and b"Traceback" not in errors
    # A slow machine may still compile the scene, and has no log then.
    assert (tmp_path / "scan/log.csv").exists() == (b"saved log.csv" in errors)
