/** The work of operators: what they compute and move, how fast, and what a machine would allow. */
import { barKind } from "../../state/filter";
import { differencesOf } from "../../state/differences";
import type { Block } from "../../state/operators";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";

export interface Work {
    id: number;
    name: string;
    instruction: number | null;
    kind: string;
    /** Of the shortest run, in ns: roofs are measured by shortest times, too. */
    time: Range;
    flops: number;
    bytes: number;
    /** Operations per byte; null: it computes nothing. */
    intensity: number | null;
    /** Per nanosecond: billions per second. */
    flopRate: Range;
    byteRate: Range;
    /** "float32", "int8 dynamic"; null: it computes nothing. */
    arithmetic: string | null;
    /** Sizes are upper bounds, so the rates are at most these. */
    isBound: boolean;
    verdict: string | null;
    reason: string | null;
    ofRoof: Range | null;
    /** Time of a run (mid) that the roof would save, in ns. */
    saved: number | null;
}

export interface Roof {
    kind: "compute" | "bandwidth";
    name: string;
    /** Billions per second. */
    rate: number;
}

/** Operators of a block whose work is known; never a delegate's call beside what is inside of it. */
export function worksOf(page: Page, block: Block | null = page.block): Work[] {
    const { operators } = page;
    if (block === null || block.unit !== "ns") return [];
    const blockOperators = operators.order.get(block.id) ?? [];
    const costs = page.document.table("operator_costs");
    const [flops, bytes] = [costs.number("flops"), costs.number("moved_bytes")];
    const [state, arithmetic] = [costs.text("cost"), costs.text("arithmetic")];
    const rowOf = rowsBy(costs.number("operator"), costs.rows);
    const judge = judgeOf(page);
    const isKnown = (id: number) => {
        const row = rowOf.get(id);
        return row !== undefined && (state(row) === "known" || state(row) === "at most");
    };
    const works: Work[] = [];
    for (const id of blockOperators) {
        const row = rowOf.get(id);
        const time = operators.time(id, "min");
        const inside = operators.children.get(id) ?? [];
        if (row === undefined || !isKnown(id) || time === null || time.upper <= 0) continue;
        if (inside.some(isKnown) || id === block.whole) continue;
        const [work, moved] = [flops(row) ?? 0, bytes(row) ?? 0];
        works.push({
            id,
            name: operators.name(id) ?? "",
            instruction: operators.instruction(id),
            kind: barKind(operators, id),
            time,
            flops: work,
            bytes: moved,
            intensity: work > 0 && moved > 0 ? work / moved : null,
            flopRate: rate(work, time),
            byteRate: rate(moved, time),
            arithmetic: arithmetic(row),
            isBound: state(row) === "at most",
            ...judge(id),
        });
    }
    return works.sort(byLoss);
}

/** The block that the shown one is compared with, and the operators that became each other. */
export interface Other {
    block: Block;
    /** "before", or "after" where the trace before is shown. */
    side: "before" | "after";
    /** Of each operator of the shown block those of the other. */
    partners: ReadonlyMap<number, readonly number[]>;
}

export function otherOf(page: Page): Other | null {
    const shown = page.block?.id ?? null;
    const compared = differencesOf(page.document).blocks.find(
        ({ before, after }) => shown !== null && (before === shown || after === shown),
    );
    if (compared === undefined) return null;
    const side = compared.after === shown ? "before" : "after";
    const block = page.operators.blocks[compared[side] ?? -1];
    if (block === undefined) return null;
    const partners = new Map<number, readonly number[]>();
    for (const { operatorsBefore, operatorsAfter } of compared.lines) {
        const [own, others] =
            side === "before"
                ? [operatorsAfter, operatorsBefore]
                : [operatorsBefore, operatorsAfter];
        const inside = others.flatMap((id) => page.operators.withInside(id));
        for (const id of own) partners.set(id, inside);
    }
    return { block, side, partners };
}

/** What loses most comes first; where no roof tells, what takes longest. */
const byLoss = (a: Work, b: Work): number =>
    (b.saved ?? 0) - (a.saved ?? 0) || b.time.lower - a.time.lower || a.id - b.id;

/** Without a clock's step, a time may be 0: the rate is then only known to be above a bound. */
const rate = (amount: number, time: Range): Range => ({
    lower: amount / time.upper,
    upper: time.lower > 0 ? amount / time.lower : Number.POSITIVE_INFINITY,
});

function rowsBy(operator: (row: number) => number | null, rows: number): Map<number, number> {
    const found = new Map<number, number>();
    for (let row = 0; row < rows; row++) found.set(operator(row) ?? -1, row);
    return found;
}

type Verdict = Pick<Work, "verdict" | "reason" | "ofRoof" | "saved">;

/** What the machine's roofs say of operators; nothing without a machine. */
function judgeOf(page: Page): (id: number) => Verdict {
    const table = page.document.table("operator_roofs");
    const rowOf = rowsBy(table.number("operator"), table.rows);
    const [verdict, reason] = [table.text("verdict"), table.text("verdict_reason")];
    const [lower, upper] = [table.number("of_roof"), table.number("of_roof_upper")];
    const saved = table.number("saved");
    return (id) => {
        const row = rowOf.get(id);
        const least = row === undefined ? null : lower(row);
        if (row === undefined) return { verdict: null, reason: null, ofRoof: null, saved: null };
        return {
            verdict: verdict(row),
            reason: reason(row),
            ofRoof: least === null ? null : { lower: least, upper: upper(row) ?? least },
            saved: saved(row),
        };
    };
}

/** Roofs of the arithmetic that is there; those of one rate are one. */
export function roofsOf(page: Page, works: readonly Work[]): Roof[] {
    const table = page.document.table("roofs");
    const [kind, name, speed] = [table.text("kind"), table.text("name"), table.number("rate")];
    const used = new Set(works.map((work) => work.arithmetic));
    const roofs: Roof[] = [];
    for (let row = 0; row < table.rows; row++) {
        const [of, title, perSecond] = [kind(row), name(row) ?? "", speed(row)];
        if ((of !== "compute" && of !== "bandwidth") || perSecond === null) continue;
        if (of === "compute" && !used.has(title.replace("_", " "))) continue;
        const equal = roofs.find((roof) => roof.kind === of && roof.rate === perSecond / 1e9);
        if (equal !== undefined) equal.name += `, ${title}`;
        else roofs.push({ kind: of, name: title, rate: perSecond / 1e9 });
    }
    return roofs;
}
