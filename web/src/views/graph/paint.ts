/** Draws a scene: of what is in sight, as much as can be read. */
import { plural } from "../../text/format";
import { showName } from "../../text/show";
import type { Brush } from "./brush";
import { stepOf } from "./heat";
import type { Link } from "./links";
import type { Metric, MetricName } from "./metrics";
import {
    cellsOf,
    mostOf,
    HEAD,
    isEnd,
    type Line,
    type Placed,
    type Scene,
    STRIP,
    stubLine,
    type Words,
} from "./scene";
import type { Box } from "./tree";

export interface Look {
    colour: (name: string) => string;
    metric: Metric;
    by: MetricName;
    words: Words;
    cursor: string | null;
    /** Its lines are drawn strongly. */
    near: Box | null;
    selected: (box: Box) => boolean;
    matches: (box: Box) => number;
}

export interface Sight {
    left: number;
    top: number;
    right: number;
    bottom: number;
    zoom: number;
}

/** Letters below this height on the screen are left out. */
const LEAST_LETTER = 5;
const LETTER = 7;
const BOLD = 7.9;
const SMALL = 6.2;
const TITLE = 12;
const WORDS = 10.5;

export function paintScene(brush: Brush, scene: Scene, look: Look, sight: Sight): void {
    const inSight = scene.boxes.filter((placed) => isInSight(placed, sight));
    const stubs = stubsOf(scene);
    for (const placed of inSight) if (placed.isOpen) paintOpen(brush, scene, placed, look, sight);
    paintLines(brush, scene, look, sight);
    for (const placed of inSight)
        if (!placed.isOpen) paintClosed(brush, placed, look, sight, stubs);
    if (sight.zoom * TITLE < LEAST_LETTER) paintFarTitles(brush, inSight, look, sight);
    const cursor = scene.byId.get(look.cursor ?? "");
    if (cursor !== undefined) paintCursor(brush, cursor, look);
}

const isInSight = ({ x, y, width, height }: Placed, sight: Sight): boolean =>
    x < sight.right && x + width > sight.left && y < sight.bottom && y + height > sight.top;

function lineInSight({ points }: Line, sight: Sight): boolean {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of points) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
    }
    return left < sight.right && right > sight.left && top < sight.bottom && bottom > sight.top;
}

/** Lines are seen from afar, too. */
function outlineOf(box: Box, look: Look, { zoom }: Sight) {
    const { colour } = look;
    const wide = (width: number): number => Math.max(width, (0.6 * width) / zoom);
    if (look.selected(box)) return { colour: colour("accent"), width: wide(3) };
    if (look.matches(box) > 0)
        return { colour: colour("note"), width: wide(2.5), dash: [wide(5), wide(3)] };
    if (box.kind === "delegate") return { colour: colour("delegate"), width: wide(2) };
    return { colour: colour("strong-line"), width: wide(1) };
}

function paintOpen(brush: Brush, scene: Scene, placed: Placed, look: Look, sight: Sight): void {
    const { zoom } = sight;
    const { box, x, y, width, height } = placed;
    const { colour } = look;
    if (box.kind === "stack") {
        const outline = outlineOf(box, look, sight);
        for (const off of [8, 4])
            brush.box(x + off, y + off, width, height, 7, colour("back"), outline);
    }
    const back = box.depth % 2 === 1 ? colour("panel") : colour("back");
    brush.box(x, y, width, height, 7, back, outlineOf(box, look, sight));
    if (zoom * TITLE < LEAST_LETTER) return;
    const title = titleOf(box, look, 60);
    brush.text(x + 12, y + 20, title, { size: TITLE, colour: colour("text"), isBold: true });
    const said = [look.metric.say(box), box.note, plural(box.size, "node")].filter(Boolean);
    const room = Math.floor((width - 60 - title.length * BOLD) / SMALL);
    const at = x + 24 + title.length * BOLD;
    brush.text(at, y + 20, whatFits(said, room), { size: WORDS, colour: colour("muted") });
    brush.text(x + width - 12, y + 20, "−", { size: 15, colour: colour("muted"), isRight: true });
    if (box.kind === "stack") paintStrip(brush, scene, placed, look);
}

/** How much is to be said of a box: what became faster, too. */
export const amountOf =
    ({ metric }: Pick<Look, "metric">) =>
    (box: Box) =>
        Math.abs(metric.range(box)?.lower ?? 0);

/** The boxes of a stack as cells in their colours; a bar below the one that is drawn. */
function paintStrip(brush: Brush, scene: Scene, placed: Placed, look: Look): void {
    const { y } = placed;
    const line = { colour: look.colour("strong-line"), width: 1 };
    for (const { left, width, boxes } of cellsOf(placed)) {
        const { fill } = coloursOf(mostOf(boxes, amountOf(look)), look);
        const gap = Math.min(2, width / 4);
        brush.box(left, y + HEAD - 2, width - gap, STRIP.height, Math.min(2, gap), fill, line);
        if (boxes.some((box) => scene.byId.has(box.id))) {
            const below = y + HEAD + STRIP.height;
            brush.box(left, below, width - gap, 3, 0, look.colour("accent"), null);
        }
    }
}

