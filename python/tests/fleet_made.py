"""Data sets of made times: devices that differ, with regressions and a bad device where asked."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from etscope.fleet.dataset import KEY, PLACE, SCHEMAS
from etscope.fleet.quantiles import sketch

OPERATORS = [(f"aten.op{i}.default", i, f"net.block{i // 3}", "XnnpackBackend" if i % 3 else "",
              1e5 * (1 + i % 7)) for i in range(12)]  # fmt: skip


class Fleet:
    """devices x builds x traces x runs; `times(device, build, operator)` multiplies a time."""

    def __init__(self, seed=0, devices=8, builds=("1.2", "1.3"), traces=6, runs=5,
                 operators=OPERATORS, times=lambda device, build, operator: 1.0, days=20):
        random = np.random.default_rng(seed)
        self._days = days
        self.tables = {table: [] for table in SCHEMAS}
        number = 0
        for device in range(devices):
            own = np.exp(random.normal(0, 0.3))
            own_operators = np.exp(random.normal(0, 0.05, len(operators)))
            for build in builds:
                for _ in range(traces):
                    number += 1
                    noise = np.exp(random.normal(0, 0.03) + random.normal(0, 0.03, (runs + 1, len(operators))))
                    planted = [times(f"dev{device}", build, each[0]) for each in operators]
                    base = np.array([each[4] for each in operators]) * planted * own_operators
                    self._add(number, f"dev{device}", build, np.round(base * own * noise), operators)

    def _add(self, number, device, build, times, operators):
        trace, day = f"{number:064x}", f"2026-11-{1 + number % self._days:02d}"
        key = dict(trace=trace, program="p0", device=device, build=build, day=day)
        self.tables["traces"].append(dict(
            key, kind="trace", path=f"{trace}.etdp", bytes=1000, model="net", labels=[("room", "warm")], runs=len(times),
            events=times.size, lost_events=0, etrecord=True, etscope_version="0.1.0"))  # fmt: skip
        for run, row in enumerate(times):
            whole = float(row.sum()) * (10 if run == 0 else 1)
            self.tables["runs"].append(dict(
                key, method="forward", run=run, start_ns=0.0, time_ns=whole, calls=len(row),
                warm_up=run == 0))  # fmt: skip
            for (name, instruction, module, backend, _), time in zip(operators, row.tolist()):
                self.tables["operators"].append(dict(
                    key, method="forward", run=run, operator=name, instruction=instruction,
                    kind="delegate_call" if backend else "operator", backend=backend, module=module,
                    source="net.py:3", calls=1, time_ns_lower=time, time_ns=time, time_ns_upper=time,
                    warm_up=run == 0))  # fmt: skip

    def _steady(self, traces, *names):
        """{(value of each name): rows without warm-up}, of runs and operators."""
        groups = {}
        runs = [dict(row, operator="", instruction=-1, kind="run", backend="", module="", source="")
                for row in self.tables["runs"]]  # fmt: skip
        for row in runs + self.tables["operators"]:
            if not row["warm_up"] and row["trace"] in traces:
                groups.setdefault(tuple(row[name] for name in names), []).append(row)
        return groups

    def _summaries(self, traces):
        names = (*KEY, *PLACE)
        for key, rows in self._steady(traces, *names).items():
            times = [row["time_ns"] for row in rows]
            yield dict(zip(names, key), traces=len({row["trace"] for row in rows}), count=len(rows),
                       sum_ns=float(sum(times)), min_ns=min(times), max_ns=max(times),
                       sketch=sketch([(times, None)]))  # fmt: skip

    def _measured(self, traces):
        names = ("trace", *KEY, *PLACE)
        for key, rows in self._steady(traces, *names).items():
            yield dict(zip(names, key), runs=len(rows),
                       time_ns=float(np.median([row["time_ns"] for row in rows])))  # fmt: skip

    def write(self, folder, commits=1):
        """The data set, its traces divided into so many commits."""
        os.makedirs(f"{folder}/commits")
        with open(f"{folder}/etscope-fleet.json", "w", encoding="utf-8") as file:
            json.dump({"format": "etscope-fleet", "version": 1}, file)
        traces = [row["trace"] for row in self.tables["traces"]]
        for number in range(1, commits + 1):
            self._commit(folder, number, set(traces[number - 1 :: commits]))
        return str(folder)

    def _commit(self, folder, number, traces):
        tables = {table: [row for row in rows if row["trace"] in traces] for table, rows in self.tables.items()}
        tables["summaries"], tables["measured"] = list(self._summaries(traces)), list(self._measured(traces))
        files = {}
        for table, rows in tables.items():
            files[table] = []
            for day in sorted({row["day"] for row in rows}):
                name = f"{table}/day={day}/{number:08d}.parquet"
                os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
                part = pa.Table.from_pylist([row for row in rows if row["day"] == day], SCHEMAS[table])
                pq.write_table(part, f"{folder}/{name}", compression="zstd")
                files[table].append(name)
        with open(f"{folder}/commits/{number:08d}.json", "w", encoding="utf-8") as file:
            json.dump({"traces": len(traces), "hashes": sorted(traces), "files": files}, file)
