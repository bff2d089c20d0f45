/** Which rows of a long list are in the document: those in sight and a few around them. */
export const ROW_HEIGHT = 24;
const AROUND = 12;
const SHOWN_WHOLE = 200;

export interface Window {
    first: number;
    end: number /* behind the last */;
}

export function windowOf(rows: number, scrollTop: number, height: number): Window {
    if (rows <= SHOWN_WHOLE) return { first: 0, end: rows };
    const top = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - AROUND);
    const first = Math.min(top, Math.max(0, rows - 1));
    const end = Math.min(rows, Math.ceil((scrollTop + height) / ROW_HEIGHT) + AROUND);
    return { first, end: Math.max(end, first) };
}

/** The scroll position that brings a row into sight with the least movement. */
export function scrollTo(row: number, scrollTop: number, height: number): number {
    const top = row * ROW_HEIGHT;
    if (top < scrollTop) return top;
    return Math.max(scrollTop, top + ROW_HEIGHT - height);
}

/** A sort key: the column's name, "-" before it for descending order. */
export interface Sort {
    column: string;
    descending: boolean;
}

export function parseSort(text: string): Sort | null {
    if (text === "") return null;
    const descending = text.startsWith("-");
    return { column: descending ? text.slice(1) : text, descending };
}

/** What a click on a header makes of the order: numbers fall first, then rise, then none. */
export function nextSort(sort: Sort | null, column: string, fallsFirst: boolean): string {
    if (sort?.column !== column) return fallsFirst ? `-${column}` : column;
    if (sort.descending === fallsFirst) return fallsFirst ? column : `-${column}`;
    return "";
}

export type SortValue = number | string | null;

/** Sorted copy; rows without a value stand last in both directions; equal rows keep their order. */
export function sorted<Row>(
    rows: readonly Row[],
    value: (row: Row) => SortValue,
    descending: boolean,
): Row[] {
    const keys = new Map(rows.map((row) => [row, value(row)]));
    const sign = descending ? -1 : 1;
    return [...rows].sort((a, b) => {
        const x = keys.get(a) ?? null;
        const y = keys.get(b) ?? null;
        if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
        if (typeof x === "number" && typeof y === "number") return sign * (x - y);
        return sign * (String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0);
    });
}
