/** The canvas of a picture: wheel, drag, shift-drag, click, and the tooltip. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useCanvas } from "../../parts/canvas";
import { lengthOf, zoom } from "./axis";
import type { Camera } from "./camera";
import { AXIS_HEIGHT, LANE_HEIGHT, laneTop, paint, type Scale, scaleOf } from "./draw";
import type { Picture } from "./picture";
import type { Span } from "./track";

export interface Place {
    lane: number;
    item: number;
}

interface Props {
    label: string;
    picture: Picture;
    unit: string;
    camera: () => Camera | null;
    isDim: (ref: number) => boolean;
    cursor: Place | null;
    range: Span | null;
    isFocused: boolean;
    /** Null: where nothing is. */
    onPick: (place: Place | null) => void;
    /** Double click. */
    onFit: (place: Place | null) => void;
    /** Shift-drag; null where the picture is not one of time. */
    onRange: ((range: Span) => void) | null;
    onFocus: (isFocused: boolean) => void;
    onReady: (redraw: () => void) => void;
}

const CLICK_PIXELS = 4;
const WHEEL_LINE = 16;

export function LaneCanvas(props: Props) {
    const { picture } = props;
    const tip = useRef<HTMLDivElement>(null);
    const drag = useRef<{
        x: number;
        y: number;
        span: Span;
        isRange: boolean;
        moved: boolean;
    } | null>(null);
    const brushed = useRef<Span | null>(null);
    const current = useRef(props);
    current.current = props;
    const spanOf = (): Span => props.camera()?.target ?? picture.home;
    const { ref, redraw } = useCanvas((surface) =>
        paint(surface, {
            picture,
            span: props.camera()?.span ?? picture.home,
            unit: props.unit,
            isDim: props.isDim,
            cursor: props.cursor,
            range: brushed.current ?? props.range,
            isFocused: props.isFocused,
        }),
    );
    useLayoutEffect(() => props.onReady(redraw), [redraw]);
    const scale = (): Scale => scaleOf(spanOf(), ref.current?.clientWidth ?? 1);
    useEffect(() => {
        const canvas = ref.current;
        if (canvas === null) return;
        /* Not by the attribute: it must be able to keep the page from scrolling. */
        const onWheel = (event: WheelEvent) => {
            const camera = current.current.camera();
            if (camera === null || event.altKey) return;
            event.preventDefault();
            const unit = event.deltaMode === 1 ? WHEEL_LINE : event.deltaMode === 2 ? 400 : 1;
            const { perTick, time } = scaleOf(camera.target, canvas.clientWidth);
            const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                camera.jump(moved(camera.target, (sideways * unit) / perTick));
            } else {
                const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.0022)));
                camera.jump(zoom(camera.target, time(event.offsetX), factor, camera.extent));
            }
        };
        canvas.addEventListener("wheel", onWheel, { passive: false });
        return () => canvas.removeEventListener("wheel", onWheel);
    }, []);

    const placeAt = (x: number, y: number): Place | null => {
        const lane = Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT);
        const track = picture.lanes[lane]?.track;
        const { time, left } = scale();
        if (track === undefined || x < left) return null;
        const item = track.longestIn({ from: time(x - 1), to: time(x + 1) });
        return item < 0 ? null : { lane, item };
    };
    const hideTip = () => {
        if (tip.current !== null) tip.current.hidden = true;
    };
    const showTip = (x: number, y: number) => {
        const place = placeAt(x, y);
        const box = tip.current;
        const canvas = ref.current;
        const track = place === null ? undefined : picture.lanes[place.lane]?.track;
        if (box === null || canvas === null || place === null || track === undefined) {
            return hideTip();
        }
        const lines = picture.describe(track.refs[place.item] ?? 0);
        box.replaceChildren(
            ...lines.map((text) => {
                const line = document.createElement("div");
                line.textContent = text;
                return line;
            }),
        );
        box.hidden = false;
        const scrolled = canvas.parentElement?.scrollTop ?? 0;
        const most = canvas.clientWidth - box.offsetWidth - 4;
        box.style.left = `${Math.max(4, Math.min(most, x + 14))}px`;
        box.style.top = `${laneTop(place.lane + 1) + 4 - scrolled}px`;
    };

    const onMove = (event: PointerEvent) => {
        const start = drag.current;
        if (start === null) return showTip(event.offsetX, event.offsetY);
        if (Math.hypot(event.offsetX - start.x, event.offsetY - start.y) >= CLICK_PIXELS)
            start.moved = true;
        if (!start.moved) return;
        hideTip();
        const { perTick, time } = scaleOf(start.span, ref.current?.clientWidth ?? 1);
        if (start.isRange) {
            const ends = [time(start.x), time(event.offsetX)];
            brushed.current = { from: Math.min(...ends), to: Math.max(...ends) };
            redraw();
        } else {
            props.camera()?.jump(moved(start.span, (start.x - event.offsetX) / perTick));
        }
    };
    const onUp = (event: PointerEvent) => {
        const start = drag.current;
        drag.current = null;
        const range = brushed.current;
        brushed.current = null;
        if (start === null) return;
        if (!start.moved) props.onPick(placeAt(event.offsetX, event.offsetY));
        else if (range !== null) props.onRange?.(range);
    };
    return (
        <div class="lanes">
            <div class="lanes-scroller" onScroll={hideTip}>
                <canvas
                    ref={ref}
                    tabIndex={0}
                    role="application"
                    aria-roledescription="timeline"
                    aria-label={props.label}
                    style={{ height: `${laneTop(picture.lanes.length) + 6}px` }}
                    onFocus={() => props.onFocus(true)}
                    onBlur={() => props.onFocus(false)}
                    onPointerDown={(event) => {
                        if (event.button !== 0) return;
                        event.currentTarget.setPointerCapture(event.pointerId);
                        const isRange = event.shiftKey && props.onRange !== null;
                        const { offsetX: x, offsetY: y } = event;
                        drag.current = { x, y, span: spanOf(), isRange, moved: false };
                    }}
                    onPointerMove={onMove}
                    onPointerUp={onUp}
                    onPointerCancel={() => {
                        drag.current = brushed.current = null;
                        redraw();
                    }}
                    onPointerLeave={hideTip}
                    onDblClick={(event) => props.onFit(placeAt(event.offsetX, event.offsetY))}
                />
            </div>
            <div class="tip" ref={tip} hidden aria-hidden="true" />
        </div>
    );
}

export const moved = (span: Span, by: number): Span => ({ from: span.from + by, to: span.to + by });

/** `factor` < 1: closer. */
export const zoomed = (camera: Camera, factor: number): Span =>
    zoom(camera.target, camera.target.from + lengthOf(camera.target) / 2, factor, camera.extent);
