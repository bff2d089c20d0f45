/** Rows of the operators table: the tree, or groups with their operators inside. */
import { type SortValue, sorted } from "../../parts/virtual";
import { backendOf, barKind, type Predicate } from "../../state/filter";
import { listOf } from "../../state/joins";
import { allOf, type ModuleNode, moduleTree, titleOfModule } from "../../state/module_tree";
import { depthOfModules, moduleShares } from "../../state/modules";
import type { Page } from "../../state/page";
import { runSumsOf, type SumTimes, timesOf } from "../../state/run_sums";
import type { Selection } from "../../state/selection";
import type { Range } from "../../text/format";
import { partOf } from "../../state/operators";

export const GROUPS = [
    { value: "none", title: "none", hint: "order of execution, with what is inside delegates" },
    { value: "op", title: "operator", hint: "all calls of one operator together" },
    {
        value: "module",
        title: "module",
        hint: "the tree of modules: a module's time has that of its submodules in it, self has not",
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
    isOpenAtFirst: boolean;
    isDelegateCall: boolean;
    /** Passes the filter; others are only there because something inside passes. */
    isMatch: boolean;
    calls: number | null;
    p50: Range | null;
    /** Of a module: without its submodules. */
    self: Range | null;
    /** Of a group: what its operators take together in a run; null: not known. */
    times: SumTimes | null;
    share: Range | null;
    /** Colour of its bars. */
    kind: string;
    /** What a group stands for. */
    group: Selection | null;
}

export function makeRows(page: Page, by: Grouping, filter: Predicate | null): Row[] {
    if (by === "none") return treeRows(page, filter);
    return by === "module" ? moduleRows(page, filter) : groupRows(page, by, filter);
}

function operatorRow(page: Page, id: number, level: number, isMatch: boolean): Row {
    const { operators } = page;
    return {
        key: String(id),
        id,
        name: operators.name(id) ?? "",
        level,
        hasInside: (operators.children.get(id)?.length ?? 0) > 0,
        isOpenAtFirst: true,
        isDelegateCall: operators.event(id) === "DELEGATE_CALL",
        isMatch,
        calls: operators.calls(id),
        p50: operators.time(id, "p50"),
        self: null,
        times: null,
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
    /** What it stands for; null: its operators. */
    place: Selection | null;
    ids: number[];
}

/**
 * Groups by what they take at least; members are what is innermost, so that nothing counts twice.
 * What no member accounts for has a row of its own, so that the shares add up to the run.
 */
function groupRows(page: Page, by: Grouping, filter: Predicate | null): Row[] {
    const groups = groupsOf(page, by, filter);
    const blocks = groups.map(({ name, place, ids }) => {
        const members = sorted(
            ids.map((id) => operatorRow(page, id, 1, true)),
            (row) => row.share?.lower ?? null,
            true,
        );
        return {
            heading: headingRow(page, name, 0, ids, place, by === "backend"),
            members: members.flatMap((row) => [row, ...insideOf(page, row)]),
        };
    });
    blocks.sort((a, b) => (b.heading.share?.lower ?? 0) - (a.heading.share?.lower ?? 0));
    const rows = blocks.flatMap(({ heading, members }) => [heading, ...members]);
    if (filter === null && rows.length > 0) {
        const all = groups.flatMap(({ ids }) => ids);
        rows.push(restRow(page, shareOf(page, all, true)));
    }
    return rows;
}

/** What the members leave of a run. */
function restRow(page: Page, covered: Range | null): Row {
    const name = "(between operators, or not reported)";
    const { lower, upper } = covered ?? { lower: 0, upper: 0 };
    const share = { lower: Math.max(0, 1 - upper), upper: Math.max(0, 1 - lower) };
    return { ...headingRow(page, name, 0, [], null), share, kind: "runtime" };
}

/** What a call reports, below it. */
function insideOf(page: Page, row: Row): Row[] {
    return (page.operators.children.get(row.id ?? -1) ?? []).flatMap((id) => {
        const inner = operatorRow(page, id, row.level + 1, true);
        return [inner, ...insideOf(page, inner)];
    });
}

/** What is innermost: its times and those of the others add up. */
const isInnermost = (page: Page, id: number): boolean =>
    (page.operators.children.get(id)?.length ?? 0) === 0 && page.operators.depth.get(id) !== 0;

function groupsOf(page: Page, by: Grouping, filter: Predicate | null): Group[] {
    const groups = new Map<string, Group>();
    const isMember = by === "backend" ? isOfBackend(page, filter) : isInnermost;
    for (const id of page.blockOperators) {
        if (!isMember(page, id) || (filter !== null && !filter(id))) continue;
        const key = keyOf(page, id, by);
        const group = groups.get(key);
        if (group !== undefined) group.ids.push(id);
        else groups.set(key, { ...describeGroup(key, by), ids: [id] });
    }
    return [...groups.values()];
}

/** A backend takes what its calls take, whatever they report of their inside. */
function isOfBackend(page: Page, filter: Predicate | null) {
    const { operators } = page;
    const counts = (call: number) => filter === null || filter(call);
    return (_: Page, id: number): boolean => {
        if (operators.event(id) === "DELEGATE_CALL") return true;
        const call = operators.callOf(id);
        return isInnermost(page, id) && (call === null || !counts(call));
    };
}

function keyOf(page: Page, id: number, by: Grouping): string {
    const { operators } = page;
    if (by === "op") return (operators.name(id) ?? "").replace(/ #\d+$/, "");
    if (by === "backend") return backendOf(operators, id);
    return operators.source(id) ?? "";
}

function describeGroup(key: string, by: Grouping): { name: string; place: Group["place"] } {
    if (by !== "line") return { name: key, place: null };
    const places = listOf(key);
    const first = places[0];
    if (first === undefined) return { name: `(no ${by})`, place: null };
    if (places.length > 1) return { name: `${first} and ${places.length - 1} more`, place: null };
    return { name: first, place: { kind: by, name: first } };
}

/** A link holds no more. */
const MOST_SELECTED = 200;

function headingRow(
    page: Page,
    name: string,
    level: number,
    ids: number[],
    place: Group["place"],
    isCapped = false,
): Row {
    const { operators } = page;
    const kinds = new Set(ids.map((id) => barKind(operators, id)));
    const sums = runSumsOf(page.document, operators);
    const times = timesOf(isCapped ? sums.sumWithin(ids) : sums.sum(ids));
    return {
        key: `group ${name} ${ids[0] ?? ""}`,
        id: null,
        name,
        level,
        hasInside: ids.length > 0,
        isOpenAtFirst: false,
        isDelegateCall: false,
        isMatch: true,
        calls: ids.length > 0 ? ids.reduce((sum, id) => sum + (operators.calls(id) ?? 0), 0) : null,
        p50: times?.p50 ?? null,
        self: null,
        times,
        share: shareOf(page, ids, isCapped),
        kind: kinds.size === 1 ? ([...kinds][0] as string) : "mixed",
        group:
            place ??
            (ids.length > 0 && ids.length <= MOST_SELECTED ? { kind: "operators", ids } : null),
    };
}

/**
 * Shares add up; medians do not. With `isCapped`, what calls report of their inside is at most the
 * call: a coarse clock may say more.
 */
function shareOf(page: Page, ids: readonly number[], isCapped = false): Range | null {
    const { operators } = page;
    const inside = new Map<number, Range>();
    const sum = { lower: 0, upper: 0 };
    let isKnown = false;
    for (const id of ids) {
        const share = operators.share(id);
        if (share === null) continue;
        isKnown = true;
        const call = isCapped ? operators.callOf(id) : null;
        const all = call === null ? sum : (inside.get(call) ?? { lower: 0, upper: 0 });
        all.lower += share.lower;
        all.upper += share.upper;
        if (call !== null) inside.set(call, all);
    }
    for (const [call, { lower, upper }] of inside) {
        const most = operators.share(call)?.upper ?? Number.POSITIVE_INFINITY;
        sum.lower += Math.min(lower, most);
        sum.upper += Math.min(upper, most);
    }
    return isKnown ? partOf(sum, 1) : null;
}

/**
 * The tree of modules, what takes most first among those beside each other. It is open down to the
 * modules that the first screen compares.
 */
function moduleRows(page: Page, filter: Predicate | null): Row[] {
    const { operators } = page;
    const ids = page.blockOperators.filter(
        (id) => isInnermost(page, id) && (filter === null || filter(id)),
    );
    const { model, none } = moduleTree(ids, (id) => operators.module(id));
    const depth = depthOfModules(page);
    const told = filter === null ? moduleShares(page) : new Map<string, Range>();
    const byShare = ([a]: Row[], [b]: Row[]) => (b?.share?.lower ?? 0) - (a?.share?.lower ?? 0);
    const members = (of: readonly number[], level: number) =>
        of.map((id) => [operatorRow(page, id, level, true)]);
    const rowsOf = (node: ModuleNode<number>): Row[] => {
        const place = node.isModule ? ({ kind: "module", name: node.path } as const) : null;
        const heading = headingRow(page, node.path, node.depth, allOf(node), place);
        const inside = node.inside.map(rowsOf);
        inside.push(...members(node.own, node.depth + 1));
        const own = timesOf(runSumsOf(page.document, operators).sum(node.own));
        heading.key = `group ${node.path}`;
        heading.self = node.isModule ? (own?.p50 ?? null) : heading.p50;
        heading.share = told.get(node.path) ?? heading.share;
        heading.isOpenAtFirst = node.depth < depth;
        return [heading, ...inside.sort(byShare).flat()];
    };
    const rows = model === null ? [] : rowsOf(model);
    if (none.length > 0) {
        rows.push(headingRow(page, "(no module)", 0, none, null));
        rows.push(...members(none, 1).sort(byShare).flat());
    }
    if (filter === null && rows.length > 0) rows.push(restRow(page, shareOf(page, ids, true)));
    return rows;
}

/** What a row of a module says in the tree; copies have its whole path. */
export const titleOf = (row: Row, by: Grouping): string =>
    by === "module" && row.id === null && row.hasInside ? titleOfModule(row.name) : row.name;

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
