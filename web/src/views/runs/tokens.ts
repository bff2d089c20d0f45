/** How the time of a token, and of each part of the model, grows with its position. */
import type { EventMatrix } from "../../document/events";
import type { Page } from "../../state/page";
import { runsOf } from "./run_times";

export interface Line {
    title: string;
    colour: string;
    /** In the block's unit, for each position; null: the document has no events of that run. */
    values: (number | null)[];
}

export interface TokenTimes {
    /** Of the first token of each run, ascending. */
    positions: number[];
    /** Ids of those runs. */
    runs: number[];
    lines: Line[];
}

/** So many lines can be told apart. */
const COLOURS = ["delegate", "bar-5", "portable", "other", "bar-6", "bar-7"];

/** A part of less than this of all parts' time has no line: it would lie on the axis. */
const LEAST_PART = 0.02;

/** Null: the runs of the block have no positions, or all the same one. */
export function tokenTimes(page: Page): TokenTimes | null {
    const placed = runsOf(page)
        .flatMap(({ id, position, time }) =>
            position === null || time === null ? [] : [{ id, at: position, time }],
        )
        .sort((a, b) => a.at - b.at || a.id - b.id);
    const first = placed[0];
    if (first === undefined || placed.every(({ at }) => at === first.at)) return null;
    const sums = placed.map(({ id }) => partsOfRun(page, id));
    const all: Line = { title: "whole run", colour: "text", values: placed.map((run) => run.time) };
    const parts = largest(sums.filter((sum) => sum !== null)).map(
        (title, i): Line => ({
            title,
            colour: COLOURS[i] ?? "mixed",
            values: sums.map((sum) => (sum === null ? null : (sum.get(title) ?? 0))),
        }),
    );
    return {
        positions: placed.map(({ at }) => at),
        runs: placed.map(({ id }) => id),
        lines: [all, ...parts],
    };
}

/** The parts that take the most over all runs. */
function largest(sums: ReadonlyMap<string, number>[]): string[] {
    const totals = new Map<string, number>();
    for (const sum of sums) {
        for (const [title, time] of sum) totals.set(title, (totals.get(title) ?? 0) + time);
    }
    const all = [...totals.values()].reduce((sum, time) => sum + time, 0);
    return [...totals]
        .filter(([, time]) => time >= LEAST_PART * all)
        .sort(([, a], [, b]) => b - a)
        .slice(0, COLOURS.length)
        .map(([title]) => title);
}

/** "attention" of "attention: scores". */
const wholeOf = (part: string): string => part.split(": ")[0] ?? part;

/** Time of each part in one run, by the instructions; null: the document has no events of it. */
function partsOfRun(page: Page, run: number): Map<string, number> | null {
    const matrix = page.document.events().find((events) => events.block === page.block?.id);
    const column = matrix?.kept.indexOf(page.runsOfBlock.indexOf(run)) ?? -1;
    if (matrix === undefined || column < 0) return null;
    const part = page.operators.table.textOrNone("part");
    const sums = new Map<string, number>();
    for (let i = 0; i < matrix.positions; i++) {
        const id = matrix.operator[i] as number;
        if (id < 0 || !isInstruction(page, matrix, i)) continue;
        const title = wholeOf(part(id) ?? "no part");
        const time = matrix.duration[i * matrix.runs + column] as number;
        sums.set(title, (sums.get(title) ?? 0) + time);
    }
    return sums;
}

/** Outermost of what the program's instructions did: what is in it counts with it. */
function isInstruction(page: Page, matrix: EventMatrix, index: number): boolean {
    const { operators } = page;
    const isOf = (at: number) => {
        const id = at < 0 ? -1 : (matrix.operator[at] as number);
        return id >= 0 && (operators.chain(id) ?? -1) >= 0;
    };
    return isOf(index) && !isOf(matrix.parent[index] as number);
}
