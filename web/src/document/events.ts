/** Events of a block: one sequence, and for each position its times over all runs. */
import { ByteReader } from "./bytes";

export interface EventsHead {
    block: number;
    positions: number;
    runs: number;
    /** Which of the block's runs, counted from 0; undefined: all. */
    kept?: number[];
    bytes: number;
}

export interface EventMatrix {
    block: number;
    positions: number;
    runs: number;
    /** Of each run: its number among the block's, counted from 0. */
    kept: number[];
    /** Of each position: id of its operator, -1: none. */
    operator: Int32Array;
    /** Of each position: the position that encloses it, -1: none. Always an earlier one. */
    parent: Int32Array;
    /** Of each run: its start in ticks. */
    runStart: Float64Array;
    /** Gap and duration in ticks at [position * runs + run]. */
    gap: Float64Array;
    duration: Float64Array;
}

export function readEvents(head: EventsHead, bytes: Uint8Array): EventMatrix {
    const { block, positions, runs } = head;
    const reader = new ByteReader(bytes, `the events of block ${block}`);
    const operator = Int32Array.from(reader.signed(positions, true));
    const parent = Int32Array.from(reader.signed(positions, true));
    for (let i = 0; i < positions; i++) {
        const above = parent[i] as number;
        if (above < -1 || above >= i) reader.fail("are not in order of their start");
    }
    const runStart = reader.signed(runs, true);
    const kept = head.kept ?? Array.from(runStart, (_, run) => run);
    if (kept.length !== runs) reader.fail("are of other runs than their head says");
    if (positions * runs * 2 > reader.left) reader.fail("are cut off");
    const gap = new Float64Array(positions * runs);
    const duration = new Float64Array(positions * runs);
    for (let i = 0; i < positions; i++) {
        gap.set(reader.signed(runs, false), i * runs);
        duration.set(reader.signed(runs, false), i * runs);
    }
    if (reader.left > 0) reader.fail("have bytes behind their end");
    return { block, positions, runs, kept, operator, parent, runStart, gap, duration };
}

/** Start of each position in one run, in ticks from the start of the run. */
export function startsOfRun(matrix: EventMatrix, run: number): Float64Array {
    const { positions, runs, parent, gap, duration } = matrix;
    const start = new Float64Array(positions);
    const lastEnd = new Float64Array(
        positions + 1,
    ); /* behind the last child; [positions]: the run's */
    const hasChild = new Uint8Array(positions + 1);
    for (let i = 0; i < positions; i++) {
        const above = parent[i] as number;
        const slot = above < 0 ? positions : above;
        const from =
            hasChild[slot] === 1
                ? (lastEnd[slot] as number)
                : above < 0
                  ? 0
                  : (start[above] as number);
        start[i] = from + (gap[i * runs + run] as number);
        lastEnd[slot] = (start[i] as number) + (duration[i * runs + run] as number);
        hasChild[slot] = 1;
    }
    return start;
}
