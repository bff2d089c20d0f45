/** The graph view without a browser: boxes, stacks, stubs, rows, times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Layouts, type LayoutWorker } from "../../../web/src/views/graph/layouts";
import { makeLinks } from "../../../web/src/views/graph/links";
import { findSharers, sumTimes } from "../../../web/src/views/graph/metrics";
import type { GraphModel } from "../../../web/src/views/graph/model";
import { rowsInOrder, spread } from "../../../web/src/views/graph/rows";
import {
    type Box,
    buildTree,
    countShown,
    MOST_SHOWN,
    openBox,
} from "../../../web/src/views/graph/tree";

/** Nodes as "module op", one after the other, and links beside those from each to the next. */
function model(nodes: string[], more: [number, number][] = []): GraphModel {
    const chain = nodes.slice(1).map((_, i): [number, number] => [i, i + 1]);
    return {
        nodes: nodes.map((text, i) => {
            const [module = "", op = ""] = text.split(" ");
            return { id: i, name: `n${i}`, op, module, type: "", line: null, branch: null };
        }),
        edges: [...chain, ...more].map(([from, to]) => ({ from, to, shape: "", bytes: null })),
        nodesOfOperator: new Map(),
    };
}

const tree = (graph: GraphModel, delegates: [number, number][] = []) =>
    buildTree(graph, new Map(delegates), () => "Backend");
const titles = (box: Box) => box.children.map((child) => child.title);

test("modules are boxes, and a module of one node is the node", () => {
    const { root, leaves } = tree(model(["a.b mul", "a.b add", "a sub", "c neg", " sum"]));
    assert.deepEqual(titles(root), ["a", "neg", "sum"]);
    assert.deepEqual(titles(root.children[0] as Box), ["b", "sub"]);
    assert.equal(root.size, 5);
    assert.equal(leaves[3]?.module, "c");
    assert.equal(leaves[0]?.parent?.module, "a.b");
});

test("three equal siblings or more are a stack; one that differs is not in it", () => {
    const layer = (i: number, last = "add") => [`l.${i} mul`, `l.${i} ${last}`];
    const nodes = [0, 1, 2].flatMap((i) => layer(i));
    const { root } = tree(model([...nodes, ...layer(3, "sub"), ...layer(4)]));
    assert.deepEqual(titles(root), ["l.0–2 ×3", "l.3", "l.4"]);
    assert.deepEqual(titles(root.children[0] as Box), ["l.0", "l.1", "l.2"]);
    assert.deepEqual(titles(tree(model([...layer(0), ...layer(1), " neg"])).root), [
        "l.0",
        "l.1",
        "neg",
    ]);
});

test("nodes of a delegate call are in a box of it, in each module that it reaches into", () => {
    const graph = model(["a mul", "a add", "a sub", "b neg", "b sum", " exp"]);
    const { root, leaves } = tree(graph, [
        [1, 7],
        [2, 7],
        [3, 7],
        [4, 7],
    ]);
    assert.deepEqual(titles(root), ["a", "b", "exp"]);
    assert.deepEqual(titles(root.children[0] as Box), ["mul", "Backend"]);
    assert.equal(root.children[1]?.delegate, 7);
    assert.equal(root.children[0]?.delegate, null);
    assert.equal(leaves[2]?.parent?.kind, "delegate");
});

test("a long list is cut into parts, and no more is open than can be shown", () => {
    const { root, leaves, boxes } = tree(model(Array.from({ length: 1000 }, () => " add")));
    assert.equal(root.children.length, 10);
    assert.equal(leaves.length, 1000);
    let open: ReadonlySet<string> = new Set();
    for (const box of boxes.values()) {
        if (box.children.length === 0) continue;
        open = openBox(root, open, box);
        assert.ok(open.has(box.id));
        assert.ok(countShown(root, open) <= MOST_SHOWN);
    }
});

test("links join the boxes of their level; many users and long ways are stubs", () => {
    const nodes = Array.from({ length: 12 }, (_, i) => (i === 1 || i === 2 ? "m add" : " add"));
    const users = [4, 5, 6, 7, 8, 9].map((to): [number, number] => [0, to]);
    const graph = model(nodes, users);
    const boxes = tree(graph);
    const links = makeLinks(graph, boxes);
    const root = links.get("root") ?? [];
    const find = (from: number, to: number) =>
        root.find((link) => link.from === boxes.leaves[from] && link.to === boxes.leaves[to]);
    assert.equal(find(0, 4)?.isStub, true);
    assert.equal(find(3, 4)?.isStub, false);
    assert.equal(links.get("module m")?.length, 1);
    const long = model(
        Array.from({ length: 12 }, () => " add"),
        [
            [0, 11],
            [0, 5],
        ],
    );
    const flat = tree(long);
    const ways = makeLinks(long, flat).get("root") ?? [];
    const stubs = ways.filter((link) => link.isStub).map((link) => link.to.node);
    assert.deepEqual(stubs, [11]);
});