/** From afar, names of what is open stand over it, as large as can be read, the outermost first. */
function paintFarTitles(
    brush: Brush,
    inSight: readonly Placed[],
    look: Look,
    { zoom }: Sight,
): void {
    const { colour } = look;
    const size = 11 / zoom;
    const taken: { x: number; y: number; right: number; bottom: number }[] = [];
    for (const { box, x, y, width, height, isOpen } of inSight) {
        const letters = Math.floor((width - size) / (size * 0.65));
        if (!isOpen || height < 2.5 * size || letters < Math.min(box.title.length, 10)) continue;
        const title = titleOf(box, look, letters);
        const [right, bottom] = [x + (title.length * 0.65 + 1) * size, y + size * 1.5];
        const isTaken = taken.some(
            (other) => x < other.right && right > other.x && y < other.bottom && bottom > other.y,
        );
        if (isTaken) continue;
        taken.push({ x, y, right, bottom });
        brush.box(x, y, right - x, bottom - y, size / 4, colour("back"), null);
        const letter = { size, colour: colour("text"), isBold: true };
        brush.text(x + size / 2, y + size * 1.1, title, letter);
    }
}

/** Of several facts those that have room as a whole, the first ones first. */
function whatFits(facts: readonly string[], letters: number): string {
    let text = "";
    for (const fact of facts) {
        const longer = text === "" ? fact : `${text} · ${fact}`;
        if (longer.length <= letters) text = longer;
    }
    return text;
}

/** The number of matches is never what is cut. */
function titleOf(box: Box, look: Look, letters: number): string {
    const found = box.children.length > 0 ? look.matches(box) : 0;
    const count = found > 0 ? ` (${found} found)` : "";
    return showName(box.title, Math.max(3, letters - count.length)) + count;
}

/** The fill of a closed box and what can be read on it. */
function coloursOf(box: Box, look: Look): { fill: string; text: string; words: string } {
    const { colour, metric } = look;
    const plain = { text: colour("text"), words: colour("muted") };
    if (isEnd(box)) return { fill: colour("track"), ...plain };
    if (look.metric.isKinds)
        return { fill: colour(`kind-${metric.kind(box)}`), ...plain, words: colour("text") };
    const range = metric.range(box);
    if (range === null) return { fill: colour("back"), ...plain };
    const step = stepOf(range.lower, metric.steps);
    const text = colour(`heat-text-${step}`);
    return { fill: colour(`heat-${step}`), text, words: text };
}

function paintClosed(brush: Brush, placed: Placed, look: Look, sight: Sight, stubs: Stubs): void {
    const { zoom } = sight;
    const { box, x, y, width, height } = placed;
    const { colour } = look;
    const { fill, text, words } = coloursOf(box, look);
    const outline = outlineOf(box, look, sight);
    const radius = isEnd(box) ? height / 2 : 5;
    if (box.kind === "stack") {
        for (const off of [7, 3.5])
            brush.box(x + off, y + off, width, height, radius, colour("back"), outline);
    }
    brush.box(x, y, width, height, radius, fill, outline);
    const isDelegate = box.delegate !== null && look.by !== "backend" && !isEnd(box);
    if (isDelegate) brush.box(x + 1, y + 5, 3, height - 10, 1, colour("delegate"), null);
    if (zoom * TITLE < LEAST_LETTER) return;
    const canOpen = box.children.length > 0;
    const pad = isEnd(box) ? 14 : 11;
    const room = width - 2 * pad - (canOpen ? 14 : 0) + 4;
    const title = titleOf(box, look, Math.floor(room / (canOpen ? BOLD : LETTER)));
    const first = isEnd(box) ? 15 : 17;
    brush.text(x + pad, y + first, title, { size: TITLE, colour: text, isBold: canOpen });
    if (canOpen) brush.text(x + width - 9, y + 18, "+", { size: 15, colour: words, isRight: true });
    if (zoom * WORDS < LEAST_LETTER) return;
    const detail = look.words(box);
    const small = { size: WORDS, colour: words };
    const letters = Math.floor((width - 2 * pad + 6) / SMALL);
    if (isEnd(box)) {
        brush.text(x + pad, y + 28, showName(detail, letters), small);
        return;
    }
    const lines = [secondOf(box, look, letters), detail].filter((line) => line !== "");
    lines.forEach((line, i) => {
        brush.text(x + pad, y + 33 + 15 * i, showName(line, letters), small);
    });
    if (zoom * WORDS < LEAST_LETTER + 2) return;
    const names = { size: 9.5, colour: colour("muted") };
    const from = sayStubs(stubs.taken.get(box), "from");
    const to = sayStubs(stubs.given.get(box), "to");
    if (from !== "") brush.text(x + 4, y - 5, from, names);
    if (to !== "") brush.text(x + 4, y + height + 11, to, names);
}

/** Its number, and how many nodes it has where there is room. */
function secondOf(box: Box, look: Look, letters: number): string {
    const said = look.metric.say(box);
    const nodes = box.children.length > 0 ? plural(box.size, "node") : "";
    const both = [said, nodes].filter(Boolean).join(" · ");
    return both.length > letters && said !== "" ? said : both;
}

