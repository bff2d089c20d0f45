/** The graph view without a browser: boxes, stacks, stubs, rows, times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../../web/src/state/differences";
import {
    changeOf,
    changesOfNodes,
    linesOfBoxes,
    sayChange,
} from "../../../web/src/views/graph/changes";
import { Layouts, type LayoutWorker } from "../../../web/src/views/graph/layouts";
import { type Links, makeLinks } from "../../../web/src/views/graph/links";
import { placePlan } from "../../../web/src/views/graph/layout/layout";
import { orderOf } from "../../../web/src/views/graph/layout/order";
import { findSharers, rangeWithin, sumTimes } from "../../../web/src/views/graph/metrics";
import type { GraphModel } from "../../../web/src/views/graph/model";
import { heatSteps, stepOf } from "../../../web/src/views/graph/heat";
import { makeScene, planOf } from "../../../web/src/views/graph/scene";
import { kernelTitle } from "../../../web/src/views/graph/kernels";
import {
    type Box,
    buildTree,
    openAll,
    stepsOf,
    type Tree,
} from "../../../web/src/views/graph/tree";

/** Nodes as "module op", one after the other, and links beside those from each to the next. */
function model(nodes: string[], more: [number, number][] = []): GraphModel {
    const chain = nodes.slice(1).map((_, i): [number, number] => [i, i + 1]);
    return {
        nodes: nodes.map((text, i) => {
            const [module = "", op = ""] = text.split(" ");
            return {
                ...{ kind: "node" as const, id: i, name: `n${i}`, op, module, type: "" },
                ...{ line: null, branch: null, arguments: "" },
            };
        }),
        edges: [...chain, ...more].map(([from, to]) => ({ from, to, shape: "", bytes: null })),
        nodesOfOperator: new Map(),
    };
}

const tree = (
    graph: GraphModel,
    delegates: [number, number][] = [],
    kernels: readonly number[] = [],
) =>
    buildTree(graph, {
        ...{ delegateOf: new Map(delegates), kernels },
        nameOfDelegate: () => "Backend",
    });

/** Of each box, no link between its children leads from a later to an earlier row. */
function assertDownward(graph: GraphModel, { boxes }: Tree, links: Links): void {
    for (const box of boxes.values()) {
        const place = new Map(box.children.map((child, i) => [child, i]));
        const ends = links
            .get(box.id)
            .map(({ from, to }) => [place.get(from) ?? -1, place.get(to) ?? -1] as const);
        const order = orderOf(box.children.length, ends);
        assert.ok(
            order.isBack.every((isBack) => !isBack),
            `${box.title} of ${graph.nodes.length}`,
        );
    }
}
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

test("a delegate's call that would close a cycle is no box", () => {
    const graph = model([" mul", " add", " sub", " neg"]);
    const boxes = tree(graph, [
        [0, 7],
        [1, 7],
        [3, 7],
    ]);
    assert.deepEqual(titles(boxes.root), ["mul", "add", "sub", "neg"]);
    assert.equal(boxes.leaves[3]?.delegate, 7);
    const whole = tree(graph, [
        [0, 7],
        [1, 7],
    ]);
    assert.deepEqual(titles(whole.root), ["Backend", "sub", "neg"]);
});

test("a module that is called three times is three boxes", () => {
    const call = ["act mul", "act exp", " add"];
    const graph = model([...call, ...call, ...call]);
    const boxes = tree(graph);
    assert.deepEqual(titles(boxes.root), ["act … add ×3"]);
    const turns = boxes.root.children[0]?.children ?? [];
    assert.deepEqual(turns.map(titles), Array(3).fill(["act", "add"]));
    const notes = turns.map(({ children }) => children[0]?.note);
    assert.deepEqual(notes, ["1 of 3", "2 of 3", "3 of 3"]);
    assertDownward(graph, boxes, makeLinks(graph, boxes));
});

test("nodes of one kernel are one box, over modules", () => {
    const graph = model(["b.conv aten.convolution.default", "b.bn bn", "b.act relu", "b.out mul"]);
    const { root } = tree(graph, [], [4, 4, 4, -1]);
    assert.deepEqual(titles(root), ["b"]);
    assert.deepEqual(titles(root.children[0] as Box), ["conv + bn + relu", "mul"]);
    assert.equal(root.children[0]?.children[0]?.size, 3);
    /* What is between two of them is not of them. */
    const split = tree(graph, [], [4, 4, -1, 4]);
    assert.deepEqual(titles(split.root.children[0] as Box), ["conv + bn", "relu", "mul"]);
});

