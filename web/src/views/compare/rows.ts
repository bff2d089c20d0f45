/** Rows of the comparison: the tree of compared operators, or groups of them. */
import type { Difference, Verdict } from "../../state/differences";
import { listOf } from "../../state/joins";
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
    /** Of a group: the sum of its members' change, which no test judges. */
    change: number | null;
    hasInside: boolean;
}

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

export function makeRows(lines: readonly Difference[], by: Grouping): Row[] {
    const rowOf = (line: Difference, level: number): Row => ({
        key: String(line.id),
        level,
        name: line.name,
        line,
        members: [line],
        change: line.change,
        hasInside: by === "none" && line.hasInside,
    });
    if (by === "none") return lines.map((line) => rowOf(line, line.depth));
    const groups = new Map<string, Difference[]>();
    for (const line of lines.filter(isPart)) {
        const key = keyOf(line, by);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [line]);
        else group.push(line);
    }
    const headings = [...groups].map(([key, members]): Row => {
        const known = members.filter(({ change }) => change !== null);
        return {
            key: `group ${key}`,
            level: 0,
            name: titleOf(key, by),
            line: null,
            members,
            change:
                known.length === 0
                    ? null
                    : known.reduce((sum, { change }) => sum + (change as number), 0),
            hasInside: true,
        };
    });
    headings.sort((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
    return headings.flatMap((heading) => [
        heading,
        ...heading.members.map((line) => rowOf(line, 1)),
    ]);
}

export const VERDICTS: readonly { verdict: Verdict; mark: string; word: string }[] = [
    { verdict: "faster", mark: "▼", word: "faster" },
    { verdict: "slower", mark: "▲", word: "slower" },
    { verdict: "same", mark: "=", word: "same" },
    { verdict: "differs", mark: "≠", word: "recordings differ" },
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
        const { word } = describe(verdict);
        counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

/** One step of the waterfall, in times: from where the last one ended. */
export interface Step {
    title: string;
    line: Difference | null;
    from: number;
    to: number;
    verdict: Verdict;
}

const MOST_STEPS = 8;

/**
 * From the time before to the time after. Medians of parts do not add up to the median of the
 * whole: what is left, and the smallest steps, are one step that nothing judges.
 */
export function waterfall(total: Difference, lines: readonly Difference[]): Step[] {
    const start = total.before?.lower ?? 0;
    const end = total.after?.lower ?? 0;
    const steps: Step[] = [];
    let at = start;
    for (const line of stepsOf(total, lines).slice(0, MOST_STEPS)) {
        if (line.change === 0) continue;
        const to = at + (line.change as number);
        steps.push({ title: line.name, line, from: at, to, verdict: line.verdict });
        at = to;
    }
    if (at !== end) {
        const title = "(all others)";
        steps.push({ title, line: null, from: at, to: end, verdict: "undecided" });
    }
    return steps;
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
