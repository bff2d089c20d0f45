/** Boxes and lines of a scene, to pan, zoom, point at. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useCanvas } from "../../parts/canvas";
import { showName } from "../../text/show";
import { CanvasBrush } from "./brush";
import { describeLink } from "./links";
import { Minimap } from "./Minimap";
import { amountOf, type Look, paintScene } from "./paint";
import { cellAt, HEAD, type Line, type Placed, type Scene } from "./scene";
import type { Box } from "./tree";

export interface Camera {
    x: number;
    y: number;
    zoom: number;
}

export interface Area {
    width: number;
    height: number;
}

interface Props {
    scene: Scene;
    look: Omit<Look, "colour" | "near">;
    size: Area;
    describe: (box: Box) => string;
    onSelect: (box: Box | null) => void;
    onToggle: (box: Box) => void;
    /** Of a stack, the box that is drawn. */
    onPick: (box: Box) => void;
    camera: Camera;
    setCamera: (next: (camera: Camera) => Camera) => void;
    label: string;
}

export const LEAST_ZOOM = 0.03;
const MOST_ZOOM = 3;

/** Zooms by a factor around a point of the picture. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
    const zoom = Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, camera.zoom * factor));
    const real = zoom / camera.zoom;
    return { zoom, x: x - (x - camera.x) * real, y: y - (y - camera.y) * real };
}

/** What of the scene is on the screen. */
export function sightOf({ x, y, zoom }: Camera, { width, height }: Area) {
    return {
        ...{ left: -x / zoom, top: -y / zoom, zoom },
        ...{ right: (width - x) / zoom, bottom: (height - y) / zoom },
    };
}

/** The innermost box at a point of the scene. */
export function boxAt(scene: Scene, x: number, y: number): Placed | null {
    for (let i = scene.boxes.length - 1; i >= 0; i--) {
        const placed = scene.boxes[i] as Placed;
        if (x < placed.x || x > placed.x + placed.width) continue;
        if (y >= placed.y && y <= placed.y + placed.height) return placed;
    }
    return null;
}

const TOGGLE = 26;

function isToggle(placed: Placed, x: number, y: number): boolean {
    const height = placed.isOpen ? HEAD : TOGGLE;
    const isThere = x > placed.x + placed.width - TOGGLE && y < placed.y + height;
    return placed.box.children.length > 0 && isThere;
}

/** The line that passes near a point of the scene. */
function lineAt(scene: Scene, x: number, y: number, reach: number): Line | null {
    for (const line of scene.lines) {
        for (let i = 1; i < line.points.length; i++) {
            const [a, b] = [line.points[i - 1]!, line.points[i]!];
            const [top, bottom] = a.y < b.y ? [a, b] : [b, a];
            if (y < top.y || y > bottom.y) continue;
            const way = bottom.y === top.y ? 0 : (y - top.y) / (bottom.y - top.y);
            const eased = way * way * (3 - 2 * way);
            if (Math.abs(top.x + (bottom.x - top.x) * eased - x) < reach) return line;
        }
    }
    return null;
}

/** Of a line at a border: between which boxes it goes on is told by the line outside. */
function describeLine({ link, isGate }: Line): string {
    if (!isGate) return describeLink(link);
    const { from, to } = link;
    return to.parent === from
        ? `from outside of ${from.title} to ${to.title}`
        : `from ${from.title} to outside of ${to.title}`;
}

const isUpward = ({ points }: Line): boolean =>
    points.some(({ y }, i) => y < (points[i - 1]?.y ?? y));

interface Tip {
    x: number;
    y: number;
    text: string;
}