test("what grows moves its neighbours, and order stays", () => {
    const sizes = Array.from({ length: 30 }, () => ({ width: 100, height: 40 }));
    const rows = rowsInOrder({ sizes, links: [] });
    assert.deepEqual(
        rows.flat().map((cell) => cell.child),
        sizes.map((_, i) => i),
    );
    const grown = sizes.map((size, i) => (i === 3 ? { width: 900, height: 500 } : size));
    for (const now of [sizes, grown]) {
        const { at, width, height } = spread(rows, now, 0);
        rows.forEach((row) => {
            row.slice(1).forEach((cell, i) => {
                const left = row[i]?.child as number;
                const end = (at[left]?.x ?? 0) + (now[left]?.width ?? 0);
                assert.ok((at[cell.child as number]?.x ?? 0) >= end);
            });
        });
        at.forEach(({ x, y }, i) => {
            assert.ok(x >= 0 && x + (now[i]?.width ?? 0) <= width + 1e-6);
            assert.ok(y >= 0 && y + (now[i]?.height ?? 0) <= height + 1e-6);
        });
    }
});

test("a layout that takes too long is rows in order; the next has a new worker", async () => {
    let started = 0;
    let stopped = 0;
    const start = (): LayoutWorker => {
        const isSlow = started++ === 0;
        const worker: LayoutWorker = {
            onmessage: null,
            onerror: null,
            postMessage: () => {
                const data = [[{ child: 0, link: null, x: 7 }]];
                if (!isSlow) queueMicrotask(() => worker.onmessage?.({ data } as MessageEvent));
            },
            terminate: () => stopped++,
        };
        return worker;
    };
    const layouts = new Layouts(start, 20);
    const request = { sizes: [{ width: 100, height: 40 }], links: [] };
    const [slow, quick] = await Promise.all([
        layouts.request("a", request),
        layouts.request("b", request),
    ]);
    assert.deepEqual(slow, { rows: rowsInOrder(request), isFallback: true });
    assert.deepEqual(quick, { rows: [[{ child: 0, link: null, x: 7 }]], isFallback: false });
    assert.deepEqual([started, stopped], [2, 1]);
    assert.equal(await layouts.request("b", request), quick);
});

test("a box has the times of what is in it; of what is in it in part, bounds", () => {
    const graph = model(["a mul", "a add", "b sub", "b neg"]);
    const boxes = tree(graph);
    const nodes = new Map([
        [1, [0, 1]],
        [2, [1, 2, 3]],
        [3, [1]],
    ]);
    const time = new Map([
        [1, 10],
        [2, 20],
        [3, 5],
    ]);
    const sums = sumTimes(boxes, nodes, [1, 2], {
        time: (id) => ({ lower: time.get(id) ?? 0, upper: time.get(id) ?? 0 }),
        children: (id) => (id === 2 ? [3] : []),
    });
    const of = (module: string) => sums.get(boxes.boxes.get(`module ${module}`) as Box);
    assert.deepEqual(sums.get(boxes.root), { lower: 30, upper: 30 });
    assert.deepEqual(of("a"), { lower: 15, upper: 30 });
    assert.deepEqual(of("b"), { lower: 0, upper: 15 });
});

test("nodes with all operators in common share what these take", () => {
    const graph = model(["a mul", "a add", "b sub", "b neg"]);
    const boxes = tree(graph);
    const nodes = new Map([
        [1, [0, 1, 2]],
        [2, [0, 1, 2]],
        [3, [3]],
    ]);
    const sharers = findSharers(nodes);
    assert.deepEqual(sharers, [{ nodes: [0, 1, 2] }]);
    const times = {
        time: (id: number) => ({ lower: id * 10, upper: id * 10 }),
        children: () => [],
    };
    const sums = sumTimes(boxes, nodes, [1, 2, 3], times, sharers);
    assert.deepEqual(sums.get(sharers[0] ?? boxes.root), { lower: 30, upper: 30 });
    assert.deepEqual(sums.get(boxes.leaves[0] as Box), { lower: 0, upper: 30 });
    assert.deepEqual(sums.get(boxes.leaves[3] as Box), { lower: 30, upper: 30 });
});
