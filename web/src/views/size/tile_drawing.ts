/** Draws a treemap: what is in a node, and in each of these what it holds. */
import type { Surface } from "../../parts/canvas";
import { formatBytes } from "../../text/format";
import { showName } from "../../text/show";
import type { Node } from "./parts";
import { type Rectangle, squarify } from "./treemap";

const TITLE = 18;
const GAP = 2;
/** Levels below the first that are drawn, where there is room. */
const DEEPEST = 3;
const FONT = "12px system-ui, sans-serif";

export interface Tile {
    node: Node;
    box: Rectangle;
    /** 0: in the node itself; 1: inside one of these, and so on. */
    level: number;
    /** What it holds is drawn in it. */
    isOpen: boolean;
}

export function tilesOf(node: Node, width: number, height: number): Tile[] {
    const tiles: Tile[] = [];
    const top = shrink({ x: 0, y: 0, width, height }, GAP);
    const add = (parent: Node, area: Rectangle, level: number) => {
        const boxes = squarify(
            parent.children.map((child) => child.bytes),
            area,
        );
        parent.children.forEach((child, i) => {
            const box = boxes[i] as Rectangle;
            const inside = shrink(box, GAP);
            const room = { ...inside, y: inside.y + TITLE, height: inside.height - TITLE };
            const isOpen =
                level < DEEPEST && child.children.length > 0 && room.height > 24 && room.width > 24;
            tiles.push({ node: child, box, level, isOpen });
            if (isOpen) add(child, room, level + 1);
        });
    };
    add(node, top, 0);
    return tiles;
}

const shrink = (box: Rectangle, by: number): Rectangle => ({
    x: box.x + by,
    y: box.y + by,
    width: Math.max(0, box.width - 2 * by),
    height: Math.max(0, box.height - 2 * by),
});

/** The innermost tile at a point, or null. */
export function tileAt(tiles: readonly Tile[], x: number, y: number): Tile | null {
    let found: Tile | null = null;
    for (const tile of tiles) {
        const { box } = tile;
        const isIn = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
        if (isIn && (found === null || tile.level > found.level)) found = tile;
    }
    return found;
}

export interface Marks {
    colourOf: (node: Node) => string;
    selected: Node | null;
    hovered: Node | null;
}

export function drawTiles(surface: Surface, tiles: readonly Tile[], marks: Marks): void {
    const { context, colour } = surface;
    context.font = FONT;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const { node, box, isOpen } of tiles) {
        const tile = shrink(box, box.width > 6 && box.height > 6 ? 1 : 0);
        context.fillStyle = colour(marks.colourOf(node));
        context.strokeStyle = context.fillStyle;
        context.globalAlpha = isOpen ? 0.16 : 0.42;
        context.fillRect(tile.x, tile.y, tile.width, tile.height);
        context.globalAlpha = 1;
        if (node.duplicateBytes > 0 && !isOpen) hatch(context, tile);
        if (tile.width > 3 && tile.height > 3) {
            context.strokeRect(tile.x + 0.5, tile.y + 0.5, tile.width - 1, tile.height - 1);
        }
        label(surface, node, tile, isOpen);
    }
    for (const { node, box } of tiles) {
        const isSelected = node === marks.selected;
        if (!isSelected && node !== marks.hovered) continue;
        context.strokeStyle = colour("text");
        context.lineWidth = isSelected ? 3 : 1.5;
        context.strokeRect(
            box.x + 1,
            box.y + 1,
            Math.max(1, box.width - 2),
            Math.max(1, box.height - 2),
        );
        context.lineWidth = 1;
    }
}

function label({ context, colour }: Surface, node: Node, box: Rectangle, isSum: boolean): void {
    const room = box.width - 10;
    if (room < 28 || box.height < 14) return;
    const size = formatBytes(node.bytes);
    const mark = node.duplicateBytes > 0 && node.part !== null ? "= " : "";
    const title = fit(context, `${mark}${showName(node.title, 80)}`, room);
    if (title === null) return;
    context.fillStyle = colour("text");
    const y = box.y + (isSum ? TITLE / 2 + 1 : Math.min(12, box.height / 2));
    context.fillText(title, box.x + 5, y);
    const used = context.measureText(title).width;
    context.fillStyle = colour("text");
    const below = y + 15;
    if (!isSum && below + 6 < box.y + box.height && context.measureText(size).width <= room) {
        context.fillText(size, box.x + 5, below);
    } else if (used + 10 + context.measureText(size).width <= room) {
        context.fillText(size, box.x + 15 + used, y);
    }
}

function fit(context: CanvasRenderingContext2D, text: string, room: number): string | null {
    if (context.measureText(text).width <= room) return text;
    for (let longest = Math.floor(room / 5); longest >= 4; longest--) {
        const cut = showName(text, longest);
        if (context.measureText(cut).width <= room) return cut;
    }
    return null;
}

function hatch(context: CanvasRenderingContext2D, box: Rectangle): void {
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    context.beginPath();
    for (let d = -box.height; d < box.width; d += 8) {
        context.moveTo(box.x + d, box.y + box.height);
        context.lineTo(box.x + d + box.height, box.y);
    }
    context.stroke();
    context.restore();
}
