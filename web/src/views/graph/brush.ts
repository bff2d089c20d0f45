/** What a picture is drawn with: a canvas, or the text of an SVG. */
import { type Line, type Pen, traceLine } from "./scene";

export interface Stroke {
    colour: string;
    width: number;
    dash?: readonly number[];
}

export interface Letters {
    size: number;
    colour: string;
    isBold?: boolean;
    isRight?: boolean;
}

export interface Brush {
    box(
        x: number,
        y: number,
        width: number,
        height: number,
        radius: number,
        fill: string | null,
        stroke: Stroke | null,
    ): void;
    line(line: Line, stroke: Stroke, hasArrow: boolean): void;
    text(x: number, y: number, text: string, letters: Letters): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
const ARROW = 6;

export class CanvasBrush implements Brush {
    constructor(private readonly context: CanvasRenderingContext2D) {
        context.textBaseline = "alphabetic";
    }

    box(...[x, y, width, height, radius, fill, stroke]: Parameters<Brush["box"]>): void {
        const { context } = this;
        context.beginPath();
        const r = Math.min(radius, width / 2, height / 2);
        context.moveTo(x + r, y);
        context.arcTo(x + width, y, x + width, y + height, r);
        context.arcTo(x + width, y + height, x, y + height, r);
        context.arcTo(x, y + height, x, y, r);
        context.arcTo(x, y, x + width, y, r);
        context.closePath();
        if (fill !== null) {
            context.fillStyle = fill;
            context.fill();
        }
        if (stroke !== null) this.stroke(stroke);
    }

    line(line: Line, stroke: Stroke, hasArrow: boolean): void {
        const { context } = this;
        context.beginPath();
        traceLine(context, line);
        this.stroke(stroke);
        if (!hasArrow) return;
        context.fillStyle = stroke.colour;
        context.beginPath();
        arrow(context, line);
        context.fill();
    }

    text(x: number, y: number, text: string, letters: Letters): void {
        const { context } = this;
        context.font = `${letters.isBold ? "600 " : ""}${letters.size}px ${FONT}`;
        context.textAlign = letters.isRight ? "right" : "left";
        context.fillStyle = letters.colour;
        context.fillText(text, x, y);
    }

    private stroke({ colour, width, dash }: Stroke): void {
        const { context } = this;
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash((dash ?? []) as number[]);
        context.stroke();
    }
}

/** A triangle that ends where the line ends. */
function arrow(pen: Pen, { points }: Line): void {
    const end = points[points.length - 1];
    if (end === undefined) return;
    const before = points[points.length - 2];
    const back = before !== undefined && before.y > end.y ? ARROW : -ARROW;
    pen.moveTo(end.x, end.y);
    pen.lineTo(end.x - ARROW / 2, end.y + back);
    pen.lineTo(end.x + ARROW / 2, end.y + back);
    pen.lineTo(end.x, end.y);
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
    text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export class SvgBrush implements Brush {
    private readonly parts: string[] = [];

    /** `left` and `top` are the upper left corner of the picture. */
    constructor(
        private readonly left: number,
        private readonly top: number,
    ) {}

    box(...[x, y, width, height, radius, fill, stroke]: Parameters<Brush["box"]>): void {
        const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
        this.parts.push(
            `<rect ${place} rx="${radius}" fill="${fill ?? "none"}"${strokeOf(stroke)}/>`,
        );
    }

    line(line: Line, stroke: Stroke, hasArrow: boolean): void {
        const traced = path((pen) => traceLine(pen, line));
        this.parts.push(`<path d="${traced}" fill="none"${strokeOf(stroke)}/>`);
        if (hasArrow) {
            const head = path((pen) => arrow(pen, line));
            this.parts.push(`<path d="${head}z" fill="${stroke.colour}"/>`);
        }
    }

    text(x: number, y: number, text: string, letters: Letters): void {
        const weight = letters.isBold ? ' font-weight="600"' : "";
        const anchor = letters.isRight ? ' text-anchor="end"' : "";
        this.parts.push(
            `<text x="${round(x)}" y="${round(y)}" font-size="${letters.size}" fill="${letters.colour}"${weight}${anchor}>${escaped(text)}</text>`,
        );
    }

    /** The file. */
    toString(width: number, height: number, back: string): string {
        const of = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
        const view = `${this.left} ${this.top} ${Math.ceil(width)} ${Math.ceil(height)}`;
        const rest = `<rect x="${this.left}" y="${this.top}" ${of} fill="${back}"/>${this.parts.join("")}`;
        return `<svg xmlns="http://www.w3.org/2000/svg" ${of} viewBox="${view}" font-family="${escaped(FONT)}">${rest}</svg>\n`;
    }
}

function strokeOf(stroke: Stroke | null): string {
    if (stroke === null) return "";
    const dash = stroke.dash === undefined ? "" : ` stroke-dasharray="${stroke.dash.join(" ")}"`;
    return ` stroke="${stroke.colour}" stroke-width="${stroke.width}"${dash}`;
}

function path(trace: (pen: Pen) => void): string {
    let text = "";
    const join = (letter: string, ...numbers: number[]) => {
        text += `${letter}${numbers.map(round).join(" ")}`;
    };
    trace({
        moveTo: (x, y) => join("M", x, y),
        lineTo: (x, y) => join("L", x, y),
        bezierCurveTo: (...numbers) => join("C", ...numbers),
    });
    return text;
}
