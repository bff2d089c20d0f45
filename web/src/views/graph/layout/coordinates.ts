/**
 * Where the cells of rows stand across, by Brandes and Köpf: cells are joined with the median of
 * their neighbours to blocks, which are vertical lines; four ways to do so are averaged.
 */
import type { Adjacency } from "./adjacency";
import type { Order } from "./order";

/** Left of left-most is 0: x of the middle of each cell. */
export function coordinatesOf(order: Order, width: Float64Array, gap: Float64Array): Float64Array {
    const cells = width.length;
    const crossing = findConflicts(order);
    const found: Float64Array[] = [];
    for (const isUp of [true, false]) {
        for (const isLeft of [true, false]) {
            const turn = (row: readonly number[]) => (isLeft ? row.slice() : row.slice().reverse());
            const rows = (isUp ? order.rows : order.rows.slice().reverse()).map(turn);
            const root = align(rows, isUp ? order.up : order.down, crossing, cells);
            const x = compact(rows, root, width, gap);
            found.push(isLeft ? x : x.map((value) => -value));
        }
    }
    return balance(found, width);
}

/** Links between places that links pass win over those that cross them: long links are straight. */
function findConflicts({ rows, up, count }: Order): (upper: number, lower: number) => boolean {
    const found = new Set<number>();
    const cells = up.first.length;
    const key = (upper: number, lower: number) => upper * cells + lower;
    const place = new Int32Array(cells);
    for (const row of rows) row.forEach((cell, i) => (place[cell] = i));
    for (let i = 1; i < rows.length; i++) {
        const row = rows[i]!;
        let done = 0;
        let low = 0;
        row.forEach((cell, k) => {
            const inner = innerNeighbour(cell, up, count);
            if (inner < 0 && k < row.length - 1) return;
            const high = inner < 0 ? rows[i - 1]!.length - 1 : place[inner]!;
            for (; done <= k; done++) {
                const at = row[done]!;
                for (let n = up.first[at]!; n < up.first[at + 1]!; n++) {
                    const upper = up.items[n]!;
                    const isInner = upper >= count && at >= count;
                    const outside = place[upper]! < low || place[upper]! > high;
                    if (outside && !isInner) found.add(key(upper, at));
                }
            }
            low = high;
        });
    }
    return (upper, lower) => found.has(key(upper, lower)) || found.has(key(lower, upper));
}

const innerNeighbour = (cell: number, { first, items }: Adjacency, count: number): number =>
    cell >= count && first[cell]! < first[cell + 1]! && items[first[cell]!]! >= count
        ? items[first[cell]!]!
        : -1;

/** The block of each cell, named by its first cell. */
function align(
    rows: readonly number[][],
    near: Adjacency,
    crossing: (upper: number, lower: number) => boolean,
    cells: number,
): Int32Array {
    const root = Int32Array.from({ length: cells }, (_, cell) => cell);
    const isTaken = new Uint8Array(cells);
    const place = new Int32Array(cells);
    for (const row of rows) row.forEach((cell, i) => (place[cell] = i));
    for (const row of rows) {
        let last = -1;
        for (const cell of row) {
            const sources = Array.from(
                near.items.subarray(near.first[cell]!, near.first[cell + 1]!),
            );
            sources.sort((a, b) => place[a]! - place[b]!);
            const half = (sources.length - 1) / 2;
            for (const m of new Set([Math.floor(half), Math.ceil(half)])) {
                const source = sources[m];
                if (source === undefined || root[cell] !== cell || isTaken[source] === 1) continue;
                if (place[source]! <= last || crossing(source, cell)) continue;
                isTaken[source] = 1;
                root[cell] = root[source]!;
                last = place[source]!;
            }
        }
    }
    return root;
}

/** Blocks as far left as they can, then as near to their right neighbours as they can. */
function compact(
    rows: readonly number[][],
    root: Int32Array,
    width: Float64Array,
    gap: Float64Array,
): Float64Array {
    const cells = root.length;
    const right: [number, number][][] = [];
    const open = new Int32Array(cells);
    for (const row of rows) {
        for (let i = 1; i < row.length; i++) {
            const [a, b] = [row[i - 1]!, row[i]!];
            const apart = (width[a]! + width[b]!) / 2 + Math.max(gap[a]!, gap[b]!);
            const from = root[a]!;
            if (right[from] === undefined) right[from] = [];
            right[from]!.push([root[b]!, apart]);
            open[root[b]!]!++;
        }
    }
    const x = new Float64Array(cells);
    const order: number[] = [];
    for (let cell = 0; cell < cells; cell++)
        if (root[cell] === cell && open[cell] === 0) order.push(cell);
    for (let i = 0; i < order.length; i++) {
        const block = order[i] as number;
        for (const [to, apart] of right[block] ?? []) {
            x[to] = Math.max(x[to]!, x[block]! + apart);
            if (--open[to]! === 0) order.push(to);
        }
    }
    for (let i = order.length - 1; i >= 0; i--) {
        const block = order[i] as number;
        let most = Number.POSITIVE_INFINITY;
        for (const [to, apart] of right[block] ?? []) most = Math.min(most, x[to]! - apart);
        if (most < Number.POSITIVE_INFINITY) x[block] = Math.max(x[block]!, most);
    }
    return x.map((_, cell) => x[root[cell]!]!);
}

/** The mean of the middle two, after all have been moved to the ends of the narrowest. */
function balance(found: readonly Float64Array[], width: Float64Array): Float64Array {
    const ends = found.map((x) => {
        let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        x.forEach((value, cell) => {
            low = Math.min(low, value - width[cell]! / 2);
            high = Math.max(high, value + width[cell]! / 2);
        });
        return { low, high };
    });
    const span = ({ low, high }: { low: number; high: number }) => high - low;
    const narrowest = ends.reduce((a, b) => (span(b) < span(a) ? b : a));
    const moves = ends.map(({ low, high }, i) =>
        i % 2 === 0 ? narrowest.low - low : narrowest.high - high,
    );
    const four = [0, 0, 0, 0];
    const x = width.map((_, cell) => {
        found.forEach((own, i) => (four[i] = own[cell]! + moves[i]!));
        four.sort((a, b) => a - b);
        return (four[1]! + four[2]!) / 2;
    });
    const least = x.reduce((low, value, cell) => Math.min(low, value - width[cell]! / 2), Infinity);
    return x.map((value) => value - least);
}
