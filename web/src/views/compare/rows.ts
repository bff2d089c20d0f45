/** Rows of the comparison: the tree of compared operators, or groups of them. */
import type { Difference, Verdict } from "../../state/differences";
import { listOf } from "../../state/joins";
import { allOf, type ModuleNode, moduleTree, titleOfModule } from "../../state/module_tree";
import { fixed, fourDigits, type Range, type TimeUnit } from "../../text/format";

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

/** The outermost lines below the whole run: together they are its change. */
export function stepsOf(total: Difference, lines: readonly Difference[]): Difference[] {
    return lines
        .filter((line) => line.parent === total.id && line.change !== null)
        .sort((a, b) => Math.abs(b.change as number) - Math.abs(a.change as number));
}

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
        .map(([key, members]) => headingOf(titleOf(key, by), 0, members, timeOf))
        .sort(byChange)
        .flatMap((heading) => [heading, ...heading.members.map((line) => rowOf(line, 1, false))]);
}

/** "a -> b" of what was replaced; where both have one name, that. */
export function nameOf({ name }: Difference): string {
    const [before, after, ...more] = name.split(" -> ");
    return more.length === 0 && before !== undefined && before === after ? before : name;
}

const rowOf = (line: Difference, level: number, hasInside: boolean): Row => ({
    key: String(line.id),
    level,
    name: nameOf(line),
    line,
    members: [line],
    before: line.before,
    after: line.after,
    change: line.change,
    hasInside,
    isOpenAtFirst: true,
});

const byChange = (a: Row, b: Row): number => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0);

function headingOf(name: string, level: number, members: Difference[], timeOf: TimeOf): Row {
    const side = (idsOf: (line: Difference) => readonly number[]) => {
        const ids = members.flatMap(idsOf);
        return ids.length === 0 ? null : timeOf(ids);
    };
    const before = side((line) => line.operatorsBefore);
    const after = side((line) => line.operatorsAfter);
    const known = members.filter(({ change }) => change !== null);
    const sum = known.reduce((all, { change }) => all + (change as number), 0);
    return {
        key: `group ${name}`,
        level,
        name,
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
        const heading = headingOf(titleOfModule(node.path), node.depth, allOf(node), timeOf);
        heading.key = `group ${node.path}`;
        heading.isOpenAtFirst = node.depth === 0;
        const inside = node.inside.map(rowsOf);
        inside.push(...node.own.map((line) => [rowOf(line, node.depth + 1, false)]));
        inside.sort(([a], [b]) => byChange(a as Row, b as Row));
        return [heading, ...inside.flat()];
    };
    const rows = model === null ? [] : rowsOf(model);
    if (none.length === 0) return rows;
    const rest = headingOf("(no module)", 0, none, timeOf);
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

/** One step of the waterfall, in times: from where the last one ended. */
export interface Step {
    key: string;
    title: string;
    line: Difference | null;
    from: number;
    to: number;
    verdict: Verdict;
}

const MOST_STEPS = 8;

/** What a step is of: a line or a group of them. */
export type Part = Pick<Row, "key" | "name" | "line" | "members" | "change">;

/** The outermost lines below the whole run. */
export const outerParts = (total: Difference, lines: readonly Difference[]): Part[] =>
    stepsOf(total, lines).map((line) => rowOf(line, 0, false));

/** Of a tree of modules what stands beside each other: the largest is opened while it is most of all. */
export function groupParts(rows: readonly Row[]): Part[] {
    const insideOf = (row: Row): Row[] => {
        const inside: Row[] = [];
        for (let i = rows.indexOf(row) + 1; i < rows.length; i++) {
            const inner = rows[i] as Row;
            if (inner.level <= row.level) break;
            if (inner.level === row.level + 1) inside.push(inner);
        }
        return inside;
    };
    const size = (row: Row) => Math.abs(row.change ?? 0);
    let parts = rows.filter(({ level }) => level === 0);
    for (;;) {
        const all = parts.reduce((sum, row) => sum + size(row), 0);
        const largest = parts.find((row) => size(row) * 2 > all);
        const inside = largest === undefined ? [] : insideOf(largest);
        if (inside.filter(({ line }) => line === null).length === 0) break;
        if (parts.length + inside.length > 2 * MOST_STEPS) break;
        parts = parts.flatMap((row) => (row === largest ? inside : [row]));
    }
    return parts.filter(({ change }) => change !== null).sort(byChange);
}

/**
 * From the time before to the time after. The smallest steps are one; medians of parts do not add up
 * to the median of the whole, so what is left then is a step of its own.
 */
export function waterfall(total: Difference, parts: readonly Part[]): Step[] {
    const start = total.before?.lower ?? 0;
    const end = total.after?.lower ?? 0;
    const steps: Step[] = [];
    let at = start;
    const step = (title: string, part: Part | null, change: number) => {
        const verdict = part?.line?.verdict ?? "undecided";
        const key = part?.key ?? title;
        steps.push({ key, title, line: part?.line ?? null, from: at, to: at + change, verdict });
        at += change;
    };
    const changed = parts.filter(({ change }) => change !== null && change !== 0);
    const shown = changed.length > MOST_STEPS + 1 ? changed.slice(0, MOST_STEPS) : changed;
    for (const part of shown) step(titleOfStep(part, shown), part, part.change as number);
    const others = changed.slice(shown.length);
    if (others.length > 0) {
        const sum = others.reduce((all, { change }) => all + (change as number), 0);
        step(titleOfOthers(others), null, sum);
    }
    if (at !== end) {
        step("(not in the parts)", null, end - at);
        (steps[steps.length - 1] as Step).to = end;
    }
    return steps;
}

/** Two calls of one backend are told apart by their instructions. */
function titleOfStep(part: Part, shown: readonly Part[]): string {
    const short = ({ name }: Part) => name.replace(/(^|-> )DELEGATE_CALL (?=[^-])/g, "$1");
    const title = short(part);
    const isAlone = shown.filter((other) => short(other) === title).length === 1;
    const instruction = part.line?.instruction ?? null;
    if (isAlone) return title;
    return instruction !== null
        ? `${title} at ${instruction}`
        : `${title} at ${part.line?.source ?? `line ${part.key}`}`;
}

/** "5 others, all faster" where tests say so of each, "all measured faster" where times do. */
export function titleOfOthers(others: readonly Part[]): string {
    const title = `${others.length} others`;
    for (const [word, sign] of [
        ["faster", -1],
        ["slower", 1],
    ] as const) {
        const members = others.flatMap((part) => part.members);
        if (members.every(({ verdict }) => verdict === word)) return `${title}, all ${word}`;
        if (others.every(({ change }) => Math.sign(change ?? 0) === sign))
            return `${title}, all measured ${word}`;
    }
    return title;
}

/** All that is drawn lies in it. */
export function extent(steps: readonly Step[], total: Difference): Range {
    const ends = steps.flatMap(({ from, to }) => [from, to]);
    const all = [...ends, total.before?.lower ?? 0, total.after?.lower ?? 0, 0];
    return { lower: Math.min(...all), upper: Math.max(...all) };
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
    return `${say(lower)}..${say(upper)}`;
}
