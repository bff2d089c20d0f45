/** The layout of the graph: rows, crossings, coordinates, routes, on graphs of all shapes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adjacency } from "../../../web/src/views/graph/layout/adjacency";
import {
    COLUMN_GAP,
    type Placement,
    type Plan,
    placePlan,
    placeRows,
} from "../../../web/src/views/graph/layout/layout";
import { countCrossings, orderOf } from "../../../web/src/views/graph/layout/order";
import type { Link } from "../../../web/src/views/graph/layout/ranks";

/** Numbers below `limit`, the same in each run. */
function numbers(seed: number): (limit: number) => number {
    let state = seed * 2654435761 + 1;
    return (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * limit);
    };
}

function acyclic(count: number, links: number, seed: number): Link[] {
    const next = numbers(seed);
    return Array.from({ length: links }, () => {
        const from = next(count - 1);
        return [from, from + 1 + next(Math.min(12, count - 1 - from))] as const;
    });
}

const boxes = (count: number, next: (limit: number) => number) =>
    Array.from({ length: count }, () => ({ width: 60 + next(180), height: 30 + next(200) }));

function layout(count: number, links: readonly Link[], seed = 1) {
    const order = orderOf(count, links);
    const sizes = boxes(count, numbers(seed));
    return { order, sizes, placed: placeRows(order, sizes, links) };
}

test("links of acyclic graphs lead down, from box to box", () => {
    for (let seed = 1; seed <= 40; seed++) {
        const count = 2 + seed * 3;
        const links = acyclic(count, count * 2, seed);
        const { order, sizes, placed } = layout(count, links, seed);
        assert.ok(order.isBack.every((isBack) => !isBack));
        links.forEach(([from, to], i) => {
            const [upper, lower] = [placed.at[from]!, placed.at[to]!];
            assert.ok(upper.y + sizes[from]!.height < lower.y, `${from} ${to}`);
            const route = placed.routes[i]!;
            assert.equal(route[0]!.y, upper.y + sizes[from]!.height);
            assert.equal(route[route.length - 1]!.y, lower.y);
            for (let k = 1; k < route.length; k++) assert.ok(route[k]!.y >= route[k - 1]!.y);
        });
    }
});

test("boxes do not overlap, no line passes a box, all is inside", () => {
    for (let seed = 1; seed <= 40; seed++) {
        const count = 2 + seed * 3;
        const links = acyclic(count, count * 2, seed);
        const { order, sizes, placed } = layout(count, links, seed);
        const ends = new Map<number, number>();
        for (const row of order.rows) {
            let right = Number.NEGATIVE_INFINITY;
            for (const cell of row.filter((cell) => cell < count)) {
                assert.ok(placed.at[cell]!.x >= right + COLUMN_GAP - 1e-6, `seed ${seed}`);
                right = placed.at[cell]!.x + sizes[cell]!.width;
                ends.set(cell, right);
            }
            assert.ok(right <= placed.width + 1e-6);
        }
        assert.equal(ends.size, count);
        links.forEach((_, i) => {
            for (const { x, y } of placed.routes[i]!.slice(1, -1)) {
                for (let box = 0; box < count; box++) {
                    const at = placed.at[box]!;
                    const isIn = x > at.x && x < ends.get(box)!;
                    assert.ok(!isIn || y <= at.y || y >= at.y + sizes[box]!.height);
                }
            }
        });
    }
});

test("chains are straight, whatever their widths", () => {
    const count = 30;
    const links = Array.from({ length: count - 1 }, (_, i): Link => [i, i + 1]);
    const { sizes, placed } = layout(count, links, 5);
    const middle = (i: number) => placed.at[i]!.x + sizes[i]!.width / 2;
    for (let i = 1; i < count; i++) assert.ok(Math.abs(middle(i) - middle(0)) < 1e-6);
    /* So is the chain beside a link that skips it. */
    const skipped = layout(count, [...links, [0, count - 1]], 5);
    const inside = skipped.placed.at
        .slice(1, -1)
        .map((at, i) => at.x + skipped.sizes[i + 1]!.width / 2);
    for (const x of inside) assert.ok(Math.abs(x - inside[0]!) < 1e-6);
    const way = skipped.placed.routes[links.length]!.slice(1, -1);
    for (const { x } of way) assert.ok(Math.abs(x - way[0]!.x) < 1e-6);
});

