/** The visible part of the axis, and its ticks. */
import { CYCLES, fixed, formatCount, sentenceUnit, type TimeUnit } from "../../text/format";
import type { Span } from "./track";

/** Nothing shorter is shown: ticks of the clock. */
const SHORTEST = 16;
const MARGIN = 0.02;

export const lengthOf = (span: Span): number => span.to - span.from;

/** Inside the extent with a margin, and not too short. */
export function clamp(span: Span, extent: Span): Span {
    const margin = Math.max(lengthOf(extent) * MARGIN, 1);
    const most = lengthOf(extent) + 2 * margin;
    const length = Math.min(most, Math.max(lengthOf(span), Math.min(SHORTEST, most)));
    const middle = (span.from + span.to) / 2;
    const from = Math.min(
        extent.to + margin - length,
        Math.max(extent.from - margin, middle - length / 2),
    );
    return { from, to: from + length };
}

/** `factor` < 1: closer. What is at `at` stays there. */
export function zoom(span: Span, at: number, factor: number, extent: Span): Span {
    const length = Math.max(lengthOf(span) * factor, SHORTEST);
    const share = (at - span.from) / lengthOf(span);
    return clamp({ from: at - share * length, to: at + (1 - share) * length }, extent);
}

/** With some room on both sides. */
export function around(span: Span): Span {
    const room = Math.max(lengthOf(span) * MARGIN, 1);
    return { from: span.from - room, to: span.to + room };
}

/** The least shift that shows `wanted`, in the middle where it was not seen at all. */
export function reveal(span: Span, wanted: Span): Span {
    if (wanted.from >= span.from && wanted.to <= span.to) return span;
    if (lengthOf(wanted) >= lengthOf(span)) {
        /* it fills the picture already, or its start does */
        if (wanted.from <= span.from && wanted.to >= span.to) return span;
        return { from: wanted.from, to: wanted.from + lengthOf(span) };
    }
    const shift = (wanted.from + wanted.to - span.from - span.to) / 2;
    return { from: span.from + shift, to: span.to + shift };
}

export interface Tick {
    at: number;
    label: string;
}

/** 1, 2 or 5 times a power of ten, at most `most` of them, counted from `origin`. */
export function ticks(span: Span, most: number, origin: number, traceUnit: string): Tick[] {
    const least = lengthOf(span) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, power * ([1, 2, 5, 10].find((n) => n * power >= least) ?? 10));
    const unit: TimeUnit = traceUnit === "cycles" ? CYCLES : sentenceUnit(step * 10, traceUnit);
    const digits = Math.max(0, -Math.floor(Math.log10(step / unit.ns) + 1e-9));
    const found: Tick[] = [];
    for (let i = Math.ceil((span.from - origin) / step); ; i++) {
        const at = origin + i * step;
        if (at > span.to || found.length > most + 2) return found;
        const value = (i * step) / unit.ns;
        const text = digits === 0 ? formatCount(Math.round(value)) : fixed(value, digits);
        found.push({ at, label: `${text} ${unit.name}` });
    }
}

/** "1200..8800" of the address. */
export function parseSpan(text: string): Span | null {
    const match = /^(-?\d{1,15})\.\.(-?\d{1,15})$/.exec(text);
    if (match === null) return null;
    const [from, to] = [Number(match[1]), Number(match[2])];
    return from < to ? { from, to } : null;
}

export const writeSpan = (span: Span): string =>
    `${Math.round(span.from)}..${Math.max(Math.round(span.from) + 1, Math.round(span.to))}`;
