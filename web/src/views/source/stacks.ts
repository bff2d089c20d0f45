/** Whole stacks of source lines: table `stacks` as a tree, with the operators of each line. */
import { partOfRun } from "../../state/operators";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";
import type { TreeNode } from "../timeline/tree_picture";

export interface Stack {
    /** Row of the table. */
    key: number;
    /** "models/zoo.py:28"; null: work that is on no line. */
    place: string | null;
    /** Installed, not the model's own. */
    isLibrary: boolean;
    code: string;
    calls: number | null;
    time: Range | null;
    share: Range | null;
    /** Null: it only calls others. */
    self: Range | null;
    /** Counted at it, or at what it called. */
    operators: number[];
    children: Stack[];
}

/** A document of etscope has no deeper ones. */
const DEEPEST = 64;

/** Of the block that is shown, what takes most first. */
export function stacksOf(page: Page): Stack[] {
    const table = page.document.table("stacks");
    const [block, parent] = [table.number("block"), table.number("parent")];
    const read = readerOf(page);
    const known = new Map<number, { stack: Stack; depth: number; above: number | null }>();
    const roots: Stack[] = [];
    for (let row = 0; row < table.rows; row++) {
        if (block(row) !== page.block?.id) continue;
        const above = known.get(parent(row) ?? -1); /* only earlier rows: no rings */
        const depth = above === undefined ? 0 : above.depth + 1;
        if (depth >= DEEPEST) continue;
        const stack = read(row);
        known.set(row, { stack, depth, above: above === undefined ? null : parent(row) });
        (above?.stack.children ?? roots).push(stack);
    }
    for (const id of page.operators.order.get(page.block?.id ?? -1) ?? []) {
        let at = known.get(page.operators.stack(id) ?? -1);
        for (; at !== undefined; at = known.get(at.above ?? -1)) at.stack.operators.push(id);
    }
    const longestFirst = (stacks: Stack[]) => {
        stacks.sort((a, b) => (b.time?.lower ?? 0) - (a.time?.lower ?? 0) || a.key - b.key);
        for (const { children } of stacks) longestFirst(children);
    };
    longestFirst(roots);
    return roots;
}

function readerOf(page: Page): (row: number) => Stack {
    const table = page.document.table("stacks");
    const range = (name: string) => {
        const lower = table.number(name);
        const upper = table.number(`${name}_upper`);
        return (row: number): Range | null => {
            const least = lower(row);
            return least === null ? null : { lower: least, upper: upper(row) ?? least };
        };
    };
    const [file, line, code] = [table.text("file"), table.number("line"), table.text("code")];
    const [inFunction, calls] = [table.text("function"), table.number("calls")];
    const [time, share] = [range("mid"), range("share")];
    const self = range("self_mid");
    return (row) => ({
        key: row,
        place: file(row) === null ? null : `${file(row)}:${line(row)}`,
        isLibrary: isInstalled(file(row) ?? ""),
        code: code(row) ?? inFunction(row) ?? "",
        calls: calls(row),
        ...{ time: time(row), share: partOfRun(share(row)), self: self(row) },
        operators: [],
        children: [],
    });
}

/** Names of installed files begin so (docs/report-format.md). */
const isInstalled = (file: string): boolean =>
    /^(site-packages|dist-packages)\/|^python3\./.test(file);

/** Those with an operator that passes. */
export function filtered(
    stacks: readonly Stack[],
    passes: ((id: number) => boolean) | null,
): readonly Stack[] {
    if (passes === null) return stacks;
    return stacks
        .filter(({ operators }) => operators.some(passes))
        .map((stack) => ({ ...stack, children: [...filtered(stack.children, passes)] }));
}

/** Colour of its bars and boxes. */
export function kindOf(stack: Stack): string {
    if (stack.place !== null) return stack.isLibrary ? "library" : "mixed";
    return kindWithoutLine(stack.code);
}

/** The rest of a run has these names, as ets_work_rest_name gives them. */
export const kindWithoutLine = (code: string | null): string =>
    code === "(between operators)" || code === "(not recorded)" ? "runtime" : "other";

/** For the flame graph. */
export const nodesOf = (stacks: readonly Stack[]): TreeNode[] =>
    stacks.map((stack) => ({
        name: stack.place === null ? stack.code : nameOf(stack),
        operators: stack.operators,
        module: null,
        line: stack.place,
        colour: kindOf(stack),
        time: stack.time ?? { lower: 0, upper: 0 },
        children: nodesOf(stack.children),
    }));

/** "zoo.py:28 y=F.scaled_dot_product_attention(...)" */
function nameOf({ place, code }: Stack): string {
    const file = place ?? "";
    return `${file.slice(file.lastIndexOf("/") + 1)} ${code.trim()}`;
}
