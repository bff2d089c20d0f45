/** All runs in a strip: the time of each, or the range of those in a column. Brush to zoom. */
import { useMemo, useRef } from "preact/hooks";
import { type Surface, useCanvas } from "../../parts/canvas";
import { largestOf, plural, sayTime } from "../../text/format";
import { gutterOf } from "./draw";
import type { Span } from "./track";

interface Props {
    /** Time of each run; null: not known. */
    times: readonly (number | null)[];
    unit: string;
    /** The runs that are seen, in order. */
    shown: () => readonly number[];
    hint: string;
    /** The chosen run, or -1. */
    chosen: number;
    /** Runs that were brushed; one: a click. */
    onBrush: (first: number, last: number) => void;
    /** Receives what draws it anew. */
    onReady: (redraw: () => void) => void;
}

const ROOM = 4;

export function RunsStrip(props: Props) {
    const brush = useRef<Span | null>(null);
    const { times } = props;
    const most = useMemo(() => largestOf(times, (time) => time ?? 0), [times]);
    const runAt = (x: number, width: number): number => {
        const left = gutterOf(width);
        const run = Math.floor(((x - left) / Math.max(1, width - left)) * times.length);
        return Math.min(times.length - 1, Math.max(0, run));
    };
    const { ref, redraw } = useCanvas((surface) => {
        paintTitle(surface, times.length, sayTime({ lower: most, upper: most }, props.unit));
        paintShown(surface, props.shown(), times.length);
        paintTimes(surface, times, most, props.chosen);
        if (brush.current !== null) paintBrush(surface, brush.current);
    });
    props.onReady(redraw);
    const xOf = (event: PointerEvent) => event.offsetX;
    return (
        <canvas
            class="runs-strip"
            ref={ref}
            role="img"
            aria-label={`Time of ${plural(times.length, "run")}; the view Runs lists them, [ and ] choose one`}
            title={props.hint}
            onPointerDown={(event) => {
                if (event.button !== 0) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                brush.current = { from: xOf(event), to: xOf(event) };
            }}
            onPointerMove={(event) => {
                if (brush.current === null) return;
                brush.current.to = xOf(event);
                redraw();
            }}
            onPointerUp={(event) => {
                if (brush.current === null) return;
                const width = event.currentTarget.clientWidth;
                const ends = [brush.current.from, xOf(event)].map((x) => runAt(x, width));
                brush.current = null;
                redraw();
                props.onBrush(Math.min(...ends), Math.max(...ends));
            }}
            onPointerCancel={() => {
                brush.current = null;
                redraw();
            }}
        />
    );
}

function paintTitle({ context, width, colour }: Surface, count: number, most: string): void {
    context.font = "11px system-ui, -apple-system, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = colour("text");
    context.fillText(plural(count, "run"), 10, 14);
    context.fillStyle = colour("muted");
    context.fillText(`at most ${most}`, 10, 29, gutterOf(width) - 16);
}

function paintShown(surface: Surface, shown: readonly number[], count: number): void {
    const { context, width, height, colour } = surface;
    const left = gutterOf(width);
    const each = (width - left) / count;
    context.fillStyle = colour("select");
    for (let i = 0; i < shown.length; i++) {
        const first = shown[i]!;
        while (shown[i + 1] === shown[i]! + 1) i++;
        context.fillRect(
            left + first * each,
            0,
            Math.max(2, (shown[i]! + 1 - first) * each),
            height,
        );
    }
}

function paintTimes(
    surface: Surface,
    times: readonly (number | null)[],
    most: number,
    chosen: number,
): void {
    const { context, width, height, colour } = surface;
    const left = gutterOf(width);
    const room = width - left;
    const columns = Math.min(times.length, Math.floor(room / 3));
    const y = (time: number) => height - (time / (most || 1)) * (height - 2 * ROOM);
    columnsOf(times, columns).forEach((column, i) => {
        if (column === null) return;
        const { first, end, least, middle, largest } = column;
        const x = left + (i * room) / columns;
        const size = Math.min(48, Math.max(1, room / columns - 1));
        const at = x + (room / columns - size) / 2;
        context.fillStyle = colour("delegate");
        context.globalAlpha = 0.3;
        context.fillRect(at, y(largest), size, y(least) - y(largest));
        context.globalAlpha = chosen >= first && chosen < end ? 1 : 0.55;
        context.fillRect(at, y(least), size, height - y(least));
        context.globalAlpha = 1;
        context.fillRect(at, y(middle) - 1, size, 2);
    });
    if (chosen < 0) return;
    const x = left + ((chosen + 0.5) * room) / times.length;
    context.fillStyle = colour("text");
    context.beginPath();
    context.moveTo(x - 4, 0);
    context.lineTo(x + 4, 0);
    context.lineTo(x, 5);
    context.fill();
}

interface Column {
    /** Runs of the column. */
    first: number;
    end: number;
    least: number;
    middle: number;
    largest: number;
}

/* Only the width changes them: they are kept from frame to frame. */
let known: { times: unknown; columns: (Column | null)[] } = { times: null, columns: [] };

function columnsOf(times: readonly (number | null)[], count: number): (Column | null)[] {
    if (known.times === times && known.columns.length === count) return known.columns;
    const columns = Array.from({ length: count }, (_, i) => {
        const first = Math.floor((i * times.length) / count);
        const end = Math.max(first + 1, Math.floor(((i + 1) * times.length) / count));
        const sorted = times
            .slice(first, end)
            .filter((time) => time !== null)
            .sort((a, b) => a - b);
        const [least, middle, largest] = [0, sorted.length >> 1, sorted.length - 1].map(
            (at) => sorted[at],
        );
        if (least === undefined || middle === undefined || largest === undefined) return null;
        return { first, end, least, middle, largest };
    });
    known = { times, columns };
    return columns;
}

function paintBrush({ context, height, colour }: Surface, brush: Span): void {
    context.fillStyle = colour("accent");
    context.globalAlpha = 0.25;
    const from = Math.min(brush.from, brush.to);
    context.fillRect(from, 0, Math.abs(brush.to - brush.from), height);
    context.globalAlpha = 1;
}
