/** Which vertex stands where in its row, so that few links cross. */
import { type Adjacency, adjacency } from "./adjacency";
import { findBackLinks, type Link, ranksOf } from "./ranks";

/**
 * Rows of cells. Cells below `count` are the vertices, the others places where a link passes a row;
 * links of one vertex pass a row at one place.
 */
export interface Order {
    count: number;
    rows: number[][];
    /** Of each cell, its neighbours in the row above and below. */
    up: Adjacency;
    down: Adjacency;
    /** Of each link, the cells that it passes, from its upper end to its lower end. */
    ways: number[][];
    /** Of each link: it closes a cycle and leads upwards. */
    isBack: boolean[];
    crossings: number;
}

const MOST_SWEEPS = 24;
const MOST_VAIN_SWEEPS = 4;
/** Cells up to which neighbours are exchanged, too. */
const MOST_EXCHANGED = 2500;

export function orderOf(count: number, links: readonly Link[]): Order {
    const isBack = findBackLinks(count, links);
    const downward = links.map(([from, to], i): Link => (isBack[i] ? [to, from] : [from, to]));
    const ranks = ranksOf(
        count,
        downward.filter(([from, to]) => from !== to),
    );
    const rows: number[][] = [];
    const rowOf: number[] = [];
    const put = (cell: number, rank: number) => {
        rowOf[cell] = rank;
        while (rows.length <= rank) rows.push([]);
        rows[rank]!.push(cell);
    };
    for (let v = 0; v < count; v++) put(v, ranks[v]!);
    let cells = count;
    const from: number[] = [];
    const to: number[] = [];
    const join = (upper: number, lower: number) => {
        from.push(upper);
        to.push(lower);
    };
    const passes = new Map<string, number>();
    const ways = downward.map(([upper, lower], i) => {
        const way: number[] = [];
        if (upper === lower) return way;
        let last = upper;
        for (let rank = ranks[upper]! + 1; rank < ranks[lower]!; rank++) {
            const key = `${upper} ${rank}${isBack[i] ? ` ${i}` : ""}`;
            let cell = passes.get(key);
            if (cell === undefined) {
                cell = cells++;
                passes.set(key, cell);
                put(cell, rank);
                join(last, cell);
            }
            way.push(cell);
            last = cell;
        }
        join(last, lower);
        return way;
    });
    const down = adjacency(cells, from, to);
    const up = adjacency(cells, to, from);
    const best = fewestCrossings(walked(rows, rowOf, up, down), up, down);
    return { count, up, down, ways, isBack, ...best };
}

/** Rows in the order of a walk from the vertices above: what belongs together stands together. */
function walked(rows: number[][], rowOf: number[], up: Adjacency, down: Adjacency): number[][] {
    const seen = new Uint8Array(rowOf.length);
    const found: number[][] = rows.map(() => []);
    for (const row of rows) {
        for (const root of row) {
            const way = seen[root] === 1 ? [] : [root];
            while (way.length > 0) {
                const v = way.pop() as number;
                if (seen[v] === 1) continue;
                seen[v] = 1;
                found[rowOf[v] as number]!.push(v);
                for (const { first, items } of [up, down])
                    for (let k = first[v + 1]! - 1; k >= first[v]!; k--)
                        if (seen[items[k]!] === 0) way.push(items[k]!);
            }
        }
    }
    return found;
}

function fewestCrossings(
    rows: number[][],
    up: Adjacency,
    down: Adjacency,
): { rows: number[][]; crossings: number } {
    const cells = up.first.length - 1;
    const place = new Int32Array(cells);
    const number = (row: number[]) => row.forEach((cell, i) => (place[cell] = i));
    rows.forEach(number);
    let best = rows.map((row) => row.slice());
    let least = countCrossings(rows, down, place);
    let vain = 0;
    for (let i = 0; i < MOST_SWEEPS && vain < MOST_VAIN_SWEEPS && least > 0; i++) {
        const isDown = i % 2 === 0;
        for (let k = 1; k < rows.length; k++) {
            const row = rows[isDown ? k : rows.length - 1 - k]!;
            sortByMedian(row, isDown ? up : down, place, i % 4 > 1);
            number(row);
        }
        if (cells <= MOST_EXCHANGED) exchange(rows, up, down, place);
        const crossings = countCrossings(rows, down, place);
        vain++;
        if (crossings < least) {
            least = crossings;
            best = rows.map((row) => row.slice());
            vain = 0;
        }
    }
    return { rows: best, crossings: least };
}

