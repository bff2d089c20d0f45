/** Pictures of compared values, as the document tells them: cells as letters, and histograms. */
import type { ReportDocument } from "../../document/document";

export interface Picture {
    side: string;
    /** Numbers at the ends of the scale; null: no cell is a finite number. */
    low: number | null;
    high: number | null;
    rows: number;
    columns: number;
    tiles: number;
    tilesShown: number;
    tilesAcross: number;
    tileHeight: number;
    tileWidth: number;
    cellRows: number;
    cellColumns: number;
    levels: string;
}

export interface Bin {
    low: number;
    high: number;
    device: number;
    reference: number;
}

export interface Drawn {
    sides: Picture[];
    bins: Bin[];
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
export const LEVELS = LETTERS.length;
const LEVEL_OF = new Map([...LETTERS].map((letter, level) => [letter, level]));

/** Level 0 to 62 of a cell, or what is no finite number. */
export type Cell = number | "nan" | "inf" | "-inf";

export function cellOf(letter: string | undefined): Cell {
    const level = LEVEL_OF.get(letter ?? "?");
    if (level !== undefined) return level;
    return letter === ">" ? "inf" : letter === "<" ? "-inf" : "nan";
}

/** The number in the middle of a level. */
export function numberOf(picture: Picture, level: number): number | null {
    if (picture.low === null || picture.high === null) return null;
    return picture.low + (level / (LEVELS - 1)) * (picture.high - picture.low);
}

/** Where cells lie: columns and rows of the whole picture, without gaps. */
export const sizeOf = (picture: Picture): { across: number; down: number } => ({
    across: picture.tilesAcross * picture.tileWidth,
    down: Math.ceil(picture.tilesShown / picture.tilesAcross) * picture.tileHeight,
});

/** The number of the cell at a column and row of the whole picture; null: behind the last tile. */
export function cellAt(picture: Picture, column: number, row: number): number | null {
    const { tileWidth, tileHeight, tilesAcross, tilesShown } = picture;
    const tile = Math.floor(row / tileHeight) * tilesAcross + Math.floor(column / tileWidth);
    if (tile >= tilesShown) return null;
    return (tile * tileHeight + (row % tileHeight)) * tileWidth + (column % tileWidth);
}

/** A cell by its column and row in the whole picture. */
export interface Spot {
    column: number;
    row: number;
}

/** The cell that stands for an element, counted in row-major order; null: its matrix is not shown. */
export function spotOf(picture: Picture, element: number): Spot | null {
    const { rows, columns, tilesShown, tilesAcross, tileHeight, tileWidth } = picture;
    const tile = Math.floor(element / (rows * columns));
    if (tile >= tilesShown) return null;
    const row = Math.floor(element / columns) % rows;
    return {
        column:
            (tile % tilesAcross) * tileWidth +
            Math.floor((element % columns) / picture.cellColumns),
        row: Math.floor(tile / tilesAcross) * tileHeight + Math.floor(row / picture.cellRows),
    };
}

/** The next cell in a direction, or the same at the border. */
export function stepFrom(picture: Picture, spot: Spot, step: readonly [number, number]): Spot {
    const { across, down } = sizeOf(picture);
    const next = { column: spot.column + step[0], row: spot.row + step[1] };
    if (next.column < 0 || next.row < 0 || next.column >= across || next.row >= down) return spot;
    return cellAt(picture, next.column, next.row) === null ? spot : next;
}

/** "[0, 3, 12]" of an element of a tensor "[1, 4, 16]"; its number where the shape is not known. */
export function sayElement(shape: string | null, element: number): string {
    const sizes = (shape?.match(/\d+/g) ?? []).map(Number);
    const index: number[] = [];
    let rest = element;
    for (const size of sizes.reverse()) {
        index.unshift(rest % size);
        rest = Math.floor(rest / size);
    }
    return sizes.length === 0 || rest > 0 ? String(element) : `[${index.join(", ")}]`;
}

/** Pictures of a value, by its row in `gap_values`. */
export function picturesOf(document: ReportDocument): Map<number, Drawn> {
    const all = new Map<number, Drawn>();
    const of = (value: number): Drawn => {
        const drawn = all.get(value) ?? { sides: [], bins: [] };
        all.set(value, drawn);
        return drawn;
    };
    const table = document.table("gap_pictures");
    const number = (name: string) => table.number(name);
    const [value, low, high] = [number("value"), number("low"), number("high")];
    const names = ["rows", "columns", "tiles", "tiles_shown", "tiles_across", "tile_height"];
    const counts = [...names, "tile_width", "cell_rows", "cell_columns"].map(number);
    const [side, levels] = [table.text("side"), table.text("levels")];
    for (let row = 0; row < table.rows; row++) {
        const numbers = counts.map((get) => Math.max(1, get(row) ?? 1));
        const [rows, columns, tiles, tilesShown, tilesAcross] = numbers as number[];
        const [tileHeight, tileWidth, cellRows, cellColumns] = numbers.slice(5) as number[];
        of(value(row) ?? -1).sides.push({
            side: side(row) ?? "",
            low: low(row),
            high: high(row),
            levels: levels(row) ?? "",
            ...{ rows, columns, tiles, tilesShown, tilesAcross },
            ...{ tileHeight, tileWidth, cellRows, cellColumns },
        } as Picture);
    }
    const bins = document.table("gap_bins");
    const get = (name: string) => bins.number(name);
    const [binOf, from, to] = [get("value"), get("low"), get("high")];
    const [device, reference] = [get("device"), get("reference")];
    for (let row = 0; row < bins.rows; row++) {
        of(binOf(row) ?? -1).bins.push({
            low: from(row) ?? 0,
            high: to(row) ?? 0,
            device: device(row) ?? 0,
            reference: reference(row) ?? 0,
        });
    }
    return all;
}