test("titles of kernels leave out what only moves numbers", () => {
    const of = (...names: string[]) => kernelTitle(names.map((name) => `aten.${name}.default`));
    assert.equal(of("expand_copy", "view_copy", "bmm", "view_copy"), "bmm");
    assert.equal(of("view_copy", "permute_copy"), "view + permute");
    assert.equal(of("a", "b", "c", "d", "e"), "a + b + c + 2 more");
});

test("random graphs in random modules, calls and kernels have no line that leads up", () => {
    let state = 7;
    const next = (limit: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * limit);
    };
    for (let round = 0; round < 60; round++) {
        const count = 3 + next(60);
        const nodes = Array.from({ length: count }, () => {
            const path = ["a", "b", "c"].slice(0, next(4)).map((name) => `${name}${next(2)}`);
            return `${path.join(".")} op${next(3)}`;
        });
        const graph = model(nodes);
        graph.edges = Array.from({ length: count * 2 }, () => {
            const from = next(count - 1);
            return { from, to: from + 1 + next(count - 1 - from), shape: "", bytes: null };
        });
        const all = nodes.map((_, i) => i);
        const calls = all.filter(() => next(2) === 0).map((i): [number, number] => [i, next(3)]);
        const kernels = all.map(() => next(count) - 2);
        const boxes = tree(graph, calls, kernels);
        assert.equal(boxes.leaves.filter(Boolean).length, count);
        assert.equal(boxes.root.size, count);
        assertDownward(graph, boxes, makeLinks(graph, boxes));
    }
});

test("what repeats in turns is a stack: blocks with what is between them, steps of a loop", () => {
    const block = (i: number) => [`b.${i} mul`, `b.${i} exp`, " add"];
    const turns = tree(model([" embed", ...[0, 1, 2, 3].flatMap(block), " neg"]));
    assert.deepEqual(titles(turns.root), ["embed", "b.0–3 … add ×4", "neg"]);
    assert.deepEqual(titles(turns.root.children[1]?.children[3] as Box), ["b.3", "add"]);
    const step = [" mm", " sigmoid", " tanh", " mul"];
    const loop = tree(model([" view", ...step, ...step, ...step, " mm"]));
    assert.deepEqual(titles(loop.root), ["view", "mm + sigmoid + tanh + mul ×3", "mm"]);
    assert.equal(loop.root.children[1]?.children[1]?.note, "2 of 3");
    /* Slices beside each other are a stack, a chain of one operator is none. */
    const beside = model([" full", ...Array(7).fill(" slice"), " cat"]);
    beside.edges.length = 0;
    for (let i = 1; i <= 7; i++)
        beside.edges.push(
            ...[
                [0, i],
                [i, 8],
            ].map(([from, to]) => ({ from: from!, to: to!, shape: "", bytes: null })),
        );
    assert.deepEqual(titles(tree(beside).root), ["full", "slice ×7", "cat"]);
    const chain = tree(model(Array(40).fill(" add")));
    assert.equal(chain.root.children.length, 40);
});

test("stacks need no numbers in lists, and name the one that differs", () => {
    const layer = (i: number, last = "add") => [`layer_${i} mul`, `layer_${i} ${last}`];
    const nodes = [0, 1, 2, 3].flatMap((i) => layer(i));
    const { root } = tree(model([...nodes, ...layer(4, "sub")]));
    assert.deepEqual(titles(root), ["layer_0–3 ×4", "layer_4"]);
    assert.equal(root.children[1]?.note, "unlike layer_0–3 ×4");
    const named = ["first", "second", "third"].flatMap((name) => [`${name} mul`, `${name} add`]);
    assert.deepEqual(titles(tree(model(named)).root), ["first … third ×3"]);
});

test("a long list is cut where few values cross, and all of it can be opened", () => {
    const more: [number, number][] = [];
    /* Two values go on beside each, but at each 70th node. */
    for (let i = 0; i < 997; i++) if (i % 70 < 67) more.push([i, i + 2], [i, i + 3]);
    const graph = model(
        Array.from({ length: 1000 }, () => " add"),
        more,
    );
    const boxes = tree(graph);
    assert.equal(boxes.leaves.length, 1000);
    assert.ok(boxes.root.children.length < 20);
    const ends = boxes.root.children.slice(1).map(({ first }) => first % 70);
    assert.ok(
        ends.every((end) => end <= 1 || end > 66),
        `${ends}`,
    );
    assert.ok(openAll(boxes, new Set()).size > boxes.root.children.length);
});

