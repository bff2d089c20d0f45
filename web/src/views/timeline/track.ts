/**
 * One lane of a picture: its items by start, and over them groups of 8, groups of groups, and so on.
 * What is drawn is bounded by the width of the picture, whatever the number of items.
 */

const FAN = 8;

/** A part of an axis. */
export interface Span {
    from: number;
    to: number;
}

interface Level {
    start: Float64Array;
    end: Float64Array;
    /** Sum of what is inside. */
    busy: Float64Array;
    /** The longest item inside. */
    longest: Int32Array;
}

/** An item, or a group that is drawn as one: `longest` stands for it. */
export type Visit = (
    start: number,
    end: number,
    busy: number,
    longest: number,
    isGroup: boolean,
) => void;

export class Track {
    readonly starts: Float64Array;
    readonly ends: Float64Array;
    /** What each item is: a number of the picture. */
    readonly refs: Int32Array;
    private readonly levels: Level[] = [];

    constructor(starts: Float64Array, ends: Float64Array, refs: Int32Array) {
        const order = orderOf(starts);
        this.starts = order === null ? starts : starts.map((_, i) => starts[order[i]!]!);
        this.ends = order === null ? ends : ends.map((_, i) => ends[order[i]!]!);
        this.refs = order === null ? refs : refs.map((_, i) => refs[order[i]!]!);
        let below: Level | null = null;
        for (let count = this.length; count > 1; count = below.start.length) {
            below = this.group(below);
            this.levels.push(below);
        }
    }

    get length(): number {
        return this.starts.length;
    }

    /**
     * Visits what touches the span, by start. A group shorter than `narrow` is visited as one, unless
     * it holds a single item; every longer one is opened.
     */
    visit(span: Span, narrow: number, visit: Visit): void {
        if (this.levels.length === 0) {
            if (this.length === 1) this.visitItem(0, span, visit);
            return;
        }
        this.open(this.levels.length - 1, 0, span, narrow, visit);
    }

    /** The longest item that touches the span, or -1. */
    longestIn(span: Span): number {
        let best = -1;
        let time = -1;
        this.visit(span, 0, (_start, _end, busy, item) => {
            if (busy <= time) return;
            best = item;
            time = busy;
        });
        return best;
    }

    /** The first item that starts at `time` or later; the number of items if there is none. */
    firstFrom(time: number): number {
        let low = 0;
        let high = this.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.starts[middle]! < time) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    private visitItem(item: number, span: Span, visit: Visit): void {
        const start = this.starts[item]!;
        const end = this.ends[item]!;
        if (start <= span.to && end >= span.from) visit(start, end, end - start, item, false);
    }

    private open(level: number, group: number, span: Span, narrow: number, visit: Visit): void {
        const { start, end, busy, longest } = this.levels[level]!;
        if (start[group]! > span.to || end[group]! < span.from) return;
        if (end[group]! - start[group]! < narrow) {
            visit(start[group]!, end[group]!, busy[group]!, longest[group]!, true);
            return;
        }
        const count = level === 0 ? this.length : this.levels[level - 1]!.start.length;
        const stop = Math.min(count, (group + 1) * FAN);
        for (let i = group * FAN; i < stop; i++) {
            if (level === 0) this.visitItem(i, span, visit);
            else this.open(level - 1, i, span, narrow, visit);
        }
    }

    private group(below: Level | null): Level {
        const start = below?.start ?? this.starts;
        const end = below?.end ?? this.ends;
        const count = Math.ceil(start.length / FAN);
        const level = {
            start: new Float64Array(count),
            end: new Float64Array(count).fill(-Infinity),
            busy: new Float64Array(count),
            longest: new Int32Array(count),
        };
        const lengthOf = (item: number) => this.ends[item]! - this.starts[item]!;
        for (let i = 0; i < start.length; i++) {
            const group = Math.floor(i / FAN);
            const item = below === null ? i : below.longest[i]!;
            if (i % FAN === 0) level.start[group] = start[i]!;
            if (i % FAN === 0 || lengthOf(item) > lengthOf(level.longest[group]!))
                level.longest[group] = item;
            level.end[group] = Math.max(level.end[group]!, end[i]!);
            level.busy[group] =
                level.busy[group]! + (below === null ? lengthOf(i) : below.busy[i]!);
        }
        return level;
    }
}

/** Null: they are in order. */
function orderOf(starts: Float64Array): Int32Array | null {
    for (let i = 1; i < starts.length; i++) {
        if (starts[i]! < starts[i - 1]!)
            return Int32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]!);
    }
    return null;
}
