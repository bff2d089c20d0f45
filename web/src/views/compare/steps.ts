/** Steps of the waterfall: from the time before to the time after, part by part. */
import type { Difference, Verdict } from "../../state/differences";
import type { Range } from "../../text/format";
import { byChange, nameOf, type Row, rowOf } from "./rows";

/** The outermost lines below the whole run: together they are its change. */
export function stepsOf(total: Difference, lines: readonly Difference[]): Difference[] {
    return lines
        .filter((line) => line.parent === total.id && line.change !== null)
        .sort((a, b) => Math.abs(b.change as number) - Math.abs(a.change as number));
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
export type Part = Pick<Row, "key" | "name" | "of" | "line" | "members" | "change">;

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

/** Two calls of one backend are told apart by their instructions, groups by all that they are of. */
function titleOfStep(part: Part, shown: readonly Part[]): string {
    const short = ({ name }: Part) => name.replace(/(^|-> )DELEGATE_CALL (?=[^-])/g, "$1");
    const title = short(part);
    const alike = shown.filter((other) => short(other) === title);
    if (alike.length === 1) return title;
    if (part.line === null) return part.of || title;
    return `${title} ${placeOf(part.line) ?? `(${alike.indexOf(part) + 1})`}`;
}

/** "at 12": what tells a line from others of its name. */
function placeOf({ instruction, source }: Difference): string | null {
    return instruction !== null ? `at ${instruction}` : source && `at ${source}`;
}

/** Where lines are that have the name of another: what is in a call, where the call is. */
export function tellApart(
    lines: readonly Difference[],
    all: readonly Difference[],
): Map<Difference, string> {
    const byId = new Map(all.map((line) => [line.id, line]));
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(nameOf(line), (counts.get(nameOf(line)) ?? 0) + 1);
    const places = new Map<Difference, string>();
    for (const line of lines) {
        if ((counts.get(nameOf(line)) ?? 0) < 2) continue;
        const call = byId.get(line.parent ?? -1);
        const place = placeOf(line) ?? (call === undefined ? null : placeOf(call));
        if (place !== null) places.set(line, place);
    }
    return places;
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
