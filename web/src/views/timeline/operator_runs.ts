/** How the times of one operator lie over the runs. */
import type { Range } from "../../text/format";
import type { TimePicture } from "./time_picture";

/** Of each run what all its calls take together; empty: it has no time in the picture. */
export function timesOf(picture: TimePicture, operator: number): Range[] {
    const { operator: of, positions, runs } = picture.matrix;
    const own = Array.from({ length: positions }, (_, i) => i).filter(
        (i) => of[i] === operator && picture.enclosing[i]! >= -1,
    );
    if (own.length === 0) return [];
    return Array.from({ length: runs }, (_, run) => {
        const sum = { lower: 0, upper: 0 };
        for (const i of own) {
            const time = picture.time(run * positions + i);
            sum.lower += time.lower;
            sum.upper += time.upper;
        }
        return sum;
    });
}

export interface Bin {
    /** The shortest and the longest time of its runs. */
    time: Range;
    runs: number[];
}

/** Bins of one width from the shortest time to the longest; one that no run falls into is null. */
export function binsOf(times: readonly Range[], most: number): (Bin | null)[] {
    const least = times.reduce((low, { lower }) => Math.min(low, lower), Infinity);
    const largest = times.reduce((high, { lower }) => Math.max(high, lower), -Infinity);
    if (!(least < largest)) return times.length === 0 ? [] : [binOf(times, times.map(number))];
    /* Nothing lies between the ticks of a coarse clock. */
    const step = Math.max(1, (times[0]?.upper ?? 0) - (times[0]?.lower ?? 0));
    const count = Math.max(1, Math.min(most, Math.floor((largest - least) / step) + 1));
    const inside: number[][] = Array.from({ length: count }, () => []);
    for (const [run, { lower }] of times.entries()) {
        const at = Math.floor(((lower - least) / (largest - least)) * count);
        inside[Math.min(count - 1, at)]!.push(run);
    }
    return inside.map((runs) => (runs.length === 0 ? null : binOf(times, runs)));
}

const number = (_: Range, run: number): number => run;

function binOf(times: readonly Range[], runs: number[]): Bin {
    const time = { lower: Infinity, upper: -Infinity };
    for (const run of runs) {
        time.lower = Math.min(time.lower, times[run]!.lower);
        time.upper = Math.max(time.upper, times[run]!.upper);
    }
    return { time, runs };
}

export interface Extremes {
    shortest: number;
    median: number;
    longest: number;
}

/** Runs by their time: the first of equal ones; the median is one that was measured. */
export function extremesOf(times: readonly number[]): Extremes {
    const order = times.map((_, run) => run);
    order.sort((a, b) => times[a]! - times[b]! || a - b);
    const last = order.length - 1;
    const most = times[order[last] ?? 0];
    return {
        shortest: order[0] ?? 0,
        median: order[last >> 1] ?? 0,
        longest: order.find((run) => times[run] === most) ?? 0,
    };
}
