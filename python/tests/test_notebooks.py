"""Contract: the notebooks of the book run from top to bottom, and are stored without output."""

import pytest

from conftest import ROOT

nbclient = pytest.importorskip(
    "nbclient", reason="notebooks need nbclient and ipykernel"
)
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 5


# The kernel's own event loop warns about what it closes.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    assert all(cell.execution_count for cell in code)
