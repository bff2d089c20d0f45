/** Long lists made short: equal siblings fold into one, the rest is cut where few values cross. */
import type { GraphModel } from "./model";
import { isEnd } from "./scene";
import { type Beside, type Box, makeBox } from "./tree";

/** Siblings of equal structure from which on they are a stack. */
const LEAST_STACK = 3;
/** Children of one box; more are cut into parts. */
const MOST_CHILDREN = 200;
const LEAST_PART = 40;
const MOST_PART = 120;

/**
 * Equal for boxes whose insides are equal: same operators, same modules, in the same order. Weights do
 * not count: one that several take stands at the first of them.
 */
function shapesOf(root: Box, model: GraphModel): Map<Box, number> {
    const known = new Map<string, number>();
    const shapes = new Map<Box, number>();
    const visit = (box: Box): number => {
        const inside = box.children
            .filter((child) => !isEnd(child))
            .map(visit)
            .join(",");
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

/** Siblings that follow each other and are equal become one box, whatever their names. */
export function foldStacks(root: Box, model: GraphModel): void {
    const shapes = shapesOf(root, model);
    const fold = (box: Box): void => {
        box.children.forEach(fold);
        const folded: Box[] = [];
        for (let i = 0; i < box.children.length; ) {
            const first = box.children[i] as Box;
            let end = i + 1;
            const isEqual = (other: Box | undefined): boolean =>
                other !== undefined && !isEnd(other) && shapes.get(other) === shapes.get(first);
            while (isEqual(box.children[end])) end++;
            const isStack =
                end - i >= LEAST_STACK && (first.kind === "module" || first.kind === "delegate");
            if (isStack) folded.push(stackOf(box.children.slice(i, end)));
            else folded.push(...box.children.slice(i, end));
            i = end;
        }
        nameOdd(folded);
        box.children = folded;
    };
    fold(root);
}

/** A name and where its numbers are: "encoder_layer_#". */
const familyOf = (title: string): string => title.replace(/\d+/g, "#");

function stackOf(members: Box[]): Box {
    const first = members[0] as Box;
    const last = members[members.length - 1] as Box;
    const title = `${rangeOf(first.title, last.title)} ×${members.length}`;
    const made = makeBox(`stack ${first.id} ${last.id}`, "stack", title, members);
    const calls = new Set(members.map((child) => child.delegate));
    made.delegate = calls.size === 1 ? first.delegate : null;
    return made;
}

/** "layers.0", "layers.11": "layers.0–11". */
function rangeOf(first: string, last: string): string {
    if (familyOf(first) !== familyOf(last)) return `${first} … ${last}`;
    const ends = last.match(/\d+/g) ?? [];
    let number = 0;
    return first.replace(/\d+/g, (start) => {
        const end = ends[number++];
        return end === undefined || end === start ? start : `${start}–${end}`;
    });
}

/** The one of a family that is not as the others says so. */
function nameOdd(siblings: readonly Box[]): void {
    const stacks = new Map<string, Box>();
    const nearest = (title: string): string => title.replace(/\d+(?=\D*$)/, "#");
    for (const box of siblings) {
        const inner = box.kind === "stack" ? box.children[0] : undefined;
        if (inner !== undefined) stacks.set(nearest(inner.title), box);
    }
    for (const box of siblings) {
        const stack = stacks.get(nearest(box.title));
        if (box.kind !== "module" || stack === undefined) continue;
        box.note = `unlike ${stack.title}`;
    }
}

/** So that no box shows more at once than can be seen: cut where the fewest values cross. */
export function cutParts(box: Box, beside: Beside): void {
    for (const child of box.children) cutParts(child, beside);
    if (box.children.length <= MOST_CHILDREN) return;
    const crossing = crossingsOf(beside(box.children));
    const parts: Box[] = [];
    for (let start = 0; start < box.children.length; ) {
        const rest = box.children.length - start;
        let end = start + rest;
        if (rest > MOST_PART) {
            end = start + LEAST_PART;
            for (let at = end; at <= start + MOST_PART; at++)
                if (crossing[at]! <= crossing[end]!) end = at;
        }
        parts.push(partOf(box, box.children.slice(start, end)));
        start = end;
    }
    box.children = parts;
    cutParts(box, beside);
}

/** Values that cross each place between siblings. */
function crossingsOf(sources: readonly (readonly number[])[]): Int32Array {
    const last = new Int32Array(sources.length);
    sources.forEach((own, i) => {
        for (const source of own) last[source] = Math.max(last[source]!, i);
    });
    const crossing = new Int32Array(sources.length + 1);
    last.forEach((end, source) => {
        if (end <= source) return;
        crossing[source + 1]!++;
        crossing[end + 1]!--;
    });
    for (let i = 1; i < crossing.length; i++) crossing[i]! += crossing[i - 1]!;
    return crossing;
}

function partOf(box: Box, inside: Box[]): Box {
    const [first, last] = [inside[0] as Box, inside[inside.length - 1] as Box];
    const title = first.title === last.title ? first.title : `${first.title} … ${last.title}`;
    const part = makeBox(`part ${first.id} to ${last.id} of ${box.id}`, "part", title, inside);
    const calls = new Set(inside.map((child) => child.delegate));
    part.delegate = calls.size === 1 ? first.delegate : null;
    return part;
}
