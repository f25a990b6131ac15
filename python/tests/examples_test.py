"""The examples in Python run, and docs/python.md says what its commands print."""
import contextlib
import doctest
import importlib.util
import io
import os
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(os.environ["HELIOLITE_SOURCE"])


def load(name):
    """A program of examples/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(name, *arguments):
    """What the program prints."""
    out = io.StringIO()
    with mock.patch.object(sys, "argv", [name, *arguments]), contextlib.redirect_stdout(out):
        load(name).main()
    return out.getvalue()


class Examples(unittest.TestCase):
    def test_every_program_is_tested(self):
        programs = {path.stem for path in (ROOT / "examples").glob("*.py")}
        self.assertEqual(programs, {"compare_machines", "own_mapper", "run_notebook"})

    def test_own_mapper(self):
        self.assertRegex(printed("own_mapper"), r"the best drawn is \d+\.\d\d times what nothing can beat")

    def test_compare_machines(self):
        self.assertRegex(printed("compare_machines", "resnet18/conv3_x", "eyeriss"), r"eyeriss +\S+ +\S+ +1/1")

    def test_notebooks(self):
        for path in (ROOT / "examples").glob("*.ipynb"):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertGreater(load("run_notebook").run_notebook(path), 5)

    def test_a_cell_that_fails(self):
        run_cell = load("run_notebook").run_cell
        self.assertEqual(run_cell("x = 2\nx + 1", {}), 3)
        with self.assertRaises(ZeroDivisionError):
            run_cell("1 / 0", {})

    def test_guide(self):
        failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False,
                                         optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)


if __name__ == "__main__":
    unittest.main()
