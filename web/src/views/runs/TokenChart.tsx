/** Time of a token over its position: a line for the run and for each part of the model. */
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { axis, Chart } from "../../parts/Chart";
import type { Colours } from "../../parts/canvas";
import { Legend } from "../../parts/Legend";
import { usePage } from "../../state/page";
import { chooseUnit, largestOf, type TimeUnit } from "../../text/format";
import { type TokenTimes, tokenTimes } from "./tokens";

export function TokenChart() {
    const page = usePage();
    const { block } = page;
    const times = useMemo(() => tokenTimes(page), [page, block]);
    const unit = chooseUnit(
        largestOf(times?.lines[0]?.values ?? [], (time) => time ?? 0),
        block?.unit ?? "ns",
    );
    const data = useMemo<uPlot.AlignedData>(
        () =>
            times === null
                ? [[]]
                : [
                      times.positions,
                      ...times.lines.map(({ values }) =>
                          values.map((time) => (time === null ? null : time / unit.ns)),
                      ),
                  ],
        [times, unit],
    );
    if (times === null) return null;
    return (
        <figure class="token-chart">
            <figcaption class="table-tools">
                <b>By position</b>
                <Legend groups={times.lines} />
            </figcaption>
            <Chart
                key={page.store.get("theme")}
                label={`Time of a token over its position, of the run and of ${times.lines.length - 1} parts of the model`}
                height={220}
                data={data}
                options={(colour) => chartOptions(colour, times, unit)}
                onClick={(index) => {
                    const run = times.runs[index];
                    if (run !== undefined) page.select({ kind: "run", id: run });
                }}
            />
        </figure>
    );
}

function chartOptions(
    colour: Colours,
    times: TokenTimes,
    unit: TimeUnit,
): Omit<uPlot.Options, "width" | "height"> {
    /* Runs that were interrupted must not press all lines onto the axis: they go out of the top. */
    const whole = (times.lines[0]?.values ?? []).flatMap((time) => time ?? []);
    const median = [...whole].sort((a, b) => a - b)[Math.floor(whole.length / 2)] ?? 0;
    const top = Math.min(
        largestOf(whole, (time) => time),
        3 * median,
    );
    return {
        legend: { show: false },
        cursor: { x: true, y: false, drag: { x: true, y: false }, points: { size: 7 } },
        scales: { x: { time: false }, y: { range: [0, (1.08 * top) / unit.ns || 1] } },
        axes: [
            axis(colour, {
                label: "position of the token",
                labelSize: 18,
                size: 28,
                incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 1e5, 1e6],
            }),
            axis(colour, { size: 64, label: unit.name, labelSize: 18 }),
        ],
        series: [
            {},
            ...times.lines.map(
                (line): uPlot.Series => ({
                    label: line.title,
                    stroke: colour(line.colour),
                    width: 1.5,
                    points: { show: false },
                    spanGaps: true,
                }),
            ),
        ],
    };
}
