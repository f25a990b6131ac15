"""Runs the code cells of a notebook one after the other, as Jupyter would, and fails with the first one that does.

    python3 examples/run_notebook.py NOTEBOOK.ipynb

What a cell would show at its end is asked for its HTML, so that a picture that cannot be drawn fails too.
"""
import ast
import json
import sys


def run_cell(source, names):
    """Runs one cell; returns the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


def run_notebook(path):
    """Runs all cells and returns how many there are."""
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        source = "".join(cell["source"])
        try:
            shown = run_cell(source, names)
        except Exception:
            print(f"{path}: cell {number} fails:\n{source}", file=sys.stderr)
            raise
        if hasattr(shown, "_repr_html_"):
            shown._repr_html_()
    return len(cells)


if __name__ == "__main__":
    print(f"{run_notebook(sys.argv[1])} cells run")
