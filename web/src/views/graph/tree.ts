/** Boxes in boxes: modules, delegate calls, stacks of equal siblings, kernels, and nodes. */
import { adjacency } from "./layout/adjacency";
import { convexParts, sourcesFirst, sourcesOf } from "./layout/convex";
import { kernelTitle, plainOp } from "./kernels";
import type { GraphModel } from "./model";
import { cutParts, foldStacks } from "./stacks";

export type BoxKind =
    | "root"
    | "module"
    | "delegate"
    | "stack"
    | "turn"
    | "part"
    | "branch"
    | "kernel"
    | "node"
    | "input"
    | "output"
    | "weight";

export interface Box {
    id: string;
    kind: BoxKind;
    title: string;
    /** What else is to be said of it, or "". */
    note: string;
    /** Path of a module. */
    module: string | null;
    /** Number of the node that it is. */
    node: number | null;
    /** The delegate call that all of its nodes are in. */
    delegate: number | null;
    parent: Box | null;
    depth: number;
    /** What gives comes before what takes, else in order of execution. */
    children: Box[];
    /** Its first node. */
    first: number;
    /** Number of nodes in it, without inputs, outputs and weights. */
    size: number;
}

export interface Tree {
    root: Box;
    boxes: Map<string, Box>;
    /** By number of the node. */
    leaves: Box[];
}

export interface Groups {
    /** By number of the node: its delegate call. */
    delegateOf: ReadonlyMap<number, number>;
    nameOfDelegate: (operator: number, nodes: number) => string;
    /** By number of the node: that of its kernel, or -1. */
    kernels: readonly number[];
}

/** Of boxes that stand beside each other, by their places: what each takes from. */
export type Beside = (boxes: readonly Box[]) => number[][];

export function buildTree(model: GraphModel, groups: Groups): Tree {
    const beside = besideIn(model);
    const root = makeModules(model, makeUnits(model, groups.kernels, beside), beside);
    findDelegates(root, groups.delegateOf);
    wrapDelegates(root, groups, beside);
    foldStacks(root, model, beside);
    cutParts(root, beside);
    const boxes = new Map<string, Box>();
    const leaves: Box[] = [];
    const finish = (box: Box, parent: Box | null): void => {
        box.parent = parent;
        box.depth = parent === null ? 0 : parent.depth + 1;
        boxes.set(box.id, box);
        if (box.node !== null) leaves[box.node] = box;
        for (const child of box.children) finish(child, box);
    };
    finish(root, null);
    return { root, boxes, leaves };
}

export function makeBox(id: string, kind: BoxKind, title: string, children: Box[] = []): Box {
    const box: Box = {
        ...{ id, kind, title, note: "", children, module: null, node: null, delegate: null },
        ...{ parent: null, depth: 0, first: 0, size: 0 },
    };
    measure(box);
    return box;
}

function measure(box: Box): void {
    if (box.node !== null) return;
    box.first = box.children.reduce((least, child) => Math.min(least, child.first), Infinity);
    box.size = box.children.reduce((sum, child) => sum + child.size, 0);
}

function besideIn(model: GraphModel): Beside {
    const to = model.edges.map((edge) => edge.to);
    const sources = adjacency(
        model.nodes.length,
        to,
        model.edges.map((edge) => edge.from),
    );
    const owner = new Int32Array(model.nodes.length);
    return (boxes) => {
        owner.fill(-1);
        const nodes = boxes.map(nodesIn);
        nodes.forEach((own, i) => {
            for (const node of own) owner[node] = i;
        });
        return nodes.map((own, i) => {
            const found = new Set<number>();
            for (const node of own) {
                for (let k = sources.first[node]!; k < sources.first[node + 1]!; k++) {
                    const source = sources.items[k]!;
                    if (source < node && owner[source]! >= 0) found.add(owner[source]!);
                }
            }
            found.delete(i);
            return [...found];
        });
    };
}

function nodesIn(box: Box): number[] {
    return box.node !== null ? [box.node] : box.children.flatMap(nodesIn);
}

/** Sources first. */
function inOrder(boxes: Box[], beside: Beside): Box[] {
    boxes.sort((a, b) => a.first - b.first);
    return sourcesFirst(beside(boxes)).map((i) => boxes[i] as Box);
}

/** Parts of boxes of one label that can be drawn as boxes; boxes stand in order. */
function partsOf(
    boxes: readonly Box[],
    labels: readonly number[],
    beside: Beside,
): Map<number, Box[]> {
    const links = beside(boxes).flatMap((sources, to) =>
        sources.map((from) => [from, to] as const),
    );
    const parts = new Map<number, Box[]>();
    convexParts(labels, sourcesOf(boxes.length, links)).forEach((part, i) => {
        const box = boxes[i] as Box;
        const members = parts.get(part);
        if (members === undefined) parts.set(part, [box]);
        else members.push(box);
    });
    return parts;
}

