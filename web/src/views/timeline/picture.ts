/** What the canvas draws: lanes of items, in time or as a tree. */
import type { Range } from "../../text/format";
import type { Span, Track } from "./track";

/** More lanes are not drawn. */
export const MOST_LANES = 64;

export interface Lane {
    title: string;
    /** What is to be known of its items' places, or "". */
    note: string;
    track: Track;
    /** Drawn behind: what encloses the items. What they leave free is hatched. */
    ground: Track | null;
    /** What the free part is. */
    free: string;
    /** The order is true, the place is not. */
    isDerived: boolean;
}

export interface Picture {
    lanes: Lane[];
    /** All there is. */
    extent: Span;
    /** What is shown at first. */
    home: Span;
    /** Operator of an item, -1: none. */
    operator(ref: number): number;
    name(ref: number): string;
    /** Kind of its colour: a name of the style sheet. */
    colour(ref: number): string;
    /** What the tooltip and the screen reader say: name, time, place. */
    describe(ref: number): string[];
    /** Where the axis counts from, and what that is. */
    origin(span: Span): { at: number; title: string };
    /** Whether items are too dense to tell apart, so that only the share of time is drawn. */
    isDense(pixelsOf: (ticks: number) => number): boolean;
}

/** A line of the table below the picture. */
export interface Row {
    key: number | string;
    /** The operator that it is of, or the first of several; -1: none. */
    operator: number;
    operators: readonly number[];
    /** It stands for its module, not for an operator of it. */
    isModule: boolean;
    module: string | null;
    name: string;
    backend: string;
    calls: number;
    time: Range;
    /** Without what it encloses; null: a module, which does nothing itself. */
    self: Range | null;
    share: Range;
    source: string | null;
    children: Row[];
}
