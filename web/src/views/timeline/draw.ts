/** Paints a picture: axis, lanes, labels, marks. The work is bounded by the width. */
import type { Surface } from "../../parts/canvas";
import { showName } from "../../text/show";
import { lengthOf, ticks } from "./axis";
import type { Lane, Picture } from "./picture";
import type { Span } from "./track";

export const AXIS_HEIGHT = 24;
export const LANE_HEIGHT = 24;
const BAR = 20;
const FONT = "11px system-ui, -apple-system, sans-serif";
const LETTER = 6; /* width of a letter, about */
const SHORTEST_LABEL = 26;
const LABEL_AND_TICK = 96;

/** Left of the lanes stand their titles. */
export const gutterOf = (width: number): number => (width < 640 ? 84 : 136);

export interface Scene {
    picture: Picture;
    span: Span;
    unit: string;
    /** Whether an item is dimmed. */
    isDim: (ref: number) => boolean;
    /** The item that the keyboard is at. */
    cursor: { lane: number; item: number } | null;
    /** A selected part of the axis. */
    range: Span | null;
    isFocused: boolean;
}

/** Between ticks of the clock and pixels. */
export interface Scale {
    left: number;
    perTick: number;
    x: (time: number) => number;
    time: (x: number) => number;
}

export function scaleOf(span: Span, width: number): Scale {
    const left = gutterOf(width);
    const perTick = Math.max(1, width - left) / lengthOf(span);
    return {
        left,
        perTick,
        x: (time) => left + (time - span.from) * perTick,
        time: (x) => span.from + (x - left) / perTick,
    };
}

export const laneTop = (lane: number): number => AXIS_HEIGHT + lane * LANE_HEIGHT;

export function paint(surface: Surface, scene: Scene): void {
    const { context, width, height } = surface;
    const scale = scaleOf(scene.span, width);
    context.font = FONT;
    context.textBaseline = "middle";
    context.lineWidth = 1;
    paintAxis(surface, scene, scale);
    context.save();
    context.beginPath();
    context.rect(scale.left, 0, width - scale.left, height);
    context.clip();
    const isDense = scene.picture.isDense((time) => time * scale.perTick);
    scene.picture.lanes.forEach((lane, i) => {
        const top = laneTop(i);
        if (lane.ground !== null && !isDense) paintGround(surface, lane, scene.span, scale, top);
        new LanePainter(surface, scene, scale, lane, top, isDense && i > 0).paint();
    });
    if (scene.range !== null) paintRange(surface, scene.range, scale);
    paintCursor(surface, scene, scale);
    context.restore();
    paintTitles(surface, scene.picture.lanes);
}

function paintAxis(surface: Surface, scene: Scene, scale: Scale): void {
    const { context, width, height, colour } = surface;
    const origin = scene.picture.origin(scene.span);
    context.fillStyle = colour("muted");
    context.fillText(origin.title, 10, AXIS_HEIGHT / 2);
    const most = Math.max(2, Math.floor((width - scale.left) / LABEL_AND_TICK));
    for (const { at, label } of ticks(scene.span, most, origin.at, scene.unit)) {
        const x = Math.round(scale.x(at)) + 0.5;
        context.strokeStyle = colour("line");
        context.beginPath();
        context.moveTo(x, 4);
        context.lineTo(x, height);
        context.stroke();
        context.fillText(label, x + 4, AXIS_HEIGHT / 2);
    }
}

function paintTitles(surface: Surface, lanes: readonly Lane[]): void {
    const { context, width, colour } = surface;
    const left = gutterOf(width);
    context.fillStyle = colour("back");
    context.fillRect(0, AXIS_HEIGHT, left - 1, lanes.length * LANE_HEIGHT);
    lanes.forEach((lane, i) => {
        const top = laneTop(i);
        const room = Math.floor((left - 16) / LETTER);
        context.fillStyle = colour("text");
        if (lane.note === "") {
            context.fillText(showName(lane.title, room), 10, top + BAR / 2);
            return;
        }
        context.fillText(showName(lane.title, room), 10, top + BAR / 2 - 5);
        context.fillStyle = colour("muted");
        context.fillText(lane.note, 10, top + BAR / 2 + 7, left - 14);
    });
}

