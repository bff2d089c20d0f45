/** Boxes in rows, and the ways of the lines between them; boxes may hold boxes. */
import { coordinatesOf } from "./coordinates";
import { type Order, orderOf } from "./order";
import type { Link } from "./ranks";

export interface Size {
    width: number;
    height: number;
}

export interface Point {
    x: number;
    y: number;
}

/** A box with boxes in it, or with a size. */
export interface Plan {
    id: string;
    size: Size | null;
    children: Plan[];
    /** Between children, by their numbers. */
    links: Link[];
    /** Room above the children and around them, and the least width. */
    head: number;
    pad: number;
    least: number;
}

export interface Placement extends Size {
    /** Left upper corners of the children, and what is in them. */
    at: Point[];
    children: Placement[];
    /** Points of each line from its source to its target. */
    routes: Point[][];
}

export const COLUMN_GAP = 24;
export const ROW_GAP = 46;
/** Between rows of which one has nothing but gates of a box. */
const [LOW, LOW_GAP] = [8, 20];
const LINE_GAP = 14;
const PORT = 14;

/** Places what is in a box with the sizes that its children have. */
export function placeRows(order: Order, sizes: readonly Size[], links: readonly Link[]): Placement {
    const cells = order.up.first.length - 1;
    const width = Float64Array.from({ length: cells }, (_, i) => sizes[i]?.width ?? 0);
    const gap = width.map((_, cell) => (cell < order.count ? COLUMN_GAP : LINE_GAP));
    const x = coordinatesOf(order, width, gap);
    const rowOf = new Int32Array(cells);
    const tops: number[] = [];
    const heights: number[] = [];
    let y = 0;
    const heightOf = (row: readonly number[]) =>
        row.reduce((most, cell) => Math.max(most, sizes[cell]?.height ?? 0), 0);
    order.rows.forEach((row, i) => {
        const height = heightOf(row);
        for (const cell of row) rowOf[cell] = i;
        tops.push(y);
        heights.push(height);
        const next = heightOf(order.rows[i + 1] ?? []);
        y += height + (Math.min(height, next) <= LOW ? LOW_GAP : ROW_GAP);
    });
    const at = sizes.map((size, i) => ({
        x: x[i]! - size.width / 2,
        y: tops[rowOf[i]!]! + (heights[rowOf[i]!]! - size.height) / 2,
    }));
    const routes = links.map(([from, to], i) => {
        const [upper, lower] = order.isBack[i] ? [to, from] : [from, to];
        if (upper === lower) return [];
        const way = order.ways[i]!;
        const port = (box: number, near: number | undefined) => {
            const room = Math.max(0, sizes[box]!.width / 2 - PORT);
            const wanted = near === undefined ? 0 : x[near]! - x[box]!;
            return x[box]! + Math.max(-room, Math.min(room, wanted));
        };
        const points = way.flatMap((cell) => {
            const top = tops[rowOf[cell]!]!;
            return [
                { x: x[cell]!, y: top },
                { x: x[cell]!, y: top + heights[rowOf[cell]!]! },
            ];
        });
        points.unshift({ x: port(upper, way[0]), y: at[upper]!.y + sizes[upper]!.height });
        points.push({ x: port(lower, way[way.length - 1]), y: at[lower]!.y });
        return order.isBack[i] ? points.reverse() : points;
    });
    const last = order.rows.length - 1;
    const bottom = last < 0 ? 0 : tops[last]! + heights[last]!;
    const right = x.reduce((most, middle, i) => Math.max(most, middle + width[i]! / 2), 0);
    return { at, children: [], routes, width: right, height: bottom };
}

/** Places boxes in boxes. Orders are kept: what is opened or closed moves, but changes no place. */
export function placePlan(plan: Plan, orders: Map<string, Order>): Placement {
    if (plan.size !== null) return { ...plan.size, at: [], children: [], routes: [] };
    const children = plan.children.map((child) => placePlan(child, orders));
    let order = orders.get(plan.id);
    if (order === undefined) {
        order = orderOf(children.length, plan.links);
        orders.set(plan.id, order);
    }
    const inside = placeRows(order, children, plan.links);
    const { head, pad } = plan;
    const width = Math.max(plan.least, inside.width + 2 * pad);
    const left = (width - inside.width) / 2;
    const move = (point: Point): Point => ({ x: point.x + left, y: point.y + head + pad });
    return {
        ...{ width, height: inside.height + head + 2 * pad, children },
        at: inside.at.map(move),
        routes: inside.routes.map((route) => route.map(move)),
    };
}
