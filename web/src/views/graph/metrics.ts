/** What the colours of boxes tell: numbers of operators and nodes, summed over what is in a box. */
import { backendOf } from "../../state/filter";
import { moduleShares } from "../../state/modules";
import type { Page } from "../../state/page";
import {
    formatBytes,
    formatNumber,
    formatShare,
    formatShareBriefly,
    type Range,
} from "../../text/format";
import type { GraphModel } from "./model";
import { type Box, outwards, type Tree } from "./tree";

export type MetricName = "time" | "memory" | "error" | "backend";

export interface Metric {
    /** Null: not known. */
    range: (box: Box) => Range | null;
    /** What a full bar is. */
    full: number;
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
}

/**
 * Times of boxes: of an operator whose nodes are all in a box, its time; of one that is in it in
 * part, what its inner operators tell, and as upper bound what they leave open. What a call takes
 * beyond its inner operators is certain in the call's own box only: in a module or a node it is
 * possible, as the tables of modules and lines leave it out.
 */
export function sumTimes(
    tree: Tree,
    nodesOfOperator: ReadonlyMap<number, readonly number[]>,
    outermost: readonly number[],
    { time, children }: OperatorTimes,
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
                const { lower, upper } = inside.get(box) ?? none;
                inside.delete(box);
                const isWhole = count === nodes.length;
                if (isWhole && inside.size > 0 && isPlace(box)) {
                    add(sums, box, Math.min(lower, range.lower), range.upper);
                } else if (isWhole) add(sums, box, range.lower, range.upper);
                else add(sums, box, lower, Math.min(range.upper, upper + rest));
            }
        }
        for (const [box, { lower, upper }] of inside) add(sums, box, lower, upper);
    };
    for (const operator of outermost) addTo(sums, operator);
    return sums;
}

/** A box of the model, not of what ran. */
const isPlace = (of: Box | Sharers): boolean =>
    "kind" in of && (of.kind === "module" || of.kind === "node");

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
export const METRIC_TABLES = ["node_costs", "lines", "modules"] as const;

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
    const from = (sums: Sums, say: (range: Range) => string): Metric => ({
        range: (box) => sums.get(box) ?? null,
        full: [...tree.boxes.values()].reduce(
            (most, box) => (box.kind === "root" ? most : Math.max(most, sums.get(box)?.upper ?? 0)),
            1e-300,
        ),
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
        );
    }
    if (name === "error") {
        const error = errorsOfNodes(page, model);
        return from(ofNodes(tree, error, Math.max), ({ lower }) => formatNumber(lower));
    }
    const metric = from(times, formatShare);
    if (name === "time") {
        const shared = sharedTimes(tree, times, sharers);
        const modules = moduleShares(page);
        return {
            ...metric,
            shared: (box) => shared.get(box) ?? null,
            say: (box) => {
                const group = shared.get(box);
                if (group !== undefined) {
                    return `${group.nodes} share ${formatShareBriefly(group.range)}`;
                }
                const reported = box.kind === "module" ? modules.get(box.module ?? "") : undefined;
                return reported === undefined ? metric.say(box) : formatShare(reported);
            },
        };
    }
    return { ...metric, say: (box) => placeOf(box).title };
}

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

/** The largest error of the values that its source line computes. */
function errorsOfNodes(page: Page, model: GraphModel): (node: number) => number | null {
    const lines = page.document.table("lines");
    const error = lines.numberOrNone("error");
    const file = lines.textOrNone("file");
    const line = lines.numberOrNone("line");
    const block = lines.numberOrNone("block");
    const byLine = new Map<string, number>();
    for (let row = 0; row < lines.rows; row++) {
        const value = error(row);
        if (value !== null && block(row) === page.block?.id)
            byLine.set(`${file(row)}:${line(row)}`, value);
    }
    return (node) => byLine.get(model.nodes[node]?.line ?? "") ?? null;
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
