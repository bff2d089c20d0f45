/** Where a run goes: the innermost lines of table `accounts`, added up by what they are. */
import { backendOf, barKind } from "../../state/filter";
import { partOf } from "../../state/operators";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";

export interface Part {
    title: string;
    kind: string;
    share: Range;
}

interface Line {
    kind: string | null;
    operator: number | null;
    share: Range;
    inside: Line[];
}

/** What `partsOf` reads. */
export const PARTS_TABLES = ["accounts"] as const;

/** Largest first; they add up to the run. None of runs whose operators are not recorded. */
export function partsOf(page: Page): Part[] {
    if (!page.hasOperators) return [];
    const sums = new Map<string, Part>();
    const add = (title: string, kind: string, { lower, upper }: Range) => {
        const sum = sums.get(title) ?? { title, kind, share: { lower: 0, upper: 0 } };
        sum.share.lower += lower;
        sum.share.upper += upper;
        sums.set(title, sum);
    };
    const visit = (line: Line): void => {
        const { operator, share, inside } = line;
        const kind = operator === null ? "runtime" : barKind(page.operators, operator);
        if (line.kind === "row" && operator !== null && kind === "delegate") {
            const reported = reportedIn(line);
            const rest = {
                lower: Math.max(0, share.lower - reported.upper),
                upper: share.upper - reported.lower,
            };
            const name = backendOf(page.operators, operator);
            const backend = name === "delegate" ? "delegates" : name;
            if (page.operators.event(operator) === "DELEGATE_CALL") {
                add(`${backend}, reported`, "delegate", reported);
                add(`${backend}, not reported`, "other", rest);
            } else {
                /* Another runtime's operator: its own time, and the operators inside of it. */
                add(backend, "delegate", rest);
                inside.filter((inner) => inner.kind === "row").forEach(visit);
            }
        } else if (inside.length > 0) {
            inside.forEach(visit);
        } else if (line.kind === "row" && kind === "portable") {
            add("kernels", kind, share);
        } else {
            add("between operators", "runtime", share);
        }
    };
    linesOf(page).forEach(visit);
    return [...sums.values()]
        .map((part) => ({ ...part, share: partOf(part.share, 1) }))
        .filter(({ share }) => share.upper > 0)
        .sort((a, b) => b.share.lower - a.share.lower);
}

/** What the inner events of a delegate's call cover: at most the call. */
function reportedIn({ share, inside }: Line): Range {
    const rows = inside.filter(({ kind }) => kind === "row");
    const sum = (bound: "lower" | "upper") =>
        Math.min(
            share[bound],
            rows.reduce((all, row) => all + row.share[bound], 0),
        );
    return { lower: sum("lower"), upper: sum("upper") };
}

/** The lines that are part of the sums, in the run of the chosen block. */
function linesOf({ document, block }: Page): Line[] {
    const table = document.table("accounts");
    const [blockOf, parent] = [table.number("block"), table.number("parent")];
    const [operator, added] = [table.number("operator"), table.number("added")];
    const [lower, upper] = [table.number("share"), table.number("share_upper")];
    const kind = table.text("kind");
    const lines = new Map<number, Line>();
    for (let row = 0; row < table.rows; row++) {
        const above = parent(row);
        const isRun = above === null && block !== null && operator(row) === block.whole;
        const outer = above === null ? undefined : lines.get(above);
        const share = lower(row);
        if (blockOf(row) !== block?.id || (!isRun && outer === undefined)) continue;
        if (share === null || added(row) !== 1) continue;
        const line: Line = {
            kind: kind(row),
            operator: operator(row),
            share: { lower: share, upper: upper(row) ?? share },
            inside: [],
        };
        outer?.inside.push(line);
        lines.set(row, line);
    }
    return [...lines.values()].slice(0, 1);
}