test("what changed is told of nodes and of what they are in", () => {
    const line = (
        id: number,
        verdict: Verdict,
        ratio: number | null,
        kind: string | null = null,
    ) => ({
        ...{ id, block: 0, parent: null, depth: 0, instruction: null, name: `l${id}`, kind },
        ...{ before: null, after: null, change: null, ratio, interval: null, verdict },
        ...{ reason: null, source: null, module: null, hasInside: false },
        ...{ operatorsBefore: [10 + id], operatorsAfter: [id] },
    });
    const lines = [
        line(0, "slower", 0.12),
        line(1, "same", 0.001),
        line(2, "none", null, "delegated"),
        { ...line(3, "faster", -0.9), hasInside: true },
    ];
    const nodes = new Map([
        [0, [0]],
        [1, [1, 2]],
        [2, [2]],
        [3, [0, 1, 2]],
    ]);
    const changes = changesOfNodes(lines, "after", nodes);
    assert.deepEqual(
        [...changes].map(([node, { id }]) => [node, id]),
        [
            [0, 0],
            [1, 1],
            [2, 2],
        ],
    );
    assert.equal(changesOfNodes(lines, "before", nodes).size, 0);
    const boxes = tree(model(["a mul", "a add", "b sub", "c neg"]));
    const linesOf = linesOfBoxes(changes);
    const said = ([...boxes.root.children, boxes.root] as Box[]).map((box) => [
        changeOf(linesOf(box)),
        sayChange(linesOf(box)),
    ]);
    assert.deepEqual(said, [
        ["slower", "1 slower, 1 same"],
        ["changed", "delegated"],
        ["none", ""],
        ["mixed", "1 slower, 1 changed, 1 same"],
    ]);
    assert.equal(sayChange(new Set(lines.slice(0, 1))), "slower, +12.0%");
    assert.equal(sayChange(new Set(lines.slice(1, 2))), "same, +0.1%");
});

test("a path of very many modules is cut", () => {
    const path = Array.from({ length: 50_000 }, () => "m").join(".");
    const boxes = tree(model([`${path} mul`, `${path} add`, " neg"]));
    assert.ok(boxes.boxes.size < 70);
    assert.equal(boxes.root.size, 3);
});

test("steps of modules", () => {
    assert.deepEqual(stepsOf("features.0.1.block.2"), ["features.0", "1", "block.2"]);
    assert.deepEqual(stepsOf(""), []);
});

