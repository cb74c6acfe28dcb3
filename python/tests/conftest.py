"""What several tests use of the checkout."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def policy_file():
    """A policy that comes with the sources."""
    return ROOT / "data/policies/probe-sweep/policy.safetensors"
