/** Runs of a block, and the times of its operators in single runs. */
import type { EventMatrix } from "../../document/events";
import type { Page } from "../../state/page";
import type { Range } from "../../text/format";

export interface Run {
    id: number;
    /** Number in its trace, as the terminal names it. */
    number: number;
    /** Of its first token, of a language model whose tokens are known. */
    position: number | null;
    time: number | null;
    /** Why it is left out of the steady runs, or null. */
    note: string | null;
    isWarmUp: boolean;
}

export function runsOf(page: Page): Run[] {
    const table = page.document.table("runs");
    const number = table.number("number");
    const position = table.numberOrNone("position");
    const time = table.number("time");
    const partial = table.number("partial");
    const phase = table.textOrNone("phase");
    const outlier = table.numberOrNone("outlier");
    return page.runsOfBlock.map((id) => {
        const isWarmUp = phase(id) === "warm-up";
        const notes = [
            partial(id) === 1 && "its start was lost",
            isWarmUp && "warm-up",
            outlier(id) === 1 && "outlier",
        ].filter(Boolean);
        return {
            id,
            number: number(id) ?? id,
            position: position(id),
            time: time(id),
            note: notes.length > 0 ? notes.join(", ") : null,
            isWarmUp,
        };
    });
}

/** Time of each operator in one run, all calls added up; null: the document has no events of it. */
export function operatorTimes(page: Page, run: number): Map<number, Range> | null {
    const matrix = page.document.events().find((events) => events.block === page.block?.id);
    const column = matrix?.kept.indexOf(page.runsOfBlock.indexOf(run)) ?? -1;
    if (matrix === undefined || column < 0) return null;
    return sumsOf(page, matrix, column);
}

function sumsOf(page: Page, matrix: EventMatrix, column: number): Map<number, Range> {
    const sums = new Map<number, Range>();
    for (let i = 0; i < matrix.positions; i++) {
        const id = matrix.operator[i] as number;
        if (id < 0 || !page.operators.isShown(id) || !page.operators.isTimed(id)) continue;
        const time = matrix.duration[i * matrix.runs + column] as number;
        const sum = sums.get(id) ?? { lower: 0, upper: 0 };
        const step = page.operators.step(id);
        sums.set(id, { lower: sum.lower + time, upper: sum.upper + time + step });
    }
    return sums;
}