/** Nodes of one kernel are one box, other nodes are boxes by themselves. */
function makeUnits(model: GraphModel, kernels: readonly number[], beside: Beside): Box[] {
    const leaves = model.nodes.map((node, i) => {
        const named = node.kind === "node" ? plainOp(node.op) : node.op;
        const title = named === "" ? node.name : named;
        const leaf = makeBox(`node ${i}`, node.kind, title);
        Object.assign(leaf, { node: i, first: i, size: node.kind === "node" ? 1 : 0 });
        leaf.module = node.kind === "node" ? null : node.module;
        return leaf;
    });
    const labels = model.nodes.map((_, i) => kernels[i] ?? -1);
    const units: Box[] = [];
    for (const members of partsOf(leaves, labels, beside).values()) {
        const first = members[0] as Box;
        if (members.length === 1) {
            units.push(first);
            continue;
        }
        const ops = members.map(({ node }) => model.nodes[node as number]?.op ?? "");
        units.push(makeBox(`kernel ${first.first}`, "kernel", kernelTitle(ops), members));
    }
    return inOrder(units, beside);
}

/** "layers.0" is one step: lists of modules are no modules of their own. */
export function stepsOf(path: string): string[] {
    const steps: string[] = [];
    for (const name of path === "" ? [] : path.split(".")) {
        const last = steps[steps.length - 1];
        if (/^\d+$/.test(name) && last !== undefined && !/(^|\.)\d+$/.test(last))
            steps.push(`${steps.pop()}.${name}`);
        else steps.push(name);
    }
    return steps;
}

/** Modules in modules: no honest model has more. */
const DEEPEST = 64;

/** The path that all nodes of a unit are in, and the branch. */
function placeOf(model: GraphModel, unit: Box): string[] {
    const [first, ...others] = nodesIn(unit).map((node) => model.nodes[node]);
    let names = (first?.module ?? "").split(".");
    for (const other of others) {
        const own = (other?.module ?? "").split(".");
        const differs = names.findIndex((name, i) => name !== own[i]);
        if (differs >= 0) names = names.slice(0, differs);
    }
    const branch = first?.branch;
    const steps = stepsOf(names.join(".")).slice(0, DEEPEST);
    return branch === null || branch === undefined ? steps : [`\n${branch}`, ...steps];
}

/** A weight stands where what takes it first stands. */
function moveWeights(model: GraphModel, units: readonly Box[], places: Map<Box, string[]>): void {
    const unitOf = new Map(units.flatMap((unit) => nodesIn(unit).map((node) => [node, unit])));
    for (const { from, to } of [...model.edges].reverse()) {
        const [unit, user] = [unitOf.get(from), unitOf.get(to)];
        const place = user === undefined ? undefined : places.get(user);
        if (unit?.kind === "weight" && place !== undefined) places.set(unit, place);
    }
}

function makeModules(model: GraphModel, units: readonly Box[], beside: Beside): Box {
    const places = new Map(units.map((unit) => [unit, placeOf(model, unit)]));
    moveWeights(model, units, places);
    const used = new Map<string, number>();
    const fill = (members: readonly Box[], depth: number, path: string): Box[] => {
        const numbers = new Map<string, number>();
        const labels = members.map((unit) => {
            const step = places.get(unit)?.[depth];
            if (step === undefined) return -1;
            const number = numbers.get(step) ?? numbers.size;
            numbers.set(step, number);
            return number;
        });
        if (numbers.size === 0) return members.slice();
        const boxes: Box[] = [];
        for (const own of partsOf(members, labels, beside).values()) {
            const first = own[0] as Box;
            const step = places.get(first)?.[depth];
            if (step === undefined) {
                boxes.push(first);
                continue;
            }
            const isBranch = step.startsWith("\n");
            const at = isBranch ? path : path === "" ? step : `${path}.${step}`;
            const name = isBranch
                ? `branch ${step.slice(1)}`
                : `module ${placePrefix(places.get(first))}${at}`;
            const call = (used.get(name) ?? 0) + 1;
            used.set(name, call);
            const id = call === 1 ? name : `${name} ${call}`;
            const box = makeBox(id, isBranch ? "branch" : "module", step.trim());
            box.module = isBranch ? null : at;
            box.children = fill(own, depth + 1, at);
            measure(box);
            boxes.push(simplify(box));
        }
        nameCalls(boxes);
        return inOrder(boxes, beside);
    };
    return makeBox("root", "root", "model", fill(units, 0, ""));
}

const placePrefix = (place: readonly string[] | undefined): string =>
    place?.[0]?.startsWith("\n") ? `${place[0].slice(1)}:` : "";

