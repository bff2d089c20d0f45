/** Events in time: a lane for each depth, and for each backend one of what it reports itself. */
import type { EventMatrix } from "../../document/events";
import { startsOfRun } from "../../document/events";
import { barKind } from "../../state/filter";
import type { Block, Operators } from "../../state/operators";
import { type Range, sayTime } from "../../text/format";
import { show, showName } from "../../text/show";
import { around, lengthOf } from "./axis";
import { extremesOf } from "./operator_runs";
import { type Lane, MOST_LANES, type Picture } from "./picture";
import { type Span, Track } from "./track";

/** A run below this width is drawn without its operators' colours. */
const NARROW_RUN = 6;
/** Letters of a list of modules or lines in the tooltip. */
export const LONGEST_PLACE = 160;

interface Plan {
    title: string;
    note: string;
    free: string;
    isDerived: boolean;
    positions: number[];
    /** Positions that enclose those of the lane. */
    grounds: Set<number>;
}

export class TimePicture implements Picture {
    readonly lanes: Lane[];
    readonly extent: Span;
    readonly home: Span;
    /** Of each run: its first start and its last end. */
    readonly runs: Span[];
    /** Events without a time that fits the trace's clock. */
    readonly untimed: number;
    readonly isCut: boolean;
    /**
     * Of each position the nearest one around it whose time counts, -1: none; -2: it does not count
     * itself, as a wrapper or by a clock of its own.
     */
    readonly enclosing: Int32Array;
    private readonly plans: readonly Plan[];
    private readonly starts: Float64Array[];
    private readonly longestRun: number;

    constructor(
        private readonly operators: Operators,
        readonly matrix: EventMatrix,
        private readonly block: Block,
        /** Numbers of the runs in their trace. */
        readonly numbers: readonly number[],
    ) {
        const plans = this.plan();
        this.enclosing = this.findEnclosing();
        this.isCut = plans.length > MOST_LANES;
        this.untimed = this.matrix.operator.reduce(
            (count, id) => (this.isDrawn(id) && !this.isTimed(id) ? count + 1 : count),
            0,
        );
        const first = matrix.runStart[0] ?? 0;
        this.starts = Array.from({ length: matrix.runs }, (_, run) => {
            const start = startsOfRun(matrix, run);
            const from = matrix.runStart[run]! - first;
            for (let i = 0; i < start.length; i++) start[i] = start[i]! + from;
            return start;
        });
        this.runs = this.starts.map((_, run) => this.spanOf(run));
        this.plans = plans.slice(0, MOST_LANES);
        this.lanes = this.plans.map((plan) => this.laneOf(plan, null));
        const least = this.runs.reduce((low, run) => Math.min(low, run.from), Infinity);
        const most = this.runs.reduce((high, run) => Math.max(high, run.to), -Infinity);
        this.extent = least < most ? { from: least, to: most } : { from: 0, to: 1 };
        this.longestRun = this.runs.reduce((most, run) => Math.max(most, lengthOf(run)), 0);
        this.home = this.around(this.medianRun);
    }

    /** The run with some room, but nothing of its neighbours. */
    around(run: number): Span {
        const own = this.runs[run] ?? this.extent;
        const { from, to } = around(own);
        const before = this.runs[run - 1]?.to ?? from;
        const behind = this.runs[run + 1]?.from ?? to;
        return {
            from: Math.min(own.from, Math.max(from, before)),
            to: Math.max(own.to, Math.min(to, behind)),
        };
    }

    /** The run nearest to the median. */
    get medianRun(): number {
        return extremesOf(this.runs.map(lengthOf)).median;
    }

    run(ref: number): number {
        return Math.floor(ref / this.matrix.positions);
    }

    position(ref: number): number {
        return ref % this.matrix.positions;
    }

    operator(ref: number): number {
        return this.matrix.operator[this.position(ref)]!;
    }

    name(ref: number): string {
        const id = this.operator(ref);
        return id < 0
            ? "event of no operator"
            : shortName(this.operators, id, this.operators.name(id) ?? "");
    }

