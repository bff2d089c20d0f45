/** Rows of a graph: every link leads to a lower row, but for those that close a cycle. */
import { type Adjacency, adjacency, degree } from "./adjacency";

export type Link = readonly [from: number, to: number];

/** Marks the links that lead back to a vertex on the way to them; without these there is no cycle. */
export function findBackLinks(count: number, links: readonly Link[]): boolean[] {
    const out = adjacency(
        count,
        links.map(([from]) => from),
        links.map((_, i) => i),
    );
    const isBack = links.map(() => false);
    const state = new Uint8Array(count); /* 0: new, 1: on the way, 2: done */
    const next = out.first.slice();
    for (let root = 0; root < count; root++) {
        const way = state[root] === 0 ? [root] : [];
        while (way.length > 0) {
            const v = way[way.length - 1] as number;
            state[v] = 1;
            if (next[v]! === out.first[v + 1]!) {
                state[v] = 2;
                way.pop();
                continue;
            }
            const link = out.items[next[v]!++]!;
            const to = links[link]![1];
            if (state[to] === 1) isBack[link] = true;
            else if (state[to] === 0) way.push(to);
        }
    }
    return isBack;
}

/** Vertices, each before those it leads to, the lower number first. */
export function topologicalOrder(out: Adjacency, into: Adjacency): number[] {
    const count = out.first.length - 1;
    const open = Int32Array.from({ length: count }, (_, v) => degree(into, v));
    const order: number[] = [];
    for (let v = 0; v < count; v++) if (open[v] === 0) order.push(v);
    for (let i = 0; i < order.length; i++) {
        const v = order[i] as number;
        for (let k = out.first[v]!; k < out.first[v + 1]!; k++) {
            const to = out.items[k]!;
            if (--open[to]! === 0) order.push(to);
        }
    }
    return order;
}

/**
 * The longest way from a source to each vertex. What only sources lead to, a constant and what is
 * computed of it, is pulled down to what uses it, and so is what has more users than sources.
 */
export function ranksOf(count: number, links: readonly Link[]): Int32Array {
    const from = links.map((link) => link[0]);
    const to = links.map((link) => link[1]);
    const out = adjacency(count, from, to);
    const into = adjacency(count, to, from);
    const order = topologicalOrder(out, into);
    const ranks = new Int32Array(count);
    const isLoose = new Uint8Array(count);
    for (const v of order) {
        let loose = 1;
        for (let k = into.first[v]!; k < into.first[v + 1]!; k++) {
            const source = into.items[k]!;
            ranks[v] = Math.max(ranks[v]!, ranks[source]! + 1);
            if (isLoose[source] === 0 || degree(out, source) > 1) loose = 0;
        }
        isLoose[v] = loose;
    }
    for (let i = order.length - 1; i >= 0; i--) {
        const v = order[i] as number;
        if (degree(out, v) === 0) continue;
        if (isLoose[v] === 0 && degree(out, v) <= degree(into, v)) continue;
        let least = Number.POSITIVE_INFINITY;
        for (let k = out.first[v]!; k < out.first[v + 1]!; k++)
            least = Math.min(least, ranks[out.items[k]!]! - 1);
        ranks[v] = least;
    }
    return ranks;
}