/** Several boxes of one module are its calls. */
function nameCalls(boxes: readonly Box[]): void {
    const calls = new Map<string, Box[]>();
    for (const box of boxes) {
        if (box.kind !== "module") continue;
        const key = box.module ?? "";
        calls.set(key, [...(calls.get(key) ?? []), box]);
    }
    for (const own of calls.values()) {
        own.forEach((box, i) => {
            if (own.length > 1) box.note = `${i + 1} of ${own.length}`;
        });
    }
}

/** A module with one thing in it is that thing. */
function simplify(box: Box): Box {
    const only = box.children[0];
    if (box.kind !== "module" || box.children.length !== 1 || only === undefined) return box;
    if (only.kind === "module") only.title = `${box.title}.${only.title}`;
    else only.module ??= box.module;
    return only;
}

function findDelegates(box: Box, delegateOf: ReadonlyMap<number, number>): number | null {
    if (box.node !== null) {
        box.delegate = delegateOf.get(box.node) ?? null;
    } else {
        const found = new Set(box.children.map((child) => findDelegates(child, delegateOf)));
        box.delegate = found.size === 1 ? ([...found][0] ?? null) : null;
    }
    return box.delegate;
}

/** Children that are wholly in one delegate call go into a box of it, if they can be drawn as one. */
function wrapDelegates(root: Box, { delegateOf, nameOfDelegate }: Groups, beside: Beside): void {
    const sizes = new Map<number, number>();
    for (const call of delegateOf.values()) sizes.set(call, (sizes.get(call) ?? 0) + 1);
    const isBox = (operator: number, [first, second]: readonly Box[]): boolean => {
        if (operator < 0 || first === undefined) return false;
        if (second !== undefined) return true;
        return first.kind === "module" && first.size === sizes.get(operator);
    };
    const wrap = (box: Box): void => {
        if (box.delegate !== null && box !== root) return; /* the outline is further out */
        for (const child of box.children) if (child.delegate === null) wrap(child);
        const labels = box.children.map((child) => child.delegate ?? -1);
        const parts = [...partsOf(box.children, labels, beside).values()];
        const calls = new Map<number, number>();
        for (const [first] of parts) {
            const call = first?.delegate ?? -1;
            calls.set(call, (calls.get(call) ?? 0) + 1);
        }
        const boxes = parts.flatMap((children) => {
            const operator = children[0]?.delegate ?? -1;
            if (calls.get(operator) !== 1 || !isBox(operator, children)) return children;
            const call = makeBox(`delegate ${operator} in ${box.id}`, "delegate", "", children);
            call.title = nameOfDelegate(operator, call.size);
            call.delegate = operator;
            return [call];
        });
        box.children = inOrder(boxes, beside);
    };
    wrap(root);
}

/** Children that the picture shows: of a stack one. */
export type Shown = (box: Box) => readonly Box[];

/** What is open in a box is open in another of equal structure, too. */
export function openAlike(open: ReadonlySet<string>, from: Box, to: Box): Set<string> {
    const next = new Set(open);
    const visit = (a: Box, b: Box): void => {
        if (!open.has(a.id)) return;
        next.add(b.id);
        a.children.forEach((child, i) => {
            const other = b.children[i];
            if (other !== undefined) visit(child, other);
        });
    };
    visit(from, to);
    return next;
}

/** A box and all that it is in, from inside out. */
export function* outwards(box: Box | null | undefined): Generator<Box> {
    for (let at = box ?? null; at !== null; at = at.parent) yield at;
}

/** Opens first what is along the hottest path: of each box the child that takes most. */
export function hottestPath(root: Box, heat: (box: Box) => number): string[] {
    const open = [root.id];
    let box = root;
    for (;;) {
        let next: Box | null = null;
        for (const child of box.children) {
            if (child.children.length === 0 || child.kind === "kernel") continue;
            if (next === null || heat(child) > heat(next)) next = child;
        }
        if (next === null || heat(next) <= 0) return open;
        open.push(next.id);
        box = next;
    }
}

/** A box with all that it is in is opened. */
export function openBox(open: ReadonlySet<string>, box: Box): Set<string> {
    const next = new Set(open);
    for (const outer of outwards(box)) next.add(outer.id);
    return next;
}

/** All that has something in it; kernels stay closed until the rest is open. */
export function openAll(tree: Tree, open: ReadonlySet<string>): Set<string> {
    const all = [...tree.boxes.values()].filter((box) => box.children.length > 0);
    const outer = all.filter((box) => box.kind !== "kernel");
    const isOpen = outer.every((box) => open.has(box.id));
    return new Set((isOpen ? all : outer).map((box) => box.id));
}
