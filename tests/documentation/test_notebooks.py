"""The notebooks of the documentation run from the first cell to the last."""

from __future__ import annotations

import nbformat
import pytest
from helpers import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_four_notebooks():
    assert len(NOTEBOOKS) == 4


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS")  # a reader has it not set
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()  # an error in a cell raises CellExecutionError with its trace


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_was_saved_with_its_outputs(path):
    """The site shows them without running anything."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    assert any(cell.outputs for cell in cells)
    kinds = {output.output_type for cell in cells for output in cell.outputs}
    assert "error" not in kinds
