/** Cost: what operators compute and move, how fast, and how far that is from a machine's roofs. */
import { type Copies, rangeCopies, timeCopies } from "../../parts/copy";
import { useMemo } from "preact/hooks";
import { BlockChoice } from "../../parts/BlockChoice";
import { type Column, DataTable } from "../../parts/DataTable";
import { Legend } from "../../parts/Legend";
import { Name } from "../../parts/Name";
import { DIFFERENCE_TABLES } from "../../state/differences";
import { type Page, useFilter, useMembers, usePage } from "../../state/page";
import {
    chooseUnit,
    formatBytes,
    formatNumber,
    formatShare,
    formatTime,
    largestOf,
    plural,
} from "../../text/format";
import { show } from "../../text/show";
import type { View } from "../view";
import { Roofline, sayRate } from "./Roofline";
import { otherOf, roofsOf, type Work, worksOf } from "./work";
import "./cost.css";

export const costView: View = {
    id: "cost",
    title: "Cost",
    isOfTimes: true,
    takes: ["TRACE", "--program"],
    needs: ["operator_costs"],
    loads: ["operator_roofs", "roofs", ...DIFFERENCE_TABLES],
    component: Cost,
    shows: ["operator"],
};

const COLOURS = [
    { title: "in a delegate", colour: "delegate" },
    { title: "kernel", colour: "portable" },
];

function Cost() {
    const page = usePage();
    const { block, selection } = page;
    const filter = useFilter();
    const chosen = useMembers();
    const works = useMemo(() => worksOf(page), [page, block]);
    const other = useMemo(() => otherOf(page), [page, block]);
    const others = useMemo(() => (other === null ? [] : worksOf(page, other.block)), [page, other]);
    const roofs = useMemo(() => roofsOf(page, [...works, ...others]), [page, works, others]);
    const shown = works.filter((work) => filter === null || filter(work.id));
    const members = selection?.kind === "operator" ? null : chosen;
    const isDim = (id: number) => members !== null && !members.has(id);
    const selected = selection?.kind === "operator" ? selection.id : null;
    if (block !== null && block.unit !== "ns") {
        return <p class="none">Work per second needs a clock whose unit is known.</p>;
    }
    if (works.length === 0) return <p class="none">No operator's work is known.</p>;
    return (
        <div class="cost">
            <div class="table-tools">
                <div>
                    <BlockChoice />
                    <span>
                        {plural(shown.length, "operator")} with known work
                        {roofs.length === 0 && (
                            <span class="muted">
                                {" "}
                                · the roofs of a machine need <code>--machine FILE</code> (
                                <code>etscope machine --save FILE</code>)
                            </span>
                        )}
                    </span>
                </div>
                <Legend groups={COLOURS} />
                {other !== null && others.length > 0 && (
                    <span class="other-mark muted">
                        {other.side}, {show(nameOfTrace(page, other.block.trace))}
                    </span>
                )}
            </div>
            <Roofline
                works={shown}
                others={others.filter((work) => filter === null || filter(work.id))}
                side={other?.side ?? "before"}
                partners={other?.partners ?? NO_PARTNERS}
                roofs={roofs}
                chosen={selected}
                isDim={isDim}
                choose={(id) => page.select({ kind: "operator", id })}
            />
            <div class="cost-table">
                <DataTable
                    label="Work of operators"
                    columns={columnsOf(shown)}
                    rows={shown}
                    rowKey={(work) => work.id}
                    isSelected={(work) => work.id === selected}
                    isDim={(work) => isDim(work.id)}
                    onSelect={(work, isWalk) =>
                        page.select({ kind: "operator", id: work.id }, undefined, isWalk)
                    }
                />
            </div>
        </div>
    );
}

const NO_PARTNERS: ReadonlyMap<number, readonly number[]> = new Map();

/** The name of its file. */
function nameOfTrace(page: Page, trace: number): string {
    const path = page.document.table("traces").textOrNone("path")(trace);
    return path?.replace(/^.*\//, "") ?? `trace ${trace}`;
}

function columnsOf(works: readonly Work[]): Column<Work>[] {
    const unit = chooseUnit(
        largestOf(works, (work) => work.time.lower),
        "ns",
    );
    const number = (
        key: string,
        title: string,
        hint: string,
        value: (work: Work) => number | null,
        cell: (work: Work) => string,
        copies: Copies<Work>,
        width = "72px",
        hideBelow?: number,
    ): Column<Work> => ({
        key,
        title,
        hint,
        width,
        align: "right",
        value,
        copies,
        cell,
        hideBelow,
    });
    const most = (work: Work) => (work.isBound ? "≤ " : "");
    const columns: Column<Work>[] = [
        {
            key: "instruction",
            title: "#",
            hint: "number of the instruction: kernels of two calls may have one name",
            width: "40px",
            align: "right",
            hideBelow: 700,
            value: (work) => work.instruction,
            cell: (work) => <span class="muted">{work.instruction}</span>,
        },
        {
            key: "operator",
            title: "operator",
            width: "auto",
            value: (work) => work.name,
            cell: (work) => <Name text={work.name} longest={60} ends />,
        },
        number(
            "min",
            `min ${unit.name}`,
            "the shortest run, of which the rates and the share of the roof are",
            (work) => work.time.lower,
            (work) => formatTime(work.time, unit),
            timeCopies("min", unit, (work) => work.time),
        ),
        number(
            "flops",
            "kFLOP",
            "operations of one run: 2 per multiply-add",
            (work) => work.flops,
            (work) => most(work) + formatNumber(work.flops / 1e3),
            { flops: (work) => work.flops },
        ),
        number(
            "bytes",
            "moved",
            "bytes read and written, each tensor once",
            (work) => work.bytes,
            (work) => most(work) + formatBytes(work.bytes),
            { moved_bytes: (work) => work.bytes },
            "88px",
        ),
        number(
            "intensity",
            "FLOP/B",
            "operations per byte",
            (work) => work.intensity,
            (work) => formatNumber(work.intensity),
            { intensity: (work) => work.intensity },
            "64px",
            820,
        ),
        number(
            "gflops",
            "GFLOP/s",
            "sorted by what is certain",
            (work) => work.flopRate.lower,
            (work) => (work.flops === 0 ? "–" : most(work) + sayRate(work.flopRate)),
            rangeCopies("gflops_per_s", (work) => work.flopRate),
            "116px",
        ),
        number(
            "gbs",
            "GB/s",
            "sorted by what is certain",
            (work) => work.byteRate.lower,
            (work) => most(work) + sayRate(work.byteRate),
            rangeCopies("gb_per_s", (work) => work.byteRate),
            "116px",
            1000,
        ),
    ];
    if (works.every((work) => work.verdict === null)) return columns;
    return [
        ...columns,
        number(
            "of_roof",
            "of roof",
            "how much of what the machine can do; no share where calls or clocks decide",
            (work) => work.ofRoof?.lower ?? null,
            (work) => formatShare(work.ofRoof),
            rangeCopies("of_roof", (work) => work.ofRoof),
            "84px",
        ),
        number(
            "saved",
            "saved us",
            "what the roof would save in a run, by mid: the mean over the middle half of the runs",
            (work) => work.saved,
            (work) => (work.saved === null ? "–" : formatNumber(work.saved / 1e3)),
            { saved_ns: (work) => work.saved },
            "76px",
            1000,
        ),
        {
            key: "verdict",
            title: "verdict",
            width: "130px",
            value: (work) => work.verdict,
            cell: (work) => <span title={show(work.reason ?? "")}>{show(work.verdict ?? "")}</span>,
        },
    ];
}
