"""The sub-commands of etscope-fleet that ask: query, top, regressions, outliers, trend, coverage, page."""

import sys

from etscope.fleet.show import number, show


def _engine(words):
    if words.engine == "spark":
        from etscope.fleet.spark import Spark

        return Spark(words.dataset, master=words.master)
    from etscope.fleet.duck import Duck

    return Duck(words.dataset)


def _query(engine, words):
    from etscope.fleet.questions import query

    return query(engine, words.sql, words.limit)


def _top(engine, words):
    from etscope.fleet.questions import top

    return top(engine, words.where, words.by, 1_000_000 if words.limit is None else words.limit)


def _trend(engine, words):
    from etscope.fleet.questions import trend

    return trend(engine, words.where, words.by, words.operator)


def _coverage(engine, words):
    from etscope.fleet.questions import coverage

    return coverage(engine, words.where, words.limit)


def _regressions(engine, words):
    from etscope.fleet.regressions import regressions

    return regressions(engine, words.base, words.new, words.min_change / 100, by=words.match,
                       limit=words.limit)  # fmt: skip


def _outliers(engine, words):
    from etscope.fleet.outliers import outliers

    return outliers(engine, words.where, words.min_change / 100, limit=words.limit)


def _page(engine, words):
    from etscope.fleet.page import write

    return write(engine, words)


def _run(function):
    def run(words):
        words.limit = words.limit or None
        show(function(_engine(words), words), words.format, sys.stdout)
        return 0

    return run


def _command(commands, name, function, help, limit=20, limited="rows"):
    parser = commands.add_parser(name, help=help, description=help)
    parser.add_argument("--dataset", required=True, metavar="DATASET",
                        help="folder or URL that `etscope-fleet ingest` wrote")  # fmt: skip
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    parser.add_argument("--master", help="of Spark: local[*], spark://HOST:PORT; default: its configuration")
    parser.add_argument("-f", "--format", choices=("table", "json"), default="table")
    parser.add_argument("-n", "--limit", type=number(0), default=limit,
                        help=f"{limited}, 0 for all (default {limit or 'all'})")  # fmt: skip
    parser.set_defaults(run=_run(function))
    return parser


def _where(parser):
    parser.add_argument("--where", default="", metavar="FILTER", help="COLUMN=VALUE[,COLUMN=VALUE...]; a comma of a value is \\,")


def add_commands(commands):
    parser = _command(commands, "query", _query, "answer SQL over traces, runs, operators, summaries", 0)
    parser.add_argument("sql", metavar="SQL")
    parser = _command(commands, "top", _top, "list where the time of the fleet goes")
    parser.add_argument("--by", default="operator", choices=(
        "operator", "name", "module", "backend", "device", "build", "program", "method"),
        help="name adds up all operators of one name (default operator: each place in a program)")  # fmt: skip
    _where(parser)
    parser = _command(commands, "regressions", _regressions, "compare operators between two sets of traces")
    parser.add_argument("base", metavar="BASE", help="filter of the traces before, as build=1.2")
    parser.add_argument("new", metavar="NEW", help="filter of the traces after, as build=1.3")
    parser.add_argument("--min-change", type=number(0, float), default=1.0, metavar="PERCENT",
                        help='smaller changes are "same" (default 1)')  # fmt: skip
    parser.add_argument("--match", choices=("instruction", "name"), help="match operators of one program"
                        " by instruction, or of different programs by model, name and module")  # fmt: skip
    parser = _command(commands, "outliers", _outliers, "find devices and builds that are off")
    parser.add_argument("--min-change", type=number(0, float), default=5.0, metavar="PERCENT",
                        help="smaller differences are not listed (default 5)")  # fmt: skip
    _where(parser)
    parser = _command(commands, "trend", _trend, "follow times from day to day or build to build", 0)
    parser.add_argument("--by", default="day", choices=("day", "build"))
    parser.add_argument("--operator", metavar="NAME", help="this operator (default: runs)")
    _where(parser)
    parser = _command(commands, "coverage", _coverage, "list which devices and builds are seen how often", 0)
    _where(parser)
    parser = _command(commands, "page", _page, "write one HTML file with distributions, trend and traces", 50,
                      "reports")  # fmt: skip
    parser.add_argument("-o", "--output", required=True, metavar="FILE")
    parser.add_argument("--base", metavar="BASE", help="with --new: regressions between these filters")
    parser.add_argument("--new", metavar="NEW")
    parser.add_argument("--reports", metavar="DIR", help="also write `etscope report` of the slowest traces"
                        " whose files are here (at most --limit), and link them")  # fmt: skip
