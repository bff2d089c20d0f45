/** Rows of the comparison: the tree of compared operators, or groups of them. */
import type { Difference, Verdict } from "../../state/differences";
import { listOf } from "../../state/joins";
import { allOf, type ModuleNode, moduleTree, titleOfModule } from "../../state/module_tree";
import { fixed, fourDigits, joinBounds, type Range, type TimeUnit } from "../../text/format";

export const GROUPS = [
    { value: "none", title: "none", hint: "order of execution, with what is inside delegates" },
    { value: "op", title: "operator", hint: "all calls of one operator together" },
    { value: "module", title: "module" },
    { value: "line", title: "line", hint: "source line" },
] as const;

export type Grouping = (typeof GROUPS)[number]["value"];

export interface Row {
    key: string;
    level: number;
    name: string;
    /** Of a group: all that it is of, where its name says only the first. Null: a line. */
    of: string | null;
    /** Null: a group. */
    line: Difference | null;
    members: Difference[];
    /** Of a group: medians of what its members take together in a run; null where not known. */
    before: Range | null;
    after: Range | null;
    /** Of a group: of these medians, or else the sum of its members' change. No test judges it. */
    change: number | null;
    hasInside: boolean;
    isOpenAtFirst: boolean;
}

/** The median of what these operators take together in a run; null: not known. */
export type TimeOf = (operators: readonly number[]) => Range | null;

const unknownTime: TimeOf = () => null;

/** What encloses nothing and stands in no other line counts once in a run. */
export const isPart = (line: Difference): boolean => line.parent !== null && !line.hasInside;

function keyOf(line: Difference, by: Grouping): string {
    if (by === "op") return line.name.replace(/ #\d+$/, "");
    return (by === "module" ? line.module : line.source) ?? "";
}

function titleOf(key: string, by: Grouping): string {
    if (by === "op") return key;
    const places = listOf(key);
    if (places[0] === undefined) return `(no ${by})`;
    return places.length > 1 ? `${places[0]} and ${places.length - 1} more` : places[0];
}

export function makeRows(
    lines: readonly Difference[],
    by: Grouping,
    timeOf: TimeOf = unknownTime,
): Row[] {
    if (by === "none") {
        return lines.map((line) => rowOf(line, line.depth, line.hasInside));
    }
    const parts = lines.filter(isPart);
    if (by === "module") return moduleRows(parts, timeOf);
    const groups = new Map<string, Difference[]>();
    for (const line of parts) {
        const key = keyOf(line, by);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [line]);
        else group.push(line);
    }
    return [...groups]
        .map(([key, members]) => headingOf(key, titleOf(key, by), 0, members, timeOf))
        .sort(byChange)
        .flatMap((heading) => [heading, ...heading.members.map((line) => rowOf(line, 1, false))]);
}

/** "a -> b" of what was replaced; where both have one name, that. */
export function nameOf({ name }: Difference): string {
    const [before, after, ...more] = name.split(" -> ");
    return more.length === 0 && before !== undefined && before === after ? before : name;
}

export const rowOf = (line: Difference, level: number, hasInside: boolean): Row => ({
    key: String(line.id),
    level,
    name: nameOf(line),
    of: null,
    line,
    members: [line],
    before: line.before,
    after: line.after,
    change: line.change,
    hasInside,
    isOpenAtFirst: true,
});

export const byChange = (a: Row, b: Row): number =>
    Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0);

function headingOf(
    of: string,
    name: string,
    level: number,
    members: Difference[],
    timeOf: TimeOf,
): Row {
    const side = (idsOf: (line: Difference) => readonly number[]) => {
        const ids = members.flatMap(idsOf);
        return ids.length === 0 ? null : timeOf(ids);
    };
    const before = side((line) => line.operatorsBefore);
    const after = side((line) => line.operatorsAfter);
    const known = members.filter(({ change }) => change !== null);
    const sum = known.reduce((all, { change }) => all + (change as number), 0);
    return {
        key: `group ${of}`,
        level,
        name,
        of,
        line: null,
        members,
        before,
        after,
        change:
            before !== null && after !== null
                ? after.lower - before.lower
                : known.length === 0
                  ? null
                  : sum,
        hasInside: true,
        isOpenAtFirst: false,
    };
}

