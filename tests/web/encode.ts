/** Writes documents of docs/report-format.md: the counterpart of web/src/document, for tests. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { TableHead } from "../../web/src/document/table";

export type Value = number | bigint | string | null;
export type Type = "integer" | "real" | "text";
/** Values of columns by table and column. */
export type Tables = Record<string, Record<string, Value[]>>;

function leb128(out: number[], value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest >= 128n) {
        out.push(Number(rest & 127n) | 128);
        rest >>= 7n;
    }
    out.push(Number(rest));
}

function append(out: number[], bytes: Iterable<number>): void {
    for (const byte of bytes) out.push(byte);
}

const zigzag = (value: bigint): bigint => (value << 1n) ^ (value >> 63n);

export function signed(values: readonly Value[], deltas = true): number[] {
    const out: number[] = [];
    let before = 0n;
    for (const value of values) {
        leb128(out, zigzag(BigInt.asIntN(64, BigInt(value as number) - before)));
        if (deltas) before = BigInt(value as number);
    }
    return out;
}

export function encodeStrings(texts: readonly string[]): Buffer {
    const bytes = texts.map((text) => Buffer.from(text));
    const out: number[] = [];
    leb128(out, BigInt(texts.length));
    for (const { length } of bytes) leb128(out, BigInt(length));
    return Buffer.concat([Buffer.from(out), ...bytes]);
}

function encodeColumn(type: Type, values: readonly Value[], numberOf: (text: string) => number) {
    const hasNulls = values.includes(null);
    const there = values.filter((value) => value !== null);
    const out: number[] = [];
    if (hasNulls) {
        const bits = new Uint8Array(Math.ceil(values.length / 8));
        values.forEach((value, i) => {
            if (value !== null) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
        });
        append(out, bits);
    }
    if (type === "integer") {
        append(out, signed(there));
    } else if (type === "text") {
        for (const text of there) leb128(out, BigInt(numberOf(String(text))));
    } else {
        for (const value of there) {
            const bytes = Buffer.alloc(8);
            bytes.writeDoubleLE(Number(value));
            append(out, bytes);
        }
    }
    return { bytes: Buffer.from(out), hasNulls };
}

function typeOf(values: readonly Value[]): Type {
    const there = values.filter((value) => value !== null);
    if (there.some((value) => typeof value === "string")) return "text";
    const isWhole = (value: Value) => typeof value === "bigint" || Number.isInteger(value);
    return there.every(isWhole) ? "integer" : "real";
}

/**
 * Packs tables; `types` names those that the values leave open, "table.column". Returns the member
 * `tables` of the head, and the sections before gzip.
 */
export function encodeTables(tables: Tables, types: Record<string, Type> = {}) {
    const numbers = new Map<string, number>();
    const numberOf = (text: string): number => {
        const number = numbers.get(text) ?? numbers.size;
        numbers.set(text, number);
        return number;
    };
    const heads: Record<string, TableHead> = {};
    const sections = new Map<string, Buffer>();
    for (const [name, columns] of Object.entries(tables)) {
        const parts: Buffer[] = [];
        const head: TableHead = { rows: Object.values(columns)[0]?.length ?? 0, columns: [] };
        for (const [column, values] of Object.entries(columns)) {
            const type = types[`${name}.${column}`] ?? typeOf(values);
            const { bytes, hasNulls } = encodeColumn(type, values, numberOf);
            const nulls = hasNulls ? { nulls: true } : {};
            head.columns.push({ name: column, type, bytes: bytes.length, ...nulls });
            parts.push(bytes);
        }
        heads[name] = head;
        sections.set(`etscope-table-${name}`, Buffer.concat(parts));
    }
    sections.set("etscope-strings", encodeStrings([...numbers.keys()]));
    return { heads, sections };
}

/** One block of `etscope-events`; gaps and durations are lists of a position's runs. */
export function encodeEvents(block: {
    operator: number[];
    parent: number[];
    runStart: number[];
    gaps: number[][];
    durations: number[][];
}): Buffer {
    const out = [...signed(block.operator), ...signed(block.parent), ...signed(block.runStart)];
    block.operator.forEach((_, i) => {
        append(out, signed(block.gaps[i] ?? [], false));
        append(out, signed(block.durations[i] ?? [], false));
    });
    return Buffer.from(out);
}

/** A page around a document, in the order in which etscope writes it. */
export function encodePage(page: {
    head: object;
    sections: Map<string, Buffer>;
    script: string;
    style: string;
}): string {
    const json = JSON.stringify(page.head).replaceAll("<", "\\u003c");
    const packed = [...page.sections].map(
        ([id, bytes]) =>
            `<script type="application/x-etscope" id="${id}">${gzipSync(bytes).toString("base64")}</script>\n`,
    );
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const policy = [
        "default-src 'none'",
        `script-src ${hash(page.script)}`,
        `style-src ${hash(page.style)}`,
        "img-src data: blob:",
        "worker-src blob:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types etscope",
    ].join("; ");
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>etscope</title>
<style>${page.style}</style>
</head>
<body>
<script type="application/json" id="etscope-head">${json}</script>
<script>${page.script}</script>
${packed.join("")}</body>
</html>
`;
}
