/** Squarified treemap (Bruls, Huizing, van Wijk 2000): rectangles as the sizes, near to squares. */
export interface Rectangle {
    x: number;
    y: number;
    width: number;
    height: number;
}

/** Rectangles in `area` for sizes that do not increase; where there is no size, an empty one. */
export function squarify(sizes: readonly number[], area: Rectangle): Rectangle[] {
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const scale = total > 0 ? (area.width * area.height) / total : 0;
    const placed: Rectangle[] = [];
    let left = area;
    for (let start = 0; start < sizes.length; ) {
        const end = endOfRow(sizes, start, Math.min(left.width, left.height), scale);
        left = placeRow(sizes.slice(start, end), left, scale, placed);
        start = end;
    }
    return placed;
}

/** A row takes sizes as long as its worst rectangle does not become longer. */
function endOfRow(sizes: readonly number[], start: number, side: number, scale: number): number {
    let sum = 0;
    let worst = Infinity;
    const largest = (sizes[start] as number) * scale;
    for (let end = start; end < sizes.length; end++) {
        const smallest = (sizes[end] as number) * scale;
        const next = sum + smallest;
        const ratio = Math.max(
            (side * side * largest) / (next * next),
            (next * next) / (side * side * smallest),
        );
        if (end > start && !(ratio <= worst)) return end;
        worst = ratio;
        sum = next;
    }
    return sizes.length;
}

/** Puts a row along the shorter side; returns what is left. */
function placeRow(
    row: readonly number[],
    area: Rectangle,
    scale: number,
    placed: Rectangle[],
): Rectangle {
    const sum = row.reduce((total, size) => total + size, 0) * scale;
    const isColumn = area.width >= area.height;
    const side = isColumn ? area.height : area.width;
    const thickness = side > 0 ? sum / side : 0;
    let at = 0;
    for (const size of row) {
        const length = thickness > 0 ? (size * scale) / thickness : 0;
        placed.push(
            isColumn
                ? { x: area.x, y: area.y + at, width: thickness, height: length }
                : { x: area.x + at, y: area.y, width: length, height: thickness },
        );
        at += length;
    }
    return isColumn
        ? { ...area, x: area.x + thickness, width: Math.max(0, area.width - thickness) }
        : { ...area, y: area.y + thickness, height: Math.max(0, area.height - thickness) };
}
