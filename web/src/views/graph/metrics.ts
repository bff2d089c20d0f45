/** What the colours of boxes tell: numbers of operators and nodes, summed over what is in a box. */
import { backendOf } from "../../state/filter";
import { moduleShares } from "../../state/modules";
import { partOf } from "../../state/operators";
import type { Page } from "../../state/page";
import {
    formatBytes,
    formatNumber,
    formatShare,
    formatShareBriefly,
    type Range,
} from "../../text/format";
import { changeOf, changesOfNodes, comparisonOf, linesOfBoxes, sayChange } from "./changes";
import { heatSteps } from "./heat";
import type { GraphModel } from "./model";
import { type Box, outwards, type Tree } from "./tree";

export type MetricName = "time" | "memory" | "error" | "backend" | "change";

export interface Metric {
    /** Null: not known. */
    range: (box: Box) => Range | null;
    /** Bounds of the steps of its colours, the lowest first; none: colours are of kinds. */
    steps: readonly number[];
    sayStep: (bound: number) => string;
    /** Colours are of kinds, not of numbers. */
    isKinds: boolean;
    say: (box: Box) => string;
    /** Of a node whose operators may have come from other nodes, too: what they take together. */
    shared: (box: Box) => Shared | null;
    kind: (box: Box) => string;
}

/** Nodes that the same operators may have come from: they share a debug handle. */
export interface Sharers {
    nodes: number[];
}

export interface Shared {
    nodes: number;
    range: Range;
}

/** Bounds by box, and by nodes that share. */
export type Sums = Map<Box | Sharers, Range>;

interface OperatorTimes {
    time: (operator: number) => Range | null;
    children: (operator: number) => readonly number[];
    /** Of a delegate: what it takes beyond what it reports is its own. */
    isCall: (operator: number) => boolean;
}

/**
 * Times of boxes: of an operator whose nodes are all in a box, its time; of a kernel that is in it in
 * part, bounds. What a delegate call takes beyond what it reports is told once, on the call and what
 * is around it: modules and nodes have what is reported, as the tables of modules and lines do.
 */
export function sumTimes(
    tree: Tree,
    nodesOfOperator: ReadonlyMap<number, readonly number[]>,
    outermost: readonly number[],
    { time, children, isCall }: OperatorTimes,
    sharers: readonly Sharers[] = [],
): Sums {
    const sharersOf = new Map(sharers.flatMap((of) => of.nodes.map((node) => [node, of] as const)));
    const sums: Sums = new Map();
    const none = { lower: 0, upper: 0 };
    const addTo = (sums: Sums, operator: number): void => {
        const inside: Sums = new Map();
        for (const child of children(operator)) addTo(inside, child);
        const range = time(operator);
        const nodes = nodesOfOperator.get(operator) ?? [];
        if (range !== null && nodes.length > 0) {
            const rest = Math.max(0, range.upper - (inside.get(tree.root) ?? none).lower);
            for (const [box, count] of countNodes(tree, nodes, sharersOf)) {
                const isWhole = count === nodes.length;
                const { lower, upper } = inside.get(box) ?? none;
                if (isWhole ? inside.size > 0 && isModule(box) : isCall(operator)) continue;
                inside.delete(box);
                if (isWhole) add(sums, box, range.lower, range.upper);
                else add(sums, box, lower, Math.min(range.upper, upper + rest));
            }
        }
        for (const [box, { lower, upper }] of inside) add(sums, box, lower, upper);
    };
    for (const operator of outermost) addTo(sums, operator);
    return sums;
}

const isModule = (of: Box | Sharers): boolean => "kind" in of && of.kind === "module";

function add(sums: Sums, to: Box | Sharers, lower: number, upper: number): void {
    const sum = sums.get(to);
    if (sum === undefined) {
        sums.set(to, { lower, upper });
    } else {
        sum.lower += lower;
        sum.upper += upper;
    }
}

function countNodes(
    tree: Tree,
    nodes: readonly number[],
    sharersOf: ReadonlyMap<number, Sharers>,
): Map<Box | Sharers, number> {
    const counts = new Map<Box | Sharers, number>();
    const count = (of: Box | Sharers) => counts.set(of, (counts.get(of) ?? 0) + 1);
    for (const node of nodes) {
        for (const box of outwards(tree.leaves[node])) count(box);
        const sharers = sharersOf.get(node);
        if (sharers !== undefined) count(sharers);
    }
    return counts;
}

/** Nodes that have all their operators in common, several at a time. */
export function findSharers(nodesOfOperator: ReadonlyMap<number, readonly number[]>): Sharers[] {
    const operators = new Map<number, number[]>();
    for (const [operator, nodes] of nodesOfOperator) {
        for (const node of nodes) {
            const own = operators.get(node);
            if (own === undefined) operators.set(node, [operator]);
            else own.push(operator);
        }
    }
    const found = new Map<string, Sharers>();
    for (const [node, own] of operators) {
        const key = own.join(" ");
        const sharers = found.get(key) ?? { nodes: [] };
        found.set(key, sharers);
        sharers.nodes.push(node);
    }
    return [...found.values()].filter(({ nodes }) => nodes.length > 1);
}

