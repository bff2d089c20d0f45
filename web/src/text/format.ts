/**
 * Numbers as the terminal prints them. A quantity that is known to a step is a range, never a
 * midpoint; a lower bound of 0 is "<1".
 */

/** The true value is at least `lower` and at most `upper`; equal: known. */
export interface Range {
    lower: number;
    upper: number;
}

export interface TimeUnit {
    name: "s" | "ms" | "us" | "ns" | "cycles";
    ns: number;
}

const UNITS: TimeUnit[] = [
    { name: "s", ns: 1e9 },
    { name: "ms", ns: 1e6 },
    { name: "us", ns: 1e3 },
    { name: "ns", ns: 1 },
];
export const CYCLES: TimeUnit = { name: "cycles", ns: 1 };

/**
 * One unit for a column, by its largest value. Up to five digits stand before the point, so that
 * with three behind it small values beside large ones keep theirs.
 */
export function chooseUnit(largest: number, traceUnit: string | null): TimeUnit {
    if (traceUnit === "cycles") return CYCLES;
    const name = largest >= 1e11 ? "s" : largest >= 1e8 ? "ms" : "us";
    return UNITS.find((unit) => unit.name === name) as TimeUnit;
}

/** For a single number in a sentence: at most three digits before the point. */
export function sentenceUnit(value: number, traceUnit: string | null): TimeUnit {
    if (traceUnit === "cycles") return CYCLES;
    return UNITS.find((unit) => value >= unit.ns) ?? (UNITS[3] as TimeUnit);
}

/** The largest number that `get` finds, at least 0; of any number of items. */
export function largestOf<T>(items: readonly T[], get: (item: T) => number): number {
    return items.reduce((largest, item) => Math.max(largest, get(item)), 0);
}

/** As %.*f of C: a tie goes to the even digit, where toFixed goes away from 0. */
export function fixed(value: number, digits: number): string {
    const text = value.toFixed(digits);
    if (Math.abs(value) >= 1e15) return text;
    const exact = Math.abs(value).toFixed(digits + 40);
    const rest = exact.slice(exact.length - 40);
    if (rest[0] !== "5" || !/^50*$/.test(rest)) return text;
    const kept = exact.slice(0, exact.length - 40).replace(/\.$/, "");
    const isEven = Number(kept[kept.length - 1]) % 2 === 0;
    return isEven ? `${value < 0 ? "-" : ""}${kept}` : text;
}

/** As %.4g of C. */
export function fourDigits(value: number): string {
    if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "-";
    let exponent = Math.floor(Math.log10(Math.abs(value)));
    let digits = fixed(value / 10 ** (exponent - 3), 0);
    if (digits.replace("-", "").length > 4) {
        exponent++;
        digits = fixed(value / 10 ** (exponent - 3), 0);
    }
    if (exponent >= -4 && exponent < 4) return trimZeros(fixed(value, 3 - exponent));
    const [sign, first, rest] = [value < 0 ? "-" : "", ...splitFirst(digits.replace("-", ""))];
    const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    return `${sign}${trimZeros(`${first}.${rest}`)}e${power}`;
}

/** The same without a power of ten: a time has a unit that fits. */
const plainDigits = (value: number): string =>
    Math.abs(value) >= 9999.5 ? fixed(value, 0) : fourDigits(value);

/** Bounds that read the same are one number. */
export const joinBounds = (lower: string, upper: string): string =>
    lower === upper ? upper : `${lower}..${upper}`;

const splitFirst = (digits: string): [string, string] => [digits.slice(0, 1), digits.slice(1)];

const trimZeros = (digits: string): string =>
    digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;

export function formatTime(range: Range | null, unit: TimeUnit): string {
    if (range === null || !Number.isFinite(range.lower)) return "–";
    if (range.lower === range.upper) {
        const value = range.lower;
        if (unit.ns > 1 && value > 0 && value < unit.ns * 0.0005) return "<0.001";
        return fixed(value / unit.ns, unit.ns > 1 ? 3 : 0);
    }
    const upper = plainDigits(range.upper / unit.ns);
    return range.lower <= 0 ? `<${upper}` : joinBounds(plainDigits(range.lower / unit.ns), upper);
}

/** A time with its unit, for sentences: "196.553 us", "3..4 us". */
export function sayTime(range: Range | null, traceUnit: string | null): string {
    if (range === null || !Number.isFinite(range.lower)) return "unknown";
    const unit = sentenceUnit(range.upper, traceUnit);
    const text =
        range.lower === range.upper && unit.ns > 1
            ? String(Number((range.lower / unit.ns).toPrecision(4)))
            : formatTime(range, unit);
    return `${text} ${unit.name}`;
}

/** A part of a whole, 0 to 1: "6.6%", "2.3..2.8%", "<0.5%". */
export function formatShare(range: Range | null): string {
    if (range === null || !Number.isFinite(range.lower)) return "–";
    const lower = range.lower * 100;
    const upper = range.upper * 100;
    if (lower === upper) return lower > 0 && lower < 0.05 ? "<0.1%" : `${fixed(lower, 1)}%`;
    if (lower < 0.05) return `<${fixed(Math.ceil(upper * 10) / 10, 1)}%`;
    return `${joinBounds(fixed(lower, 1), fixed(upper, 1))}%`;
}

/** The same in whole percents where there is little space: "19..30%" for 19.2 to 29.1 %. */
export function formatShareBriefly(range: Range): string {
    const lower = Math.floor(range.lower * 100);
    const upper = Math.ceil(range.upper * 100);
    if (range.lower === range.upper) return formatShare(range);
    return lower < 1 ? `<${upper}%` : `${lower}..${upper}%`;
}

export function formatBytes(bytes: number | null): string {
    if (bytes === null) return "–";
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let size = Math.abs(bytes);
    let unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    return `${bytes < 0 ? "-" : ""}${fixed(size, unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** A count with thin separators: "1,234,567". */
export function formatCount(count: number | null): string {
    return count === null ? "–" : String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** An error or another number of any size: "4e-08", "0.0123". */
export function formatNumber(value: number | null): string {
    if (value === null) return "–";
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    return fourDigits(value);
}

/** "1 run", "5 runs". */
export function plural(count: number, noun: string): string {
    return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
