"""Runs a notebook as Jupyter would, in its folder, without a kernel of its own.

    build/python-venv/bin/python python/tests/notebooks.py examples/model_to_answer.ipynb

runs it and stores the outputs in it.
"""

import contextlib
import json
import os
import re
import sys

import matplotlib
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from matplotlib import pyplot
from traitlets.config import Config


class ShownResults(DisplayHook):
    """Shows a cell's last value, where the shell of a terminal would print it."""

    def __call__(self, result=None):
        if result is not None:
            display(result)


@contextlib.contextmanager
def shell_in(folder):
    """IPython's shell as a notebook has it, which writes nothing to the user's profile."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield InteractiveShell.instance(
            config=Config({"HistoryManager": {"enabled": False}}), displayhook_class=ShownResults
        )
    finally:
        InteractiveShell.clear_instance()
        os.chdir(before)


def run(notebook, folder):
    """Runs the code cells in order and gives each its outputs. Raises what a cell raises."""
    matplotlib.use("Agg")
    with shell_in(folder) as shell:
        for number, cell in enumerate(code_cells(notebook), 1):
            with capture_output(stderr=False) as captured:
                result = shell.run_cell("".join(cell["source"]))
            result.raise_error()
            cell["execution_count"] = number
            cell["outputs"] = [
                {"output_type": "display_data", "metadata": {}, "data": lines_of(output.data)}
                for output in captured.outputs
            ]
            cell["outputs"] += pictures()
            if captured.stdout:
                text = captured.stdout.splitlines(keepends=True)
                stream = {"output_type": "stream", "name": "stdout", "text": text}
                cell["outputs"].insert(0, stream)


def pictures():
    """What a cell drew, by its size: a picture itself differs with fonts and would fill the file."""
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    shown = []
    for figure in figures:
        figure.canvas.draw()
        shown.append({"output_type": "display_data", "metadata": {},
                      "data": {"text/plain": [repr(figure)]}})  # fmt: skip
    pyplot.close("all")
    return shown


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def lines_of(data):
    """As a notebook stores it, without what only this process knows, and only once."""
    if "text/html" in data:
        html = re.sub(r"<style scoped>.*?</style>\n?", "", data["text/html"], flags=re.DOTALL)
        data = {"text/html": re.sub(r"\n\s*", "\n", html)}
    return {
        kind: re.sub(" at 0x[0-9a-f]+", "", value).splitlines(keepends=True)
        for kind, value in data.items()
    }


def words(output):
    """What an output says, however it is set; versions of pandas differ in how they write NaN."""
    if output["output_type"] == "stream":
        return re.sub(r"\bnan\b", "NaN", "".join(output["text"])).split()
    if "text/html" not in output["data"]:
        return "".join(output["data"]["text/plain"]).split()
    text = "".join(output["data"]["text/html"])
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text).split()


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    run(notebook, os.path.dirname(path) or ".")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