/** A box has the sum, or the largest, of its nodes that have a number. */
function ofNodes(
    tree: Tree,
    get: (node: number) => number | null,
    join: (a: number, b: number) => number,
): Sums {
    const sums: Sums = new Map();
    tree.leaves.forEach((leaf, node) => {
        const value = get(node);
        if (value === null) return;
        for (const box of outwards(leaf)) {
            const joined = join(sums.get(box)?.lower ?? 0, value);
            sums.set(box, { lower: joined, upper: joined });
        }
    });
    return sums;
}

/** Tables that metrics take where they are there. */
export const METRIC_TABLES = ["node_costs", "lines", "modules", "gap_values"] as const;

export function timesOf(
    page: Page,
    model: GraphModel,
    tree: Tree,
    sharers: readonly Sharers[],
): Sums {
    const { operators } = page;
    const outermost = page.blockOperators.filter((id) => !operators.parent.has(id));
    const times = {
        time: (id: number) => operators.share(id),
        children: (id: number) => operators.children.get(id) ?? [],
        isCall: (id: number) => operators.event(id) === "DELEGATE_CALL",
    };
    return sumTimes(tree, model.nodesOfOperator, outermost, times, sharers);
}

export function makeMetric(
    name: MetricName,
    page: Page,
    model: GraphModel,
    tree: Tree,
    times: Sums,
    sharers: readonly Sharers[],
): Metric {
    const placeOf = places(page, model);
    const kind = (box: Box) => placeOf(box).kind;
    const from = (
        sums: Sums,
        say: (range: Range) => string,
        sayStep: (bound: number) => string,
        base?: number,
    ): Metric => ({
        range: (box) => sums.get(box) ?? null,
        steps: heatSteps(largestPart(tree, sums), base),
        sayStep,
        isKinds: false,
        say: (box) => {
            const range = sums.get(box);
            return range === undefined ? "" : say(range);
        },
        shared: () => null,
        kind,
    });
    if (name === "memory") {
        const written = bytesOfNodes(page, model);
        return from(
            ofNodes(tree, written, (a, b) => a + b),
            ({ lower }) => formatBytes(lower),
            formatBytes,
            4,
        );
    }
    if (name === "error") {
        const error = errorsOfNodes(page, model);
        const say = (bound: number) => formatNumber(bound);
        return from(ofNodes(tree, error, Math.max), ({ lower }) => formatNumber(lower), say);
    }
    const percent = (bound: number) => `${Number((bound * 100).toPrecision(1))} %`;
    const metric = from(times, sayShare, percent);
    if (name === "time") {
        const shared = sharedTimes(tree, times, sharers);
        const modules = moduleShares(page);
        const reported = (box: Box): Range | undefined =>
            box.kind === "module" ? modules.get(box.module ?? "") : undefined;
        return {
            ...metric,
            shared: (box) => shared.get(box) ?? null,
            say: (box) => {
                const group = shared.get(box);
                if (group !== undefined) {
                    return `${group.nodes} share ${formatShareBriefly(group.range)}`;
                }
                const range = rangeWithin(box, times, reported);
                return range === null ? "" : sayShare(partOf(range, 1));
            },
        };
    }
    const kinds = { ...metric, steps: [], isKinds: true };
    if (name === "change") {
        const compared = comparisonOf(page);
        const side = compared?.after === page.block?.id ? "after" : "before";
        const lines = compared?.lines ?? [];
        const linesOf = linesOfBoxes(changesOfNodes(lines, side, model.nodesOfOperator));
        return {
            ...kinds,
            kind: (box) => changeOf(linesOf(box)),
            say: (box) => sayChange(linesOf(box)),
        };
    }
    return { ...kinds, say: (box) => placeOf(box).title };
}

/** Ends that are printed the same are one number. */
function sayShare(range: Range): string {
    const said = formatShare(range);
    const [, lower, upper] = /^(.+)\.\.(.+?) ?%$/.exec(said) ?? [];
    return lower !== undefined && lower === upper
        ? formatShare({ ...range, upper: range.lower })
        : said;
}

/**
 * A module has what is reported of it. What is in a module has no more than that: its own number is
 * a sum of middles of operators, which can be above the middle of their sums.
 */
export function rangeWithin(
    box: Box,
    sums: Sums,
    reported: (box: Box) => Range | undefined,
): Range | null {
    const own = reported(box) ?? sums.get(box) ?? null;
    if (own === null || reported(box) !== undefined) return own;
    for (const outer of outwards(box.parent)) {
        const around = reported(outer);
        if (around === undefined) continue;
        if (outer.size === box.size) return around;
        const upper = Math.min(own.upper, around.upper);
        return { lower: Math.min(own.lower, upper), upper };
    }
    return own;
}