/** Cells without neighbours stay where they are; equal ones, too, or change places. */
function sortByMedian(row: number[], near: Adjacency, place: Int32Array, isTurned: boolean): void {
    const medians = new Map<number, number>();
    for (const cell of row) {
        const median = medianOf(cell, near, place);
        if (median >= 0) medians.set(cell, median);
    }
    const sign = isTurned ? -1 : 1;
    const moved = row
        .filter((cell) => medians.has(cell))
        .sort((a, b) => medians.get(a)! - medians.get(b)! || sign * (place[a]! - place[b]!));
    let next = 0;
    row.forEach((cell, i) => {
        if (medians.has(cell)) row[i] = moved[next++] as number;
    });
}

/** The weighted median of Gansner et al.; -1: no neighbours. */
function medianOf(cell: number, { first, items }: Adjacency, place: Int32Array): number {
    const places = Array.from(
        items.subarray(first[cell]!, first[cell + 1]!),
        (near) => place[near]!,
    ).sort((a, b) => a - b);
    const last = places.length - 1;
    if (last < 0) return -1;
    const half = places.length >> 1;
    const [low, high] = [places[half - 1] ?? 0, places[half] ?? 0];
    if (places.length % 2 === 1) return high;
    if (last === 1) return (low + high) / 2;
    const [left, right] = [low - places[0]!, places[last]! - high];
    return left + right === 0 ? (low + high) / 2 : (low * right + high * left) / (left + right);
}

/** Neighbours in a row change places where fewer links cross then. */
function exchange(rows: number[][], up: Adjacency, down: Adjacency, place: Int32Array): void {
    for (let round = 0, better = true; better && round < 4; round++) {
        better = false;
        for (const row of rows) {
            for (let i = 0; i + 1 < row.length; i++) {
                const [left, right] = [row[i]!, row[i + 1]!];
                let gain = 0;
                for (const near of [up, down])
                    gain += between(left, right, near, place) - between(right, left, near, place);
                if (gain <= 0) continue;
                [row[i], row[i + 1]] = [right, left];
                [place[left], place[right]] = [i + 1, i];
                better = true;
            }
        }
    }
}

/** Crossings of the links of two cells, the first left of the second. */
function between(left: number, right: number, { first, items }: Adjacency, place: Int32Array) {
    let count = 0;
    for (let i = first[left]!; i < first[left + 1]!; i++)
        for (let k = first[right]!; k < first[right + 1]!; k++)
            if (place[items[i]!]! > place[items[k]!]!) count++;
    return count;
}

/** Crossings between all rows, by the accumulator tree of Barth, Jünger and Mutzel. */
export function countCrossings(
    rows: readonly number[][],
    down: Adjacency,
    place: Int32Array,
): number {
    let crossings = 0;
    for (let i = 0; i + 1 < rows.length; i++) {
        let leaves = 1;
        while (leaves < rows[i + 1]!.length) leaves *= 2;
        const tree = new Int32Array(2 * leaves);
        for (const cell of rows[i]!) {
            const ends = down.items.slice(down.first[cell]!, down.first[cell + 1]!);
            const places = ends.map((end) => place[end]!).sort();
            for (const end of places) {
                let at = end + leaves;
                tree[at]!++;
                for (; at > 1; at >>= 1) {
                    if (at % 2 === 0) crossings += tree[at + 1]!;
                    tree[at >> 1]!++;
                }
            }
        }
    }
    return crossings;
}
