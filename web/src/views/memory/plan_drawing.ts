/** Draws a plan: lifetimes against offsets, and below them the live bytes. */
import type { Surface } from "../../parts/canvas";
import { formatBytes, largestOf } from "../../text/format";
import { showName } from "../../text/show";
import type { Group } from "./groups";
import { isAlive, type Plan, type Tensor } from "./plan";

const LEFT = 84;
const RIGHT = 10;
const TOP = 8;
const AXIS = 20;
const LIVE = 84;
const FONT = "11px system-ui, sans-serif";

export interface Frame {
    left: number;
    right: number;
    top: number;
    mapBottom: number;
    liveTop: number;
    liveBottom: number;
    /** Left edge of an instruction's column. */
    x: (instruction: number) => number;
    y: (offset: number) => number;
    liveY: (bytes: number) => number;
}

export function frameOf(plan: Plan, width: number, height: number): Frame {
    const right = width - RIGHT;
    const liveBottom = height - 4;
    const liveTop = liveBottom - LIVE;
    const mapBottom = liveTop - AXIS;
    const columns = Math.max(1, plan.live.length);
    const bytes = largestOf(plan.tensors, (tensor) => tensor.offset + tensor.bytes);
    const full = Math.max(1, plan.bytes, bytes);
    const most = Math.max(1, plan.bytes, plan.peakBytes) * 1.05;
    return {
        left: LEFT,
        right,
        top: TOP,
        mapBottom,
        liveTop,
        liveBottom,
        x: (instruction) => LEFT + ((right - LEFT) * instruction) / columns,
        y: (offset) => mapBottom - ((mapBottom - TOP) * offset) / full,
        liveY: (live) => liveBottom - (LIVE * live) / most,
    };
}

/** The instruction below a pointer, or null. */
export function instructionAt(plan: Plan, frame: Frame, x: number): number | null {
    const columns = plan.live.length;
    const at = Math.floor(((x - frame.left) / (frame.right - frame.left)) * columns);
    return at >= 0 && at < columns ? at : null;
}

/** The tensor below a pointer: of several the smallest, and a view before what it shows. */
export function tensorAt(plan: Plan, frame: Frame, x: number, y: number): Tensor | null {
    const instruction = instructionAt(plan, frame, x);
    if (instruction === null || y > frame.mapBottom + 1) return null;
    const hits = plan.tensors.filter((tensor) => {
        const top = frame.y(tensor.offset + tensor.bytes);
        const bottom = frame.y(tensor.offset);
        return isAlive(tensor, instruction) && y >= top - 1 && y <= Math.max(bottom, top + 2);
    });
    hits.sort((a, b) => a.bytes - b.bytes || Number(b.viewOf !== null) - Number(a.viewOf !== null));
    return hits[0] ?? null;
}

export interface Marks {
    cursor: number;
    /** Value of the chosen tensor. */
    chosen: number | null;
    hovered: number | null;
    groups: ReadonlyMap<number, Group>;
    isDim: (tensor: Tensor) => boolean;
}

export function drawPlan(surface: Surface, plan: Plan, marks: Marks): void {
    const frame = frameOf(plan, surface.width, surface.height);
    surface.context.font = FONT;
    drawCursor(surface, plan, frame, marks.cursor);
    drawAxes(surface, plan, frame);
    for (const tensor of plan.tensors) drawTensor(surface, frame, tensor, marks);
    drawLive(surface, plan, frame);
    outline(surface, plan, frame, marks);
}

function drawAxes({ context, colour }: Surface, plan: Plan, frame: Frame): void {
    context.strokeStyle = colour("line");
    context.fillStyle = colour("muted");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const full = Math.max(1, plan.bytes);
    for (const offset of ticks(full, Math.max(2, (frame.mapBottom - frame.top) / 40), 2)) {
        const y = Math.round(frame.y(offset)) + 0.5;
        line(context, frame.left, y, frame.right, y);
        context.fillText(formatBytes(offset), frame.left - 6, y);
    }
    context.textAlign = "center";
    const columns = plan.live.length;
    const each = frame.x(1) - frame.x(0);
    for (const at of ticks(columns - 1, (frame.right - frame.left) / 70, 10)) {
        if (!Number.isInteger(at)) continue;
        context.fillText(String(at), frame.x(at) + each / 2, frame.mapBottom + AXIS / 2);
    }
}

function drawCursor({ context, colour }: Surface, plan: Plan, frame: Frame, at: number): void {
    if (plan.live.length === 0) return;
    const width = Math.max(1, frame.x(at + 1) - frame.x(at));
    context.fillStyle = colour("select");
    context.fillRect(frame.x(at), frame.top, width, frame.liveBottom - frame.top);
    context.fillStyle = colour("accent");
    context.fillRect(frame.x(at), frame.mapBottom + 1, width, 2);
}

interface Box {
    x: number;
    y: number;
    width: number;
    height: number;
}

/** One for each piece of the tensor's lifetime. */
const boxesOf = (frame: Frame, tensor: Tensor): Box[] =>
    tensor.pieces.map(([first, last]) => {
        const x = frame.x(first);
        const y = frame.y(tensor.offset + tensor.bytes);
        const width = Math.max(1, frame.x(last + 1) - x - 1);
        return { x, y, width, height: Math.max(1, frame.y(tensor.offset) - y - 1) };
    });

