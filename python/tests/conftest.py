"""Fixtures from the checkout that several tests share."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

EDGE = 0.006
"""Edge of the voxels of made patients [m]. With 8 mm, surfaces are made in several attempts, which takes seven times as long."""


@pytest.fixture
def policy_file():
    """A policy from the repository."""
    return ROOT / "data/policies/probe-sweep/policy.safetensors"


@pytest.fixture(scope="session")
def patients(tmp_path_factory, worker_id):
    """Folders of a made man and woman, which all processes of the tests share."""
    base = tmp_path_factory.getbasetemp()
    scratch = (base if worker_id == "master" else base.parent) / "patients"
    folders = [scratch / name for name in ("adam", "zoe")]
    try:
        scratch.mkdir()
    except FileExistsError:
        for _ in range(3000):
            if (scratch / "done").exists():
                return folders
            time.sleep(0.2)
        pytest.fail("another process made no patients within 10 minutes")
    for folder, sex in zip(folders, ("male", "female"), strict=True):
        ct = scratch / f"ct-{folder.name}"
        demo = ["demo", "--voxel", str(EDGE), "--patient-sex", sex, "--output", str(ct)]
        for arguments in (demo, ["make", str(ct), "--output", str(folder)]):
            command = [sys.executable, "-m", "insonate", "patient", *arguments]
            done = subprocess.run(command, capture_output=True, timeout=300, check=False)
            assert done.returncode == 0, done.stderr
    (scratch / "done").touch()
    return folders
