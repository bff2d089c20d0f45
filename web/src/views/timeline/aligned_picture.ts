/** Several runs one below the other, each from its own start on. */
import type { Range } from "../../text/format";
import { sayTime } from "../../text/format";
import { around, lengthOf } from "./axis";
import { addSum, noSum, type Sum, sumsIn } from "./in_range";
import { extremesOf } from "./operator_runs";
import { type Lane, MOST_LANES, type Picture } from "./picture";
import type { TimePicture } from "./time_picture";
import type { Span } from "./track";

export const MOST_ALIGNED = 8;

export class AlignedPicture implements Picture {
    readonly lanes: Lane[] = [];
    readonly extent: Span;
    readonly home: Span;
    /** Each run has deeper lanes, which are not drawn. */
    readonly isCut: boolean;

    constructor(
        readonly base: TimePicture,
        /** Numbers of the picture, in the order of their lanes. */
        readonly chosen: readonly number[],
        unit: string,
    ) {
        const words = wordsOf(base);
        const room = Math.floor(MOST_LANES / Math.max(1, chosen.length));
        this.isCut = base.isCut || base.lanes.length > room;
        for (const run of chosen) {
            const lanes = base.lanesOfRun(run, room);
            const time = lengthOf(base.runs[run]!);
            const said = sayTime({ lower: time, upper: time }, unit);
            const word = words.get(run);
            const [first] = lanes;
            if (first !== undefined) {
                first.title = `run ${base.numbers[run]}`;
                first.note = word === undefined ? said : `${word} ${said}`;
            }
            this.lanes.push(...lanes);
        }
        const longest = chosen.reduce((most, run) => Math.max(most, lengthOf(base.runs[run]!)), 1);
        this.extent = { from: 0, to: longest };
        this.home = around(this.extent);
    }

    operator(ref: number): number {
        return this.base.operator(ref);
    }

    name(ref: number): string {
        return this.base.name(ref);
    }

    colour(ref: number): string {
        return this.base.colour(ref);
    }

    describe(ref: number): string[] {
        return this.base.describe(ref);
    }

    origin(): { at: number; title: string } {
        return { at: 0, title: "in each run" };
    }

    isDense(): boolean {
        return false;
    }

    /** The operator in a run, or in the first run that is shown. */
    find(operator: number, run: number): { lane: number; item: number } | null {
        let found: { lane: number; item: number } | null = null;
        for (const [lane, { track }] of this.lanes.entries()) {
            for (let item = 0; item < track.length; item++) {
                const ref = track.refs[item]!;
                if (this.operator(ref) !== operator) continue;
                if (this.base.run(ref) === run) return { lane, item };
                found ??= { lane, item };
            }
        }
        return found;
    }
}

/** The shortest, the nearest to the median and the longest run, each once. */
export function notableRuns(picture: TimePicture): number[] {
    return [...wordsOf(picture).keys()];
}

function wordsOf(picture: TimePicture): Map<number, string> {
    const { shortest, median, longest } = extremesOf(picture.runs.map(lengthOf));
    const words = new Map([[shortest, "shortest"]]);
    if (!words.has(median)) words.set(median, "median");
    if (!words.has(longest)) words.set(longest, "longest");
    return words;
}

/** What an operator took in each of the runs without what it encloses, and how much it lost. */
export interface LostRow {
    operator: number;
    /** In the order of the runs; null: it did not run. */
    times: (Range | null)[];
    /** The longest run minus the shortest of them. */
    lost: Range;
}

/** The rows add up to the runs; what lost most stands first. */
export function lostIn(
    aligned: AlignedPicture,
    operators: Parameters<typeof sumsIn>[1],
): LostRow[] {
    const { base, chosen } = aligned;
    const rows = new Map<number, (Sum | null)[]>();
    for (const [at, run] of chosen.entries()) {
        sumsIn(base, operators, base.runs[run]!, run).each((position, sum) => {
            const id = base.matrix.operator[position]!;
            const row = rows.get(id) ?? chosen.map(() => null);
            rows.set(id, row);
            addSum((row[at] ??= noSum()), sum);
        });
    }
    const lengths = chosen.map((run) => lengthOf(base.runs[run]!));
    const { shortest, longest } = extremesOf(lengths);
    const none = { lower: 0, upper: 0 };
    const found = [...rows].map(([operator, sums]) => {
        const times = sums.map((sum) => sum?.self ?? null);
        const [from, to] = [times[shortest] ?? none, times[longest] ?? none];
        const lost = { lower: to.lower - from.upper, upper: to.upper - from.lower };
        return { operator, times, lost };
    });
    const middle = ({ lost }: LostRow) => lost.lower + lost.upper;
    return found.sort((a, b) => middle(b) - middle(a) || a.operator - b.operator);
}
