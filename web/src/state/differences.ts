/** What became faster or slower: tables of compared traces, with their operators. */
import type { ReportDocument } from "../document/document";
import type { Range } from "../text/format";

/** Tables that are decoded before anything of this is read. */
export const DIFFERENCE_TABLES = [
    "comparisons",
    "difference_blocks",
    "differences",
    "difference_operators",
] as const;

export type Verdict = "faster" | "slower" | "same" | "differs" | "unclear" | "undecided" | "none";

export interface Difference {
    id: number;
    block: number;
    parent: number | null;
    depth: number;
    instruction: number | null;
    name: string;
    /** "delegated", "replaced", ...; null: the same operator on both sides. */
    kind: string | null;
    before: Range | null;
    after: Range | null;
    change: number | null;
    ratio: number | null;
    /** Where the true change lies, as the test says it; null: too few values. */
    interval: Range | null;
    verdict: Verdict;
    reason: string | null;
    source: string | null;
    module: string | null;
    /** Something of it has a line of its own. */
    hasInside: boolean;
    /** Ids of the operators of each side. */
    operatorsBefore: number[];
    operatorsAfter: number[];
}

/** Sums of changes, and the verdict where one test made it. */
export interface Change {
    change: number;
    verdict: Verdict | null;
    title: string;
}

/** What changed against one trace before, by operator or by source line. */
export interface Changes<Key> {
    /** The file of the trace before. */
    name: string;
    of: Map<Key, Change>;
}

/** A block that was compared with one of another trace. */
export interface ComparedBlock {
    id: number;
    /** The trace before. */
    trace: number;
    before: number | null;
    after: number | null;
    matchedBy: string;
    runsBefore: number;
    runsAfter: number;
    total: Difference | null;
    lines: Difference[];
}

export interface ComparedTrace {
    trace: number;
    name: string;
    sentences: string[];
}

export class Differences {
    readonly blocks: ComparedBlock[] = [];
    readonly traces: ComparedTrace[] = [];

    constructor(document: ReportDocument) {
        const lines = readLines(document);
        const table = document.table("difference_blocks");
        const number = (name: string) => table.number(name);
        const [trace, before, after] = [number("trace"), number("before"), number("after")];
        const [runsBefore, runsAfter] = [number("runs_before"), number("runs_after")];
        const total = number("total");
        const matchedBy = table.text("matched_by");
        for (let id = 0; id < table.rows; id++) {
            this.blocks.push({
                id,
                trace: trace(id) ?? 0,
                before: before(id),
                after: after(id),
                matchedBy: matchedBy(id) ?? "",
                runsBefore: runsBefore(id) ?? 0,
                runsAfter: runsAfter(id) ?? 0,
                total: lines[total(id) ?? -1] ?? null,
                lines: [],
            });
        }
        for (const line of lines) this.blocks[line.block]?.lines.push(line);
        this.readTraces(document);
    }

    /** Of operators of a block after, against each trace before; of a group at its first. */
    byOperator(block: number | null): Changes<number>[] {
        return this.changesOf(block, ({ lines }) => {
            const found = new Map<number, Change>();
            for (const { operatorsAfter, change, verdict, name } of lines) {
                const first = operatorsAfter[0];
                if (first === undefined || change === null) continue;
                const title = operatorsAfter.length === 1 ? name : `${name}, together`;
                found.set(first, { change, verdict, title });
            }
            return found;
        });
    }

    /** Likewise of each source line; what belongs to several lines counts for none of them. */
    bySource(block: number | null): Changes<string>[] {
        return this.changesOf(block, ({ lines }) => {
            const found = new Map<string, Change>();
            for (const { source, change, hasInside, verdict, name } of lines) {
                if (source === null || source.includes(", ") || hasInside) continue;
                if (change === null) continue;
                const known = found.get(source);
                if (known === undefined) found.set(source, { change, verdict, title: name });
                else {
                    known.change += change;
                    known.verdict = null;
                    known.title += `, ${name}`;
                }
            }
            return found;
        });
    }

