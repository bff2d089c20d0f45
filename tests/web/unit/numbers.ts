/** Numbers below a limit that are the same in every run. */
export function numbers(seed: number): (limit: number) => number {
    let state = seed;
    return (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * limit);
    };
}