/** The largest number of a box that is not most of the model. */
function largestPart(tree: Tree, sums: Sums): number {
    let most = 0;
    for (const box of tree.boxes.values()) {
        if (box.size > MOST_OF_MODEL * tree.root.size && tree.root.size > 4) continue;
        most = Math.max(most, sums.get(box)?.lower ?? 0);
    }
    return most;
}

const MOST_OF_MODEL = 0.8;

/** Of nodes whose own time is not known, what they take with those they share it with. */
function sharedTimes(tree: Tree, times: Sums, sharers: readonly Sharers[]): Map<Box, Shared> {
    const found = new Map<Box, Shared>();
    for (const of of sharers) {
        const range = times.get(of);
        if (range === undefined) continue;
        for (const node of of.nodes) {
            const leaf = tree.leaves[node];
            const own = leaf === undefined ? undefined : times.get(leaf);
            if (leaf === undefined || own === undefined || own.lower === own.upper) continue;
            found.set(leaf, { nodes: of.nodes.length, range });
        }
    }
    return found;
}

/** Metrics that the document can tell; those of operators only where operators ran. */
export function availableMetrics(page: Page, model: GraphModel): MetricName[] {
    const ran = model.nodesOfOperator.size > 0;
    const names: MetricName[] = ran ? ["time"] : [];
    const bytes = bytesOfNodes(page, model);
    if (model.nodes.some((_, i) => bytes(i) !== null)) names.push("memory");
    const error = errorsOfNodes(page, model);
    if (model.nodes.some((_, i) => error(i) !== null)) names.push("error");
    if (comparisonOf(page) !== null) names.push("change");
    return ran ? [...names, "backend"] : names;
}

function bytesOfNodes(page: Page, model: GraphModel): (node: number) => number | null {
    const costs = page.document.table("node_costs");
    const written = costs.numberOrNone("written_bytes");
    const id = costs.numberOrNone("node");
    const byNode = new Map<number, number | null>();
    for (let row = 0; row < costs.rows; row++) byNode.set(id(row) as number, written(row));
    return (node) => byNode.get(model.nodes[node]?.id ?? -1) ?? null;
}

/**
 * The error of the value that it makes, within delegates, too: by its name, or, of a reference that is
 * another export, by its line and modules. Without values the largest error of its line.
 */
function errorsOfNodes(page: Page, model: GraphModel): (node: number) => number | null {
    const values = page.document.table("gap_values");
    const [name, trace] = [values.textOrNone("name"), values.numberOrNone("trace")];
    const total = values.numberOrNone("total_error");
    const [source, module] = [values.textOrNone("source"), values.textOrNone("module")];
    const byName = new Map<string, number>();
    const byPlace = new Map<string, number>();
    for (let row = 0; row < values.rows; row++) {
        const [of, value] = [name(row), total(row)];
        if (of === null || value === null || trace(row) !== (page.block?.trace ?? 0)) continue;
        byName.set(of, Math.max(value, byName.get(of) ?? 0));
        for (const path of (module(row) ?? "").split(", ")) {
            const place = `${source(row)} ${path === "(model)" ? "" : path}`;
            byPlace.set(place, Math.max(value, byPlace.get(place) ?? 0));
        }
    }
    const lines = page.document.table("lines");
    const error = lines.numberOrNone("error");
    const file = lines.textOrNone("file");
    const line = lines.numberOrNone("line");
    const block = lines.numberOrNone("block");
    const byLine = new Map<string, number>();
    for (let row = 0; row < lines.rows && byName.size === 0; row++) {
        const value = error(row);
        if (value !== null && block(row) === page.block?.id)
            byLine.set(`${file(row)}:${line(row)}`, value);
    }
    return (node) => {
        const { name = "", op = "", line = null, module = "" } = model.nodes[node] ?? {};
        const known = byName.get(name) ?? byLine.get(line ?? "");
        if (known !== undefined || /quantize/.test(op)) return known ?? null;
        return byPlace.get(`${line} ${module}`) ?? null;
    };
}

/** Where a box runs: one backend, portable kernels, or several of them; "none" is not known. */
function places(page: Page, model: GraphModel) {
    const ofNode = new Map<number, Set<string>>();
    for (const [operator, nodes] of model.nodesOfOperator) {
        const backend = backendOf(page.operators, operator);
        for (const node of nodes) {
            const own = ofNode.get(node);
            if (own === undefined) ofNode.set(node, new Set([backend]));
            else own.add(backend);
        }
    }
    const known = new Map<Box, ReadonlySet<string>>();
    const backendsOf = (box: Box): ReadonlySet<string> => {
        if (box.node !== null) return ofNode.get(box.node) ?? new Set();
        const found =
            known.get(box) ?? new Set(box.children.flatMap((child) => [...backendsOf(child)]));
        known.set(box, found);
        return found;
    };
    return (box: Box): { kind: string; title: string } => {
        const backends = [...backendsOf(box)];
        const only = backends[0];
        if (only === undefined) return { kind: "none", title: "" };
        const own = only === "portable" || only === "runtime" ? only : "delegate";
        return { kind: backends.length > 1 ? "mixed" : own, title: backends.join(", ") };
    };
}
