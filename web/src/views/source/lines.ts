/** Source lines with what they cost: table `lines`, and the other lines that nodes name. */
import { partOf, partOfRun } from "../../state/operators";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";

export interface Line {
    key: string;
    /** Null: on no line; then `code` says what it is. */
    file: string | null;
    line: number | null;
    code: string;
    function: string | null;
    time: Range | null;
    share: Range | null;
    calls: number | null;
    written: number | null;
    error: number | null;
}

/** Of the block that is shown, in the order of files and lines. */
export function linesOf(page: Page): Line[] {
    const table = page.document.table("lines");
    const text = (name: string) => table.textOrNone(name);
    const number = (name: string) => table.numberOrNone(name);
    const range = (name: string) => {
        const lower = number(name);
        const upper = number(`${name}_upper`);
        return (row: number): Range | null => {
            const least = lower(row);
            return least === null ? null : { lower: least, upper: upper(row) ?? least };
        };
    };
    const block = table.number("block");
    const [file, line, code] = [text("file"), number("line"), text("code")];
    const [inFunction, calls] = [text("function"), number("calls")];
    const [written, error] = [number("written_bytes"), number("error")];
    const [time, share] = [range("mid"), range("share")];
    const lines: Line[] = [];
    const seen = new Set<string>();
    for (let row = 0; row < table.rows; row++) {
        if (block(row) !== page.block?.id) continue;
        const key = file(row) === null ? `row ${row}` : `${file(row)}:${line(row)}`;
        seen.add(key);
        lines.push({
            key,
            file: file(row),
            line: line(row),
            code: code(row) ?? "",
            function: inFunction(row),
            time: time(row),
            share: partOfRun(share(row)),
            calls: calls(row),
            written: written(row),
            error: error(row),
        });
    }
    return inOrder([...lines, ...untimedLines(page, seen)]);
}

/** Lines of nodes that nothing was timed for. */
function untimedLines(page: Page, seen: Set<string>): Line[] {
    const nodes = page.document.table("nodes");
    const [file, line, code] = [nodes.text("file"), nodes.number("line"), nodes.text("code")];
    const inFunction = nodes.text("function");
    const lines: Line[] = [];
    for (let row = 0; row < nodes.rows; row++) {
        const key = `${file(row)}:${line(row)}`;
        if (file(row) === null || line(row) === null || seen.has(key)) continue;
        seen.add(key);
        lines.push({
            key,
            file: file(row),
            line: line(row),
            code: code(row) ?? "",
            function: inFunction(row),
            time: null,
            share: null,
            calls: null,
            written: null,
            error: null,
        });
    }
    return lines;
}

function inOrder(lines: Line[]): Line[] {
    const place = (line: Line) => line.file ?? "\uffff";
    return lines.sort((a, b) =>
        place(a) !== place(b) ? (place(a) < place(b) ? -1 : 1) : (a.line ?? 0) - (b.line ?? 0),
    );
}

export interface SourceFile {
    name: string;
    lines: number;
    share: Range;
}

/** Files with what their lines take together, most expensive first. */
export function filesOf(lines: readonly Line[]): SourceFile[] {
    const files = new Map<string, SourceFile>();
    for (const { file, share } of lines) {
        if (file === null) continue;
        const known = files.get(file) ?? { name: file, lines: 0, share: { lower: 0, upper: 0 } };
        known.lines++;
        known.share.lower += share?.lower ?? 0;
        known.share.upper += share?.upper ?? 0;
        files.set(file, known);
    }
    return [...files.values()]
        .map((file) => ({ ...file, share: partOf(file.share, 1) }))
        .sort((a, b) => b.share.lower - a.share.lower);
}
