/** Rows of a box: which child stands where. Sizes come later, order never changes. */
export interface LayoutRequest {
    /** Sizes of the closed children, in order of execution. */
    sizes: { width: number; height: number }[];
    /** Links that are lines, by number of child. */
    links: [number, number][];
}

/** A child, or a place that a line passes. */
export interface Cell {
    child: number | null;
    link: number | null;
    /** Middle. */
    x: number;
}

export type Rows = Cell[][];

export interface Size {
    width: number;
    height: number;
}

export interface Spread extends Size {
    /** Left upper corners by child. */
    at: { x: number; y: number }[];
    /** Places that lines pass, by link, from top to bottom. */
    bends: { x: number; top: number; bottom: number }[][];
}

export const COLUMN_GAP = 20;
export const ROW_GAP = 34;
const BEND_WIDTH = 6;
const WIDEST_ROW = 1100;

/** Without a layout: rows in order of execution. */
export function rowsInOrder(request: LayoutRequest): Rows {
    const rows: Rows = [];
    let x = Number.POSITIVE_INFINITY;
    request.sizes.forEach(({ width }, child) => {
        if (x + width > WIDEST_ROW) {
            rows.push([]);
            x = 0;
        }
        rows[rows.length - 1]?.push({ child, link: null, x: x + width / 2 });
        x += width + COLUMN_GAP;
    });
    return rows;
}

/** Places rows with the sizes that the children have now: what grows moves its neighbours. */
export function spread(rows: Rows, sizes: readonly Size[], links: number): Spread {
    const at = sizes.map(() => ({ x: 0, y: 0 }));
    const bends: Spread["bends"] = Array.from({ length: links }, () => []);
    const width = (cell: Cell) =>
        cell.child === null ? BEND_WIDTH : (sizes[cell.child]?.width ?? 0);
    let y = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (const row of rows) {
        const height = Math.max(...row.map((cell) => sizes[cell.child ?? -1]?.height ?? 0));
        const lefts = placeRow(row, width);
        row.forEach((cell, i) => {
            const left = lefts[i] as number;
            if (cell.child !== null) {
                const own = sizes[cell.child]?.height ?? 0;
                at[cell.child] = { x: left, y: y + (height - own) / 2 };
                least = Math.min(least, left);
                most = Math.max(most, left + width(cell));
            } else if (cell.link !== null) {
                bends[cell.link]?.push({ x: left + BEND_WIDTH / 2, top: y, bottom: y + height });
            }
        });
        y += height + ROW_GAP;
    }
    for (const point of at) point.x -= least;
    for (const list of bends) {
        for (const bend of list) bend.x -= least;
        list.sort((a, b) => a.top - b.top);
    }
    const outermost = bends.flat().reduce((right, bend) => Math.max(right, bend.x), most - least);
    return { at, bends, width: Math.max(0, outermost), height: Math.max(0, y - ROW_GAP) };
}

/** From left to right, as near to their middles as they fit. */
function placeRow(row: readonly Cell[], width: (cell: Cell) => number): number[] {
    let right = Number.NEGATIVE_INFINITY;
    let moved = 0;
    const lefts = row.map((cell) => {
        const wanted = cell.x - width(cell) / 2;
        const left = Math.max(wanted, right + COLUMN_GAP);
        moved += left - wanted;
        right = left + width(cell);
        return left;
    });
    return lefts.map((left) => left - moved / row.length);
}