/** The tree of modules of both sides, the largest change first among those beside each other. */
function moduleRows(parts: readonly Difference[], timeOf: TimeOf): Row[] {
    const { model, none } = moduleTree(parts, ({ module }) => module);
    const rowsOf = (node: ModuleNode<Difference>): Row[] => {
        const { path, depth } = node;
        const heading = headingOf(path, titleOfModule(path), depth, allOf(node), timeOf);
        heading.isOpenAtFirst = node.depth === 0;
        const inside = node.inside.map(rowsOf);
        inside.push(...node.own.map((line) => [rowOf(line, node.depth + 1, false)]));
        inside.sort(([a], [b]) => byChange(a as Row, b as Row));
        return [heading, ...inside.flat()];
    };
    const rows = model === null ? [] : rowsOf(model);
    if (none.length === 0) return rows;
    const rest = headingOf("", "(no module)", 0, none, timeOf);
    return [...rows, rest, ...none.map((line) => rowOf(line, 1, false))];
}

/** `brief`: in a cell of a table. */
export const VERDICTS: readonly {
    verdict: Verdict;
    mark: string;
    word: string;
    brief?: string;
}[] = [
    { verdict: "faster", mark: "▼", word: "faster" },
    { verdict: "slower", mark: "▲", word: "slower" },
    { verdict: "same", mark: "=", word: "same" },
    { verdict: "differs", mark: "≠", word: "recordings differ", brief: "differ" },
    { verdict: "unclear", mark: "?", word: "undecided" },
    { verdict: "undecided", mark: "?", word: "undecided" },
    { verdict: "none", mark: "–", word: "not compared" },
];

export const isUndecided = (verdict: Verdict): boolean =>
    verdict !== "faster" && verdict !== "slower" && verdict !== "same";

export const describe = (verdict: Verdict) =>
    VERDICTS.find((known) => known.verdict === verdict) ??
    (VERDICTS[6] as (typeof VERDICTS)[number]);

/** "2 faster, 1 undecided" of a group. */
export function sayMembers(members: readonly Difference[]): string {
    const counts = new Map<string, number>();
    for (const { verdict } of members) {
        const { word, brief } = describe(verdict);
        counts.set(brief ?? word, (counts.get(brief ?? word) ?? 0) + 1);
    }
    return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

export interface CommonVerdict {
    verdict: Verdict;
    count: number;
    of: number;
    /** Null: there are several, or none. */
    reason: string | null;
}

/** The verdict of more than half of what was judged: it is said once, above the table. */
export function commonVerdict(lines: readonly Difference[]): CommonVerdict | null {
    const judged = lines.filter(({ verdict }) => verdict !== "none");
    for (const { verdict } of VERDICTS) {
        const alike = judged.filter((line) => line.verdict === verdict);
        if (alike.length < 3 || alike.length * 2 <= judged.length) continue;
        const reasons = new Set(alike.map(({ reason }) => reason));
        const [reason = null] = reasons.size === 1 ? reasons : [];
        return { verdict, count: alike.length, of: judged.length, reason };
    }
    return null;
}

/** What was measured slower and what faster, the largest change first; whether it is so, the verdicts say. */
export function measuredChanges(lines: readonly Difference[]): {
    slower: Difference[];
    faster: Difference[];
} {
    const parts = lines.filter((line) => isPart(line) && line.change !== null);
    const size = ({ change }: Difference) => Math.abs(change as number);
    parts.sort((a, b) => size(b) - size(a));
    return {
        slower: parts.filter(({ change }) => (change as number) > 0),
        faster: parts.filter(({ change }) => (change as number) < 0),
    };
}

/** "Measured slower, none of them decided": no test says so of any. */
export function titleOfMeasured(title: string, lines: readonly Difference[]): string {
    const isOpen = lines.length > 0 && lines.every(({ verdict }) => isUndecided(verdict));
    return isOpen
        ? `${title}, ${lines.length === 1 ? "undecided" : "none of them decided"}`
        : title;
}

/** "+3.200", "-0.461": with the sign that tells the direction without colour. */
export function sayChange(change: number | null, unit: TimeUnit): string {
    if (change === null) return "–";
    const text = fixed(Math.abs(change) / unit.ns, unit.ns > 1 ? 3 : 0);
    return Number(text) === 0 ? text : `${change < 0 ? "−" : "+"}${text}`;
}

/** "−4249..−1170" */
export function sayInterval({ lower, upper }: Range, unit: TimeUnit): string {
    const say = (value: number) =>
        `${value < 0 ? "−" : value > 0 ? "+" : ""}${fourDigits(Math.abs(value) / unit.ns)}`;
    return joinBounds(say(lower), say(upper));
}