test("colours have round bounds", () => {
    const close = (a: number[], b: number[]) =>
        a.forEach((value, i) => assert.ok(Math.abs(value / (b[i] ?? 0) - 1) < 1e-9, `${a}`));
    close(heatSteps(0.4), [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]);
    close(heatSteps(1), [0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    close(heatSteps(5000, 4), [4, 16, 64, 256, 1024, 4096]);
    assert.deepEqual(heatSteps(0), []);
    assert.equal(stepOf(0.05, heatSteps(0.4)), 4);
    assert.equal(stepOf(0, heatSteps(0.4)), 0);
});

test("links join the boxes of their level; many users and long ways are stubs", () => {
    const nodes = Array.from({ length: 12 }, (_, i) => (i === 1 || i === 2 ? "m add" : " add"));
    const users = [3, 4, 5, 6, 7, 8, 9, 10].map((to): [number, number] => [0, to]);
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
        Array.from({ length: 60 }, () => " add"),
        [
            [0, 59],
            [0, 5],
        ],
    );
    const flat = tree(long);
    const ways = makeLinks(long, flat).get("root") ?? [];
    const stubs = ways.filter((link) => link.isStub).map((link) => link.to.node);
    assert.deepEqual(stubs, [59]);
});

test("a worker lays out one plan after the other; where it fails, the page does", async () => {
    const plan = {
        ...{ id: "root", size: null, children: [], links: [], head: 30, pad: 10, least: 50 },
    };
    const started: string[] = [];
    let fails = false;
    const start = (): LayoutWorker => {
        const worker: LayoutWorker = {
            onmessage: null,
            onerror: null,
            postMessage: ({ id }) => {
                started.push(id);
                queueMicrotask(() => {
                    if (fails) worker.onerror?.({} as ErrorEvent);
                    else worker.onmessage?.({ data: id } as unknown as MessageEvent);
                });
            },
            terminate: () => started.push("end"),
        };
        return worker;
    };
    const layouts = new Layouts(start);
    const both = Promise.all([
        layouts.place({ ...plan, id: "a" }),
        layouts.place({ ...plan, id: "b" }),
    ]);
    assert.deepEqual(await both, ["a", "b"]);
    fails = true;
    const { width, height } = await layouts.place(plan);
    assert.deepEqual([width, height, started], [50, 50, ["a", "b", "root", "end"]]);
    assert.equal((await layouts.place(plan)).width, 50);
    const none = new Layouts(() => {
        throw new Error("no workers here");
    });
    assert.equal((await none.place(plan)).width, 50);
});

test("a box has the times of what is in it, and of a call what it reports", () => {
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
        isCall: (id) => id === 2,
    });
    const of = (module: string) => sums.get(boxes.boxes.get(`module ${module}`) as Box);
    assert.deepEqual(sums.get(boxes.root), { lower: 30, upper: 30 });
    /* What the call does not report is in no module. */
    assert.deepEqual(of("a"), { lower: 15, upper: 15 });
    assert.equal(of("b"), undefined);
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
        isCall: () => false,
    };
    const sums = sumTimes(boxes, nodes, [1, 2, 3], times, sharers);
    assert.deepEqual(sums.get(sharers[0] ?? boxes.root), { lower: 30, upper: 30 });
    assert.deepEqual(sums.get(boxes.leaves[0] as Box), { lower: 0, upper: 30 });
    assert.deepEqual(sums.get(boxes.leaves[3] as Box), { lower: 30, upper: 30 });
});

test("what is in a module says no more than what is reported of the module", () => {
    const { root } = tree(model(["a mul", "a add", "a sub", " exp"]));
    const [a, exp] = root.children as [Box, Box];
    const [mul] = a.children as [Box];
    const sums = new Map([
        [mul, { lower: 0.5, upper: 0.6 }],
        [exp, { lower: 0.4, upper: 0.5 }],
    ]);
    const reported = (box: Box) => (box === a ? { lower: 0.3, upper: 0.45 } : undefined);
    assert.deepEqual(rangeWithin(mul, sums, reported), { lower: 0.45, upper: 0.45 });
    assert.deepEqual(rangeWithin(a, sums, reported), { lower: 0.3, upper: 0.45 });
    assert.deepEqual(rangeWithin(exp, sums, reported), { lower: 0.4, upper: 0.5 });
    assert.equal(rangeWithin(root, sums, reported), null);
});

test("what crosses the border of an open box goes on inside, to what takes it", () => {
    /* A block with a way around it: "x" goes to its first and to its last node. */
    const graph = model([" x", "b mul", "b exp", "b add", " neg"], [[0, 3]]);
    const boxes = tree(graph);
    const links = makeLinks(graph, boxes);
    const block = boxes.root.children[1] as Box;
    const { into, out } = links.crossings(block);
    assert.deepEqual(
        [...into].map(({ title }) => title),
        ["mul", "add"],
    );
    assert.deepEqual(
        [...out].map(({ title }) => title),
        ["add"],
    );
    const words = () => "";
    const shown = (box: Box) => box.children;
    const open = new Set([boxes.root.id, block.id]);
    const plan = planOf(boxes.root, open, shown, links, words);
    const scene = makeScene(boxes.root, plan, placePlan(plan, new Map()), shown, links);
    assert.deepEqual(
        scene.gates.map(({ isIn }) => isIn),
        [true, false],
    );
    const gates = scene.lines.filter(({ isGate }) => isGate);
    assert.deepEqual(
        gates.map(({ link }) => `${link.from.title} ${link.to.title}`),
        ["b mul", "b add", "add b"],
    );
    for (const { points } of scene.lines)
        assert.ok(points.every(({ y }, i) => i === 0 || y >= points[i - 1]!.y));
    const { y, height } = scene.byId.get(block.id) as { y: number; height: number };
    for (const gate of scene.gates) assert.ok(gate.y > y && gate.y < y + height);
});