    colour(ref: number): string {
        const id = this.operator(ref);
        return id < 0 ? "mixed" : barKind(this.operators, id);
    }

    start(ref: number): number {
        return this.starts[this.run(ref)]![this.position(ref)]!;
    }

    /** Of one event. */
    time(ref: number): Range {
        const lower = this.durationOf(this.run(ref), this.position(ref));
        const id = this.operator(ref);
        return { lower, upper: lower + (id < 0 ? 0 : this.operators.step(id)) };
    }

    describe(ref: number): string[] {
        const id = this.operator(ref);
        const said = [show(this.name(ref)), sayTime(this.time(ref), this.block.unit)];
        if (id >= 0) {
            const from = this.start(ref) - this.runs[this.run(ref)]!.from;
            const start = sayTime({ lower: from, upper: from }, this.block.unit);
            const isDerived = isDerivedIn(this.operators, id);
            said.push(
                `run ${this.numbers[this.run(ref)]}, ${isDerived ? "place unknown: order as reported" : `starts at ${start}`}`,
            );
            for (const place of [this.operators.module(id), this.operators.source(id)]) {
                if (place !== null && place !== "") said.push(showName(place, LONGEST_PLACE));
            }
        }
        return said;
    }

    /** From the start of the run where only one is seen. */
    origin(span: Span): { at: number; title: string } {
        const first = this.firstRunTo(span.from);
        const run = this.runs[first];
        const next = this.runs[first + 1];
        const isOne = run !== undefined && run.from <= span.to && !(next && next.from < span.to);
        if (isOne) return { at: run.from, title: `in run ${this.numbers[first]}` };
        return { at: this.runs[0]?.from ?? 0, title: `since run ${this.numbers[0] ?? 0}` };
    }

    isDense(pixelsOf: (ticks: number) => number): boolean {
        return this.matrix.runs > 1 && pixelsOf(this.longestRun) < NARROW_RUN;
    }

    /** The first run that ends behind `time`, or the last. */
    firstRunTo(time: number): number {
        let low = 0;
        let high = Math.max(0, this.runs.length - 1);
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.runs[middle]!.to > time) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    /** Where the operator is in a run: its lane and place in the lane. */
    find(operator: number, run: number): { lane: number; item: number } | null {
        for (let i = 0; i < this.matrix.positions; i++) {
            if (this.matrix.operator[i] === operator)
                return this.locate(run * this.matrix.positions + i);
        }
        return null;
    }

    locate(ref: number): { lane: number; item: number } | null {
        const run = this.run(ref);
        if (run >= this.matrix.runs) return null;
        const start = this.start(ref);
        for (const [lane, { track }] of this.lanes.entries()) {
            for (let i = track.firstFrom(start); track.starts[i] === start; i++) {
                if (track.refs[i] === ref) return { lane, item: i };
            }
        }
        return null;
    }

    private durationOf(run: number, position: number): number {
        return this.matrix.duration[position * this.matrix.runs + run]!;
    }

    private spanOf(run: number): Span {
        const start = this.starts[run]!;
        const span = { from: Infinity, to: -Infinity };
        for (let i = 0; i < start.length; i++) {
            if (this.matrix.parent[i]! >= 0 || !this.isTimed(this.matrix.operator[i]!)) continue;
            span.from = Math.min(span.from, start[i]!);
            span.to = Math.max(span.to, start[i]! + this.durationOf(run, i));
        }
        const from = this.matrix.runStart[run]! - (this.matrix.runStart[0] ?? 0);
        return span.from <= span.to ? span : { from, to: from };
    }

    private findEnclosing(): Int32Array {
        const { operator, parent, positions } = this.matrix;
        const enclosing = new Int32Array(positions);
        const counts = (id: number) => id >= 0 && this.isDrawn(id) && this.isTimed(id);
        for (let i = 0; i < positions; i++) {
            let above = parent[i]!;
            while (above >= 0 && !counts(operator[above]!)) above = parent[above]!;
            enclosing[i] = counts(operator[i]!) ? above : -2;
        }
        return enclosing;
    }

    /** Wrappers tell nothing more than what they wrap. */
    private isDrawn(id: number): boolean {
        return id < 0 || this.operators.isShown(id);
    }

