/** Logarithmic axes of the roofline. */
import type { Roof, Work } from "./work";

export interface Frame {
    width: number;
    height: number;
    left: number;
    right: number;
    top: number;
    bottom: number;
    /** Powers of ten that the axes begin and end with. */
    intensity: readonly [number, number];
    speed: readonly [number, number];
}

/** Room for all points and for the bends of the roofs. */
export function frameOf(
    width: number,
    height: number,
    works: readonly Work[],
    roofs: readonly Roof[],
): Frame {
    const intensities = works.flatMap((work) => work.intensity ?? []);
    const speeds = works.flatMap((work) =>
        work.intensity === null ? [] : [work.flopRate.lower, finite(work.flopRate)],
    );
    const compute = roofs.filter((roof) => roof.kind === "compute").map((roof) => roof.rate);
    const bands = roofs.filter((roof) => roof.kind === "bandwidth").map((roof) => roof.rate);
    const most = Math.max(...compute);
    if (bands.length > 0 && compute.length > 0) intensities.push(most / Math.min(...bands));
    speeds.push(...compute);
    return {
        width,
        height,
        left: 64,
        right: width - 28,
        top: 12,
        bottom: height - 40,
        intensity: decades(intensities),
        speed: decades(speeds),
    };
}

const finite = (rate: { lower: number; upper: number }) =>
    Number.isFinite(rate.upper) ? rate.upper : rate.lower;

/** Whole powers of ten around the values; at least one decade. */
export function decades(values: readonly number[]): [number, number] {
    const logs = values
        .filter((value) => value > 0)
        .map((value) => Number(Math.log10(value).toFixed(9)));
    if (logs.length === 0) return [0, 1];
    const low = Math.floor(logs.reduce((a, b) => Math.min(a, b)));
    const high = Math.ceil(logs.reduce((a, b) => Math.max(a, b)));
    return [low, Math.max(high, low + 1)];
}

const place = (value: number, [low, high]: readonly [number, number]) =>
    Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low)));

export const x = (frame: Frame, intensity: number): number =>
    frame.left + place(intensity, frame.intensity) * (frame.right - frame.left);

export const y = (frame: Frame, speed: number): number =>
    frame.bottom - place(speed, frame.speed) * (frame.bottom - frame.top);

/** Ends of a bandwidth's line inside of the frame; null: it does not pass through. */
export function bandLine(frame: Frame, rate: number, most: number): [number, number] | null {
    const lowest = Math.max(10 ** frame.intensity[0], 10 ** frame.speed[0] / rate);
    const highest = Math.min(10 ** frame.intensity[1], 10 ** frame.speed[1] / rate, most / rate);
    return lowest < highest ? [lowest, highest] : null;
}