export function GraphPicture(props: Props) {
    const { scene, camera, size, setCamera } = props;
    const area = useRef<HTMLDivElement>(null);
    const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
    const [near, setNear] = useState<Box | null>(null);
    const [tip, setTip] = useState<Tip | null>(null);
    const shown = near ?? scene.byId.get(props.look.cursor ?? "")?.box ?? null;
    const { ref } = useCanvas(({ context, width, height, colour }) => {
        context.translate(camera.x, camera.y);
        context.scale(camera.zoom, camera.zoom);
        const look = { ...props.look, colour, near: shown };
        paintScene(new CanvasBrush(context), scene, look, sightOf(camera, { width, height }));
    });
    useEffect(() => {
        const element = area.current;
        if (element === null) return;
        const onWheel = (event: WheelEvent) => {
            event.preventDefault();
            const { left, top } = element.getBoundingClientRect();
            const factor = Math.exp(-Math.max(-200, Math.min(200, event.deltaY)) * 0.002);
            setCamera((before) =>
                zoomAt(before, factor, event.clientX - left, event.clientY - top),
            );
        };
        element.addEventListener("wheel", onWheel, { passive: false });
        return () => element.removeEventListener("wheel", onWheel);
    }, []);
    /* What the words were of may not be there any more. */
    useEffect(() => setTip(null), [scene]);
    const upward = useMemo(() => scene.lines.filter(isUpward).length, [scene]);
    const pinch = usePinch(setCamera);
    const pointOf = (event: MouseEvent) => {
        const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
        const [x, y] = [event.clientX - left, event.clientY - top];
        return { x, y, at: { x: (x - camera.x) / camera.zoom, y: (y - camera.y) / camera.zoom } };
    };
    const cellOf = (placed: Placed, at: { x: number; y: number }) =>
        cellAt(placed, at.x, at.y, amountOf(props.look), (box) => scene.byId.has(box.id));
    const pointAt = (event: MouseEvent) => {
        const { x, y, at } = pointOf(event);
        const placed = boxAt(scene, at.x, at.y);
        const line = placed?.isOpen === false ? null : lineAt(scene, at.x, at.y, 5 / camera.zoom);
        setNear(placed?.isOpen === false ? placed.box : null);
        const cell = placed === null ? null : cellOf(placed, at);
        const text =
            cell !== null
                ? props.describe(cell)
                : line !== null
                  ? describeLine(line)
                  : placed === null || placed.isOpen
                    ? ""
                    : props.describe(placed.box);
        setTip(text === "" ? null : { x, y, text });
    };
    return (
        <div
            class="graph-picture"
            ref={area}
            role="application"
            tabIndex={0}
            aria-label={props.label}
            data-boxes={scene.boxes.length}
            data-lines={scene.lines.length}
            data-upward={upward}
            data-cursor={scene.byId.get(props.look.cursor ?? "")?.box.title}
            onPointerDown={(event) => {
                pinch.down(event);
                if (event.button !== 0) return;
                drag.current = { x: event.clientX, y: event.clientY, moved: false };
            }}
            onPointerUp={pinch.up}
            onPointerCancel={pinch.up}
            onPointerLeave={() => {
                setNear(null);
                setTip(null);
            }}
            onPointerMove={(event) => {
                if (pinch.move(event)) return;
                const from = drag.current;
                if (from === null || (event.buttons & 1) === 0) return pointAt(event);
                const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
                if (!from.moved && Math.hypot(dx, dy) < 4) return;
                if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId);
                drag.current = { x: event.clientX, y: event.clientY, moved: true };
                setTip(null);
                setCamera((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
            }}
            onClick={(event) => {
                const moved = drag.current?.moved ?? false;
                drag.current = null;
                if (moved) return;
                const { at } = pointOf(event);
                const placed = boxAt(scene, at.x, at.y);
                const cell = placed === null ? null : cellOf(placed, at);
                if (placed !== null && isToggle(placed, at.x, at.y)) props.onToggle(placed.box);
                else if (cell !== null) props.onPick(cell);
                else props.onSelect(placed?.box ?? null);
            }}
            onDblClick={(event) => {
                const { at } = pointOf(event);
                const placed = boxAt(scene, at.x, at.y);
                if (placed === null || cellOf(placed, at) !== null) return;
                if (!isToggle(placed, at.x, at.y)) props.onToggle(placed.box);
            }}
        >
            <canvas ref={ref} aria-hidden="true" />
            {tip !== null && (
                <div
                    class="graph-tip"
                    aria-hidden="true"
                    style={{
                        left: `${Math.min(tip.x + 14, Math.max(0, size.width - 330))}px`,
                        top: `${tip.y + 18 > size.height - 70 ? tip.y - 60 : tip.y + 18}px`,
                    }}
                >
                    {showName(tip.text, 400)}
                </div>
            )}
            <Minimap {...{ scene, camera, size, setCamera }} look={props.look} />
        </div>
    );
}

/** Two fingers zoom. */
function usePinch(setCamera: Props["setCamera"]) {
    const fingers = useRef(new Map<number, { x: number; y: number }>());
    const apart = () => {
        const [a, b] = [...fingers.current.values()];
        return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
    };
    return {
        down: (event: PointerEvent) => {
            if (event.pointerType !== "touch") return;
            fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        },
        up: (event: PointerEvent) => {
            fingers.current.delete(event.pointerId);
        },
        move: (event: PointerEvent): boolean => {
            if (fingers.current.size !== 2 || !fingers.current.has(event.pointerId)) return false;
            const before = apart();
            fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
            const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
            const [a, b] = [...fingers.current.values()] as [Point, Point];
            const [x, y] = [(a.x + b.x) / 2 - left, (a.y + b.y) / 2 - top];
            if (before > 0) setCamera((camera) => zoomAt(camera, apart() / before, x, y));
            return true;
        },
    };
}

type Point = { x: number; y: number };

/** Tells the size of an element. */
export function useSize(ref: { current: HTMLElement | null }): Area {
    const [size, setSize] = useState({ width: 0, height: 0 });
    useLayoutEffect(() => {
        const element = ref.current;
        if (element === null) return;
        const read = () => setSize({ width: element.clientWidth, height: element.clientHeight });
        const observer = new ResizeObserver(read);
        observer.observe(element);
        read();
        return () => observer.disconnect();
    }, []);
    return size;
}
