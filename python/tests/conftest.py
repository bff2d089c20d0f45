import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))


def pytest_report_header(config):
    import etscope

    return f"etscope: {os.path.dirname(etscope.__file__)}"
