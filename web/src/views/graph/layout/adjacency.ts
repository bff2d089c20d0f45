/** Neighbours of each vertex, in one array: those of `v` stand from `first[v]` to `first[v + 1]`. */
export interface Adjacency {
    first: Int32Array;
    items: Int32Array;
}

/** For each of `from`, the numbers beside it in `to`, in their order. */
export function adjacency(
    count: number,
    from: ArrayLike<number>,
    to: ArrayLike<number>,
): Adjacency {
    const first = new Int32Array(count + 1);
    for (let i = 0; i < from.length; i++) first[(from[i] as number) + 1]!++;
    for (let v = 0; v < count; v++) first[v + 1]! += first[v]!;
    const next = first.slice();
    const items = new Int32Array(from.length);
    for (let i = 0; i < from.length; i++) items[next[from[i] as number]!++] = to[i] as number;
    return { first, items };
}

export const degree = ({ first }: Adjacency, v: number): number => first[v + 1]! - first[v]!;
