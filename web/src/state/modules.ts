/** What modules take of a run, with what is in them, as table `modules` tells it. */
import type { Range } from "../text/format";
import type { Page } from "./page";

/**
 * By path, in the block that is shown; empty while the table is not loaded. Neither the model itself
 * nor what several modules share.
 */
export function moduleShares(page: Page): ReadonlyMap<string, Range> {
    const shares = new Map<string, Range>();
    if (!page.document.isLoaded("modules")) return shares;
    const table = page.document.table("modules");
    const [block, depth, path] = [table.number("block"), table.number("depth"), table.text("path")];
    const [lower, upper] = [table.number("share"), table.number("share_upper")];
    for (let row = 0; row < table.rows; row++) {
        const [name, share] = [path(row), lower(row)];
        if (block(row) !== page.block?.id || name === null || share === null) continue;
        if (depth(row) === 0 || name.includes(", ") || name.startsWith("(")) continue;
        shares.set(name, { lower: share, upper: upper(row) ?? share });
    }
    return shares;
}
