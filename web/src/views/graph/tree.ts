/** Boxes in boxes: modules, delegate calls, stacks of equal siblings, and nodes. */
import type { GraphModel, GraphNode } from "./model";

export type BoxKind = "root" | "module" | "delegate" | "stack" | "part" | "branch" | "node";

export interface Box {
    id: string;
    kind: BoxKind;
    title: string;
    /** Path of a module. */
    module: string | null;
    /** Number of the node that it is. */
    node: number | null;
    /** The delegate call that all of its nodes are in. */
    delegate: number | null;
    parent: Box | null;
    depth: number;
    /** In order of execution. */
    children: Box[];
    /** Its first node. */
    first: number;
    /** Number of nodes in it. */
    size: number;
}

export interface Tree {
    root: Box;
    boxes: Map<string, Box>;
    /** By number of the node. */
    leaves: Box[];
}

/** Siblings of equal structure from which on they are a stack. */
const LEAST_STACK = 3;
/** Children of one box; more are cut into parts. */
const MOST_CHILDREN = 150;
const PART = 100;

export function buildTree(
    model: GraphModel,
    delegateOf: ReadonlyMap<number, number>,
    nameOfDelegate: (operator: number, nodes: number) => string,
): Tree {
    const root = makeModules(model);
    findDelegates(root, delegateOf);
    wrapDelegates(root, nameOfDelegate);
    foldStacks(root, shapesOf(root, model));
    cutParts(root);
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

function makeBox(id: string, kind: BoxKind, title: string, children: Box[] = []): Box {
    const box: Box = {
        ...{ id, kind, title, children, module: null, node: null, delegate: null, parent: null },
        ...{ depth: 0, first: 0, size: 0 },
    };
    measure(box);
    return box;
}

function measure(box: Box): void {
    if (box.node !== null) return;
    box.children.sort((a, b) => a.first - b.first);
    box.first = box.children[0]?.first ?? 0;
    box.size = box.children.reduce((sum, child) => sum + child.size, 0);
}

/** "layers.0" is one step: lists of modules are no modules of their own. */
export function stepsOf(path: string): string[] {
    const steps: string[] = [];
    for (const name of path === "" ? [] : path.split(".")) {
        if (/^\d+$/.test(name) && steps.length > 0) steps.push(`${steps.pop()}.${name}`);
        else steps.push(name);
    }
    return steps;
}

function makeModules(model: GraphModel): Box {
    const root = makeBox("root", "root", "model");
    const known = new Map<string, Box>();
    const found = new Map<string, Box>();
    const within = (parent: Box, id: string, make: () => Box): Box => {
        let box = known.get(id);
        if (box === undefined) {
            box = make();
            known.set(id, box);
            parent.children.push(box);
        }
        return box;
    };
    const moduleOf = ({ branch, module }: GraphNode): Box => {
        let box = root;
        let base = "";
        if (branch !== null) {
            base = `${branch}:`;
            box = within(box, `branch ${branch}`, () =>
                makeBox(`branch ${branch}`, "branch", branch),
            );
        }
        let path = "";
        for (const step of stepsOf(module)) {
            path = path === "" ? step : `${path}.${step}`;
            const at = path;
            box = within(box, `module ${base}${at}`, () => {
                const made = makeBox(`module ${base}${at}`, "module", step);
                made.module = at;
                return made;
            });
        }
        return box;
    };
    model.nodes.forEach((node, i) => {
        const place = `${node.branch ?? ""}\n${node.module}`;
        const box = found.get(place) ?? moduleOf(node);
        found.set(place, box);
        const leaf = makeBox(`node ${i}`, "node", node.op === "" ? node.name : shortOp(node.op));
        leaf.node = i;
        leaf.first = i;
        leaf.size = 1;
        box.children.push(leaf);
    });
    root.children = root.children.map(simplify);
    measure(root);
    return root;
}

/** "aten.add.Tensor" without namespace and overload. */
export function shortOp(op: string): string {
    const parts = op.replace("::", ".").split(".");
    return (parts.length >= 3 ? parts[1] : parts[0]) as string;
}

/** A module with one thing in it is that thing. */
function simplify(box: Box): Box {
    box.children = box.children.map(simplify);
    measure(box);
    const only = box.children[0];
    if (box.kind !== "module" || box.children.length !== 1 || only === undefined) return box;
    if (only.kind === "module") only.title = `${box.title}.${only.title}`;
    else only.module = box.module;
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

/** Children that are wholly in one delegate call go into a box of it. */
function wrapDelegates(box: Box, nameOf: (operator: number, nodes: number) => string): void {
    if (box.delegate !== null && box.kind !== "root") return; /* the outline is further out */
    const calls = new Map<number, Box[]>();
    const others: Box[] = [];
    for (const child of box.children) {
        if (child.delegate === null) {
            others.push(child);
            wrapDelegates(child, nameOf);
        } else {
            calls.set(child.delegate, [...(calls.get(child.delegate) ?? []), child]);
        }
    }
    for (const [operator, children] of calls) {
        if (children.length === 1) {
            others.push(children[0] as Box);
            continue;
        }
        const id = `delegate ${operator} in ${box.id}`;
        const call = makeBox(id, "delegate", "", children);
        call.title = nameOf(operator, call.size);
        call.delegate = operator;
        others.push(call);
    }
    box.children = others;
    measure(box);
}

/** Equal for boxes whose insides are equal: same operators, same modules, in the same order. */
function shapesOf(root: Box, model: GraphModel): Map<Box, number> {
    const known = new Map<string, number>();
    const shapes = new Map<Box, number>();
    const visit = (box: Box): number => {
        const inside = box.children.map(visit).join(",");
        const own = box.node === null ? box.kind : (model.nodes[box.node]?.op ?? "");
        const text = `${own}${box.delegate === null ? "" : "*"}(${inside})`;
        const number = known.get(text) ?? known.size;
        known.set(text, number);
        shapes.set(box, number);
        return number;
    };
    visit(root);
    return shapes;
}

function foldStacks(box: Box, shapes: ReadonlyMap<Box, number>): void {
    for (const child of box.children) foldStacks(child, shapes);
    const families = new Map<string, { box: Box; number: number }[]>();
    for (const child of box.children) {
        const match = /^(.*)\.(\d+)$/.exec(child.kind === "module" ? (child.module ?? "") : "");
        if (match === null) continue;
        const family = `${match[1]} ${shapes.get(child)}`;
        const list = families.get(family) ?? [];
        list.push({ box: child, number: Number(match[2]) });
        families.set(family, list);
    }
    for (const members of families.values()) {
        members.sort((a, b) => a.number - b.number);
        let start = 0;
        members.forEach((member, i) => {
            if (members[i + 1]?.number === member.number + 1) return;
            if (i + 1 - start >= LEAST_STACK) stack(box, members.slice(start, i + 1));
            start = i + 1;
        });
    }
}

function stack(box: Box, members: { box: Box; number: number }[]): void {
    const inside = members.map((member) => member.box);
    const first = members[0]?.number;
    const last = members[members.length - 1]?.number;
    const name = (inside[0]?.title ?? "").replace(/\.?\d+$/, "");
    const made = makeBox(
        `stack ${inside[0]?.id} ${last}`,
        "stack",
        `${name}${name === "" ? "" : "."}${first}–${last} ×${members.length}`,
        inside,
    );
    const calls = new Set(inside.map((child) => child.delegate));
    made.delegate = calls.size === 1 ? ([...calls][0] ?? null) : null;
    box.children = [...box.children.filter((child) => !inside.includes(child)), made];
    measure(box);
}

/** So that no box shows more at once than can be seen. */
function cutParts(box: Box): void {
    for (const child of box.children) cutParts(child);
    while (box.children.length > MOST_CHILDREN) {
        const parts: Box[] = [];
        for (let i = 0; i < box.children.length; i += PART) {
            const inside = box.children.slice(i, i + PART);
            const title = `${i + 1}–${i + inside.length} of ${box.children.length}`;
            const part = makeBox(`part ${i} of ${box.children.length} ${box.id}`, "part", title);
            part.children = inside;
            measure(part);
            const calls = new Set(inside.map((child) => child.delegate));
            part.delegate = calls.size === 1 ? ([...calls][0] ?? null) : null;
            parts.push(part);
        }
        box.children = parts;
    }
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
            if (child.children.length === 0) continue;
            if (next === null || heat(child) > heat(next)) next = child;
        }
        if (next === null || heat(next) <= 0) return open;
        open.push(next.id);
        box = next;
    }
}

/** Boxes that are shown at once. */
export const MOST_SHOWN = 300;

/** Boxes whose children are shown. */
export function openBoxes(root: Box, open: ReadonlySet<string>): Box[] {
    if (!open.has(root.id) || root.children.length === 0) return [];
    return [root, ...root.children.flatMap((child) => openBoxes(child, open))];
}

export function countShown(root: Box, open: ReadonlySet<string>): number {
    if (!open.has(root.id)) return 1;
    return root.children.reduce((sum, child) => sum + countShown(child, open), 1);
}

/**
 * Opens a box with all that it is in. Where too much would be shown, boxes that it is not in are
 * closed, those opened longest ago first.
 */
export function openBox(root: Box, open: ReadonlySet<string>, box: Box): Set<string> {
    const needed = new Set([...outwards(box)].map((outer) => outer.id));
    const next = new Set([...open].filter((id) => !needed.has(id)));
    const others = [...next];
    for (const id of needed) next.add(id);
    while (others.length > 0 && countShown(root, next) > MOST_SHOWN) {
        next.delete(others.shift() as string);
    }
    return next;
}