/** Hatches what encloses the items of the lane: what they leave free stays hatched. */
function paintGround(surface: Surface, lane: Lane, span: Span, scale: Scale, top: number): void {
    const { context, colour } = surface;
    const hatch = hatchOf(context, colour("strong-line"));
    lane.ground?.visit(span, 3 / scale.perTick, (start, end, _busy, _item, isGroup) => {
        const x = Math.max(scale.left, scale.x(start));
        const right = Math.min(surface.width, scale.x(end));
        if (isGroup || right - x < 3) return;
        context.fillStyle = hatch;
        context.fillRect(x, top + 1, right - x, BAR - 2);
        if (lane.isDerived)
            paintFree(surface, lane, Math.max(x, scale.x(lastEnd(lane, end))), right, top);
    });
}

/** End of the last item that starts before `time`. */
function lastEnd(lane: Lane, time: number): number {
    return lane.track.ends[lane.track.firstFrom(time) - 1] ?? -Infinity;
}

/** Says what the free part behind the items is. */
function paintFree(surface: Surface, lane: Lane, from: number, right: number, top: number): void {
    const { context, colour } = surface;
    const label = lane.free;
    const size = context.measureText(label).width + 8;
    if (right - from < size + 4) return;
    context.fillStyle = colour("back");
    context.fillRect(right - size, top + 3, size - 2, BAR - 6);
    context.fillStyle = colour("muted");
    context.fillText(label, right - size + 4, top + BAR / 2 + 0.5);
}

/** Cut at its end to the room; null: too little of it would be left. */
function fitText(context: CanvasRenderingContext2D, name: string, room: number): string | null {
    if (room < 3 * LETTER) return null;
    const text = showName(name, Math.max(12, Math.ceil(room / 3)));
    const width = context.measureText(text).width;
    if (width <= room) return text;
    const kept = Math.floor((text.length * room) / width) - 1;
    return kept < 3 ? null : `${text.slice(0, kept)}…`;
}

const hatches = new Map<string, CanvasPattern | string>();

function hatchOf(context: CanvasRenderingContext2D, stroke: string): CanvasPattern | string {
    const known = hatches.get(stroke);
    if (known !== undefined) return known;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const pen = tile.getContext("2d");
    if (pen === null) return stroke;
    pen.strokeStyle = stroke;
    pen.lineWidth = 1;
    for (const shift of [-6, 0, 6]) {
        pen.moveTo(shift, 6);
        pen.lineTo(shift + 6, 0);
    }
    pen.stroke();
    const pattern = context.createPattern(tile, "repeat") ?? stroke;
    hatches.set(stroke, pattern);
    return pattern;
}

function paintRange(surface: Surface, range: Span, scale: Scale): void {
    const { context, height, colour } = surface;
    const from = scale.x(range.from);
    const to = Math.max(scale.x(range.to), from + 1);
    context.globalAlpha = 0.16;
    context.fillStyle = colour("accent");
    context.fillRect(from, AXIS_HEIGHT - 4, to - from, height);
    context.globalAlpha = 1;
    context.fillRect(from, AXIS_HEIGHT - 4, to - from, 3);
    context.fillRect(from - 0.5, AXIS_HEIGHT - 4, 1, height);
    context.fillRect(to - 0.5, AXIS_HEIGHT - 4, 1, height);
}

function paintCursor(surface: Surface, scene: Scene, scale: Scale): void {
    if (scene.cursor === null) return;
    const { context, colour } = surface;
    const track = scene.picture.lanes[scene.cursor.lane]?.track;
    const start = track?.starts[scene.cursor.item];
    const end = track?.ends[scene.cursor.item];
    if (start === undefined || end === undefined) return;
    const from = Math.max(scale.left - 4, scale.x(start));
    const to = Math.min(surface.width + 4, Math.max(scale.x(end), from + 2));
    const top = laneTop(scene.cursor.lane);
    context.strokeStyle = colour(scene.isFocused ? "focus" : "text");
    context.lineWidth = 2;
    context.strokeRect(from - 1, top - 1, to - from + 2, BAR + 2);
    context.lineWidth = 1;
    if (to - from > 8) return;
    /* Too small to be seen: a mark above. */
    const middle = (from + to) / 2;
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    context.moveTo(middle - 5, top - 8);
    context.lineTo(middle + 5, top - 8);
    context.lineTo(middle, top - 2);
    context.fill();
}

