/** Where a run goes: the innermost lines of table `accounts`, added up by what they are. */
import { backendOf } from "../../state/filter";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";

export interface Part {
    title: string;
    kind: string;
    share: Range;
}

/** Largest first; they add up to the run. */
export function partsOf(page: Page): Part[] {
    const table = page.document.table("accounts");
    const [block, parent] = [table.number("block"), table.number("parent")];
    const [operator, added] = [table.number("operator"), table.number("added")];
    const [share, upper, kind] = [
        table.number("share"),
        table.number("share_upper"),
        table.text("kind"),
    ];
    const inside = new Set<number>();
    const outer = new Set<number>();
    for (let row = 0; row < table.rows; row++) {
        const above = parent(row);
        const isIn = above === null ? operator(row) === page.block?.whole : inside.has(above);
        if (block(row) !== page.block?.id || !isIn) continue;
        inside.add(row);
        if (above !== null && added(row) === 1) outer.add(above);
    }
    const sums = new Map<string, Part>();
    for (const row of inside) {
        const lower = share(row);
        if (lower === null || added(row) !== 1 || outer.has(row)) continue;
        const [title, colour] = nameOf(page, kind(row), operator(row));
        const sum = sums.get(title) ?? { title, kind: colour, share: { lower: 0, upper: 0 } };
        sum.share.lower += lower;
        sum.share.upper += upper(row) ?? lower;
        sums.set(title, sum);
    }
    return [...sums.values()].sort((a, b) => b.share.lower - a.share.lower);
}

/** What a line is told as, and the colour of its bar. */
function nameOf(page: Page, kind: string | null, operator: number | null): [string, string] {
    if (kind === "framework") return ["between operators", "runtime"];
    if (kind === "operator_calls" || operator === null) return ["operator calls", "runtime"];
    const backend = backendOf(page.operators, operator);
    if (page.operators.backend(operator) === null) {
        if (kind === "unaccounted") return ["operator calls", "runtime"];
        return [backend === "portable" ? "kernels" : "runtime", backend];
    }
    const isCall = page.operators.event(operator) === "DELEGATE_CALL";
    if (kind === "unaccounted" || isCall) return [`${backend}, other`, "other"];
    return [`${backend}, reported`, "delegate"];
}
