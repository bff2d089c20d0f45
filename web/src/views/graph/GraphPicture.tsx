/** Boxes and lines of a scene, to pan, zoom, point at. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { showName } from "../../text/show";
import { formatShare, plural } from "../../text/format";
import { describeLink, type Link } from "./links";
import type { Metric, MetricName } from "./metrics";
import { HEAD, linePath, type Placed, type Scene } from "./scene";
import type { Box } from "./tree";

export interface Camera {
    x: number;
    y: number;
    zoom: number;
}

interface Props {
    scene: Scene;
    metric: Metric;
    by: MetricName;
    cursor: string | null;
    selected: (box: Box) => boolean;
    matches: (box: Box) => number;
    onSelect: (box: Box | null) => void;
    onToggle: (box: Box) => void;
    camera: Camera;
    setCamera: (next: (camera: Camera) => Camera) => void;
    label: string;
}

const LEAST_ZOOM = 0.08;
const MOST_ZOOM = 3;

/** Zooms by a factor around a point of the picture. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
    const zoom = Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, camera.zoom * factor));
    const real = zoom / camera.zoom;
    return { zoom, x: x - (x - camera.x) * real, y: y - (y - camera.y) * real };
}

export function GraphPicture(props: Props) {
    const { scene, camera, setCamera } = props;
    const area = useRef<HTMLDivElement>(null);
    const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
    const [near, setNear] = useState<Box | null>(null);
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
    const shown = near ?? scene.byId.get(props.cursor ?? "")?.box ?? null;
    const isNear = (link: Link) => link.from === shown || link.to === shown;
    const stubs = useMemo(() => countStubs(scene), [scene]);
    return (
        <div
            class="graph-picture"
            ref={area}
            role="application"
            tabIndex={0}
            aria-label={props.label}
            onPointerDown={(event) => {
                if (event.button !== 0) return;
                drag.current = { x: event.clientX, y: event.clientY, moved: false };
            }}
            onPointerMove={(event) => {
                const from = drag.current;
                if (from === null || (event.buttons & 1) === 0) return;
                const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
                if (!from.moved && Math.hypot(dx, dy) < 4) return;
                if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId);
                drag.current = { x: event.clientX, y: event.clientY, moved: true };
                setCamera((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
            }}
            onClick={(event) => {
                const moved = drag.current?.moved ?? false;
                drag.current = null;
                const target = event.target as Element;
                const found = target.closest<SVGGElement>("[data-box]")?.dataset.box;
                if (moved) return;
                const box = scene.byId.get(found ?? "")?.box ?? null;
                if (box !== null && target.classList.contains("toggle")) props.onToggle(box);
                else props.onSelect(box);
            }}
            onDblClick={(event) => {
                const target = event.target as Element;
                const found = target.closest<SVGGElement>("[data-box]")?.dataset.box;
                const box = scene.byId.get(found ?? "")?.box;
                if (box !== undefined && !target.classList.contains("toggle")) props.onToggle(box);
            }}
            onPointerOver={(event) => {
                const found = (event.target as Element).closest<SVGGElement>("[data-box]");
                setNear(scene.byId.get(found?.dataset.box ?? "")?.box ?? null);
            }}
        >
            <svg aria-hidden="true">
                <defs>
                    <pattern
                        id="graph-hatch"
                        width="4"
                        height="4"
                        patternUnits="userSpaceOnUse"
                        patternTransform="rotate(45)"
                    >
                        <line class="graph-hatch" x1="0" y1="0" x2="0" y2="4" stroke-width="2" />
                    </pattern>
                    <marker
                        id="graph-arrow"
                        viewBox="0 0 8 8"
                        refX="7"
                        refY="4"
                        markerWidth="7"
                        markerHeight="7"
                        markerUnits="userSpaceOnUse"
                        orient="auto"
                    >
                        <path class="graph-arrow" d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                <g transform={`translate(${camera.x} ${camera.y}) scale(${camera.zoom})`}>
                    {scene.boxes
                        .filter((placed) => placed.isOpen)
                        .map((placed) => (
                            <BoxShape key={placed.box.id} placed={placed} {...props} {...stubs} />
                        ))}
                    {scene.lines.map(({ link, path }) => (
                        <path
                            key={`${link.from.id} ${link.to.id}`}
                            class="graph-line"
                            d={path}
                            data-near={isNear(link) ? "" : undefined}
                            marker-end="url(#graph-arrow)"
                        >
                            <title>{describeLink(link)}</title>
                        </path>
                    ))}
                    {scene.boxes
                        .filter((placed) => !placed.isOpen)
                        .map((placed) => (
                            <BoxShape key={placed.box.id} placed={placed} {...props} {...stubs} />
                        ))}
                    {scene.stubs.filter(isNear).map((link) => (
                        <path
                            key={`${link.from.id} ${link.to.id}`}
                            class="graph-line"
                            data-stub=""
                            d={linePath(scene, link)}
                            pointer-events="none"
                        />
                    ))}
                </g>
            </svg>
        </div>
    );
}

interface Stubs {
    given: Map<Box, Link[]>;
    taken: Map<Box, Link[]>;
}

function countStubs(scene: Scene): Stubs {
    const given = new Map<Box, Link[]>();
    const taken = new Map<Box, Link[]>();
    for (const link of scene.stubs) {
        given.set(link.from, [...(given.get(link.from) ?? []), link]);
        taken.set(link.to, [...(taken.get(link.to) ?? []), link]);
    }
    return { given, taken };
}

const LETTER = 6.7;
const BOLD = 7.8;
const SMALL = 6.2;

function BoxShape(props: Props & Stubs & { placed: Placed }) {
    const { placed, metric, by, cursor } = props;
    const { box, x, y, width, height, isOpen } = placed;
    const range = metric.range(box);
    const heat = range === null || metric.full <= 0 ? 0 : range.lower / metric.full;
    const possible = range === null || metric.full <= 0 ? 0 : range.upper / metric.full;
    const canOpen = box.children.length > 0;
    const found = props.matches(box);
    const title = found > 0 && canOpen ? `${box.title} (${found} found)` : box.title;
    const letters = Math.floor((width - (canOpen ? 32 : 20)) / (canOpen ? BOLD : LETTER));
    const said = metric.say(box);
    const size = canOpen ? plural(box.size, "node") : "";
    const room = Math.max(8, Math.floor((width - 20) / SMALL));
    const both = [said, size].filter(Boolean).join(" · ");
    const second = both.length > room && !isOpen && said !== "" ? said : both;
    const isFull = by === "backend";
    const bar = Math.max(0, width - 20);
    return (
        <g
            class="graph-box"
            transform={`translate(${x} ${y})`}
            data-box={box.id}
            data-kind={metric.kind(box)}
            data-by={by}
            data-open={isOpen ? "" : undefined}
            data-delegate={box.delegate !== null ? "" : undefined}
            data-heat={heat > 0.2 && !isOpen ? "" : undefined}
            data-match={found > 0 ? "" : undefined}
            data-selected={props.selected(box) ? "" : undefined}
        >
            <title>{describeBox(box, metric)}</title>
            {box.kind === "stack" && !isOpen && (
                <>
                    <rect class="pile" x={6} y={6} width={width} height={height} rx={5} />
                    <rect class="pile" x={3} y={3} width={width} height={height} rx={5} />
                </>
            )}
            <rect class="back" width={width} height={height} rx={5} />
            {!isOpen && (
                <rect
                    class="heat"
                    x={1}
                    y={1}
                    width={width - 2}
                    height={height - 2}
                    rx={4}
                    opacity={isFull ? (range === null ? 0 : 0.3) : Math.min(1, Math.sqrt(heat))}
                />
            )}
            {canOpen && (
                <text class="toggle" x={width - 18} y={isOpen ? 20 : 18}>
                    {isOpen ? "−" : "+"}
                </text>
            )}
            <text x={10} y={isOpen ? 19 : 17} font-weight={canOpen ? 600 : 400}>
                {showName(title, isOpen ? 60 : letters)}
            </text>
            <text
                class="second"
                x={isOpen ? 20 + Math.min(60, title.length) * BOLD : 10}
                y={isOpen ? 19 : 31}
            >
                {showName(second, room)}
            </text>
            {!isOpen && possible > 0 && metric.shared(box) === null && (
                <>
                    <rect
                        class="possible"
                        x={10}
                        y={height - 8}
                        width={bar * possible}
                        height={4}
                    />
                    <rect class="solid" x={10} y={height - 8} width={bar * heat} height={4} />
                </>
            )}
            <StubName links={props.taken.get(box)} end="from" x={4} y={-5} />
            <StubName links={props.given.get(box)} end="to" x={4} y={height + 11} />
            {cursor === box.id && (
                <rect
                    class="cursor"
                    x={-4}
                    y={-4}
                    width={width + 8}
                    height={(isOpen ? HEAD : height) + 8}
                    rx={7}
                />
            )}
        </g>
    );
}

/** "mask ›" above who takes it, "› 8 users" below who gives it. */
function StubName(props: { links: Link[] | undefined; end: "from" | "to"; x: number; y: number }) {
    const { links, end } = props;
    const first = links?.[0];
    if (links === undefined || first === undefined) return null;
    const text =
        links.length === 1
            ? showName(first[end].title, 22)
            : end === "to"
              ? plural(links.length, "user")
              : `${showName(first.from.title, 16)} +${links.length - 1}`;
    return (
        <text class="stub" x={props.x} y={props.y}>
            {end === "from" ? `${text} ›` : `› ${text}`}
            <title>{links.map(describeLink).join("\n")}</title>
        </text>
    );
}

const KINDS = new Map<string, string>([
    ["module", "module"],
    ["delegate", "delegate call"],
    ["stack", "modules of equal structure"],
    ["part", "part of a long list"],
    ["branch", "branch"],
    ["node", "node"],
]);

export function describeBox(box: Box, metric: Metric): string {
    const shared = metric.shared(box);
    const said =
        shared === null
            ? metric.say(box)
            : `${shared.nodes} nodes share ${formatShare(shared.range)} of a run; the trace does not tell them apart`;
    const place = box.module === null || box.module === "" ? "" : `, ${box.module}`;
    const nodes = box.node === null ? `, ${plural(box.size, "node")}` : "";
    return `${box.title}: ${KINDS.get(box.kind) ?? ""}${place}${nodes}${said === "" ? "" : `, ${said}`}`;
}

/** Tells the size of an element. */
export function useSize(ref: { current: HTMLElement | null }): { width: number; height: number } {
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
