/** The whole scene, small, and what of it is in sight; a press goes there. */
import { useCanvas } from "../../parts/canvas";
import { type Area, type Camera, sightOf } from "./GraphPicture";
import { stepOf } from "./heat";
import type { Look } from "./paint";
import { isEnd, type Placed, type Scene } from "./scene";

const MOST = { width: 150, height: 170 };
const LEAST = 24;

interface Props {
    scene: Scene;
    camera: Camera;
    size: Area;
    look: Omit<Look, "colour" | "near">;
    setCamera: (next: (camera: Camera) => Camera) => void;
}

export function Minimap(props: Props) {
    const { scene, camera, size } = props;
    const isWhole =
        scene.width * camera.zoom <= size.width && scene.height * camera.zoom <= size.height;
    if (isWhole || size.width < 420) return null;
    return <MinimapCanvas {...props} />;
}

function MinimapCanvas({ scene, camera, size, look, setCamera }: Props) {
    const scale = Math.min(MOST.width / scene.width, MOST.height / scene.height);
    const width = Math.max(LEAST, scene.width * scale);
    const height = Math.max(LEAST, scene.height * scale);
    const { ref } = useCanvas(({ context, colour }) => {
        const fillOf = ({ box, isOpen }: Placed) => {
            const range = look.metric.range(box);
            if (isOpen) return colour(box.depth % 2 === 1 ? "panel" : "back");
            if (isEnd(box)) return colour("track");
            if (look.metric.isKinds) return colour(`kind-${look.metric.kind(box)}`);
            return range === null
                ? colour("track")
                : colour(`heat-${stepOf(range.lower, look.metric.steps)}`);
        };
        context.lineWidth = 0.5;
        context.strokeStyle = colour("strong-line");
        for (const placed of scene.boxes) {
            context.fillStyle =
                !placed.isOpen && look.selected(placed.box) ? colour("accent") : fillOf(placed);
            const at = [placed.x * scale, placed.y * scale] as const;
            const of = [placed.width * scale, placed.height * scale] as const;
            context.fillRect(...at, ...of);
            if (of[1] > 4) context.strokeRect(...at, ...of);
        }
        const { left, top, right, bottom } = sightOf(camera, size);
        context.lineWidth = 2;
        context.strokeStyle = colour("accent");
        const x = Math.max(1, left * scale);
        const y = Math.max(1, top * scale);
        const [w, h] = [
            Math.min(width - 1, right * scale) - x,
            Math.min(height - 1, bottom * scale) - y,
        ];
        context.strokeRect(x, y, Math.max(3, w), Math.max(3, h));
    });
    const goTo = (event: PointerEvent) => {
        event.stopPropagation();
        if (event.type === "pointermove" && (event.buttons & 1) === 0) return;
        const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
        const [x, y] = [(event.clientX - left) / scale, (event.clientY - top) / scale];
        setCamera(({ zoom }) => ({
            zoom,
            x: size.width / 2 - x * zoom,
            y: size.height / 2 - y * zoom,
        }));
    };
    return (
        <canvas
            class="graph-minimap"
            ref={ref}
            aria-hidden="true"
            style={{ width: `${width}px`, height: `${height}px` }}
            onPointerDown={goTo}
            onPointerMove={goTo}
            onClick={(event) => event.stopPropagation()}
            onDblClick={(event) => event.stopPropagation()}
        />
    );
}
