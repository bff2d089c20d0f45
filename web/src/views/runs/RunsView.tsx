/** Every run: how long it took, which are warm-up or outliers, and what made one differ. */
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { nameOfTime } from "../../parts/copy";
import { BlockChoice } from "../../parts/BlockChoice";
import { axis, Chart } from "../../parts/Chart";
import type { Colours } from "../../parts/canvas";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { useParam, usePage } from "../../state/page";
import {
    chooseUnit,
    fixed,
    formatTime,
    plural,
    sayTime,
    type TimeUnit,
    largestOf,
} from "../../text/format";
import type { View } from "../view";
import { RunDifference } from "./RunDifference";
import { type Run, runsOf } from "./run_times";
import { TokenChart } from "./TokenChart";

export const runsView: View = {
    id: "runs",
    title: "Runs",
    isOfTimes: true,
    takes: ["TRACE"],
    needs: ["runs"],
    loads: ["events"],
    component: Runs,
    shows: ["run"],
};

/** Runs from which on quantiles say something. */
const ENOUGH_RUNS = 6;

function Runs() {
    const page = usePage();
    const { block } = page;
    const runs = useMemo(() => runsOf(page), [page, block]);
    const [scale, setScale] = useParam("scale", "linear");
    const times = runs.flatMap((run) => run.time ?? []);
    const unit = chooseUnit(
        largestOf(times, (time) => time),
        block?.unit ?? "ns",
    );
    const median =
        block?.whole == null ? null : (page.operators.time(block.whole, "p50")?.lower ?? null);
    const data = useMemo<uPlot.AlignedData>(
        () => [
            runs.map((run) => run.number),
            runs.map((run) => (run.time === null ? null : run.time / unit.ns)),
        ],
        [runs, unit],
    );
    const key = `${scale} ${page.store.get("theme")}`;
    if (block === null || times.length === 0) return <p class="none">No run was timed.</p>;
    return (
        <div class="runs">
            <div class="table-tools">
                <div>
                    <BlockChoice />
                    <Choice
                        label="Scale"
                        options={[
                            { value: "linear", title: "from 0" },
                            { value: "log", title: "logarithmic" },
                        ]}
                        value={scale}
                        onChange={setScale}
                    />
                    <span>
                        {plural(runs.length, "run")}
                        {median !== null &&
                            `, median ${sayTime({ lower: median, upper: median }, block.unit)}`}
                        {runs.length < ENOUGH_RUNS && (
                            <span class="muted"> · too few to judge warm-up</span>
                        )}
                    </span>
                </div>
                <Legend runs={runs} />
            </div>
            <Chart
                key={key}
                label={`Time of each run; the table below lists ${plural(runs.length, "run")}`}
                height={220}
                data={data}
                options={(colour) =>
                    chartOptions(colour, {
                        runs,
                        median,
                        unit,
                        isLog: scale === "log",
                        selected: () => page.run,
                    })
                }
                onClick={(index) => {
                    const run = runs[index];
                    if (run !== undefined) page.select({ kind: "run", id: run.id });
                }}
            />
            <TokenChart />
            <div class="runs-tables">
                <RunTable runs={runs} median={median} unit={unit} />
                <RunDifference runs={runs} />
            </div>
        </div>
    );
}

function Legend(props: { runs: Run[] }) {
    return (
        <span class="legend muted">
            {props.runs.some((run) => run.isWarmUp) && <span class="key warm">warm-up</span>}
            <span class="key median">median</span>
            {props.runs.some((run) => run.note !== null && !run.isWarmUp) && (
                <span class="key outlier">outlier</span>
            )}
        </span>
    );
}

interface ChartFacts {
    runs: Run[];
    median: number | null;
    unit: TimeUnit;
    isLog: boolean;
    selected: () => number | null;
}

function chartOptions(colour: Colours, facts: ChartFacts): Omit<uPlot.Options, "width" | "height"> {
    const { runs, unit } = facts;
    const first = runs[0]?.number ?? 0;
    const last = runs[runs.length - 1]?.number ?? 0;
    const most = largestOf(runs, (run) => (run.time ?? 0) / unit.ns);
    const least = runs.reduce((low, run) => Math.min(low, (run.time ?? Infinity) / unit.ns), most);
    return {
        legend: { show: false },
        cursor: { x: true, y: false, drag: { x: true, y: false }, points: { size: 9 } },
        scales: {
            x: {
                time: false,
                range: (_, min, max) =>
                    min === null
                        ? [first - 0.5, last + 0.5]
                        : min === max
                          ? [min - 1, max + 1]
                          : [min - 0.5, max + 0.5],
            },
            y: facts.isLog
                ? { distr: 3, range: [least * 0.8, most * 1.25] }
                : { range: [0, most * 1.08 || 1] },
        },
        axes: [
            axis(colour, {
                incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 1e5, 1e6],
                label: "run",
                labelSize: 18,
                size: 28,
            }),
            axis(colour, { size: 64, label: unit.name, labelSize: 18 }),
        ],
        series: [
            {},
            {
                stroke: colour("delegate"),
                width: runs.length > 400 ? 1 : 0,
                points: {
                    show: runs.length <= 2000,
                    size: runs.length > 200 ? 4 : 7,
                    fill: colour("delegate"),
                    stroke: colour("delegate"),
                },
            },
        ],
        hooks: {
            drawAxes: [(plot) => drawBehind(plot, colour, facts)],
            draw: [(plot) => drawMarks(plot, colour, facts)],
            setCursor: [(plot) => sayCursor(plot, runs)],
        },
    };
}

