/** Colours of numbers: steps that one can tell apart, with round bounds. */

/** Colours of the style sheet above the lowest: heat-0 is below the first bound. */
export const STEPS = 6;

/**
 * Bounds of the steps, the lowest first: 1, 2, 5, 10... or powers of `base`; the last is the largest
 * that is not above `most`.
 */
export function heatSteps(most: number, base?: number): number[] {
    if (!(most > 0) || !Number.isFinite(most)) return [];
    const decade = Math.floor(Math.log10(most));
    const at = (n: number) =>
        base === undefined ? [1, 2, 5][((n % 3) + 3) % 3]! * 10 ** Math.floor(n / 3) : base ** n;
    let last = base === undefined ? 3 * decade : Math.floor(Math.log(most) / Math.log(base));
    while (at(last + 1) <= most) last++;
    while (at(last) > most) last--;
    return Array.from({ length: STEPS }, (_, i) => at(last - STEPS + 1 + i));
}

/** 0 to STEPS: how many bounds the value reaches. */
export function stepOf(value: number, steps: readonly number[]): number {
    return steps.filter((bound) => value >= bound).length;
}
