/** A tensor's cells as colours, with a scale below; the pointer tells the number of a cell. */
import { useState } from "preact/hooks";
import { type Surface, useCanvas } from "../../parts/canvas";
import { formatCount, formatNumber } from "../../text/format";
import { type Cell, cellAt, cellOf, LEVELS, numberOf, type Picture, sizeOf } from "./pictures";

type Rgb = readonly [number, number, number];

const TITLES: Record<string, string> = {
    device: "device",
    reference: "reference",
    difference: "device − reference",
};
const MARKS: Record<string, Rgb> = {
    nan: [214, 0, 214],
    inf: [0, 170, 60],
    "-inf": [0, 150, 190],
};
const NEGATIVE: Rgb = [33, 102, 190];
const POSITIVE: Rgb = [200, 60, 40];

/** "#f6f7f9" of the style sheet. */
const parse = (colour: string): Rgb => {
    const value = Number.parseInt(colour.replace("#", ""), 16);
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const between = (from: Rgb, to: Rgb, share: number): Rgb => [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
];

const hasBothSigns = ({ low, high }: Picture): boolean => (low ?? 0) < 0 && (high ?? 0) > 0;

/** From the page's own colour at 0, or at the low end, to a full one. */
function colourOf(picture: Picture, cell: Cell, paper: Rgb): Rgb {
    if (typeof cell === "string") return MARKS[cell] as Rgb;
    const share = cell / (LEVELS - 1);
    if (!hasBothSigns(picture)) {
        const isNegative = (picture.high ?? 0) <= 0 && (picture.low ?? 0) < 0;
        return isNegative ? between(NEGATIVE, paper, share) : between(paper, POSITIVE, share);
    }
    const signed = 2 * share - 1;
    return between(paper, signed < 0 ? NEGATIVE : POSITIVE, Math.abs(signed));
}

const css = ([red, green, blue]: Rgb): string =>
    `rgb(${Math.round(red)},${Math.round(green)},${Math.round(blue)})`;

interface Layout {
    cellWidth: number;
    cellHeight: number;
    gap: number;
}

/** Cells fill the canvas; a vector is a strip. */
function layoutOf(picture: Picture, width: number, height: number): Layout {
    const { across, down } = sizeOf(picture);
    const gap = picture.tilesShown > 1 ? 2 : 0;
    const gapsAcross = (picture.tilesAcross - 1) * gap;
    const gapsDown = (Math.ceil(picture.tilesShown / picture.tilesAcross) - 1) * gap;
    const cellWidth = Math.max(0.5, (width - gapsAcross) / across);
    const cellHeight = Math.max(0.5, (height - gapsDown) / down);
    if (down === 1) return { cellWidth, cellHeight: Math.min(cellHeight, 40), gap };
    const side = Math.min(cellWidth, cellHeight);
    return { cellWidth: side, cellHeight: side, gap };
}

function draw(picture: Picture, surface: Surface): void {
    const { context, width, height, colour } = surface;
    const { cellWidth, cellHeight, gap } = layoutOf(picture, width, height);
    const { across, down } = sizeOf(picture);
    const paper = parse(colour("panel"));
    for (let row = 0; row < down; row++) {
        const y = row * cellHeight + Math.floor(row / picture.tileHeight) * gap;
        for (let column = 0; column < across; column++) {
            const cell = cellAt(picture, column, row);
            if (cell === null) continue;
            const x = column * cellWidth + Math.floor(column / picture.tileWidth) * gap;
            context.fillStyle = css(colourOf(picture, cellOf(picture.levels[cell]), paper));
            /* A little more than a cell, so that no seams show. */
            context.fillRect(x, y, cellWidth + 0.4, cellHeight + 0.4);
        }
    }
}

/** "about 0.52 at row 3, column 12" of the cell at a place of the canvas. */
function sayCell(picture: Picture, element: HTMLCanvasElement, x: number, y: number): string {
    const layout = layoutOf(picture, element.clientWidth, element.clientHeight);
    const tileWidth = picture.tileWidth * layout.cellWidth + layout.gap;
    const tileHeight = picture.tileHeight * layout.cellHeight + layout.gap;
    const [tileX, tileY] = [Math.floor(x / tileWidth), Math.floor(y / tileHeight)];
    const column = Math.floor((x - tileX * tileWidth) / layout.cellWidth);
    const row = Math.floor((y - tileY * tileHeight) / layout.cellHeight);
    if (tileX >= picture.tilesAcross || column >= picture.tileWidth) return "";
    if (row >= picture.tileHeight) return "";
    const [wholeColumn, wholeRow] = [
        tileX * picture.tileWidth + column,
        tileY * picture.tileHeight + row,
    ];
    const index = cellAt(picture, wholeColumn, wholeRow);
    if (index === null) return "";
    const cell = cellOf(picture.levels[index]);
    const value = typeof cell === "string" ? cell : `≈ ${sayNumber(numberOf(picture, cell))}`;
    const places = [
        picture.tiles > 1 && `matrix ${tileY * picture.tilesAcross + tileX}`,
        picture.rows > 1 && `row ${span(row, picture.cellRows, picture.rows)}`,
        `column ${span(column, picture.cellColumns, picture.columns)}`,
    ];
    return `${value} at ${places.filter(Boolean).join(", ")}`;
}

const span = (cell: number, by: number, of: number): string =>
    by === 1 ? String(cell) : `${cell * by}-${Math.min(of, (cell + 1) * by) - 1}`;

const sayNumber = (value: number | null): string => formatNumber(value);

/** What a cell stands for, where it is more than an element. */
function sayCells(picture: Picture): string {
    const { cellRows, cellColumns, tiles, tilesShown } = picture;
    const elements =
        cellRows * cellColumns > 1
            ? `a cell is the largest of ${formatCount(cellRows)} × ${formatCount(cellColumns)} elements`
            : "";
    const shown =
        tilesShown < tiles
            ? `the first ${formatCount(tilesShown)} of ${formatCount(tiles)} matrices`
            : "";
    return [elements, shown].filter(Boolean).join(" · ");
}

export function HeatMap({ picture }: { picture: Picture }) {
    const [said, say] = useState("");
    const { ref } = useCanvas((surface) => draw(picture, surface));
    const title = TITLES[picture.side] ?? picture.side;
    const { low, high } = picture;
    return (
        <figure class="heat-map">
            <figcaption>{title}</figcaption>
            <canvas
                ref={ref}
                role="img"
                class={sizeOf(picture).down === 1 ? "strip" : undefined}
                aria-label={`${title}: ${sayNumber(low)} to ${sayNumber(high)}${sayCells(picture) && `, ${sayCells(picture)}`}`}
                onMouseMove={(event) =>
                    say(sayCell(picture, event.currentTarget, event.offsetX, event.offsetY))
                }
                onMouseLeave={() => say("")}
            />
            <Scale picture={picture} />
            <p class="muted cell-said">{said || sayCells(picture)}</p>
        </figure>
    );
}

/** The colours from the low end to the high one, and what has a colour of its own. */
function Scale({ picture }: { picture: Picture }) {
    const { ref } = useCanvas(({ context, width, height, colour }) => {
        const paper = parse(colour("panel"));
        for (let x = 0; x < width; x++) {
            const level = Math.round((x / Math.max(1, width - 1)) * (LEVELS - 1));
            context.fillStyle = css(colourOf(picture, level, paper));
            context.fillRect(x, 0, 1.4, height);
        }
    });
    const marks = [
        ["?", "nan"],
        [">", "inf"],
        ["<", "-inf"],
    ].filter(([letter]) => picture.levels.includes(letter as string));
    return (
        <div class="heat-scale">
            <span>{sayNumber(picture.low)}</span>
            <canvas ref={ref} aria-hidden="true" />
            <span>{sayNumber(picture.high)}</span>
            {marks.map(([, name]) => (
                <span key={name}>
                    <span
                        class="swatch"
                        style={{ background: css(MARKS[name as string] as Rgb) }}
                    />
                    {name}
                </span>
            ))}
        </div>
    );
}
