/** Where all that is shown stands: boxes within boxes, and the lines between them. */
import { type Link, type Links, MOST_USERS } from "./links";
import type { Placement, Plan, Point, Size } from "./layout/layout";
import type { Box, Shown } from "./tree";

export interface Placed extends Size {
    box: Box;
    x: number;
    y: number;
    isOpen: boolean;
}

export interface Line {
    link: Link;
    /** From its source to its target. */
    points: Point[];
    /** It is the part inside of a box of what comes from outside, or leads there. */
    isGate: boolean;
}

export interface Scene extends Size {
    /** Outer boxes before those in them. */
    boxes: Placed[];
    byId: Map<string, Placed>;
    lines: Line[];
    /** Middles of the places where lines cross the border of an open box. */
    gates: { x: number; y: number; isIn: boolean }[];
    /** Stubs have no lines until one of their ends is pointed at. */
    stubs: Link[];
}

export const HEAD = 30;
/** Below the head of an open stack a cell for each of its boxes. */
export const STRIP = { height: 12, least: 4, most: 18, left: 12 };

export const headOf = (box: Box): number => HEAD + (box.kind === "stack" ? STRIP.height + 4 : 0);

export interface Cell {
    left: number;
    width: number;
    /** Several, where the stack has more than there is room for cells. */
    boxes: readonly Box[];
}

export function cellsOf(placed: Placed): Cell[] {
    const { children } = placed.box;
    const room = placed.width - 2 * STRIP.left;
    const count = Math.max(1, Math.min(children.length, Math.floor(room / STRIP.least)));
    const width = Math.min(STRIP.most, room / count);
    const first = (cell: number) => Math.floor((cell * children.length) / count);
    return Array.from({ length: count }, (_, i) => ({
        left: placed.x + STRIP.left + i * width,
        width,
        boxes: children.slice(first(i), first(i + 1)),
    }));
}

/** What a cell of several boxes stands for: the one of which most is to be said. */
export function mostOf(boxes: readonly Box[], amount: (box: Box) => number): Box {
    return boxes.reduce((most, box) => (amount(box) > amount(most) ? box : most));
}

/** The box that the cell of an open stack stands for at a point; of several boxes each click takes the next. */
export function cellAt(
    placed: Placed,
    x: number,
    y: number,
    amount: (box: Box) => number,
    drawn: (box: Box) => boolean,
): Box | null {
    if (placed.box.kind !== "stack" || !placed.isOpen) return null;
    if (y < placed.y + HEAD - 4 || y > placed.y + HEAD + STRIP.height) return null;
    const cell = cellsOf(placed).find(({ left, width }) => x >= left && x < left + width);
    if (cell === undefined) return null;
    const at = cell.boxes.findIndex(drawn);
    return at < 0 ? mostOf(cell.boxes, amount) : (cell.boxes[(at + 1) % cell.boxes.length] as Box);
}
const PAD = 18;
/** Beside the title of an open box its number and its nodes. */
const SAID = 150;
const CLOSED = { least: 116, most: 250, height: 42, line: 15, letter: 7, bold: 7.9, small: 6.2 };
const END = { height: 34 };
export const GATE_SIZE = 8;

export const isEnd = (box: Box): boolean =>
    box.kind === "input" || box.kind === "output" || box.kind === "weight";

/** What is written in a closed box below its title and its number, or "". */
export type Words = (box: Box) => string;

export function closedSize(box: Box, words: Words): Size {
    const detail = words(box);
    const letters = Math.max(
        box.title.length * (box.children.length > 0 ? CLOSED.bold : CLOSED.letter) +
            (box.children.length > 0 ? 22 : 0),
        detail.length * CLOSED.small,
    );
    const width = Math.max(
        isEnd(box) ? 70 : CLOSED.least,
        Math.min(CLOSED.most, (isEnd(box) ? 34 : 26) + letters),
    );
    const height = isEnd(box) ? END.height : CLOSED.height + (detail !== "" ? CLOSED.line : 0);
    return { width: Math.round(width), height };
}

/** What the layout is made of. */
export function planOf(
    box: Box,
    open: ReadonlySet<string>,
    shown: Shown,
    links: Links,
    words: Words,
): Plan {
    const isRoot = box.kind === "root";
    const isOpen = box.children.length > 0 && open.has(box.id);
    const size = closedSize(box, words);
    if (!isOpen && !isRoot)
        return { id: box.id, size, children: [], links: [], head: 0, pad: 0, least: 0 };
    const children = shown(box);
    const place = new Map(children.map((child, i) => [child, i]));
    const gates = gatesOf(links, box, children);
    return {
        id: box.id,
        size: null,
        children: [
            ...children.map((child) => planOf(child, open, shown, links, words)),
            ...gates.map(({ isIn }) => gatePlan(`${box.id} ${isIn ? "in" : "out"}`)),
        ],
        links: [
            ...linesOf(links, box).map(
                ({ from, to }) => [place.get(from) as number, place.get(to) as number] as const,
            ),
            ...gates.flatMap(({ isIn, inside }, i) =>
                inside.map((child) => {
                    const [gate, at] = [children.length + i, place.get(child) as number];
                    return isIn ? ([gate, at] as const) : ([at, gate] as const);
                }),
            ),
        ],
        head: isRoot ? 0 : headOf(box),
        pad: isRoot ? 0 : PAD,
        least: isRoot ? 0 : size.width + SAID,
    };
}

