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
    /** Those positions of a run that ran in the range, in order; the sum is good until the next. */
    each: (visit: (position: number, sum: Sum) => void) => void;
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
    return { each: (visit) => adder.each(visit), runs, time };
}

/** Sums of each position, run after run, in as little memory as a million of them need. */
class Adder {
    private readonly counted: Int32Array;
    private readonly derived: Uint8Array;
    private readonly calls: Float64Array;
    private readonly total: Bounds;
    private readonly self: Bounds;
    /* Of the run at hand: NaN is what did not run in the range. */
    private readonly now: Bounds;
    private readonly within: Bounds;

    constructor(
        private readonly picture: TimePicture,
        operators: Operators,
    ) {
        const { positions, operator, parent } = picture.matrix;
        this.counted = Int32Array.from({ length: positions }, (_, i) => i).filter(
            (i) => picture.enclosing[i]! >= -1,
        );
        this.derived = Uint8Array.from({ length: positions }, (_, i) =>
            parent[i]! >= 0 && isDerivedIn(operators, operator[i]!) ? 1 : 0,
        );
        this.calls = new Float64Array(positions);
        this.total = boundsOf(positions);
        this.self = boundsOf(positions);
        this.now = boundsOf(positions);
        this.within = boundsOf(positions);
    }

    each(visit: (position: number, sum: Sum) => void): void {
        const sum = noSum();
        for (const i of this.counted) {
            sum.calls = this.calls[i]!;
            if (sum.calls === 0) continue;
            for (const bound of ["lower", "upper"] as const) {
                sum.total[bound] = this.total[bound][i]!;
                sum.self[bound] = this.self[bound][i]!;
            }
            visit(i, sum);
        }
    }

    addRun(run: number, range: Span): void {
        this.within.lower.fill(0);
        this.within.upper.fill(0);
        for (const i of this.counted) {
            this.measure(run, i, range);
            const above = this.picture.enclosing[i]!;
            if (above < 0 || Number.isNaN(this.now.lower[i]!)) continue;
            this.within.lower[above]! += this.now.lower[i]!;
            this.within.upper[above]! += this.now.upper[i]!;
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
        this.now.lower[i] = this.now.upper[i] = NaN;
        if (isOutside(placed, range)) return;
        const part = inside(placed, range);
        const isWhole = placed.from >= range.from && placed.to <= range.to;
        if (isWhole) {
            this.now.lower[i] = whole.lower;
            this.now.upper[i] = whole.upper;
        } else {
            this.now.lower[i] = isDerived ? 0 : part;
            this.now.upper[i] = isDerived ? Math.min(whole.upper, part) : part;
        }
    }

    private add(i: number): void {
        const [lower, upper] = [this.now.lower[i]!, this.now.upper[i]!];
        if (Number.isNaN(lower)) return;
        this.calls[i]!++;
        this.total.lower[i]! += lower;
        this.total.upper[i]! += upper;
        /* What is inside may be told with a coarser clock, and to be longer than what encloses it. */
        this.self.lower[i]! += Math.max(0, lower - this.within.upper[i]!);
        this.self.upper[i]! += Math.max(0, upper - this.within.lower[i]!);
    }
}

interface Bounds {
    lower: Float64Array;
    upper: Float64Array;
}

const boundsOf = (count: number): Bounds => ({
    lower: new Float64Array(count),
    upper: new Float64Array(count),
});

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