    private changesOf<Key>(
        block: number | null,
        read: (compared: ComparedBlock) => Map<Key, Change>,
    ): Changes<Key>[] {
        return this.blocks
            .filter(({ after }) => after !== null && after === block)
            .map((compared) => ({
                name: this.traces.find(({ trace }) => trace === compared.trace)?.name ?? "",
                of: read(compared),
            }))
            .filter(({ of }) => of.size > 0);
    }

    private readTraces(document: ReportDocument): void {
        const table = document.table("comparisons");
        const traces = document.table("traces");
        const [of, sentence, path] = [
            table.number("trace"),
            table.text("sentence"),
            traces.textOrNone("path"),
        ];
        const find = (trace: number): ComparedTrace => {
            const known = this.traces.find((compared) => compared.trace === trace);
            if (known !== undefined) return known;
            const made = { trace, name: path(trace) ?? `trace ${trace}`, sentences: [] };
            this.traces.push(made);
            return made;
        };
        for (const block of this.blocks) find(block.trace);
        for (let row = 0; row < table.rows; row++) {
            find(of(row) ?? 0).sentences.push(sentence(row) ?? "");
        }
    }
}

function readLines(document: ReportDocument): Difference[] {
    const table = document.table("differences");
    const number = (name: string) => table.number(name);
    const text = (name: string) => table.text(name);
    const range = (low: string, high: string) => {
        const [lower, upper] = [number(low), number(high)];
        return (row: number): Range | null => {
            const least = lower(row);
            return least === null ? null : { lower: least, upper: upper(row) ?? least };
        };
    };
    const [block, parent, depth] = [number("block"), number("parent"), number("depth")];
    const [instruction, change, ratio] = [number("instruction"), number("change"), number("ratio")];
    const [before, after] = [range("before", "before_upper"), range("after", "after_upper")];
    const interval = range("change_low", "change_high");
    const [name, kind, verdict, reason] = [
        text("name"),
        text("kind"),
        text("verdict"),
        text("reason"),
    ];
    const [source, module] = [text("source"), text("module")];
    const lines: Difference[] = [];
    for (let id = 0; id < table.rows; id++) {
        lines.push({
            id,
            block: block(id) ?? 0,
            parent: parent(id),
            depth: depth(id) ?? 0,
            instruction: instruction(id),
            name: name(id) ?? "",
            kind: kind(id),
            before: before(id),
            after: after(id),
            change: change(id),
            ratio: ratio(id),
            interval: interval(id),
            verdict: (verdict(id) ?? "none") as Verdict,
            reason: reason(id),
            source: source(id),
            module: module(id),
            hasInside: false,
            operatorsBefore: [],
            operatorsAfter: [],
        });
    }
    for (const line of lines) {
        const above = line.parent === null ? undefined : lines[line.parent];
        if (above !== undefined) above.hasInside = true;
    }
    addOperators(document, lines);
    return lines;
}

function addOperators(document: ReportDocument, lines: readonly Difference[]): void {
    const table = document.table("difference_operators");
    const [difference, isAfter, operator] = [
        table.number("difference"),
        table.number("is_after"),
        table.number("operator"),
    ];
    for (let row = 0; row < table.rows; row++) {
        const line = lines[difference(row) ?? -1];
        const id = operator(row);
        if (line === undefined || id === null) continue;
        (isAfter(row) === 1 ? line.operatorsAfter : line.operatorsBefore).push(id);
    }
}

const known = new WeakMap<ReportDocument, Differences>();

/** Of a document whose tables are loaded; read once. */
export function differencesOf(document: ReportDocument): Differences {
    let found = known.get(document);
    if (found === undefined) {
        found = new Differences(document);
        known.set(document, found);
    }
    return found;
}
