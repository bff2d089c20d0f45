/** Times of compared operators in single runs, for the picture of both distributions. */
import type { EventMatrix } from "../../document/events";
import type { Operators } from "../../state/operators";

/** Sum of the operators' times in each run that the document has events of. */
export function samplesOf(
    matrices: readonly EventMatrix[],
    operators: Operators,
    ids: readonly number[],
): number[] {
    const wanted = new Set(ids.filter((id) => operators.isTimed(id)));
    const block = operators.block(ids[0] ?? -1);
    const matrix = matrices.find((candidate) => candidate.block === block);
    if (matrix === undefined || wanted.size === 0) return [];
    const sums = new Array<number>(matrix.runs).fill(0);
    for (let i = 0; i < matrix.positions; i++) {
        if (!wanted.has(matrix.operator[i] as number)) continue;
        for (let run = 0; run < matrix.runs; run++) {
            sums[run] = (sums[run] as number) + (matrix.duration[i * matrix.runs + run] as number);
        }
    }
    return sums;
}

/** Bars of a histogram: how many samples lie in each of `count` equal parts of the range. */
export function histogram(
    samples: readonly number[],
    from: number,
    to: number,
    count: number,
): number[] {
    const bars = new Array<number>(count).fill(0);
    for (const sample of samples) {
        const at = to > from ? Math.floor(((sample - from) / (to - from)) * count) : 0;
        const bar = Math.max(0, Math.min(count - 1, at));
        bars[bar] = (bars[bar] as number) + 1;
    }
    return bars;
}

/**
 * Where the scale of both sides ends: at the longest run, or before single runs so much longer that
 * the others would be one bar.
 */
export function endOfScale(samples: readonly number[]): number {
    const ascending = [...samples].sort((a, b) => a - b);
    const at = (part: number) => ascending[Math.floor((ascending.length - 1) * part)] ?? 0;
    const fence = at(0.75) + 3 * Math.max(at(0.75) - at(0.25), 0.05 * at(0.5));
    const inside = ascending.filter((sample) => sample <= fence);
    const longest = ascending[ascending.length - 1] ?? 0;
    const isFar = longest - at(0) > 3 * (fence - at(0));
    return isFar ? (inside[inside.length - 1] ?? longest) : longest;
}