    private isTimed(id: number): boolean {
        return id < 0 || this.operators.isTimed(id);
    }

    private plan(): Plan[] {
        const { operator, parent, positions } = this.matrix;
        const byDepth: Plan[] = [];
        const byBackend = new Map<string, Plan>();
        const depth = new Int32Array(positions); /* number of drawn events around it */
        for (let i = 0; i < positions; i++) {
            const above = parent[i]!;
            const isAboveDrawn = above >= 0 && this.isDrawn(operator[above]!);
            depth[i] = above < 0 ? 0 : depth[above]! + (isAboveDrawn ? 1 : 0);
            const id = operator[i]!;
            if (!this.isDrawn(id) || !this.isTimed(id)) continue;
            if (id >= 0 && isDerivedIn(this.operators, id)) {
                const backend = this.operators.backend(id) ?? "delegate";
                const key = `${backend} ${depth[i]}`;
                const plan = byBackend.get(key) ?? derivedPlan(backend);
                byBackend.set(key, plan);
                plan.positions.push(i);
                if (above >= 0) plan.grounds.add(above);
                continue;
            }
            const at = depth[i]!;
            byDepth[at] ??= timePlan(
                at === 0 ? this.block.title : "",
                this.operators.hasOperators(this.block),
            );
            byDepth[at].positions.push(i);
            if (at > 0) byDepth[at].grounds.add(this.drawnAbove(i));
        }
        return [...byDepth.filter((plan) => plan !== undefined), ...byBackend.values()];
    }

    private drawnAbove(position: number): number {
        let above = this.matrix.parent[position]!;
        while (above >= 0 && !this.isDrawn(this.matrix.operator[above]!))
            above = this.matrix.parent[above]!;
        return Math.max(0, above);
    }

    /** The first lanes of one run, which begins at 0. */
    lanesOfRun(run: number, most: number): Lane[] {
        return this.plans.slice(0, most).map((plan) => this.laneOf(plan, run));
    }

    /** `only`: a run that begins at 0; null: all where they are. */
    private laneOf(plan: Plan, only: number | null): Lane {
        const { title, note, free, isDerived, grounds } = plan;
        return {
            ...{ title, note, free, isDerived },
            track: this.trackOf(plan.positions, only),
            ground: grounds.size === 0 ? null : this.trackOf([...grounds].sort(ascending), only),
        };
    }

    private trackOf(positions: readonly number[], only: number | null): Track {
        const { runs, positions: all } = this.matrix;
        const chosen = only === null ? Array.from({ length: runs }, (_, run) => run) : [only];
        const from = only === null ? 0 : this.runs[only]!.from;
        const count = positions.length * chosen.length;
        const starts = new Float64Array(count);
        const ends = new Float64Array(count);
        const refs = new Int32Array(count);
        let next = 0;
        for (const run of chosen) {
            const start = this.starts[run]!;
            for (const position of positions) {
                starts[next] = start[position]! - from;
                ends[next] = starts[next]! + Math.max(0, this.durationOf(run, position));
                refs[next++] = run * all + position;
            }
        }
        return new Track(starts, ends, refs);
    }
}

/** A delegate's call by its backend: in little space that tells more. */
export function shortName(operators: Operators, id: number, name: string): string {
    return name === "DELEGATE_CALL" ? (operators.backend(id) ?? name) : name;
}

const ascending = (a: number, b: number): number => a - b;

/** Its clock is coarser than the trace's: its start is a sum of rounded durations. */
export function isDerivedIn(operators: Operators, id: number): boolean {
    return operators.step(id) > 0 && operators.parent.has(id);
}

const timePlan = (title: string, hasOperators: boolean): Plan => ({
    title,
    note: "",
    free: hasOperators ? "between operators" : "not recorded",
    isDerived: false,
    positions: [],
    grounds: new Set(),
});

const derivedPlan = (backend: string): Plan => ({
    title: backend,
    note: "order as reported",
    free: "not reported",
    isDerived: true,
    positions: [],
    grounds: new Set(),
});