test("crossings are counted as one by one", () => {
    for (let seed = 1; seed <= 60; seed++) {
        const next = numbers(seed);
        const [upper, lower] = [1 + next(12), 1 + next(12)];
        const links = Array.from({ length: next(40) }, (): [number, number] => [
            next(upper),
            upper + next(lower),
        ]);
        const rows = [
            Array.from({ length: upper }, (_, i) => i),
            Array.from({ length: lower }, (_, i) => upper + i),
        ];
        for (const row of rows) row.sort((a, b) => ((a * 7) % 5) - ((b * 7) % 5) || b - a);
        const place = new Int32Array(upper + lower);
        for (const row of rows) row.forEach((cell, i) => (place[cell] = i));
        const down = adjacency(
            upper + lower,
            links.map(([from]) => from),
            links.map(([, to]) => to),
        );
        let wanted = 0;
        links.forEach(([a, b], i) => {
            for (const [c, d] of links.slice(i + 1))
                if ((place[a]! - place[c]!) * (place[b]! - place[d]!) < 0) wanted++;
        });
        assert.equal(countCrossings(rows, down, place), wanted, `seed ${seed}`);
    }
});

test("a planar ladder has no crossing; crossings that are there are few", () => {
    const ladder: Link[] = [];
    for (let i = 0; i < 40; i += 2) ladder.push([i, i + 2], [i + 1, i + 3], [i, i + 3]);
    assert.equal(orderOf(42, ladder).crossings, 0);
    /* K3,3 in two rows has 9 crossings in each order. */
    const full = [0, 1, 2].flatMap((from) => [3, 4, 5].map((to): Link => [from, to]));
    assert.equal(orderOf(6, full).crossings, 9);
});

test("sources, and what only they lead to, stand above what uses them", () => {
    const chain = Array.from({ length: 10 }, (_, i): Link => [i, i + 1]);
    const { order } = layout(13, [...chain, [11, 12], [12, 9]]);
    const rowOf = (cell: number) => order.rows.findIndex((row) => row.includes(cell));
    assert.deepEqual([rowOf(9), rowOf(12), rowOf(11)], [9, 8, 7]);
});

test("cycles, loops, several links, one vertex and none", () => {
    const { order, placed } = layout(4, [
        [0, 1],
        [1, 2],
        [2, 0],
        [2, 2],
        [1, 2],
        [2, 3],
    ]);
    assert.deepEqual(order.isBack, [false, false, true, true, false, false]);
    const back = placed.routes[2]!;
    assert.ok(back[0]!.y > back[back.length - 1]!.y);
    assert.deepEqual(placed.routes[3], []);
    assert.equal(layout(1, []).placed.at.length, 1);
    const none = layout(0, []).placed;
    assert.deepEqual([none.at, none.height], [[], 0]);
});

test("the same graph is drawn the same, and what opens changes no order", () => {
    const links = acyclic(200, 400, 3);
    assert.deepEqual(layout(200, links), layout(200, links));
    const leaf = (id: string, height: number): Plan => ({
        ...{ id, size: { width: 100, height }, children: [], links: [] },
        ...{ head: 0, pad: 0, least: 0 },
    });
    const plan = (height: number): Plan => ({
        ...{ id: "root", size: null, links: acyclic(20, 40, 4), head: 30, pad: 10, least: 0 },
        children: Array.from({ length: 20 }, (_, i) => leaf(`${i}`, i === 7 ? height : 40)),
    });
    const orders = new Map();
    const rows = (placed: Placement) => {
        const found = new Map<number, number[]>();
        placed.at.forEach(({ y }, i) => {
            const middle = y + placed.children[i]!.height / 2;
            found.set(middle, [...(found.get(middle) ?? []), i]);
        });
        return [...found]
            .sort(([a], [b]) => a - b)
            .map(([, row]) => row.sort((a, b) => placed.at[a]!.x - placed.at[b]!.x));
    };
    const before = placePlan(plan(40), orders);
    const after = placePlan(plan(900), orders);
    assert.deepEqual(rows(after), rows(before));
    assert.equal(after.height, before.height + 860);
});