function paintLines(brush: Brush, scene: Scene, look: Look, sight: Sight): void {
    const { colour, near } = look;
    const plain = { colour: colour("edge"), width: Math.max(1.2, 0.6 / sight.zoom) };
    const strong = { colour: colour("accent"), width: Math.max(2, 1.5 / sight.zoom) };
    const isNear = ({ from, to }: Link) => near !== null && (from === near || to === near);
    const hasArrow = sight.zoom > 0.25;
    const shown = scene.lines.filter((line) => lineInSight(line, sight));
    for (const line of shown) if (!isNear(line.link)) brush.line(line, plain, hasArrow);
    for (const line of shown) if (isNear(line.link)) brush.line(line, strong, hasArrow);
    for (const link of scene.stubs.filter(isNear)) {
        const line = stubLine(scene, link);
        if (line !== null) brush.line(line, { ...strong, dash: [4, 4] }, hasArrow);
    }
    const dot = { colour: colour("edge"), width: 1.5 };
    for (const { x, y } of scene.gates) brush.box(x - 4, y - 4, 8, 8, 4, colour("back"), dot);
    if (sight.zoom * 9.5 >= LEAST_LETTER + 1) paintShapes(brush, shown, look);
}

/** What flows out of a box stands below it, once. */
function paintShapes(brush: Brush, lines: readonly Line[], look: Look): void {
    const told = new Map<Box, Set<string>>();
    /** Where its lines start. */
    const at = new Map<Box, { y: number; left: number; middle: number; isRightFree: boolean }>();
    for (const line of lines) {
        const { from, to, shapes } = line.link;
        if (line.isGate || isEnd(from) || isEnd(to)) continue;
        const known = told.get(from) ?? new Set();
        for (const shape of shapes) known.add(shape);
        told.set(from, known);
        const [start, next] = line.points;
        if (start === undefined || next === undefined) continue;
        const before = at.get(from);
        const isRight = next.x > start.x + 1;
        at.set(from, {
            y: start.y,
            left: Math.min(start.x - 6, before?.left ?? Infinity),
            middle: Math.max(start.x, before?.middle ?? -Infinity),
            isRightFree: !isRight && (before?.isRightFree ?? true),
        });
    }
    for (const [box, shapes] of told) {
        const start = at.get(box);
        const first = [...shapes][0];
        if (start === undefined || first === undefined) continue;
        const more = shapes.size > 1 ? ` +${shapes.size - 1}` : "";
        const text = `${showName(briefShape(first), 30)}${more}`;
        const letters = { size: 9.5, colour: look.colour("muted") };
        const { left, middle, isRightFree } = start;
        const below = start.y + (box.kind === "stack" ? 20 : 13);
        if (isRightFree) brush.text(middle + 6, below, text, letters);
        else brush.text(left, below, text, { ...letters, isRight: true });
    }
}

const TYPES = new Map([
    ["float32", "f32"],
    ["float16", "f16"],
    ["float64", "f64"],
    ["bfloat16", "bf16"],
    ["int64", "i64"],
    ["int32", "i32"],
    ["int16", "i16"],
    ["int8", "i8"],
    ["uint8", "u8"],
]);

/** "float32 [1,64,56,56]": "f32 1×64×56×56". */
export function briefShape(shape: string): string {
    const match = /^(\S+) \[(.*)\]$/.exec(shape);
    if (match === null) return shape;
    const [, type = "", sizes = ""] = match;
    return `${TYPES.get(type) ?? type} ${sizes === "" ? "scalar" : sizes.replaceAll(",", "×")}`;
}

function paintCursor(brush: Brush, placed: Placed, look: Look): void {
    const { x, y, width, height, isOpen } = placed;
    const stroke = { colour: look.colour("focus"), width: 1.5, dash: [3, 3] };
    brush.box(x - 4, y - 4, width + 8, (isOpen ? HEAD : height) + 8, 8, null, stroke);
}

interface Stubs {
    given: Map<Box, Link[]>;
    taken: Map<Box, Link[]>;
}

function stubsOf(scene: Scene): Stubs {
    const given = new Map<Box, Link[]>();
    const taken = new Map<Box, Link[]>();
    const put = (map: Map<Box, Link[]>, box: Box, link: Link) => {
        const list = map.get(box);
        if (list === undefined) map.set(box, [link]);
        else list.push(link);
    };
    for (const link of scene.stubs) {
        put(given, link.from, link);
        put(taken, link.to, link);
    }
    return { given, taken };
}

/** "mask ›" above what takes it, "› 8 users" below what gives it. */
function sayStubs(links: readonly Link[] | undefined, end: "from" | "to"): string {
    const first = links?.[0];
    if (links === undefined || first === undefined) return "";
    if (end === "to")
        return `› ${links.length === 1 ? showName(first.to.title, 22) : plural(links.length, "user")}`;
    const more = links.length > 1 ? ` +${links.length - 1}` : "";
    return `${showName(first.from.title, more === "" ? 22 : 16)}${more} ›`;
}
