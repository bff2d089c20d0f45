/** Long lists made short: equal siblings fold into one, the rest is cut where few values cross. */
import { kernelTitle } from "./kernels";
import type { GraphModel } from "./model";
import { type Repeat, repeatsOf } from "./repeats";
import { isEnd } from "./scene";
import { type Beside, type Box, type BoxKind, makeBox } from "./tree";

/** Siblings of equal structure from which on they are a stack. */
const LEAST_STACK = 3;
/** Nodes that are no modules, from which on what repeats is a stack. */
const LEAST_NODES = 12;
const LEAST_BESIDE = 6;
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

/** Siblings that follow each other and are equal, or repeat in turns, become one box, whatever their names. */
export function foldStacks(root: Box, model: GraphModel, beside: Beside): void {
    const shapes = shapesOf(root, model);
    const fold = (box: Box): void => {
        box.children.forEach(fold);
        const { children } = box;
        let ends = -1; /* inputs and outputs are equal to nothing */
        const items = children.map((child) => (isEnd(child) ? ends-- : shapes.get(child)!));
        const sources = children.length < LEAST_STACK ? [] : beside(children);
        const isTurn = (repeat: Repeat): boolean => isWorthFolding(children, sources, repeat);
        const folded: Box[] = [];
        let done = 0;
        for (const { start, period, times } of repeatsOf(items, LEAST_STACK, isTurn)) {
            folded.push(...children.slice(done, start));
            done = start + period * times;
            const turns = Array.from({ length: times }, (_, i) =>
                turnOf(children.slice(start + i * period, start + (i + 1) * period), model),
            );
            if (period > 1)
                turns.forEach((turn, i) => {
                    turn.note = `${i + 1} of ${times}`;
                });
            folded.push(stackOf(turns));
        }
        folded.push(...children.slice(done));
        nameOdd(folded);
        box.children = folded;
    };
    fold(root);
}

/**
 * Boxes that have something in them, and what follows each; else many nodes: of steps that are
 * several nodes long, or beside each other, none of which takes from another.
 */
function isWorthFolding(
    children: readonly Box[],
    sources: readonly (readonly number[])[],
    { start, period, times }: Repeat,
): boolean {
    const hasInside = ({ kind }: Box): boolean => kind === "module" || kind === "delegate";
    const turn = children.slice(start, start + period);
    if (turn.some(({ kind }) => kind === "stack")) return false;
    if (turn.some(hasInside)) return hasInside(turn[0] as Box);
    if (period > 1) return period * times >= LEAST_NODES;
    if (times < LEAST_BESIDE) return false;
    for (let at = start; at < start + times; at++)
        if ((sources[at] as readonly number[]).some((source) => source >= start)) return false;
    return true;
}

/** What repeats, as one box. */
function turnOf(boxes: Box[], model: GraphModel): Box {
    const [first] = boxes as [Box];
    if (boxes.length === 1) return first;
    const ops = boxes.flatMap(({ node }) => model.nodes[node ?? -1]?.op ?? []);
    const title = ops.length === boxes.length ? kernelTitle(ops) : titleOf(boxes);
    return gather(`turn of ${first.id}`, "turn", boxes, title);
}

/** A name and where its numbers are: "encoder_layer_#". */
const familyOf = (title: string): string => title.replace(/\d+/g, "#");

function stackOf(members: Box[]): Box {
    const first = members[0] as Box;
    const last = members[members.length - 1] as Box;
    const title = `${rangeOf(first.title, last.title)} ×${members.length}`;
    return gather(`stack ${first.id} ${last.id}`, "stack", members, title);
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
    /* Of a stack one is shown. */
    if (box.kind === "stack" || box.children.length <= MOST_CHILDREN) return;
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
    return gather(`part ${first.id} to ${last.id} of ${box.id}`, "part", inside);
}

/** A box of boxes that have no common name. */
function gather(id: string, kind: BoxKind, inside: Box[], title = titleOf(inside)): Box {
    const box = makeBox(id, kind, title, inside);
    const calls = new Set(inside.map(({ delegate }) => delegate));
    box.delegate = calls.size === 1 ? (inside[0] as Box).delegate : null;
    return box;
}

function titleOf(boxes: readonly Box[]): string {
    const [first, last] = [boxes[0] as Box, boxes[boxes.length - 1] as Box];
    return first.title === last.title ? first.title : `${first.title} … ${last.title}`;
}
