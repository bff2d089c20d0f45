/** What ran in a part of the time: of each event its time in it, and what of that is its own. */
import type { Operators } from "../../state/operators";
import type { Range } from "../../text/format";
import { isDerivedIn, type TimePicture } from "./time_picture";
import type { Span } from "./track";

/** Of one position, or of all of one row. */
export interface Sum {
    calls: number;
    total: Range;
    /** Without what it encloses. */
    self: Range;
}

export interface RangeSums {
    /** By position in a run; only of those that ran in the range. */
    at: Map<number, Sum>;
    /** Runs that the range touches. */
    runs: number;
    /** Time of runs in the range: shares are parts of it. */
    time: number;
}

export const noSum = (): Sum => ({
    calls: 0,
    total: { lower: 0, upper: 0 },
    self: { lower: 0, upper: 0 },
});

export function addSum(to: Sum, sum: Sum): void {
    to.calls += sum.calls;
    to.total.lower += sum.total.lower;
    to.total.upper += sum.total.upper;
    to.self.lower += sum.self.lower;
    to.self.upper += sum.self.upper;
}

/**
 * Events that the range cuts count with the part inside. The place of what a delegate reports is not
 * known: where the range cuts its call, anything from nothing to all of it may be inside.
 */
export function sumsIn(
    picture: TimePicture,
    operators: Operators,
    range: Span,
    /** Other runs count nothing, where runs overlap. */
    only?: number,
): RangeSums {
    const adder = new Adder(picture, operators);
    let time = 0;
    let runs = 0;
    for (const [run, span] of picture.runs.entries()) {
        if (isOutside(span, range) || (only !== undefined && run !== only)) continue;
        runs++;
        time += Math.max(0, inside(span, range));
        adder.addRun(run, range);
    }
    return { at: adder.sums(), runs, time };
}

/** Sums of each position, run after run. */
class Adder {
    private readonly counted: number[] = [];
    private readonly derived: Uint8Array;
    private readonly sum: Sum[];
    /* Of the run at hand: NaN is what did not run in the range. */
    private readonly lower: Float64Array;
    private readonly upper: Float64Array;
    private readonly withinLower: Float64Array;
    private readonly withinUpper: Float64Array;

    constructor(
        private readonly picture: TimePicture,
        operators: Operators,
    ) {
        const { positions, operator, parent } = picture.matrix;
        for (let i = 0; i < positions; i++) {
            if (picture.enclosing[i]! >= -1) this.counted.push(i);
        }
        this.derived = Uint8Array.from({ length: positions }, (_, i) =>
            parent[i]! >= 0 && isDerivedIn(operators, operator[i]!) ? 1 : 0,
        );
        this.sum = Array.from({ length: positions }, noSum);
        [this.lower, this.upper, this.withinLower, this.withinUpper] = Array.from(
            { length: 4 },
            () => new Float64Array(positions),
        ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    }

    sums(): Map<number, Sum> {
        return new Map(
            this.counted.map((i) => [i, this.sum[i]!] as const).filter(([, sum]) => sum.calls > 0),
        );
    }

    addRun(run: number, range: Span): void {
        this.withinLower.fill(0);
        this.withinUpper.fill(0);
        for (const i of this.counted) {
            this.measure(run, i, range);
            const above = this.picture.enclosing[i]!;
            if (above < 0 || Number.isNaN(this.lower[i]!)) continue;
            this.withinLower[above]! += this.lower[i]!;
            this.withinUpper[above]! += this.upper[i]!;
        }
        for (const i of this.counted) this.add(i);
    }

    /** The part of an event that is in the range. */
    private measure(run: number, i: number, range: Span): void {
        const { picture } = this;
        const { positions, parent } = picture.matrix;
        const whole = picture.time(run * positions + i);
        const isDerived = this.derived[i] === 1;
        const placed = spanOf(picture, run * positions + (isDerived ? parent[i]! : i));
        this.lower[i] = this.upper[i] = NaN;
        if (isOutside(placed, range)) return;
        const part = inside(placed, range);
        const isWhole = placed.from >= range.from && placed.to <= range.to;
        if (isWhole) {
            this.lower[i] = whole.lower;
            this.upper[i] = whole.upper;
        } else {
            this.lower[i] = isDerived ? 0 : part;
            this.upper[i] = isDerived ? Math.min(whole.upper, part) : part;
        }
    }

    private add(i: number): void {
        const [lower, upper] = [this.lower[i]!, this.upper[i]!];
        if (Number.isNaN(lower)) return;
        const sum = this.sum[i]!;
        sum.calls++;
        sum.total.lower += lower;
        sum.total.upper += upper;
        /* What is inside may be told with a coarser clock, and to be longer than what encloses it. */
        sum.self.lower += Math.max(0, lower - this.withinUpper[i]!);
        sum.self.upper += Math.max(0, upper - this.withinLower[i]!);
    }
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
