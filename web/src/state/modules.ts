/** What modules take of a run, with what is in them, as table `modules` tells it. */
import { largestOf, type Range } from "../text/format";
import { partOf } from "./operators";
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
        shares.set(name, partOf({ lower: share, upper: upper(row) ?? share }, 1));
    }
    return shares;
}

/** So much of a run in one module says that the cost is deeper. */
const DEEPER = 0.5;

/** The depth at which no module takes most of a run alone: the first screen compares those. */
export function depthOfModules(page: Page): number {
    const all = [...moduleShares(page)].map(([path, share]) => ({
        depth: path.split(".").length,
        share,
    }));
    const most = largestOf(all, ({ depth }) => depth);
    let depth = 1;
    while (depth < most && all.some((at) => at.depth === depth && at.share.lower > DEEPER)) depth++;
    return depth;
}
