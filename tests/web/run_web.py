"""Runs a test of web/ with node, or says why it is skipped (77).

    python3 tests/web/run_web.py assets|style|unit|browser|files|pictures BUILD_FOLDER

assets: the checked-in page is what web/src gives. style: types and formatting. unit: parts of the
page without a browser. browser: reports in Chromium. files: the page that reads dropped files (make page),
and its program in node. ETSCOPE names the binary. pictures is no
test: it makes those of docs/report.md.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import hostile_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
TESTS = ROOT / "tests" / "web"
ASSETS = ROOT / "src" / "output" / "page" / "assets"
FIREFOX = ("firefox-esr", "firefox")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OLDEST_NODE = 18
FILES_PAGE = ROOT / "build-wasm" / "etscope.html"


def skip(reason):
    print(f"skipped: 1 of 1: {reason}")
    sys.exit(77)


def find_node():
    node = shutil.which("node")
    if node is None:
        skip("node is missing (make setup installs it)")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    if not version.startswith("v") or int(version[1:].split(".")[0]) < OLDEST_NODE:
        skip(f"node is {version.strip() or 'broken'}; the page needs {OLDEST_NODE} or newer")
    if not (WEB / "node_modules" / "esbuild").exists():
        skip("the packages of web/ are missing (make setup installs them)")
    return node


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], check=False, **options)
    if done.returncode != 0:
        sys.exit(done.returncode)


def check_assets(node):
    with tempfile.TemporaryDirectory() as folder:
        run(node, WEB / "build.mjs", folder)
        for path in sorted(pathlib.Path(folder).iterdir()):
            if (ASSETS / path.name).read_bytes() != path.read_bytes():
                print(f"{path.name} is not what web/src gives: make web")
                sys.exit(1)
    print("report.js and report.css are what web/src gives")


def check_style(node):
    for project in (WEB, TESTS):
        run(node, WEB / "node_modules/typescript/bin/tsc", "-p", project)
    run(node, WEB / "node_modules/prettier/bin/prettier.cjs", "--check", WEB, TESTS,
        "--ignore-path", WEB / ".prettierignore", cwd=WEB)


def run_tests(node, folder, pattern):
    """Bundled, since old nodes read no TypeScript."""
    shutil.rmtree(folder, ignore_errors=True)
    sources = sorted(TESTS.glob(pattern))
    run(node, TESTS / "bundle.mjs", folder, *sources)
    run(node, "--test", *sorted(pathlib.Path(folder).glob("*.mjs")))


def make_pictures(node, folder):
    if shutil.which("pngquant") is None:
        sys.exit("pngquant is missing: apt-get install pngquant")
    os.environ["PICTURES"] = str(ROOT / "docs" / "pictures")
    shutil.rmtree(folder, ignore_errors=True)
    run(node, TESTS / "bundle.mjs", folder, TESTS / "pictures.ts")
    run(node, folder / "pictures.mjs")


def main():
    name, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    node = find_node()
    if name == "assets":
        check_assets(node)
    elif name == "style":
        check_style(node)
    elif name == "unit":
        run_tests(node, build / "unit", "unit/*.test.ts")
    else:
        browser = next(filter(None, map(shutil.which, CHROMIUM)), None)
        if browser is None:
            skip("chromium is missing (make setup installs it)")
        hostile = hostile_files.write(build / "hostile")
        os.environ.update(HOSTILE=str(hostile), CHROMIUM=browser, WEB=str(WEB), DATA=str(ROOT / "tests" / "data"),
                          REPORTS=str(build / "reports"))
        if name == "files":
            if not FILES_PAGE.exists():
                skip("the page is not built (make page)")
            firefox = next(filter(None, map(shutil.which, FIREFOX)), "")
            os.environ.update(FIREFOX=firefox, PAGE=str(FILES_PAGE), WASM=str(ROOT / "build-wasm" / "bin" / "etscope.wasm"))
            run_tests(node, build / "files", "files/*.test.ts")
        elif name == "browser":
            run_tests(node, build / "browser", "browser/*.test.ts")
        else:
            make_pictures(node, build / "pictures")


if __name__ == "__main__":
    main()
