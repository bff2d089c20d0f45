/** What changed between two traces, node by node: the graphs of both sides are coloured by it. */
import {
    type ComparedBlock,
    type Difference,
    differencesOf,
    DIFFERENCE_TABLES,
} from "../../state/differences";
import type { Page } from "../../state/page";
import { fixed } from "../../text/format";
import type { GraphModel } from "./model";
import type { Box } from "./tree";

/** The comparison that the block which is shown is a side of, or null. */
export function comparisonOf(page: Page): ComparedBlock | null {
    const { document, block } = page;
    if (block === null || !document.has("difference_blocks")) return null;
    if (!DIFFERENCE_TABLES.every((name) => document.isLoaded(name))) return null;
    const sides = differencesOf(document).blocks.filter(
        ({ before, after }) => before !== null && after !== null,
    );
    return (
        sides.find(({ after }) => after === block.id) ??
        sides.find(({ before }) => before === block.id) ??
        null
    );
}

/** By node: the line that it is in, if one is; lines that differ in kind win. */
export function changesOfNodes(
    lines: readonly Difference[],
    side: "before" | "after",
    nodesOfOperator: GraphModel["nodesOfOperator"],
): Map<number, Difference> {
    const found = new Map<number, Difference>();
    for (const line of lines) {
        if (line.hasInside) continue;
        const operators = side === "after" ? line.operatorsAfter : line.operatorsBefore;
        for (const operator of operators) {
            for (const node of nodesOfOperator.get(operator) ?? []) {
                const known = found.get(node);
                if (known === undefined || (known.kind === null && line.kind !== null))
                    found.set(node, line);
            }
        }
    }
    return found;
}

export type ChangeKind = "slower" | "faster" | "changed" | "same" | "mixed" | "none";

export function kindOfChange({ kind, verdict }: Difference): ChangeKind {
    if (kind !== null) return "changed";
    return verdict === "slower" || verdict === "faster" ? verdict : "same";
}

/** Of a box: what all that changed in it did; "none": nothing in it was compared. */
export function changeOf(lines: ReadonlySet<Difference>): ChangeKind {
    const kinds = new Set([...lines].map(kindOfChange));
    if (kinds.size > 1) kinds.delete("same");
    const [only] = kinds;
    return only === undefined ? "none" : kinds.size > 1 ? "mixed" : only;
}

function sayLine(line: Difference): string {
    if (line.kind !== null) return line.kind;
    const { ratio, verdict } = line;
    const percent = ratio === null ? "" : fixed(Math.abs(ratio) * 100, 1);
    if (verdict === "none") return "not compared";
    if (ratio === null || percent === "0.0") return verdict;
    return `${verdict}, ${ratio < 0 ? "−" : "+"}${percent}%`;
}

/** "slower, +12.0%", or "2 slower, 1 changed". */
export function sayChange(lines: ReadonlySet<Difference>): string {
    const [first] = lines;
    if (first === undefined) return "";
    if (lines.size === 1) return sayLine(first);
    const counts = new Map<ChangeKind, number>();
    for (const line of lines) {
        const kind = kindOfChange(line);
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const order: ChangeKind[] = ["slower", "faster", "changed", "same"];
    return order
        .filter((kind) => counts.has(kind))
        .map((kind) => `${counts.get(kind)} ${kind}`)
        .join(", ");
}

/** Of each box, the lines of what is in it. */
export function linesOfBoxes(
    changes: ReadonlyMap<number, Difference>,
): (box: Box) => ReadonlySet<Difference> {
    const known = new Map<Box, Set<Difference>>();
    const linesOf = (box: Box): Set<Difference> => {
        let found = known.get(box);
        if (found === undefined) {
            const own = changes.get(box.node ?? -1);
            found = new Set(own === undefined ? [] : [own]);
            for (const child of box.children) for (const line of linesOf(child)) found.add(line);
            known.set(box, found);
        }
        return found;
    };
    return linesOf;
}
