/** Numbers: captured values against their reference, and the first operator that is wrong. */
import { useMemo, useState } from "preact/hooks";
import { type Column, DataTable } from "../../parts/DataTable";
import { Legend } from "../../parts/Legend";
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { type Page, useLoaded, useParam, usePage } from "../../state/page";
import { formatNumber, plural } from "../../text/format";
import { show } from "../../text/show";
import type { View } from "../view";
import { colourOf, ErrorChart } from "./ErrorChart";
import { HeatMap, sayCell, saySpot } from "./HeatMap";
import { Histogram } from "./Histogram";
import { type Drawn, picturesOf, type Spot, sayElement, spotOf } from "./pictures";
import { numberSentencesOf } from "./sentences";
import { type Statistics, type Value, valuesOf } from "./values";
import "./numbers.css";

export const numbersView: View = {
    id: "numbers",
    title: "Numbers",
    takes: ["TRACE", "--etrecord", "--debug-buffer"],
    needs: ["gap_values"],
    loads: ["gap_coverage"],
    component: Numbers,
    shows: ["node"],
};

const COLOURS = [
    { title: "agrees", colour: "good" },
    { title: "guilty or off", colour: "bad" },
    { title: "inherited, suspect, inexact, harmless", colour: "note" },
];

function Numbers() {
    const page = usePage();
    const values = useMemo(() => valuesOf(page.document), [page]);
    const { answers, coverage } = useMemo(() => numberSentencesOf(page.document), [page]);
    const [text, setValue] = useParam("value");
    const chosen = /^\d{1,9}$/.test(text) ? Number(text) : null;
    const value = values.find(({ row }) => row === chosen) ?? firstWrong(values);
    const choose = (row: number) => {
        setValue(String(row));
        const { source = null } = values[row] ?? {};
        const node = values[row] === undefined ? null : nodeOf(page, values[row]);
        if (node !== null) page.select({ kind: "node", id: node }, undefined, true);
        else page.select(source === null ? null : { kind: "line", name: source }, undefined, true);
    };
    return (
        <div class="numbers">
            {answers.map((sentence) => (
                <p class="answer">{show(sentence)}</p>
            ))}
            {coverage.map((sentence) => (
                <p class="coverage">{show(sentence)}</p>
            ))}
            <div class="numbers-panes">
                <div>
                    <ErrorChart values={values} chosen={value?.row ?? null} choose={choose} />
                    <div class="numbers-key muted">
                        <Legend groups={COLOURS} />
                        <span>
                            point: error so far · ring: what its own operators add · line: limit ·
                            on the axis: 0
                        </span>
                    </div>
                </div>
                {value !== null && <Chosen value={value} />}
            </div>
            {value !== null && <Pictures key={value.row} value={value} />}
            <div class="numbers-table">
                <DataTable
                    label="Compared values"
                    columns={columns}
                    rows={values}
                    rowKey={(each) => each.row}
                    isSelected={(each) => each.row === value?.row}
                    onSelect={(each) => choose(each.row)}
                />
            </div>
        </div>
    );
}

/** The guilty one, else the first that is off, else the one with the largest error. */
const firstWrong = (values: readonly Value[]): Value | null =>
    values.find(({ finding }) => finding === "guilty") ??
    values.find(({ finding }) => colourOf(finding) === "bad") ??
    values.reduce<Value | null>(
        (largest, value) => ((value.total ?? -1) > (largest?.total ?? -1) ? value : largest),
        null,
    );

/** The node of the record's graph: by its handle, or the only one of its line and module. */
function nodeOf(page: Page, value: Value): number | null {
    const nodes = page.document.table("nodes");
    const ids = Array.from({ length: nodes.rows }, (_, id) => id);
    const handle = nodes.number("debug_handle");
    if (value.handle !== null) return ids.find((id) => handle(id) === value.handle) ?? null;
    const [file, line, module] = [nodes.text("file"), nodes.number("line"), nodes.text("module")];
    const op = nodes.text("op");
    const found = ids.filter(
        (id) =>
            `${file(id)}:${line(id)}` === value.source &&
            (module(id) || "(model)") === value.module &&
            !/quantize_per_/.test(op(id) ?? ""),
    );
    return found.length === 1 ? (found[0] as number) : null;
}

/** What the value holds, on the device and in the reference. */
function Chosen({ value }: { value: Value }) {
    const row = (title: string, get: (of: Statistics) => number | null) => (
        <tr>
            <th scope="row">{title}</th>
            <td class="number">{formatNumber(get(value.device))}</td>
            <td class="number">{formatNumber(get(value.reference))}</td>
        </tr>
    );
    return (
        <section class="chosen-value" aria-label={`Value ${show(value.name)}`}>
            <h2>
                <Name text={value.name} longest={40} />
            </h2>
            <p class="muted">
                {show(`${value.dtype ?? ""} ${value.shape ?? ""}`)}
                {value.source !== null && <> · {show(value.source)}</>}
                {value.module !== null && <> · {show(value.module)}</>}
            </p>
            {value.reason !== null && <p>{show(value.reason)}</p>}
            <table>
                <thead>
                    <tr>
                        <td />
                        <th scope="col">device</th>
                        <th scope="col">reference</th>
                    </tr>
                </thead>
                <tbody>
                    {row("smallest", ({ min }) => min)}
                    {row("mean", ({ mean }) => mean)}
                    {row("largest", ({ max }) => max)}
                    {row("NaN, infinite", ({ broken }) => broken)}
                </tbody>
            </table>
            {value.maxError !== null && (
                <p>
                    largest difference {formatNumber(value.maxError)}
                    {value.maxError > 0 &&
                        value.worstIndex !== null &&
                        ` at ${sayElement(value.shape, value.worstIndex)}`}
                </p>
            )}
            {value.cosine !== null && <p>cosine {sayCosine(value.cosine)}</p>}
            {value.sameBits !== null && (
                <p>
                    {value.sameBits === 1
                        ? "the same bits as this runtime's kernels"
                        : "other bits than this runtime's kernels"}
                </p>
            )}
        </section>
    );
}

