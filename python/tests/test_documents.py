"""Contract: the Python code in the documents runs as it is printed."""

import re
import shutil

import numpy as np
import pytest

from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = ["docs/python.md", "docs/do/own-task-in-python.md", "python/README.md"]
BLOCKS = [
    pytest.param(document, line, block[1], id=f"{document}:{line}")
    for document in DOCUMENTS
    for text in [(ROOT / document).read_text()]
    for block in BLOCK.finditer(text)
    for line in [text[: block.start(1)].count("\n")]
]


def write_press(path):
    """A press on a tissue of known stiffness, as a user's log."""
    time = np.arange(0.0, 4.0, 0.002)
    indentation = 0.01 * (1.0 - np.cos(np.pi * time)) + 1e-4
    velocity = np.gradient(indentation, time)
    force = 1300.0 * indentation + 20.0 * velocity
    force += np.random.default_rng(0).normal(0.0, 0.02, len(time))
    columns = np.column_stack([time, indentation, velocity, force])
    header = "time_s,indentation_m,velocity_m_s,force_n"
    np.savetxt(path, columns, delimiter=",", header=header, comments="")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the files that the documents read."""
    policies = "data/policies/probe-sweep"
    shutil.copytree(ROOT / policies, tmp_path / policies)
    write_press(tmp_path / "press.csv")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize(("document", "line", "text"), BLOCKS)
def test_a_block_runs_as_printed(document, line, text, request, tmp_path):
    if "output/patient" in text:
        shutil.copytree(request.getfixturevalue("patients")[0], tmp_path / "output/patient")
    # Empty lines give tracebacks the numbers of the document's lines.
    code = compile("\n" * line + text, document, "exec")
    exec(code, {"__name__": "__main__"})
