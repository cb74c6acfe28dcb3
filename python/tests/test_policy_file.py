"""Contract: the code in docs/lookup/policy-files.md, exactly as printed, evaluates a policy file and checks it."""

import re
import warnings

import numpy as np
import pytest
from conftest import ROOT

import insonate

TOLERANCE = 1e-6
"""Single-precision rounding of the sums of a layer."""


@pytest.fixture(scope="module")
def printed():
    """Definitions in the Python blocks between the heading on arithmetic and the end of the page."""
    page = (ROOT / "docs/lookup/policy-files.md").read_text(encoding="utf-8")
    arithmetic = page[page.index("## Arithmetic") :]
    names = {}
    for block in re.findall(r"```python\n(.*?)```", arithmetic, re.DOTALL):
        exec(compile(block, "docs/lookup/policy-files.md", "exec"), names)
    return names


def printed_action(printed, path, rows):
    with warnings.catch_warnings():
        # The page leaves the file open for the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        return printed["act"](path, rows), printed["checksum_matches"](path)


@pytest.mark.parametrize("task", ["probe-sweep", "cube-push"])
def test_shipped_policies_act_as_the_page_says(printed, task):
    path = ROOT / "data/policies" / task / "policy.safetensors"
    policy = insonate.load_policy(path)
    rows = np.random.default_rng(1).normal(size=(200, len(policy.observation_names))).astype(np.float32)
    actions, is_whole = printed_action(printed, path, rows)
    assert is_whole
    np.testing.assert_allclose(actions, policy(rows), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu", "silu"])
def test_every_activation_acts_as_the_page_says(printed, activation, tmp_path):
    rng = np.random.default_rng(2)
    env = insonate.Env("pendulum")
    layers = [(rng.normal(size=(n_out, n_in)), rng.normal(size=n_out)) for n_in, n_out in ((3, 8), (8, 1))]
    path = tmp_path / "policy.safetensors"
    insonate.save_policy(path, env, layers, activation=activation)
    rows = rng.normal(size=(200, 3)).astype(np.float32)
    actions, is_whole = printed_action(printed, path, rows)
    assert is_whole
    np.testing.assert_allclose(actions, insonate.load_policy(path)(rows), rtol=0, atol=TOLERANCE)


def test_a_changed_file_does_not_match_its_checksum(printed, policy_file, tmp_path):
    data = bytearray(policy_file.read_bytes())
    data[-1] ^= 1
    path = tmp_path / "policy.safetensors"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert not printed["checksum_matches"](path)
