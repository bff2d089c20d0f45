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
    {
        value: "module",
        title: "module",
        hint: "the module's own operators; those of its submodules are groups of their own, and count for it on Summary and Graph",
    },
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

interface Group {
    name: string;
    /** What it stands for; null: nothing that can be selected. */
    place: (Selection & { name: string }) | null;
    ids: number[];
}

/**
 * Groups by what they take at least; members are what is innermost, so that nothing counts twice.
 * What no member accounts for has a row of its own, so that the shares add up to the run.
 */
function groupRows(page: Page, by: Grouping, filter: Predicate | null): Row[] {
    const blocks = groupsOf(page, by, filter).map(({ name, place, ids }) => {
        const members = sorted(
            ids.map((id) => operatorRow(page, id, 1, true)),
            (row) => row.share?.lower ?? null,
            true,
        );
        return { heading: headingRow(name, place, members), members };
    });
    blocks.sort((a, b) => (b.heading.share?.lower ?? 0) - (a.heading.share?.lower ?? 0));
    const rows = blocks.flatMap(({ heading, members }) => [heading, ...members]);
    if (filter === null && rows.length > 0) {
        const covered = sum(blocks.map(({ heading }) => heading.share)) ?? { lower: 0, upper: 0 };
        const rest = {
            lower: Math.max(0, 1 - covered.upper),
            upper: Math.max(0, 1 - covered.lower),
        };
        const name = "(between operators, or not reported)";
        rows.push({ ...headingRow(name, null, []), share: rest, kind: "runtime" });
    }
    return rows;
}

function groupsOf(page: Page, by: Grouping, filter: Predicate | null): Group[] {
    const { operators } = page;
    const groups = new Map<string, Group>();
    for (const id of page.blockOperators) {
        if ((operators.children.get(id)?.length ?? 0) > 0 || operators.depth.get(id) === 0)
            continue;
        if (filter !== null && !filter(id)) continue;
        const key = keyOf(page, id, by);
        const group = groups.get(key);
        if (group !== undefined) group.ids.push(id);
        else groups.set(key, { ...describeGroup(key, by), ids: [id] });
    }
    return [...groups.values()];
}

function keyOf(page: Page, id: number, by: Grouping): string {
    const { operators } = page;
    if (by === "op") return (operators.name(id) ?? "").replace(/ #\d+$/, "");
    if (by === "backend") return backendOf(operators, id);
    return (by === "module" ? operators.module(id) : operators.source(id)) ?? "";
}

function describeGroup(key: string, by: Grouping): { name: string; place: Group["place"] } {
    if (by !== "module" && by !== "line") return { name: key, place: null };
    const places = listOf(key);
    const first = places[0];
    if (first === undefined) return { name: `(no ${by})`, place: null };
    if (places.length > 1) return { name: `${first} and ${places.length - 1} more`, place: null };
    return { name: first, place: { kind: by, name: first } };
}

function headingRow(name: string, place: Group["place"], members: Row[]): Row {
    const kinds = new Set(members.map((row) => row.kind));
    return {
        key: `group ${name} ${members[0]?.key ?? ""}`,
        id: null,
        name,
        level: 0,
        hasInside: members.length > 0,
        isDelegateCall: false,
        isMatch: true,
        calls: members.length > 0 ? members.reduce((sum, row) => sum + (row.calls ?? 0), 0) : null,
        p50: null,
        share: sum(members.map((row) => row.share)),
        kind: kinds.size === 1 ? (members[0] as Row).kind : "mixed",
        group: place,
    };
}

/** Shares add up; medians do not. */
function sum(ranges: (Range | null)[]): Range | null {
    const known = ranges.filter((range) => range !== null);
    if (known.length === 0) return null;
    return known.reduce((a, b) => ({ lower: a.lower + b.lower, upper: a.upper + b.upper }));
}

/** Without what is inside closed rows. */
export function visibleRows<T extends { level: number }>(
    rows: readonly T[],
    isOpen: (row: T) => boolean,
): T[] {
    const shown: T[] = [];
    let hiddenBelow = Number.POSITIVE_INFINITY;
    for (const row of rows) {
        if (row.level > hiddenBelow) continue;
        hiddenBelow = isOpen(row) ? Number.POSITIVE_INFINITY : row.level;
        shown.push(row);
    }
    return shown;
}

/** Siblings in order; each followed by what it has inside. */
export function sortTree<T extends { level: number }>(
    rows: readonly T[],
    value: (row: T) => SortValue,
    descending: boolean,
): T[] {
    const inside = new Map<T | null, T[]>([[null, []]]);
    const above: T[] = [];
    for (const row of rows) {
        while (above.length > 0 && (above[above.length - 1] as T).level >= row.level) above.pop();
        inside.get(above[above.length - 1] ?? null)?.push(row);
        inside.set(row, []);
        above.push(row);
    }
    const flat: T[] = [];
    const visit = (parent: T | null): void => {
        for (const row of sorted(inside.get(parent) ?? [], value, descending)) {
            flat.push(row);
            visit(row);
        }
    };
    visit(null);
    return flat;
}
