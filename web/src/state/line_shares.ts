/** What a source line takes of a run: itself, and with what it calls. */
import type { Table } from "../document/table";
import type { Range } from "../text/format";
import { partOfRun } from "./operators";
import type { Page } from "./page";

/** A document of etscope has no deeper stacks. */
const DEEPEST = 64;

/** In the block that is shown, as table `lines` knows it; null: it only calls others, or is not known. */
export function ownShare(page: Page, line: string): Range | null {
    if (!page.document.isLoaded("lines")) return null;
    return sumOf(page, page.document.table("lines"), line, () => true);
}

/** As the pictures of stacks have it: where the line is inside of itself, it counts once. */
export function shareWithCalls(page: Page, line: string): Range | null {
    const table = page.document.table("stacks");
    const parent = table.number("parent");
    const place = placeIn(table);
    const isOutermost = (row: number): boolean => {
        let at = row;
        for (let depth = 0; depth < DEEPEST; depth++) {
            const above = parent(at);
            if (above === null || above >= at) return true; /* no rings */
            if (place(above) === line) return false;
            at = above;
        }
        return true;
    };
    return sumOf(page, table, line, isOutermost);
}

function placeIn(table: Table): (row: number) => string | null {
    const [file, line] = [table.text("file"), table.number("line")];
    return (row) => (file(row) === null ? null : `${file(row)}:${line(row)}`);
}

function sumOf(
    page: Page,
    table: Table,
    line: string,
    counts: (row: number) => boolean,
): Range | null {
    const block = table.number("block");
    const [lower, upper] = [table.number("share"), table.number("share_upper")];
    const place = placeIn(table);
    let sum: Range | null = null;
    for (let row = 0; row < table.rows; row++) {
        const share = lower(row);
        if (block(row) !== page.block?.id || share === null) continue;
        if (place(row) !== line || !counts(row)) continue;
        sum ??= { lower: 0, upper: 0 };
        sum.lower += share;
        sum.upper += upper(row) ?? share;
    }
    return partOfRun(sum);
}