/** Where values come into an open box, or leave it: lines go on there to what takes or gives them. */
interface Gate {
    isIn: boolean;
    inside: Box[];
}

/** A gate of more lines says nothing: all is tied to it. */
function gatesOf(links: Links, box: Box, children: readonly Box[]): Gate[] {
    if (box.kind === "root") return [];
    const { into, out } = links.crossings(box);
    return [
        { isIn: true, inside: children.filter((child) => into.has(child)) },
        { isIn: false, inside: children.filter((child) => out.has(child)) },
    ].filter(({ inside }) => inside.length > 0 && inside.length <= MOST_USERS);
}

const gatePlan = (id: string): Plan => ({
    ...{ id, size: { width: GATE_SIZE, height: GATE_SIZE } },
    ...{ children: [], links: [], head: 0, pad: 0, least: 0 },
});

/** A stack shows one box, and no lines. */
const linesOf = (links: Links, box: Box): Link[] =>
    box.kind === "stack" ? [] : links.get(box.id).filter((link) => !link.isStub);

export function makeScene(
    root: Box,
    plan: Plan,
    placement: Placement,
    shown: Shown,
    links: Links,
): Scene {
    const scene: Scene = {
        ...{ boxes: [], byId: new Map(), lines: [], stubs: [], gates: [] },
        ...{ width: placement.width, height: placement.height },
    };
    const put = (box: Box, plan: Plan, placed: Placement, x: number, y: number): void => {
        const isOpen = plan.size === null;
        const { width, height } = placed;
        if (box.kind !== "root") {
            const own = { box, x, y, width, height, isOpen };
            scene.boxes.push(own);
            scene.byId.set(box.id, own);
        }
        if (!isOpen) return;
        const routeOf = (i: number): Point[] =>
            (placed.routes[i] ?? []).map((point) => ({ x: point.x + x, y: point.y + y }));
        const own = linesOf(links, box);
        own.forEach((link, i) => {
            const points = routeOf(i);
            if (points.length > 1) scene.lines.push({ link, points, isGate: false });
        });
        let at = own.length;
        const children = shown(box);
        gatesOf(links, box, children).forEach(({ isIn, inside }, i) => {
            const corner = placed.at[children.length + i] as Point;
            scene.gates.push({
                x: corner.x + x + GATE_SIZE / 2,
                y: corner.y + y + GATE_SIZE / 2,
                isIn,
            });
            for (const child of inside) {
                const ends = isIn ? { from: box, to: child } : { from: child, to: box };
                const link = { ...ends, count: 0, shapes: new Set<string>(), isStub: false };
                scene.lines.push({ link, points: routeOf(at++), isGate: true });
            }
        });
        if (box.kind !== "stack")
            scene.stubs.push(...links.get(box.id).filter((link) => link.isStub));
        children.forEach((child, i) => {
            const at = placed.at[i] as Point;
            put(
                child,
                plan.children[i] as Plan,
                placed.children[i] as Placement,
                x + at.x,
                y + at.y,
            );
        });
    };
    put(root, plan, placement, 0, 0);
    return scene;
}

/** The way of a stub that is pointed at: straight from box to box. */
export function stubLine(scene: Pick<Scene, "byId">, link: Link): Line | null {
    const from = scene.byId.get(link.from.id);
    const to = scene.byId.get(link.to.id);
    if (from === undefined || to === undefined) return null;
    const points = [
        { x: from.x + from.width / 2, y: from.y + from.height },
        { x: to.x + to.width / 2, y: to.y },
    ];
    return { link, points, isGate: false };
}

/** Curves between points that a line passes: "bezierCurveTo" and "lineTo" of a canvas. */
export interface Pen {
    moveTo(x: number, y: number): void;
    lineTo(x: number, y: number): void;
    bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
}

export function traceLine(pen: Pen, { points }: Line): void {
    points.forEach(({ x, y }, i) => {
        const before = points[i - 1];
        if (before === undefined) pen.moveTo(x, y);
        else if (Math.abs(before.x - x) < 0.5) pen.lineTo(x, y);
        else {
            const middle = (before.y + y) / 2;
            pen.bezierCurveTo(before.x, middle, x, middle, x, y);
        }
    });
}

export type Direction = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/** The nearest sibling in a direction; upwards out of the first row, the box around. */
export function neighbour(scene: Scene, from: Placed, direction: Direction): Box | null {
    const isAcross = direction === "ArrowLeft" || direction === "ArrowRight";
    const sign = direction === "ArrowLeft" || direction === "ArrowUp" ? -1 : 1;
    const middle = (placed: Placed) => ({
        x: placed.x + placed.width / 2,
        y: placed.y + placed.height / 2,
    });
    const own = middle(from);
    let best: Placed | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const candidate of scene.boxes) {
        if (candidate === from || candidate.box.parent !== from.box.parent) continue;
        const other = middle(candidate);
        const along = sign * (isAcross ? other.x - own.x : other.y - own.y);
        const aside = Math.abs(isAcross ? other.y - own.y : other.x - own.x);
        const isThere = along > 1 && (!isAcross || aside < along + from.height);
        const distance = along + (isAcross ? 3 : 0.5) * aside;
        if (isThere && distance < least) {
            least = distance;
            best = candidate;
        }
    }
    if (best !== null) return best.box;
    const outer = from.box.parent;
    return direction === "ArrowUp" && outer !== null && outer.kind !== "root" ? outer : null;
}
