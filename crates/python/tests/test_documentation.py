"""Runs the examples in docstrings, in README.md, in the book and in the notebooks."""

import doctest
import importlib
import os
import pkgutil
from pathlib import Path

import centipawn
import nbclient
import nbformat
import pytest
from conftest import ROOT

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [module.name for module in pkgutil.iter_modules(centipawn.__path__) if module.name != "_centipawn"]


@pytest.fixture(autouse=True)
def beside_the_games(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples)


@pytest.mark.parametrize("name", ["centipawn", *(f"centipawn.{module}" for module in MODULES)])
def test_examples_in_docstrings_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert result.failed == 0


def test_examples_in_the_guide_are_true() -> None:
    page = ROOT / "docs" / "python.md"
    # A doctest ends at an empty line, so replace the end of a code block by one.
    text = page.read_text().replace("\n```\n", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(examples.examples) > 15
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(examples)
    assert result.failed == 0


@pytest.mark.parametrize("name", ["README.md", "docs/researcher.md"])
def test_programs_of_pages_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    programs = [block.split("```")[0] for block in (ROOT / name).read_text().split("```python\n")[1:]]
    assert programs
    for program in programs:
        exec(compile(program, name, "exec"), {})


@pytest.mark.parametrize("name", ["centipawn.ipynb", "own-games.ipynb", "hard-for-whom.ipynb", "piece-values.ipynb"])
def test_notebooks_run(examples: Path, name: str) -> None:
    notebook = nbformat.read(examples / name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": os.fspath(examples)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "text/html" in kinds
    assert "image/svg+xml" in kinds or name == "hard-for-whom.ipynb"
