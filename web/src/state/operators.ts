/** The operators of the document: which are shown, in which order, and their times as ranges. */
import type { ReportDocument } from "../document/document";
import type { Getter, Table } from "../document/table";
import type { Range } from "../text/format";

/** Statistics of an operator's time per run. */
export type Statistic = "p50" | "mid" | "avg" | "min" | "max" | "p10" | "p90" | "total";

export interface Block {
    id: number;
    trace: number;
    name: string;
    method: string | null;
    runs: number;
    /** The operator that stands for a whole run, or null. */
    whole: number | null;
    /** Unit of its times: ns or cycles. */
    unit: string;
    /** What a picker says: "forward", "load". */
    title: string;
}

export class Operators {
    readonly table: Table;
    readonly blocks: Block[];
    /** Ids of the shown operators of each block, in order of execution: a parent, then its children. */
    readonly order = new Map<number, number[]>();
    /** Of each operator its children that are shown. */
    readonly children = new Map<number, number[]>();
    /** Of each shown operator the shown operator that encloses it. */
    readonly parent = new Map<number, number>();
    /** Of each shown operator its depth among the shown: 0 is the outermost. */
    readonly depth = new Map<number, number>();
    /** Blocks with operators: a tracer may record those of some runs only. */
    private readonly recorded = new Set<number>();
    /** Of each wrapper what is in it. */
    private readonly wrapped = new Map<number, number>();
    readonly name: Getter<string>;
    readonly event: Getter<string>;
    readonly kernel: Getter<string>;
    readonly backend: Getter<string>;
    readonly source: Getter<string>;
    readonly module: Getter<string>;
    readonly tie: Getter<string>;
    readonly block: Getter<number>;
    readonly calls: Getter<number>;
    readonly instruction: Getter<number>;
    readonly chain: Getter<number>;
    /** Row of table `stacks` at which it counts. */
    readonly stack: Getter<number>;
    private readonly delegated: Getter<number>;
    private readonly clock: Getter<string>;
    private readonly resolution: Getter<number>;
    private readonly runCount: Getter<number>;
    private readonly statistics = new Map<Statistic, Getter<number>>();

    constructor(document: ReportDocument) {
        const table = document.table("operators");
        this.table = table;
        this.name = table.text("name");
        this.event = table.text("event");
        this.kernel = table.text("kernel");
        this.backend = table.text("backend");
        this.source = table.text("source");
        this.module = table.text("module");
        this.tie = table.text("tie");
        this.block = table.number("block");
        this.calls = table.number("calls");
        this.instruction = table.number("instruction");
        this.chain = table.number("chain");
        this.stack = table.numberOrNone("stack");
        this.delegated = table.numberOrNone("delegated");
        this.clock = table.text("clock");
        this.resolution = table.number("resolution");
        this.runCount = table.number("runs");
        for (const name of ["p50", "mid", "avg", "min", "max", "p10", "p90", "total"] as const) {
            this.statistics.set(name, table.number(name));
        }
        this.blocks = readBlocks(document);
        this.buildTree(table.number("parent"));
    }

    get count(): number {
        return this.table.rows;
    }

    /** Whether any operator of the block's runs was recorded. */
    hasOperators(block: Block): boolean {
        return this.recorded.has(block.id);
    }

    isShown(id: number): boolean {
        return this.depth.has(id);
    }

    /** Itself, or if it is a wrapper what it wraps. */
    shown(id: number): number | null {
        if (this.isShown(id)) return id;
        return this.wrapped.get(id) ?? null;
    }

    /** Whether a delegate runs it: it is a call of one, or inside of one. */
    isDelegated(id: number): boolean {
        if (this.backend(id) !== null || this.delegated(id) === 1) return true;
        return this.event(id) === "DELEGATE_CALL";
    }

    /** Whether it was timed with a clock that fits the trace's. */
    isTimed(id: number): boolean {
        const clock = this.clock(id);
        return clock === "trace" || clock === "overlapping";
    }

    /** Step of the clock that measured it: the true time of a call is up to this longer. */
    step(id: number): number {
        return this.resolution(id) ?? 0;
    }

    /** A time per run; null if its clock is unknown. `total` is over all runs. */
    time(id: number, statistic: Statistic): Range | null {
        const lower = this.statistics.get(statistic)?.(id) ?? null;
        if (lower === null || !this.isTimed(id)) return null;
        const steps =
            (this.calls(id) ?? 1) * (statistic === "total" ? (this.runCount(id) ?? 1) : 1);
        return { lower, upper: lower + this.step(id) * steps };
    }

