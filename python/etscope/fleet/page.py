"""The fleet page: one HTML file with a data set's answers, which needs no network."""

import contextlib
import errno
import hashlib
import os
import pathlib
import secrets
import subprocess
import sys

from etscope._errors import Error
from etscope.fleet import questions
from etscope.fleet.filters import Filter
from etscope.fleet.quantiles import merged_quantiles
from etscope.fleet.show import Answer, plain, to_json

RANKS = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_GROUPS = 200  # devices or builds that are drawn
MOST_TRACES = 500  # traces that are listed, the slowest first
_START, _TITLE = "<!doctype html>\n", "<title>etscope fleet</title>\n"  # of each page: it tells one from other files

_TRACES = """
select t.trace, t.path, t.device, t.build, t.day, t.model, m.method, m.time_ns, m.runs
from traces t join measured m on m.trace = t.trace where m.kind = 'run'
order by m.time_ns desc, t.trace, m.method limit {limit}
"""


def distributions(engine, by):
    """A row for each device or build: quantiles of its runs."""
    rows = engine.sql(f"select {by} as name, sum(count) as runs, array_agg(sketch) as sketches"
                      f" from summaries where {questions.RUN}"
                      f" group by {by} order by runs desc, name limit {MOST_GROUPS}").to_pylist()  # fmt: skip
    traces = questions.traces_by(engine, by, Filter(""))
    for row in rows:
        row["traces"] = traces.get(row["name"], 0)
        row["quantiles"] = merged_quantiles(row.pop("sketches"), RANKS)
    order = questions.build_order(engine) if by == "build" else questions.natural
    return sorted(rows, key=lambda row: order(row["name"]))


def _section(title, answer):
    columns = [{"name": name, "heading": heading, "how": how} for name, heading, how in answer.columns]
    return {"title": title, "sentence": answer.sentence, "columns": columns, "notes": answer.notes,
            "rows": [{name: row[name] for name, _, _ in answer.columns} for row in answer.rows]}  # fmt: skip


def document(engine, dataset, base=None, new=None, reports=None):
    """What the page shows, as plain values."""
    from etscope.fleet.outliers import outliers

    sections = []
    if base is not None:
        from etscope.fleet.regressions import regressions

        sections.append(_section("Regressions", regressions(engine, base, new)))
    sections.append(_section("Outliers", outliers(engine, limit=50)))
    sections.append(_section("Operators", questions.top(engine, limit=50)))
    coverage = questions.coverage(engine)
    traces = engine.sql(_TRACES.format(limit=MOST_TRACES)).to_pylist()
    for row in traces:
        row["report"] = (reports or {}).get(row["trace"])
    days = questions.trend(engine).rows
    undated = questions.undated_note(sum(row["undated"] for row in coverage.rows))
    return {"dataset": dataset, "sentence": coverage.sentence, "devices": distributions(engine, "device"),
            "builds": distributions(engine, "build"), "days": days, "undated": undated, "sections": sections,
            "traces": traces, "most_traces": MOST_TRACES}  # fmt: skip


def _hash(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def make_reports(engine, folder, out, limit, command="etscope"):
    """Reports of the slowest traces whose files are at hand: {trace: link from the page}."""
    os.makedirs(folder, exist_ok=True)
    links = {}
    for row in engine.sql(_TRACES.format(limit=MOST_TRACES)).to_pylist():
        if len(links) == limit:
            break
        if not os.path.isfile(row["path"]) or row["trace"] in links:
            continue
        if _hash(row["path"]) != row["trace"]:
            print(f"etscope-fleet: no report: {plain(row['path'])} is another trace since it was ingested", file=sys.stderr)
            continue
        name = f"{row['trace'][:32]}.html"
        path = os.path.join(folder, name)
        try:
            done = subprocess.run([command, "report", os.path.abspath(row["path"]), "-o", path], capture_output=True,
                                  text=True, check=False)  # fmt: skip
        except FileNotFoundError:
            print(f"etscope-fleet: no reports: there is no {command} on PATH, which writes them", file=sys.stderr)
            break
        if done.returncode == 0:
            relative = os.path.relpath(path, os.path.dirname(os.path.abspath(out)))
            links[row["trace"]] = pathlib.PurePath(relative).as_posix()
        else:
            print(f"etscope-fleet: no report: {done.stderr.strip()}", file=sys.stderr)
    return links


def html(content):
    """The page: names are in JSON, which the script shows as text."""
    folder = pathlib.Path(__file__).parent
    style, script = ((folder / f"page.{end}").read_text(encoding="utf-8") for end in ("css", "js"))
    data = to_json(content, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return (f"{_START}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
            f" style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n{_TITLE}"
            f"<style>\n{style}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
            f"<script type=\"application/json\" id=\"data\">{data}</script>\n"
            f"<script>\n{script}</script>\n</body>\n</html>\n")  # fmt: skip


def _check_output(dataset, option, output, what):
    """The files of the data set are inputs, however the output names one of them."""
    if output is None or "://" in dataset:
        return
    folder, path = os.path.realpath(dataset), os.path.realpath(output)
    if os.path.commonpath([folder, path]) == folder:
        raise Error(f"{output} is in the data set: {option} needs a {what} elsewhere", status="INVALID_ARGUMENT")


def _check_replaced(output):
    """Only a page is replaced: any other file may be an input, under whatever name it was read."""
    if not os.path.isfile(output) or os.path.getsize(output) == 0:
        return
    with open(output, "rb") as file:
        start = file.read(4096)
    if not start.startswith(_START.encode()) or _TITLE.encode() not in start:
        raise Error(f"{output} is not a page of etscope-fleet, and is not replaced: -o needs another file",
                    status="INVALID_ARGUMENT")  # fmt: skip


def _write_whole(path, text):
    """The page appears under its name when it is complete; a link stays, and the mode of a file."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, /dev/null
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else None
    if mode is not None and not mode & 0o222:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    temporary = f"{path}.{secrets.token_hex(4)}"
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            if mode is not None:
                os.chmod(temporary, mode)
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def write(engine, words):
    _check_output(words.dataset, "-o", words.output, "file")
    _check_output(words.dataset, "--reports", words.reports, "folder")
    _check_replaced(words.output)
    if (words.base is None) != (words.new is None):
        raise Error("--base and --new belong together", status="INVALID_ARGUMENT")
    links = {}
    if words.reports:
        links = make_reports(engine, words.reports, words.output, words.limit or MOST_TRACES)
    content = document(engine, words.dataset, words.base, words.new, links)
    _write_whole(words.output, html(content))
    told = f"; {questions.counted(len(links), 'report')} in {words.reports}" if words.reports else ""
    return Answer(f"wrote {words.output}: {content['sentence']}{told}", [], [])
