/** A tensor's cells as colours, with a scale below; pointer and arrow keys tell the number of a cell. */
import { type Surface, useCanvas } from "../../parts/canvas";
import { formatCount, formatNumber } from "../../text/format";
import {
    type Cell,
    cellAt,
    cellOf,
    LEVELS,
    numberOf,
    type Picture,
    type Spot,
    sizeOf,
    stepFrom,
} from "./pictures";

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

function draw(picture: Picture, spots: Spots, surface: Surface): void {
    const { context, width, height, colour } = surface;
    const layout = layoutOf(picture, width, height);
    const { cellWidth, cellHeight, gap } = layout;
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
    if (spots.worst !== null) outline(picture, layout, spots.worst, surface, "note");
    if (spots.at !== null) outline(picture, layout, spots.at, surface, "text");
}

/** A frame around a cell, which stays legible on every colour; a small cell has it around it. */
function outline(
    picture: Picture,
    { cellWidth, cellHeight, gap }: Layout,
    { column, row }: Spot,
    { context, width, height, colour }: Surface,
    name: string,
): void {
    const [wide, high] = [Math.max(cellWidth, 7), Math.max(cellHeight, 7)];
    const middleX = (column + 0.5) * cellWidth + Math.floor(column / picture.tileWidth) * gap;
    const middleY = (row + 0.5) * cellHeight + Math.floor(row / picture.tileHeight) * gap;
    const x = Math.max(2, Math.min(width - wide - 2, middleX - wide / 2));
    const y = Math.max(2, Math.min(height - high - 2, middleY - high / 2));
    for (const [lineWidth, stroke] of [
        [4, colour("back")],
        [2, colour(name)],
    ] as const) {
        context.lineWidth = lineWidth;
        context.strokeStyle = stroke;
        context.strokeRect(x, y, wide, high);
    }
}

/** The cell below the pointer; null: none. */
function spotUnder(
    picture: Picture,
    element: HTMLCanvasElement,
    x: number,
    y: number,
): Spot | null {
    const layout = layoutOf(picture, element.clientWidth, element.clientHeight);
    const tileWidth = picture.tileWidth * layout.cellWidth + layout.gap;
    const tileHeight = picture.tileHeight * layout.cellHeight + layout.gap;
    const [tileX, tileY] = [Math.floor(x / tileWidth), Math.floor(y / tileHeight)];
    const column = Math.floor((x - tileX * tileWidth) / layout.cellWidth);
    const row = Math.floor((y - tileY * tileHeight) / layout.cellHeight);
    if (tileX < 0 || tileX >= picture.tilesAcross || column >= picture.tileWidth) return null;
    if (tileY < 0 || row >= picture.tileHeight) return null;
    const spot = {
        column: tileX * picture.tileWidth + column,
        row: tileY * picture.tileHeight + row,
    };
    return cellAt(picture, spot.column, spot.row) === null ? null : spot;
}

/** "≈ 0.52" of a cell. */
export function sayCell(picture: Picture, spot: Spot): string {
    const index = cellAt(picture, spot.column, spot.row);
    const cell = cellOf(index === null ? undefined : picture.levels[index]);
    return typeof cell === "string" ? cell : `≈ ${sayNumber(numberOf(picture, cell))}`;
}

/** "row 3, column 12" of a cell. */
export function saySpot(picture: Picture, { column, row }: Spot): string {
    const { tileWidth, tileHeight, tilesAcross } = picture;
    const tile = Math.floor(row / tileHeight) * tilesAcross + Math.floor(column / tileWidth);
    const places = [
        picture.tiles > 1 && `matrix ${tile}`,
        picture.rows > 1 && `row ${span(row % tileHeight, picture.cellRows, picture.rows)}`,
        `column ${span(column % tileWidth, picture.cellColumns, picture.columns)}`,
    ];
    return places.filter(Boolean).join(", ");
}

const span = (cell: number, by: number, of: number): string =>
    by === 1 ? String(cell) : `${cell * by}-${Math.min(of, (cell + 1) * by) - 1}`;

const sayNumber = (value: number | null): string => formatNumber(value);

/** What a cell stands for, where it is more than an element. */
function sayCells(picture: Picture): string {
    const { cellRows, cellColumns, tiles, tilesShown } = picture;
    const elements =
        cellRows * cellColumns > 1
            ? `a cell: the farthest from 0 of ${formatCount(cellRows)} × ${formatCount(cellColumns)}`
            : "";
    const shown =
        tilesShown < tiles
            ? `the first ${formatCount(tilesShown)} of ${formatCount(tiles)} matrices`
            : "";
    return [elements, shown].filter(Boolean).join(" · ");
}

/** Cells with a frame: the one that is pointed at, and the one with the largest difference. */
interface Spots {
    at: Spot | null;
    worst: Spot | null;
}

const ARROWS: Record<string, readonly [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
};

interface Props extends Spots {
    picture: Picture;
    /** Points at a cell of all maps; spoken if keys did it. */
    point: (spot: Spot | null, isSpoken: boolean) => void;
}

export function HeatMap({ picture, at, worst, point }: Props) {
    const { ref } = useCanvas((surface) => draw(picture, { at, worst }, surface));
    const title = TITLES[picture.side] ?? picture.side;
    const { low, high } = picture;
    const { across, down } = sizeOf(picture);
    const move = (event: KeyboardEvent) => {
        const step = ARROWS[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        point(at === null ? (worst ?? { column: 0, row: 0 }) : stepFrom(picture, at, step), true);
    };
    return (
        <figure class="heat-map">
            <figcaption>
                {title}
                {worst !== null && picture.side === "difference" && (
                    <span class="worst-key">
                        <span class="worst-frame" /> largest
                    </span>
                )}
            </figcaption>
            <canvas
                ref={ref}
                role="img"
                tabIndex={0}
                class={down === 1 ? "strip" : undefined}
                style={down === 1 ? undefined : { aspectRatio: `${across} / ${down}` }}
                aria-label={`${title}: ${sayNumber(low)} to ${sayNumber(high)}${sayCells(picture) && `, ${sayCells(picture)}`}; arrow keys read cells`}
                onMouseMove={(event) =>
                    point(
                        spotUnder(picture, event.currentTarget, event.offsetX, event.offsetY),
                        false,
                    )
                }
                onMouseLeave={() => point(null, false)}
                onKeyDown={move}
                onBlur={() => point(null, false)}
            />
            <Scale picture={picture} />
            <p class="muted cell-said">
                {at === null
                    ? sayCells(picture)
                    : `${sayCell(picture, at)} at ${saySpot(picture, at)}`}
            </p>
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