function drawTensor(surface: Surface, frame: Frame, tensor: Tensor, marks: Marks): void {
    for (const box of boxesOf(frame, tensor)) drawBox(surface, box, tensor, marks);
}

function drawBox(surface: Surface, box: Box, tensor: Tensor, marks: Marks): void {
    const { context, colour } = surface;
    const tint = colour(marks.groups.get(tensor.value)?.colour ?? "runtime");
    context.globalAlpha = marks.isDim(tensor) ? 0.25 : 1;
    context.strokeStyle = tint;
    context.fillStyle = tint;
    if (tensor.viewOf !== null) {
        hatch(context, box);
        context.setLineDash([4, 3]);
    } else {
        const strength = context.globalAlpha;
        context.globalAlpha = strength * 0.4;
        context.fillRect(box.x, box.y, box.width, box.height);
        context.globalAlpha = strength;
    }
    if (box.width > 2 && box.height > 2) {
        context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
    }
    context.setLineDash([]);
    if (tensor.isUpperBound && box.height > 3) {
        context.setLineDash([2, 2]);
        context.lineWidth = 3;
        line(context, box.x, box.y + 1, box.x + box.width, box.y + 1);
        context.lineWidth = 1;
        context.setLineDash([]);
    }
    const text = `${tensor.isUpperBound ? "≤ " : ""}${showName(tensor.name, 40)}`;
    if (box.height >= 12 && box.width >= 30) label(surface, box, text);
    context.globalAlpha = 1;
}

function label({ context, colour }: Surface, box: Box, text: string): void {
    const room = box.width - 8;
    const perLetter = context.measureText("n").width;
    const longest = Math.floor(room / perLetter);
    if (longest < 4) return;
    const cut = context.measureText(text).width > room;
    const shown = cut ? showName(text, Math.max(4, longest)) : text;
    if (context.measureText(shown).width > room + 2) return;
    context.fillStyle = colour("text");
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(shown, box.x + 4, box.y + box.height / 2);
}

function hatch(context: CanvasRenderingContext2D, box: Box): void {
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    for (let d = -box.height; d < box.width; d += 6) {
        line(context, box.x + d, box.y + box.height, box.x + d + box.height, box.y);
    }
    context.restore();
}

function drawLive({ context, colour }: Surface, plan: Plan, frame: Frame): void {
    const bottom = frame.liveBottom;
    context.fillStyle = colour("accent");
    context.strokeStyle = colour("accent");
    context.beginPath();
    context.moveTo(frame.x(0), bottom);
    plan.live.forEach((bytes, i) => {
        context.lineTo(frame.x(i), frame.liveY(bytes));
        context.lineTo(frame.x(i + 1), frame.liveY(bytes));
    });
    context.lineTo(frame.x(plan.live.length), bottom);
    context.globalAlpha = 0.25;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
    context.textBaseline = "middle";
    const level = (bytes: number, name: string, dash: number[], shade: string) => {
        const y = Math.round(frame.liveY(bytes)) + 0.5;
        context.strokeStyle = colour(shade);
        context.fillStyle = colour(shade);
        context.setLineDash(dash);
        line(context, frame.left, y, frame.right, y);
        context.setLineDash([]);
        context.textAlign = "right";
        return { y, name };
    };
    const levels = [
        level(plan.bytes, "planned", [], "strong-line"),
        level(plan.boundBytes, "lower bound", [5, 3], "note"),
        level(plan.peakBytes, "peak", [1, 2], "accent"),
    ];
    sayLevels(context, colour("muted"), frame, levels);
    if (plan.peakInstruction !== null) {
        const x = (frame.x(plan.peakInstruction) + frame.x(plan.peakInstruction + 1)) / 2;
        context.fillStyle = colour("accent");
        context.beginPath();
        context.arc(x, frame.liveY(plan.peakBytes), 3.5, 0, 2 * Math.PI);
        context.fill();
    }
}

/** Names beside the levels; where these are near to each other, one below the other. */
function sayLevels(
    context: CanvasRenderingContext2D,
    shade: string,
    frame: Frame,
    levels: readonly { y: number; name: string }[],
): void {
    context.fillStyle = shade;
    context.textAlign = "right";
    let least = -Infinity;
    for (const { y, name } of [...levels].sort((a, b) => a.y - b.y)) {
        const at = Math.max(y, least);
        context.fillText(name, frame.left - 6, at);
        least = at + 12;
    }
}

function outline({ context, colour }: Surface, plan: Plan, frame: Frame, marks: Marks): void {
    for (const tensor of plan.tensors) {
        const isChosen = tensor.value === marks.chosen;
        if (!isChosen && tensor.value !== marks.hovered) continue;
        context.strokeStyle = colour("text");
        context.lineWidth = isChosen ? 2 : 1;
        for (const box of boxesOf(frame, tensor)) {
            context.strokeRect(box.x, box.y, box.width, box.height);
        }
        context.lineWidth = 1;
    }
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
}

/** Round numbers from 0 to `most`, at most `count` of them; steps are 1, 2, 5 or powers of two. */
function ticks(most: number, count: number, base: 2 | 10): number[] {
    let step = 1;
    const factors = base === 2 ? [2] : [2, 2.5, 2];
    for (let i = 0; most / step > Math.max(1, count) && i < 200; i++) {
        step *= factors[i % factors.length] as number;
    }
    const found: number[] = [];
    for (let at = 0; at <= most; at += step) found.push(at);
    return found;
}
