"""etscope-fleet reads its data set only, writes whole files beside it, and says what it needs."""

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

fsspec = pytest.importorskip("fsspec")

from fixtures import file
from fsspec.implementations.memory import MemoryFileSystem

from etscope import Error
from etscope.fleet import commits, ingest
from etscope.fleet.command import main
from etscope.fleet.duck import Duck


@pytest.fixture
def dataset(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    shutil.copy(file("mlp_portable", "profile.etdp"), tmp_path / "in/good.etdp")
    code = main(["ingest", str(tmp_path / "in"), "-o", str(tmp_path / "set"), "--workers", "1"])
    assert code == 0, capsys.readouterr().err
    capsys.readouterr()
    return tmp_path / "set"


def test_a_query_reads_the_data_set_alone(dataset, tmp_path, capsys):
    (tmp_path / "secret.csv").write_text("a,b\n1,hidden\n")
    assert main(["query", "--dataset", str(dataset), "select count(*) as n from traces"]) == 0
    capsys.readouterr()
    for sql in (f"select * from read_csv('{tmp_path}/secret.csv')", f"select * from '{tmp_path}/secret.csv'",
                f"select * from read_text('{tmp_path}/secret.csv')", f"select * from glob('{tmp_path}/*')",
                "select * from read_parquet('https://example.invalid/x.parquet')",
                "select * from read_json('s3://bucket/x.json')"):  # fmt: skip
        assert main(["query", "--dataset", str(dataset), sql]) == 2
        said = capsys.readouterr()
        assert "hidden" not in said.out and "Traceback" not in said.err
        assert len(said.err.splitlines()) == 1


class Bucket(MemoryFileSystem):
    """Objects as S3 has them, in memory."""

    protocol = ("s3", "s3a")
    store, pseudo_dirs = {}, [""]

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("s3://", "memory://"))


@pytest.mark.parametrize("scheme", ["memory", "s3"])
def test_a_query_reads_a_remote_data_set_alone(scheme, tmp_path):
    if scheme == "s3":
        fsspec.register_implementation("s3", Bucket, clobber=True)
    (tmp_path / "in").mkdir()
    shutil.copy(file("mlp_portable", "profile.etdp"), tmp_path / "in/good.etdp")
    dataset = f"{scheme}://closed/set"
    commits.prepare(dataset)
    found, _, _ = ingest.Reader(dataset).read(ingest.files_of([str(tmp_path / "in")]))
    commits.commit_batch(dataset, found)
    with fsspec.filesystem(scheme).open(f"{scheme}://closed/secret.csv", "w") as secret:
        secret.write("a,b\n1,hidden\n")
    engine = Duck(dataset)
    assert engine.sql("select count(*) as n from traces").to_pylist() == [{"n": 1}]
    for sql in (f"select * from read_csv('{scheme}://closed/secret.csv')",
                f"select * from glob('{scheme}://closed/**')"):  # fmt: skip
        with pytest.raises(Error, match="disabled by configuration"):
            engine.sql(sql)


def test_reports_and_the_page_replace_no_input(dataset, tmp_path, capsys):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "link").symlink_to(dataset)
    for folder in (dataset, dataset / "reports", tmp_path / "link/reports"):
        words = ["page", "--dataset", str(dataset), "-o", str(tmp_path / "page.html"), "--reports", str(folder)]
        assert main(words) == 2
        assert f"{folder} is in the data set: --reports needs a folder elsewhere" in capsys.readouterr().err
    (tmp_path / "link").unlink()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not (dataset / "reports").exists()


def test_the_page_replaces_only_a_page(tmp_path, capsys):
    """Traces, and what lies beside them, may have been read under any other name."""
    (tmp_path / "in").mkdir()
    inputs = [tmp_path / "in" / name for name in ("good.etdp", "good.etrecord", "good.pte", "hard.html", "notes.html")]
    for path, name in zip(inputs, ("profile.etdp", "model.etrecord", "model.pte"), strict=False):
        shutil.copy(file("mlp_portable", name), path)
    inputs[3].hardlink_to(inputs[0])
    inputs[4].write_text("<!doctype html>\n<html><head><title>notes</title></head></html>\n")
    before = [path.read_bytes() for path in inputs]
    (tmp_path / "linked").symlink_to(tmp_path / "in")
    (tmp_path / "page.html").symlink_to("in/good.etdp")
    assert main(["ingest", str(tmp_path / "linked"), "-o", str(tmp_path / "set"), "--workers", "1"]) == 0
    capsys.readouterr()
    for path in [*inputs, *(tmp_path / "linked" / path.name for path in inputs), tmp_path / "page.html"]:
        assert main(["page", "--dataset", str(tmp_path / "set"), "-o", str(path)]) == 2, path
        assert f"{path} is not a page of etscope-fleet, and is not replaced" in capsys.readouterr().err
    assert [path.read_bytes() for path in inputs] == before
    (tmp_path / "empty.html").touch()
    for _ in range(2):  # the second time over its own page
        assert main(["page", "--dataset", str(tmp_path / "set"), "-o", str(tmp_path / "empty.html")]) == 0


def test_the_page_is_whole_and_elsewhere(dataset, tmp_path, capsys):
    before = {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()}
    for inside in sorted(before):
        assert main(["page", "--dataset", str(dataset), "-o", str(inside)]) == 2
    assert {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()} == before
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    assert main(["page", "--dataset", str(dataset), "-o", str(page)]) == 0
    page.write_text(page.read_text() + "before")
    page.chmod(0o600)
    link.symlink_to("page.html")
    assert main(["page", "--dataset", str(dataset), "-o", str(link)]) == 0
    assert link.is_symlink() and page.read_text().startswith("<!doctype html>")
    assert not page.read_text().endswith("before")
    assert page.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("*.html.*"))
    page.chmod(0o400)
    assert main(["page", "--dataset", str(dataset), "-o", str(page)]) == 2


def test_without_the_extra_it_says_so():
    code = "import sys; sys.modules['pyarrow'] = None; from etscope.fleet.command import main; sys.exit(main(['query', '--dataset', 'x', 'select 1']))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env=dict(os.environ))  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "etscope-fleet: needs pyarrow: pip install 'etscope[fleet]'\n"
