/**
 * Groups that can be drawn as boxes: if all of them are contracted, no cycle arises. A group that would
 * close one is split into parts.
 */
import { type Adjacency, adjacency } from "./adjacency";

/** Sources of each vertex; vertices are numbered so that sources come first. Others are left out. */
export function sourcesOf(count: number, links: Iterable<readonly [number, number]>): Adjacency {
    const from: number[] = [];
    const to: number[] = [];
    for (const [source, target] of links) {
        if (source >= target) continue;
        from.push(source);
        to.push(target);
    }
    return adjacency(count, to, from);
}

/** The part that each vertex is in; vertices of one part have one label. -1: a part of its own. */
export function convexParts(labels: readonly number[], sources: Adjacency): number[] {
    const parts: number[] = [];
    const last = new Map<number, number>();
    const above: Set<number>[] = [];
    const below: Set<number>[] = [];
    /** Larger than those of the parts above. */
    const level: number[] = [];
    /** Whether a way leads from a part to one of the others. */
    const leads = (part: number, others: ReadonlySet<number>): boolean => {
        const way = [...others].filter((other) => other !== part);
        const seen = new Set(way);
        while (way.length > 0) {
            const at = way.pop() as number;
            if (at === part) return true;
            for (const next of above[at] ?? []) {
                if (level[next]! < level[part]! || seen.has(next)) continue;
                seen.add(next);
                way.push(next);
            }
        }
        return false;
    };
    const raise = (part: number) => {
        const way = [part];
        while (way.length > 0) {
            const at = way.pop() as number;
            for (const next of below[at]!) {
                if (level[next]! > level[at]!) continue;
                level[next] = level[at]! + 1;
                way.push(next);
            }
        }
    };
    labels.forEach((label, v) => {
        const own = sources.items.subarray(sources.first[v]!, sources.first[v + 1]!);
        const from = new Set(Array.from(own, (source) => parts[source]!));
        let part = label < 0 ? undefined : last.get(label);
        if (part === undefined || leads(part, from)) {
            part = level.length;
            level.push(0);
            above.push(new Set());
            below.push(new Set());
        }
        parts.push(part);
        last.set(label, part);
        for (const source of from) {
            if (source === part) continue;
            above[part]!.add(source);
            below[source]!.add(part);
            if (level[source]! >= level[part]!) level[part] = level[source]! + 1;
        }
        raise(part);
    });
    return parts;
}

/** Vertices so that sources come first; else in their order. Links that close a cycle do not count. */
export function sourcesFirst(sources: readonly (readonly number[])[]): number[] {
    const state = sources.map(() => 0);
    const next = sources.map(() => 0);
    const order: number[] = [];
    sources.forEach((_, root) => {
        const way = state[root] === 0 ? [root] : [];
        while (way.length > 0) {
            const v = way[way.length - 1] as number;
            state[v] = 1;
            const source = sources[v]![next[v]!++];
            if (source !== undefined) {
                if (state[source] === 0) way.push(source);
                continue;
            }
            if (state[v] === 1) order.push(v);
            state[v] = 2;
            way.pop();
        }
    });
    return order;
}
