"""etscope-fleet page: one file, names as text, links to reports."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import types

import pytest

pytest.importorskip("duckdb")

from etscope import Error  # noqa: E402
from etscope.fleet import page  # noqa: E402
from etscope.fleet.duck import Duck  # noqa: E402
from fixtures import file  # noqa: E402
from fleet_made import Fleet  # noqa: E402

HOSTILE = "</script><img src=x onerror=document.title='owned'>\u202e\x1b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = Fleet(1, devices=3, traces=4, runs=2)
    for table, rows in made.tables.items():
        for row in rows:
            if row["device"] == "dev0":
                row["device"] = HOSTILE
    path = pathlib.Path(file("gpt_xnnpack", "profile.etdp"))
    name = hashlib.sha256(path.read_bytes()).hexdigest()
    made.tables["traces"][-1]["path"] = str(path)
    made.tables["traces"][-2]["path"] = str(file("mlp_xnnpack", "profile.etdp"))  # now another trace
    last = made.tables["traces"][-1]["trace"]
    for rows in made.tables.values():
        for row in rows:
            row["trace"] = name if row["trace"] == last else row["trace"]
    return made.write(tmp_path_factory.mktemp("fleet") / "set")


def write(folder, out, base="build=1.2", new="build=1.3", reports=None):
    words = types.SimpleNamespace(dataset=folder, output=str(out), base=base, new=new, reports=reports,
                                  limit=None)  # fmt: skip
    answer = page.write(Duck(folder), words)
    text = out.read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.S)[1]
    return answer, text, json.loads(data)


def test_the_page_is_one_file_without_network(folder, tmp_path):
    answer, text, data = write(folder, tmp_path / "f.html")
    assert answer.sentence.startswith("wrote ") and len(text) < 100_000
    assert "default-src 'none'" in text and not re.search(r"(src|href)=[\"']?http", text)
    assert [each["title"] for each in data["sections"]] == ["Regressions", "Outliers", "Operators"]
    assert len(data["devices"]) == 3 and len(data["builds"]) == 2 and len(data["traces"]) == 24
    for row in data["devices"] + data["builds"]:
        assert sorted(row["quantiles"]) == row["quantiles"]


def test_hostile_names_are_text(folder, tmp_path):
    _, text, data = write(folder, tmp_path / "f.html")
    assert HOSTILE in [row["name"] for row in data["devices"]]
    assert "<img" not in text and text.count("</script>") == 2
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("no chromium")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
         "--dump-dom", f"file://{tmp_path}/f.html"], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    dom = done.stdout.partition("<script")[0]
    assert "<title>etscope fleet</title>" in dom and "<img" not in dom
    assert "&lt;img src=x" in dom and "\u202e" not in dom
    assert dom.count("<section") == 8
    assert re.search(r'class="bar"><span class="full" style="width: \d', dom)


def test_reports_are_linked_where_the_trace_is_at_hand(folder, tmp_path, monkeypatch, capsys):
    etscope = os.environ.get("ETSCOPE") or shutil.which("etscope")
    if not etscope:
        pytest.skip("no etscope")
    monkeypatch.setenv("PATH", os.path.dirname(etscope) + os.pathsep + os.environ["PATH"])
    answer, _, data = write(folder, tmp_path / "f.html", reports=str(tmp_path / "reports"))
    links = [row["report"] for row in data["traces"] if row["report"]]
    assert len(links) == 1 and links[0].startswith("reports/") and "1 report in" in answer.sentence
    assert b"etscope" in (tmp_path / links[0]).read_bytes()
    assert "profile.etdp is another trace since it was ingested" in capsys.readouterr().err


def test_without_etscope_the_page_is_written_without_reports(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    _, _, data = write(folder, tmp_path / "f.html", reports=str(tmp_path / "reports"))
    assert not any(row["report"] for row in data["traces"])
    assert "there is no etscope on PATH" in capsys.readouterr().err


def test_base_without_new_is_an_error(folder, tmp_path):
    with pytest.raises(Error, match="belong together"):
        write(folder, tmp_path / "f.html", new=None)


def test_colours_are_those_of_the_report():
    look = pathlib.Path(__file__).parents[2] / "web/src/style/base.css"
    colours = look.read_text(encoding="utf-8").partition("@media print")[0]
    ours = (pathlib.Path(page.__file__).parent / "page.css").read_text(encoding="utf-8")
    assert set(re.findall(r"--[\w-]+: #\w+", colours)) == set(re.findall(r"--[\w-]+: #\w+", ours))
