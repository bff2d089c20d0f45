/** Tables of a document: columns that are decoded when they are first asked for. */
import { ByteReader, DocumentError } from "./bytes";

export interface ColumnHead {
    name: string;
    type: "integer" | "real" | "text";
    bytes: number;
    nulls?: boolean;
}

export interface TableHead {
    rows: number;
    columns: ColumnHead[];
}

/** Value of a column in a row; null: there is none. */
export type Getter<T> = (row: number) => T | null;

/** Texts by number, each decoded when it is first asked for. */
export class Strings {
    readonly count: number;
    private readonly starts: Float64Array;
    private readonly blob: Uint8Array;
    private readonly decoder = new TextDecoder();
    private readonly known: (string | undefined)[];

    constructor(bytes: Uint8Array) {
        const reader = new ByteReader(bytes, "the section of texts");
        this.count = reader.unsigned();
        if (this.count > reader.left) reader.fail("is cut off");
        this.starts = new Float64Array(this.count + 1);
        for (let i = 0; i < this.count; i++) {
            this.starts[i + 1] = (this.starts[i] as number) + reader.unsigned();
        }
        this.blob = reader.take(this.starts[this.count] as number);
        if (reader.left > 0) reader.fail("has bytes behind its end");
        this.known = new Array(this.count);
    }

    get(number: number): string {
        let text = this.known[number];
        if (text === undefined) {
            text = this.decoder.decode(
                this.blob.subarray(this.starts[number], this.starts[number + 1]),
            );
            this.known[number] = text;
        }
        return text;
    }
}

interface Decoded {
    /** Of each row the index of its value, -1: null; without: the row itself. */
    index: Int32Array | null;
    values: Float64Array;
}

export class Table {
    readonly rows: number;
    private readonly heads = new Map<string, { head: ColumnHead; start: number }>();
    private readonly decoded = new Map<string, Decoded>();

    constructor(
        readonly name: string,
        head: TableHead,
        private readonly bytes: Uint8Array,
        private readonly strings: Strings,
    ) {
        this.rows = head.rows;
        let start = 0;
        for (const column of head.columns) {
            this.heads.set(column.name, { head: column, start });
            start += column.bytes;
        }
        if (!Number.isSafeInteger(this.rows) || this.rows < 0 || start !== bytes.length) {
            throw new DocumentError(
                `table ${name} has ${bytes.length} bytes instead of ${start}: the report is damaged, ` +
                    "write it again",
            );
        }
    }

    has(column: string): boolean {
        return this.heads.has(column);
    }

    /** Numbers of a column. */
    number(name: string): Getter<number> {
        if (this.rows === 0) return () => null; /* also of a table that the document lacks */
        const { index, values } = this.decode(name, false);
        if (index === null) return (row) => values[row] as number;
        return (row) => {
            const at = index[row] as number;
            return at < 0 ? null : (values[at] as number);
        };
    }

    /** Texts of a column. */
    text(name: string): Getter<string> {
        if (this.rows === 0) return () => null;
        const { index, values } = this.decode(name, true);
        const strings = this.strings;
        if (index === null) return (row) => strings.get(values[row] as number);
        return (row) => {
            const at = index[row] as number;
            return at < 0 ? null : strings.get(values[at] as number);
        };
    }

    /** A column that older or smaller documents may lack: null in all rows. */
    numberOrNone(name: string): Getter<number> {
        return this.has(name) ? this.number(name) : () => null;
    }

    textOrNone(name: string): Getter<string> {
        return this.has(name) ? this.text(name) : () => null;
    }

    private find(name: string): { head: ColumnHead; start: number } {
        const found = this.heads.get(name);
        if (found === undefined) {
            throw new DocumentError(`the report has no column ${name} in its table ${this.name}`);
        }
        return found;
    }

    private decode(name: string, isText: boolean): Decoded {
        const { head, start } = this.find(name);
        if (isText !== (head.type === "text")) {
            throw new DocumentError(
                `column ${name} of table ${this.name} has the type ${head.type}`,
            );
        }
        let decoded = this.decoded.get(name);
        if (decoded === undefined) {
            const place = `column ${name} of table ${this.name}`;
            const reader = new ByteReader(this.bytes, place, start, start + head.bytes);
            decoded = decodeColumn(head, this.rows, reader, this.strings.count);
            this.decoded.set(name, decoded);
        }
        return decoded;
    }
}

function decodeColumn(head: ColumnHead, rows: number, reader: ByteReader, texts: number): Decoded {
    const index = head.nulls === true ? readIndex(reader, rows) : null;
    const count = index === null ? rows : index.reduce((n, at) => (at < 0 ? n : n + 1), 0);
    let values: Float64Array;
    if (head.type === "real") {
        const bytes = reader.take(count * 8);
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        values = Float64Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true));
    } else if (head.type === "integer") {
        values = reader.signed(count, true);
    } else if (head.type === "text") {
        if (count > reader.left) reader.fail("is cut off");
        values = new Float64Array(count);
        for (let i = 0; i < count; i++) {
            values[i] = reader.unsigned();
            if ((values[i] as number) >= texts) reader.fail("names a text that does not exist");
        }
    } else {
        return reader.fail(`has the unknown type ${String(head.type)}`);
    }
    if (reader.left > 0) reader.fail("has bytes behind its end");
    return { index, values };
}

function readIndex(reader: ByteReader, rows: number): Int32Array {
    const bits = reader.take(Math.ceil(rows / 8));
    const index = new Int32Array(rows);
    let next = 0;
    for (let row = 0; row < rows; row++) {
        const there = ((bits[row >> 3] as number) >> (row & 7)) & 1;
        index[row] = there === 1 ? next++ : -1;
    }
    return index;
}
