/**
 * Times of several operators together: what they take in each run is added up, and the statistic is
 * that of the sums. Medians of single operators do not add up.
 */
import type { EventMatrix } from "../document/events";
import type { ReportDocument } from "../document/document";
import type { Range } from "../text/format";
import type { Operators } from "./operators";

/** Bounds of the sum in each run; equal where the clock is exact. */
export interface RunSums {
    lower: Float64Array;
    upper: Float64Array;
}

export type SumStatistic = "min" | "p10" | "p50" | "p90" | "max";
export type SumTimes = Record<SumStatistic, Range>;

const FRACTIONS: Record<SumStatistic, number> = { min: 0, p10: 0.1, p50: 0.5, p90: 0.9, max: 1 };

/** Reads the events of all blocks; a sum is null where they do not tell all of it. */
export class RunSumReader {
    private readonly matrices = new Map<number, EventMatrix>();
    private readonly positions = new Map<number, number[]>();
    private readonly known = new Map<number, RunSums | null>();

    constructor(
        events: readonly EventMatrix[],
        private readonly operators: Operators,
    ) {
        for (const matrix of events) {
            this.matrices.set(matrix.block, matrix);
            matrix.operator.forEach((id, position) => {
                const list = this.positions.get(id);
                if (list === undefined) this.positions.set(id, [position]);
                else list.push(position);
            });
        }
    }

    /** Of one operator. Null if its events are not those that its times come from. */
    of(id: number): RunSums | null {
        let sums = this.known.get(id);
        if (sums === undefined) {
            sums = this.read(id);
            this.known.set(id, sums);
        }
        return sums;
    }

    /** Of operators of one block, none inside of another; null if one of them is unknown. */
    sum(ids: readonly number[]): RunSums | null {
        return addSums(ids.map((id) => this.of(id)));
    }

    /** The same, but what calls report of their inside is at most the call in each run. */
    sumWithin(ids: readonly number[]): RunSums | null {
        const inside = new Map<number, number[]>();
        const sums: (RunSums | null)[] = [];
        for (const id of ids) {
            const call = this.operators.callOf(id);
            if (call === null || this.of(call) === null) sums.push(this.of(id));
            else inside.set(call, [...(inside.get(call) ?? []), id]);
        }
        for (const [call, members] of inside) {
            sums.push(atMost(this.sum(members), this.of(call) as RunSums));
        }
        return addSums(sums);
    }

    private read(id: number): RunSums | null {
        const { operators } = this;
        const matrix = this.matrices.get(operators.block(id) ?? -1);
        const total = operators.time(id, "total");
        if (matrix === undefined || total === null) return null;
        const positions = this.positions.get(id) ?? [];
        const step = operators.step(id) * positions.length;
        const lower = new Float64Array(matrix.runs);
        for (const position of positions) {
            for (let run = 0; run < matrix.runs; run++) {
                lower[run] =
                    (lower[run] as number) +
                    (matrix.duration[position * matrix.runs + run] as number);
            }
        }
        const all = lower.reduce((a, b) => a + b, 0);
        /* A report that keeps few runs, or subtracted the cost of recording, says something else. */
        if (Math.abs(all - total.lower) > Math.max(1, 1e-6 * total.lower)) return null;
        return { lower, upper: step === 0 ? lower : lower.map((time) => time + step) };
    }
}

export function addSums(sums: readonly (RunSums | null)[]): RunSums | null {
    const first = sums[0] ?? null;
    if (first === null) return null;
    const lower = Float64Array.from(first.lower);
    const upper = Float64Array.from(first.upper);
    for (const sum of sums.slice(1)) {
        if (sum === null || sum.lower.length !== lower.length) return null;
        for (let run = 0; run < lower.length; run++) {
            lower[run] = (lower[run] as number) + (sum.lower[run] as number);
            upper[run] = (upper[run] as number) + (sum.upper[run] as number);
        }
    }
    return { lower, upper };
}

function atMost(sums: RunSums | null, most: RunSums): RunSums | null {
    if (sums === null || sums.lower.length !== most.lower.length) return sums;
    const cap = (time: number, run: number) => Math.min(time, most.upper[run] as number);
    return { lower: sums.lower.map(cap), upper: sums.upper.map(cap) };
}

/** Quantiles of the sums, interpolated as the command line does. */
export function timesOf(sums: RunSums | null): SumTimes | null {
    if (sums === null || sums.lower.length === 0) return null;
    const lower = sums.lower.slice().sort();
    const upper = sums.upper.slice().sort();
    const at = (name: SumStatistic): Range => ({
        lower: quantile(lower, FRACTIONS[name]),
        upper: quantile(upper, FRACTIONS[name]),
    });
    return { min: at("min"), p10: at("p10"), p50: at("p50"), p90: at("p90"), max: at("max") };
}

function quantile(ascending: Float64Array, fraction: number): number {
    const rank = fraction * (ascending.length - 1);
    const below = Math.floor(rank);
    const low = ascending[below] as number;
    const high = ascending[Math.min(below + 1, ascending.length - 1)] as number;
    const part = rank - below;
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

const known = new WeakMap<ReportDocument, RunSumReader>();

/** Of a document whose events are loaded; without them, every sum is null. */
export function runSumsOf(document: ReportDocument, operators: Operators): RunSumReader {
    if (!document.isLoaded("events")) return new RunSumReader([], operators);
    let reader = known.get(document);
    if (reader === undefined) {
        reader = new RunSumReader(document.events(), operators);
        known.set(document, reader);
    }
    return reader;
}
