/** The whole picture as a file. */
import { themeColours } from "../../parts/canvas";
import { CanvasBrush, SvgBrush } from "./brush";
import { type Look, paintScene } from "./paint";
import type { Scene } from "./scene";

const MARGIN = 24;
/** What browsers make canvases of. */
const MOST_PIXELS = 60_000_000;
const MOST_SIDE = 16_000;

function give(blob: Blob, name: string): void {
    const url = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** In the colours of the theme; without what is only pointed at. */
const plain = (look: Omit<Look, "colour" | "near">, element: Element): Look => ({
    ...look,
    ...{ colour: themeColours(element), near: null, cursor: null },
});

const all = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity, zoom: 1 };

export function svgOf(scene: Scene, look: Look): string {
    const brush = new SvgBrush(-MARGIN, -MARGIN);
    paintScene(brush, scene, look, all);
    const { width, height } = scene;
    return brush.toString(width + 2 * MARGIN, height + 2 * MARGIN, look.colour("back"));
}

export function saveSvg(
    scene: Scene,
    look: Omit<Look, "colour" | "near">,
    element: Element,
    name: string,
): void {
    give(new Blob([svgOf(scene, plain(look, element))], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Twice as fine as the screen, if a canvas can be as large. */
export function savePng(
    scene: Scene,
    look: Omit<Look, "colour" | "near">,
    element: Element,
    name: string,
): void {
    const [width, height] = [scene.width + 2 * MARGIN, scene.height + 2 * MARGIN];
    const scale = Math.min(
        2,
        MOST_SIDE / Math.max(width, height),
        Math.sqrt(MOST_PIXELS / (width * height)),
    );
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    const context = canvas.getContext("2d");
    if (context === null) return;
    const own = plain(look, element);
    context.fillStyle = own.colour("back");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(scale, scale);
    context.translate(MARGIN, MARGIN);
    paintScene(new CanvasBrush(context), scene, own, all);
    canvas.toBlob((blob) => blob !== null && give(blob, `${name}.png`), "image/png");
}
