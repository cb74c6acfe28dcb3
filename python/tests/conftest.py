"""Fixtures from the checkout that several tests share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def policy_file():
    """A policy from the repository."""
    return ROOT / "data/policies/probe-sweep/policy.safetensors"