    /** Its part of a run: a fraction of the mid of the whole run. */
    share(id: number): Range | null {
        const time = this.time(id, "mid");
        const block = this.blocks[this.block(id) ?? -1];
        const whole = block?.whole == null ? null : this.time(block.whole, "mid");
        if (time === null || whole === null || whole.lower <= 0) return null;
        return partOf(time, whole.lower);
    }

    /** Unit of the times of an operator: ns or cycles. */
    unit(id: number): string {
        return this.blocks[this.block(id) ?? -1]?.unit ?? "ns";
    }

    /** The delegate's call that it is inside of; null: none. */
    callOf(id: number): number | null {
        for (let at = this.parent.get(id); at !== undefined; at = this.parent.get(at)) {
            if (this.event(at) === "DELEGATE_CALL") return at;
        }
        return null;
    }

    /** Itself and all that it encloses. */
    withInside(id: number): number[] {
        const found = [id];
        for (let i = 0; i < found.length; i++) {
            for (const child of this.children.get(found[i] as number) ?? []) found.push(child);
        }
        return found;
    }

    private buildTree(parentOf: Getter<number>): void {
        const inside = new Map<number | null, number[]>();
        for (let id = 0; id < this.count; id++) {
            const parent = parentOf(id);
            const list = inside.get(parent);
            if (list === undefined) inside.set(parent, [id]);
            else list.push(id);
        }
        const rank = this.ranks();
        for (const list of inside.values()) list.sort((a, b) => rank(a) - rank(b) || a - b);
        for (const block of this.blocks) this.order.set(block.id, []);
        const visit = (id: number, above: number | null, depth: number): void => {
            const within = inside.get(id) ?? [];
            /* OPERATOR_CALL around a kernel that reports itself tells nothing more */
            const isWrapper = this.event(id) === "OPERATOR_CALL" && within.length > 0;
            if (this.chain(id) !== null && this.delegated(id) !== 1)
                this.recorded.add(this.block(id) ?? -1);
            if (!isWrapper) {
                this.depth.set(id, depth);
                this.order.get(this.block(id) ?? -1)?.push(id);
            }
            if (above !== null) {
                this.parent.set(id, above);
                if (!isWrapper) pushTo(this.children, above, id);
                else this.wrapped.set(id, within[0] as number);
            }
            for (const child of within)
                visit(child, isWrapper ? above : id, isWrapper ? depth : depth + 1);
        };
        for (const id of inside.get(null) ?? []) visit(id, null, 0);
    }

    /** Order of execution where the document tells it; otherwise that of the instructions. */
    private ranks(): (id: number) => number {
        const order = this.table.numberOrNone("position");
        return (id) => order(id) ?? (this.instruction(id) ?? -1) * 1e-6 + (this.chain(id) ?? -1);
    }
}

function pushTo(map: Map<number, number[]>, key: number, value: number): void {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
}

function readBlocks(document: ReportDocument): Block[] {
    const table = document.table("blocks");
    const name = table.text("name");
    const method = table.text("method");
    const stage = table.textOrNone("stage");
    const runs = table.number("runs");
    const whole = table.number("whole");
    const trace = table.number("trace");
    const unit = document.table("traces").text("unit");
    const blocks: Block[] = [];
    for (let id = 0; id < table.rows; id++) {
        const of = stage(id) === null ? "" : ` ${stage(id)}`;
        const what = (method(id) ?? (name(id) === "Execute" ? "run" : "load")) + of;
        blocks.push({
            id,
            trace: trace(id) ?? 0,
            name: name(id) ?? "",
            method: method(id),
            runs: runs(id) ?? 0,
            whole: whole(id),
            unit: unit(trace(id) ?? 0) ?? "ns",
            title:
                name(id) === "Execute" ? what : method(id) === null ? "load" : `load ${method(id)}`,
        });
    }
    /* Blocks of one method, as of two branches, are told apart as in the headline. */
    const titles = blocks.map(({ trace, title }) => `${trace} ${title}`);
    titles.forEach((title, i) => {
        const block = blocks[i];
        if (block !== undefined && titles.indexOf(title) !== titles.lastIndexOf(title))
            block.title += ` (block ${block.id})`;
    });
    return blocks;
}

/** As a part of a whole, which no part is more than, whatever steps of clocks add up to. */
export function partOf(time: Range, whole: number): Range {
    const most = Math.max(time.lower, whole);
    return { lower: time.lower / whole, upper: Math.min(time.upper, most) / whole };
}

export const partOfRun = (share: Range | null): Range | null => share && partOf(share, 1);