/** One lane: wide items as bars with names; what is narrower than a pixel as columns. */
class LanePainter {
    /* The column of pixels that is being summed up. */
    private pixel = -1;
    private busy = 0;
    private longest = -1;
    private longestTime = -1;
    /* Adjacent columns of the same look are painted as one. */
    private runFrom = -1;
    private runTo = -1;
    private runLook = "";

    constructor(
        private readonly surface: Surface,
        private readonly scene: Scene,
        private readonly scale: Scale,
        private readonly lane: Lane,
        private readonly top: number,
        private readonly isPlain: boolean,
    ) {}

    paint(): void {
        const { scale, lane } = this;
        lane.track.visit(this.scene.span, 1 / scale.perTick, (start, end, busy, item) => {
            const from = scale.x(start);
            const to = scale.x(end);
            if (to - from < 1) {
                const pixel = Math.floor(from);
                if (pixel !== this.pixel) this.endColumn();
                this.pixel = pixel;
                this.busy += Math.max(busy * scale.perTick, 0.02);
                if (busy > this.longestTime) {
                    this.longest = item;
                    this.longestTime = busy;
                }
            } else {
                this.endColumn();
                this.bar(from, to, item);
            }
        });
        this.endColumn();
        this.endRun();
    }

    private endColumn(): void {
        if (this.pixel >= 0) {
            const ref = this.lane.track.refs[this.longest]!;
            const strength = this.busy < 0.5 ? "faint" : "full";
            const dim = this.scene.isDim(ref) ? "dim" : "";
            const colour = this.isPlain ? "runtime" : this.scene.picture.colour(ref);
            const look = `${colour} ${strength} ${dim}`;
            if (look !== this.runLook || this.pixel > this.runTo) {
                this.endRun();
                this.runFrom = this.pixel;
                this.runLook = look;
            }
            this.runTo = this.pixel + 1;
        }
        this.pixel = -1;
        this.busy = 0;
        this.longest = -1;
        this.longestTime = -1;
    }

    private endRun(): void {
        if (this.runFrom >= 0) {
            const { context, colour } = this.surface;
            const [name = "", strength, dim] = this.runLook.split(" ");
            context.globalAlpha = (strength === "faint" ? 0.35 : 0.75) * (dim === "dim" ? 0.4 : 1);
            context.fillStyle = colour(name);
            context.fillRect(this.runFrom, this.top, this.runTo - this.runFrom, BAR);
            context.globalAlpha = 1;
        }
        this.runFrom = this.runTo = -1;
        this.runLook = "";
    }

    private bar(start: number, end: number, item: number): void {
        this.endRun();
        const { context, colour, width } = this.surface;
        const { left } = this.scale;
        const ref = this.lane.track.refs[item]!;
        const dim = this.scene.isDim(ref);
        const kind = colour(this.isPlain ? "runtime" : this.scene.picture.colour(ref));
        const from = Math.max(left - 2, start);
        const to = Math.min(width + 2, end);
        const size = to - from;
        context.fillStyle = colour("back");
        context.fillRect(from, this.top, size, BAR); /* over the hatched ground */
        context.fillStyle = kind;
        context.globalAlpha = dim ? 0.14 : 0.4;
        context.fillRect(from, this.top, size > 3 ? size - 0.5 : size, BAR);
        context.globalAlpha = dim ? 0.4 : 1;
        if (size <= 3) {
            context.fillRect(from, this.top, Math.max(1, size - 0.5), BAR);
        } else if (this.lane.isDerived) {
            context.strokeStyle = kind;
            context.setLineDash([3, 3]);
            context.strokeRect(from + 0.5, this.top + 0.5, size - 1.5, BAR - 1);
            context.setLineDash([]);
        } else {
            context.fillRect(from, this.top, 1.5, BAR);
            context.fillRect(from, this.top + BAR - 1, size - 0.5, 1);
        }
        context.globalAlpha = 1;
        if (size >= SHORTEST_LABEL) this.label(this.scene.picture.name(ref), from, size, dim);
    }

    private label(name: string, from: number, size: number, dim: boolean): void {
        const { context, colour } = this.surface;
        const text = fitText(context, name, size - 8);
        if (text === null) return;
        context.fillStyle = colour(dim ? "muted" : "text");
        context.fillText(text, from + 4.5, this.top + BAR / 2 + 0.5);
    }
}
