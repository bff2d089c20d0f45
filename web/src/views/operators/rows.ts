/** Rows of the operators table: the tree, or groups with their operators inside. */
import { type SortValue, sorted } from "../../parts/virtual";
import { backendOf, barKind, type Predicate } from "../../state/filter";
import { listOf } from "../../state/joins";
import type { Page } from "../../state/page";
import type { Selection } from "../../state/selection";
import type { Range } from "../../text/format";

export const GROUPS = [
    { value: "none", title: "none", hint: "order of execution, with what is inside delegates" },
    { value: "op", title: "operator", hint: "all calls of one operator together" },
    { value: "module", title: "module" },
    { value: "line", title: "line", hint: "source line" },
    { value: "backend", title: "backend", hint: "delegates, kernels, runtime" },
] as const;

export type Grouping = (typeof GROUPS)[number]["value"];

export interface Row {
    key: string;
    /** Of the operator; null: a group. */
    id: number | null;
    name: string;
    level: number;
    hasInside: boolean;
    isDelegateCall: boolean;
    /** Passes the filter; others are only there because something inside passes. */
    isMatch: boolean;
    calls: number | null;
    p50: Range | null;
    share: Range | null;
    /** Colour of its bars. */
    kind: string;
    /** What a group stands for. */
    group: (Selection & { name: string }) | null;
}

export function makeRows(page: Page, by: Grouping, filter: Predicate | null): Row[] {
    return by === "none" ? treeRows(page, filter) : groupRows(page, by, filter);
}

function operatorRow(page: Page, id: number, level: number, isMatch: boolean): Row {
    const { operators } = page;
    return {
        key: String(id),
        id,
        name: operators.name(id) ?? "",
        level,
        hasInside: (operators.children.get(id)?.length ?? 0) > 0,
        isDelegateCall: operators.event(id) === "DELEGATE_CALL",
        isMatch,
        calls: operators.calls(id),
        p50: operators.time(id, "p50"),
        share: operators.share(id),
        kind: barKind(operators, id),
        group: null,
    };
}

/** In order of execution. What encloses a match stays, dimmed. */
function treeRows(page: Page, filter: Predicate | null): Row[] {
    const { operators, blockOperators } = page;
    const kept = new Set<number>();
    if (filter !== null) {
        for (const id of blockOperators) {
            if (!filter(id)) continue;
            let at: number | undefined = id;
            while (at !== undefined && !kept.has(at)) {
                kept.add(at);
                at = operators.parent.get(at);
            }
        }
    }
    return blockOperators
        .filter((id) => filter === null || kept.has(id))
        .map((id) =>
            operatorRow(page, id, operators.depth.get(id) ?? 0, filter === null || filter(id)),
        );
}

/** Groups by what they take at least; members are what is innermost, so that nothing counts twice. */
function groupRows(page: Page, by: Grouping, filter: Predicate | null): Row[] {
    const { operators } = page;
    const groups = new Map<string, number[]>();
    for (const id of page.blockOperators) {
        if ((operators.children.get(id)?.length ?? 0) > 0 || (filter !== null && !filter(id)))
            continue;
        const key = groupOf(page, id, by);
        const members = groups.get(key);
        if (members === undefined) groups.set(key, [id]);
        else members.push(id);
    }
    const blocks = [...groups].map(([name, ids]) => {
        const members = ids.map((id) => operatorRow(page, id, 1, true));
        const heading: Row = {
            key: `group ${name}`,
            id: null,
            name,
            level: 0,
            hasInside: true,
            isDelegateCall: false,
            isMatch: true,
            calls: members.reduce((sum, row) => sum + (row.calls ?? 0), 0),
            p50: null,
            share: sum(members.map((row) => row.share)),
            kind:
                new Set(members.map((row) => row.kind)).size === 1
                    ? (members[0] as Row).kind
                    : "mixed",
            group:
                by === "line"
                    ? { kind: "line", name }
                    : by === "module"
                      ? { kind: "module", name }
                      : null,
        };
        return { heading, members };
    });
    blocks.sort((a, b) => (b.heading.share?.lower ?? 0) - (a.heading.share?.lower ?? 0));
    return blocks.flatMap(({ heading, members }) => [heading, ...members]);
}

function groupOf(page: Page, id: number, by: Grouping): string {
    const { operators } = page;
    if (by === "op") return (operators.name(id) ?? "").replace(/ #\d+$/, "");
    if (by === "backend") return backendOf(operators, id);
    const places = listOf(by === "module" ? operators.module(id) : operators.source(id));
    if (places.length === 0) return by === "module" ? "(no module)" : "(no line)";
    return places.length === 1
        ? (places[0] as string)
        : `${places[0]} and ${places.length - 1} more`;
}

/** Shares add up; medians do not. */
function sum(ranges: (Range | null)[]): Range | null {
    const known = ranges.filter((range) => range !== null);
    if (known.length === 0) return null;
    return known.reduce((a, b) => ({ lower: a.lower + b.lower, upper: a.upper + b.upper }));
}

/** Without what is inside closed rows. */
export function visibleRows(rows: readonly Row[], closed: ReadonlySet<string>): Row[] {
    const shown: Row[] = [];
    let hiddenBelow = Number.POSITIVE_INFINITY;
    for (const row of rows) {
        if (row.level > hiddenBelow) continue;
        hiddenBelow = closed.has(row.key) ? row.level : Number.POSITIVE_INFINITY;
        shown.push(row);
    }
    return shown;
}

/** Siblings in order; each followed by what it has inside. */
export function sortTree(
    rows: readonly Row[],
    value: (row: Row) => SortValue,
    descending: boolean,
): Row[] {
    const inside = new Map<Row | null, Row[]>([[null, []]]);
    const above: Row[] = [];
    for (const row of rows) {
        while (above.length > 0 && (above[above.length - 1] as Row).level >= row.level) above.pop();
        inside.get(above[above.length - 1] ?? null)?.push(row);
        inside.set(row, []);
        above.push(row);
    }
    const flat: Row[] = [];
    const visit = (parent: Row | null): void => {
        for (const row of sorted(inside.get(parent) ?? [], value, descending)) {
            flat.push(row);
            visit(row);
        }
    };
    visit(null);
    return flat;
}
