/** Finds what repeats in a list: "a b a b a b" is "a b" three times. */

export interface Repeat {
    start: number;
    /** Items of one turn. */
    period: number;
    /** How often, one after the other. */
    times: number;
}

/** Items of one turn, at most: beyond, one turn is a model of its own. */
const LONGEST = 64;

/**
 * The repeats of a list of numbers, first to last, none over another. Where several begin at one
 * place, the one that covers most, then that of the shortest turn.
 */
export function repeatsOf(
    items: readonly number[],
    leastTimes: number,
    isTurn: (turn: Repeat) => boolean,
): Repeat[] {
    const equal = equalAhead(items);
    /* "a b a b" is no turn: "a b" is. */
    const isRepeat = (start: number, period: number): boolean =>
        equal
            .slice(0, period >> 1)
            .some((ahead, i) => period % (i + 1) === 0 && ahead[start]! >= period - i - 1);
    const found: Repeat[] = [];
    for (let start = 0; start < items.length; ) {
        let best: Repeat | null = null;
        equal.forEach((ahead, i) => {
            const period = i + 1;
            const times = Math.floor((ahead[start] ?? 0) / period) + 1;
            const covered = best === null ? 0 : best.period * best.times;
            if (times < leastTimes || times * period <= covered) return;
            const turn = { start, period, times };
            if (!isRepeat(start, period) && isTurn(turn)) best = turn;
        });
        const { period, times } = best ?? { period: 1, times: 1 };
        if (best !== null) found.push(best);
        start += period * times;
    }
    return found;
}

/** By period less one: how many items from each place on are equal to those a period later. */
function equalAhead(items: readonly number[]): Int32Array[] {
    const most = Math.min(LONGEST, items.length >> 1);
    return Array.from({ length: most }, (_, i) => {
        const period = i + 1;
        const ahead = new Int32Array(items.length);
        for (let at = items.length - period - 1; at >= 0; at--)
            if (items[at] === items[at + period]) ahead[at] = ahead[at + 1]! + 1;
        return ahead;
    });
}