/** Warm-up as a band, the median as a line. */
function drawBehind(plot: uPlot, colour: Colours, facts: ChartFacts): void {
    const { ctx, bbox } = plot;
    const warm = facts.runs.filter((run) => run.isWarmUp);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const run of warm) {
        const from = plot.valToPos(run.number - 0.5, "x", true);
        const to = plot.valToPos(run.number + 0.5, "x", true);
        ctx.fillStyle = colour("track");
        ctx.fillRect(from, bbox.top, to - from, bbox.height);
    }
    if (facts.median !== null) {
        const y = plot.valToPos(facts.median / facts.unit.ns, "y", true);
        ctx.strokeStyle = colour("muted");
        ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
    }
    ctx.restore();
}

/** Outliers as crosses, the chosen run as a ring. */
function drawMarks(plot: uPlot, colour: Colours, facts: ChartFacts): void {
    const { ctx } = plot;
    const isDense = facts.runs.length > 200;
    const size = (isDense ? 2.5 : 6) * devicePixelRatio;
    ctx.save();
    ctx.lineWidth = (isDense ? 1 : 2) * devicePixelRatio;
    for (const run of facts.runs) {
        if (run.time === null) continue;
        const isChosen = run.id === facts.selected();
        const isOdd = run.note !== null && !run.isWarmUp;
        if (!isChosen && !isOdd) continue;
        const x = plot.valToPos(run.number, "x", true);
        const y = plot.valToPos(run.time / facts.unit.ns, "y", true);
        ctx.beginPath();
        if (isOdd) {
            ctx.strokeStyle = colour("note");
            ctx.moveTo(x - size, y - size);
            ctx.lineTo(x + size, y + size);
            ctx.moveTo(x + size, y - size);
            ctx.lineTo(x - size, y + size);
        }
        if (isChosen) {
            ctx.strokeStyle = colour("accent");
            const radius = 8 * devicePixelRatio;
            ctx.moveTo(x + radius, y);
            ctx.arc(x, y, radius, 0, 2 * Math.PI);
        }
        ctx.stroke();
    }
    ctx.restore();
}

function sayCursor(plot: uPlot, runs: Run[]): void {
    const run = runs[plot.cursor.idx ?? -1];
    plot.over.title =
        run === undefined ? "" : `run ${run.number}${run.note ? `: ${run.note}` : ""}`;
}

const POSITION: Column<Run> = {
    key: "position",
    title: "position",
    hint: "of the run's first token in the generation",
    width: "76px",
    align: "right",
    value: (run) => run.position,
    cell: (run) => run.position,
};

/** Not of tokens: later ones take longer. */
const ratioTo = (median: number | null): Column<Run> => ({
    key: "ratio",
    title: "x median",
    hint: "times the median of the runs",
    width: "76px",
    align: "right",
    value: (run) => (run.time === null || !median ? null : run.time / median),
    cell: (run) => (run.time === null || !median ? null : fixed(run.time / median, 2)),
});

function RunTable(props: { runs: Run[]; median: number | null; unit: TimeUnit }) {
    const page = usePage();
    const { median, unit } = props;
    const hasPositions = props.runs.some((run) => run.position !== null);
    const columns: Column<Run>[] = [
        {
            key: "run",
            title: "run",
            width: "56px",
            align: "right",
            value: (run) => run.number,
            cell: (run) => run.number,
        },
        ...(hasPositions ? [POSITION] : []),
        {
            key: "time",
            title: unit.name,
            width: "92px",
            align: "right",
            value: (run) => run.time,
            copies: { [nameOfTime("time", unit)]: (run) => run.time },
            cell: (run) =>
                formatTime(run.time === null ? null : { lower: run.time, upper: run.time }, unit),
        },
        ...(hasPositions ? [] : [ratioTo(median)]),
        {
            key: "note",
            title: "note",
            width: "auto",
            value: (run) => run.note,
            cell: (run) => <span class="muted">{run.note}</span>,
        },
    ];
    return (
        <DataTable
            label="Runs"
            sortParam="runsort"
            columns={columns}
            rows={props.runs}
            rowKey={(run) => run.id}
            isSelected={(run) => run.id === page.run}
            caption={<b>Runs</b>}
            onSelect={(run, isWalk) => page.select({ kind: "run", id: run.id }, undefined, isWalk)}
        />
    );
}
