/** Where all that is shown stands: boxes within boxes, and the lines between them. */
import type { Link, Links } from "./links";
import type { Layouts } from "./layouts";
import { type LayoutRequest, rowsInOrder, type Size, spread } from "./rows";
import type { Box } from "./tree";

export interface Placed extends Size {
    box: Box;
    x: number;
    y: number;
    isOpen: boolean;
}

export interface Line {
    link: Link;
    path: string;
}

export interface Scene extends Size {
    boxes: Placed[];
    byId: Map<string, Placed>;
    lines: Line[];
    /** Stubs have no lines until one of their ends is pointed at. */
    stubs: Link[];
    hasFallback: boolean;
}

export const HEAD = 30;
const PAD = 16;
/** Beside the title of an open box its number and its nodes. */
const SAID = 130;
const CLOSED = { least: 120, most: 230, height: 44, letter: 6.9, bold: 7.9 };

export function closedSize(box: Box): Size {
    const letters = Math.max(box.title.length + (box.children.length > 0 ? 3 : 0), 12);
    const letter = box.children.length > 0 ? CLOSED.bold : CLOSED.letter;
    const width = Math.max(CLOSED.least, Math.min(CLOSED.most, 26 + letters * letter));
    return { width, height: CLOSED.height };
}

/** What a layout of the box is made of; it does not depend on what is open. */
export function requestOf(box: Box, links: readonly Link[]): LayoutRequest {
    const place = new Map(box.children.map((child, i) => [child, i]));
    return {
        sizes: box.children.map(closedSize),
        links: links
            .filter((link) => !link.isStub)
            .map(({ from, to }) => [place.get(from) as number, place.get(to) as number]),
    };
}

interface Inside extends Size {
    place: (x: number, y: number) => void;
}

export function makeScene(
    root: Box,
    open: ReadonlySet<string>,
    links: Links,
    layouts: Pick<Layouts, "get">,
): Scene {
    const scene: Scene = {
        ...{ boxes: [], byId: new Map(), lines: [], stubs: [], hasFallback: false },
        ...{ width: 0, height: 0 },
    };
    const arrange = (box: Box): Inside => {
        const isOpen = open.has(box.id) && box.children.length > 0;
        if (!isOpen) {
            const size = closedSize(box);
            return { ...size, place: (x, y) => put(scene, { box, x, y, ...size, isOpen }) };
        }
        const own = links.get(box.id);
        const lines = own.filter((link) => !link.isStub);
        const layout = layouts.get(box.id);
        const rows = layout?.rows ?? rowsInOrder(requestOf(box, own));
        scene.hasFallback ||= layout?.isFallback ?? false;
        const inside = box.children.map(arrange);
        const found = spread(rows, inside, lines.length);
        const head = box.kind === "root" ? 0 : HEAD;
        const pad = box.kind === "root" ? 0 : PAD;
        const least = box.kind === "root" ? 0 : closedSize(box).width + SAID;
        const width = Math.max(least, found.width + 2 * pad);
        const height = found.height + head + 2 * pad;
        const left = (width - found.width) / 2;
        return {
            ...{ width, height },
            place: (x, y) => {
                if (box.kind !== "root") put(scene, { box, x, y, width, height, isOpen });
                inside.forEach((child, i) => {
                    const at = found.at[i] as { x: number; y: number };
                    child.place(x + left + at.x, y + head + pad + at.y);
                });
                lines.forEach((link, i) => {
                    const bends = (found.bends[i] ?? []).map((bend) => ({
                        x: bend.x + x + left,
                        top: bend.top + y + head + pad,
                        bottom: bend.bottom + y + head + pad,
                    }));
                    scene.lines.push({ link, path: linePath(scene, link, bends) });
                });
                scene.stubs.push(...own.filter((link) => link.isStub));
            },
        };
    };
    const whole = arrange(root);
    whole.place(0, 0);
    scene.width = whole.width;
    scene.height = whole.height;
    return scene;
}

function put(scene: Scene, placed: Placed): void {
    scene.boxes.push(placed);
    scene.byId.set(placed.box.id, placed);
}

/** From the lower edge of one box to the upper edge of the other, past the boxes between. */
export function linePath(
    scene: Pick<Scene, "byId">,
    link: Link,
    bends: readonly { x: number; top: number; bottom: number }[] = [],
): string {
    const from = scene.byId.get(link.from.id);
    const to = scene.byId.get(link.to.id);
    if (from === undefined || to === undefined) return "";
    let x = from.x + from.width / 2;
    let y = from.y + from.height;
    let path = `M${round(x)} ${round(y)}`;
    const curve = (toX: number, toY: number) => {
        const middle = (y + toY) / 2;
        path += `C${round(x)} ${round(middle)} ${round(toX)} ${round(middle)} ${round(toX)} ${round(toY)}`;
        x = toX;
        y = toY;
    };
    const isDown = to.y >= from.y + from.height;
    for (const bend of isDown ? bends : []) {
        curve(bend.x, bend.top);
        path += `V${round(bend.bottom)}`;
        y = bend.bottom;
    }
    if (!isDown) return wayBack(scene, from, to);
    curve(to.x + to.width / 2, to.y);
    return path;
}

/** Up, or beside: out of a side, around what stands between, and in again; by the nearer side. */
function wayBack(scene: Pick<Scene, "byId">, from: Placed, to: Placed): string {
    const right = ({ x, width }: Placed) => x + width;
    const middle = ({ y, height }: Placed) => y + Math.min(height, CLOSED.height) / 2;
    const [low, high] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const isPassed = ({ box, x, y, width, height }: Placed) =>
        box.parent === from.box.parent &&
        y + height > low &&
        y < high + CLOSED.height &&
        x < Math.max(right(from), right(to)) + ASIDE &&
        x + width > Math.min(from.x, to.x) - ASIDE;
    const passed = [...scene.byId.values()].filter(isPassed);
    const most = Math.max(...passed.map(right), right(from), right(to));
    const least = Math.min(...passed.map(({ x }) => x), from.x, to.x);
    const isRight = 2 * most - right(from) - right(to) <= from.x + to.x - 2 * least;
    const side = round(isRight ? most + ASIDE : least - ASIDE);
    const [start, end] = [round(middle(from)), round(middle(to))];
    const [out, into] = [from, to].map((box) => round(isRight ? right(box) : box.x));
    return `M${out} ${start}C${side} ${start} ${side} ${start} ${side} ${round((start + end) / 2)}S${side} ${end} ${into} ${end}`;
}

/** Between a box and a line that passes it. */
const ASIDE = 24;

const round = (value: number): number => Math.round(value * 10) / 10;

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
