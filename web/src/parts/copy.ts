/** What the clipboard receives: tables as TSV or JSON. */
import type { Range, TimeUnit } from "../text/format";

export type CopyValue = number | string | null;

/** What a column gives to copies: by the names that the command line has, in their units. */
export type Copies<Row> = Record<string, (row: Row) => CopyValue>;

/** Both bounds of a range: "p50_ns" and "p50_ns_upper". */
export function rangeCopies<Row>(name: string, of: (row: Row) => Range | null): Copies<Row> {
    return {
        [name]: (row) => of(row)?.lower ?? null,
        [`${name}_upper`]: (row) => of(row)?.upper ?? null,
    };
}

/** The same of times, which travel in the clock's own unit. */
export function timeCopies<Row>(
    statistic: string,
    unit: TimeUnit,
    of: (row: Row) => Range | null,
): Copies<Row> {
    return rangeCopies(nameOfTime(statistic, unit), of);
}

/** "p50_ns"; of traces that count cycles "p50_cycles". */
export const nameOfTime = (statistic: string, unit: TimeUnit): string =>
    `${statistic}_${unit.name === "cycles" ? "cycles" : "ns"}`;

/** TSV that no spreadsheet takes for a formula. */
export function toTsv(names: readonly string[], rows: readonly CopyValue[][]): string {
    return [names, ...rows].map((row) => `${row.map(tsvField).join("\t")}\n`).join("");
}

function tsvField(value: CopyValue): string {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text = value.replace(/[\t\r\n]+/g, " ");
    if (/^([=+\-@\uff0b\uff0d\uff1d\uff20\t\r\n])/.test(value)) return `'${text}`;
    return text.startsWith('"')
        ? `"${text.replace(/"/g, '""')}"`
        : text; /* else it opens a quote */
}

export function toJson(names: readonly string[], rows: readonly CopyValue[][]): string {
    return JSON.stringify(
        rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
        null,
        1,
    );
}

/** Copies a text; also where the clipboard's interface is not there (file: in some browsers). */
export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = document.createElement("textarea");
        area.value = text;
        area.className = "unseen";
        document.body.append(area);
        area.select();
        const isCopied = document.execCommand("copy");
        area.remove();
        return isCopied;
    }
}
