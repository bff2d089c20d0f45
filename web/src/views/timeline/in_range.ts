/** Which operators ran in a part of the time, and how long. */
import { backendOf } from "../../state/filter";
import type { Operators } from "../../state/operators";
import type { Row } from "./picture";
import { isDerivedIn, type TimePicture } from "./time_picture";
import type { Span } from "./track";

export interface RangeSums {
    rows: Row[];
    /** Runs that the range touches. */
    runs: number;
    /** Time of runs in the range: shares are parts of it. */
    time: number;
}

interface Sum {
    calls: number;
    lower: number;
    upper: number;
}

/**
 * Events that the range cuts count with the part inside. The place of what a delegate reports is not
 * known: where the range cuts its call, anything from nothing to all of it may be inside.
 */
export function sumsIn(picture: TimePicture, operators: Operators, range: Span): RangeSums {
    const { positions, parent, operator } = picture.matrix;
    const sums = new Map<number, Sum>();
    let time = 0;
    let runs = 0;
    for (const [run, span] of picture.runs.entries()) {
        if (isOutside(span, range)) continue;
        runs++;
        time += Math.max(0, inside(span, range));
        for (let i = 0; i < positions; i++) {
            const id = operator[i]!;
            if (id < 0 || !operators.isShown(id) || !operators.isTimed(id)) continue;
            const ref = run * positions + i;
            const whole = picture.time(ref);
            const above = parent[i]!;
            const isDerived = above >= 0 && isDerivedIn(operators, id);
            const placed = spanOf(picture, isDerived ? run * positions + above : ref);
            if (isOutside(placed, range)) continue;
            const isWhole = placed.from >= range.from && placed.to <= range.to;
            const sum = sums.get(id) ?? { calls: 0, lower: 0, upper: 0 };
            sums.set(id, sum);
            sum.calls++;
            if (isWhole) {
                sum.lower += whole.lower;
                sum.upper += whole.upper;
            } else if (isDerived) {
                sum.upper += Math.min(whole.upper, inside(placed, range));
            } else {
                sum.lower += inside(placed, range);
                sum.upper += inside(placed, range);
            }
        }
    }
    const rows = [...sums].map(([id, { calls, lower, upper }]) => ({
        key: id,
        operator: id,
        module: null,
        name: operators.name(id) ?? "",
        backend: backendOf(operators, id),
        calls,
        time: { lower, upper },
        share: { lower: lower / (time || 1), upper: upper / (time || 1) },
        source: operators.source(id),
    }));
    rows.sort((a, b) => b.time.lower - a.time.lower || a.key - b.key);
    return { rows, runs, time };
}

function spanOf(picture: TimePicture, ref: number): Span {
    const from = picture.start(ref);
    return { from, to: from + picture.time(ref).lower };
}

/** What only touches the range is outside, unless it has no length. */
function isOutside(span: Span, range: Span): boolean {
    if (span.from === span.to) return span.to < range.from || span.from > range.to;
    return span.to <= range.from || span.from >= range.to;
}

const inside = (span: Span, range: Span): number =>
    Math.max(0, Math.min(span.to, range.to) - Math.max(span.from, range.from));