/** Near 1, how far from it, which four digits would hide; below 1e-12 that is rounding. */
const sayCosine = (cosine: number): string =>
    cosine < 1 - 1e-12 && cosine > 0.999 ? `1 − ${formatNumber(1 - cosine)}` : formatNumber(cosine);

/** The chosen value as heat maps and as a histogram. */
function Pictures({ value }: { value: Value }) {
    const page = usePage();
    const isLoaded = useLoaded(["gap_pictures", "gap_bins"]);
    const all = useMemo(
        () => (isLoaded ? picturesOf(page.document) : null),
        [page.document, isLoaded],
    );
    const drawn = all?.get(value.row);
    if (all === null || (all.size === 0 && drawn === undefined)) return null;
    if (drawn === undefined) {
        return (
            <p class="numbers-pictures muted">
                No picture of this value: the report draws {plural(all.size, "value")}, the wrong
                ones and those farthest from their reference.
            </p>
        );
    }
    return <DrawnPictures value={value} drawn={drawn} />;
}

/** A cell that is pointed at in one map has its number in all. */
function DrawnPictures({ value, drawn }: { value: Value; drawn: Drawn }) {
    const page = usePage();
    const [at, setAt] = useState<Spot | null>(null);
    const { sides, bins } = drawn;
    const [first] = sides;
    const worst =
        first === undefined || value.worstIndex === null || !((value.maxError ?? 0) > 0)
            ? null
            : spotOf(first, value.worstIndex);
    const point = (spot: Spot | null, isSpoken: boolean) => {
        setAt(spot);
        if (spot === null || !isSpoken || first === undefined) return;
        const said = sides.map((side) => `${side.side} ${sayCell(side, spot)}`);
        page.announce(`${saySpot(first, spot)}: ${said.join(", ")}`);
    };
    return (
        <section class="numbers-pictures" aria-label="Pictures of the value">
            {bins.length > 0 && <Histogram bins={bins} />}
            {sides.map((picture) => (
                <HeatMap key={picture.side} picture={picture} at={at} worst={worst} point={point} />
            ))}
        </section>
    );
}

const number = (
    key: string,
    title: string,
    hint: string,
    get: (value: Value) => number | null,
    hideBelow?: number,
): Column<Value> => ({
    key,
    title,
    hint,
    width: "88px",
    align: "right",
    value: get,
    cell: (value) => formatNumber(get(value)),
    hideBelow,
});

const columns: Column<Value>[] = [
    {
        key: "instruction",
        title: "#",
        hint: "number of the instruction",
        width: "40px",
        align: "right",
        hideBelow: 600,
        value: ({ instruction }) => instruction,
        cell: ({ instruction }) => <span class="muted">{instruction}</span>,
    },
    {
        key: "operator",
        title: "operator",
        width: "auto",
        value: ({ name }) => name,
        cell: (value) => (
            <>
                <Name text={value.name} longest={50} />
                {value.nodes > 1 && <span class="muted"> +{value.nodes - 1}</span>}
            </>
        ),
    },
    {
        key: "finding",
        title: "finding",
        width: "110px",
        value: ({ finding }) => finding,
        cell: (value) => (
            <span class={`finding ${colourOf(value.finding)}`} title={show(value.reason ?? "")}>
                {show(value.finding)}
            </span>
        ),
    },
    number("own_error", "own", "error of its own operators, relative", ({ own }) => own),
    number(
        "total_error",
        "total",
        "error so far, relative: root mean square",
        ({ total }) => total,
    ),
    number("snr", "SNR dB", "of the total error", ({ snr }) => snr, 700),
    number("max_error", "max", "largest difference", ({ maxError }) => maxError, 800),
    {
        key: "shape",
        title: "shape",
        width: "120px",
        hideBelow: 1000,
        value: ({ shape }) => shape,
        cell: ({ dtype, shape }) => <span title={show(dtype ?? "")}>{show(shape ?? "")}</span>,
    },
    {
        key: "source",
        title: "source",
        width: "140px",
        hideBelow: 640,
        value: ({ source }) => source,
        cell: ({ source }) => <Place text={source} />,
    },
    {
        key: "module",
        title: "module",
        width: "120px",
        hideBelow: 1100,
        value: ({ module }) => module,
        cell: ({ module }) => <Place text={module} />,
    },
];
