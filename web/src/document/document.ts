/** The document of the page: its head at once, its tables when they are asked for. */
import { DocumentError } from "./bytes";
import { type EventMatrix, type EventsHead, readEvents } from "./events";
import type { FindingsRow } from "./entities";
import { Strings, Table, type TableHead } from "./table";

/* What the head tells of a row of `findings`, and what of the page it is about. */
export interface Finding
    extends Pick<FindingsRow, "share" | "view">,
        Partial<Pick<FindingsRow, "share_upper" | "action" | "trace">> {
    kind: string;
    severity: "bad" | "note" | "good";
    sentence: string;
    select: string | null;
}

export interface Input {
    role: string;
    name: string;
    kind: string;
    bytes: number;
}

export interface Missing {
    view: string;
    sentence: string;
    option: string | null;
}

export interface Head {
    format: string;
    version: number;
    writer: string;
    fingerprint: string;
    title: string;
    headline: string[];
    findings: Finding[];
    trust: string[];
    inputs: Input[];
    missing: Missing[];
    tables: Record<string, TableHead>;
    events?: EventsHead[];
}

const VERSION = 1;

/** Reads the head's JSON; other members than those of `Head` stay as they are. */
export function readHead(text: string): Head {
    let head: Partial<Head>;
    try {
        head = JSON.parse(text) as Partial<Head>;
    } catch {
        throw new DocumentError("the head of the report is damaged: write the report again");
    }
    if (head === null || head.format !== "etscope-report" || typeof head.version !== "number") {
        throw new DocumentError("this page holds no report of etscope");
    }
    if (head.version > VERSION) {
        throw new DocumentError(
            `the report was written by ${head.writer}, which is newer than this page (version ` +
                `${head.version}, the page reads ${VERSION})`,
        );
    }
    return {
        format: head.format,
        version: head.version,
        writer: String(head.writer ?? "etscope"),
        fingerprint: String(head.fingerprint ?? ""),
        title: String(head.title ?? ""),
        headline: head.headline ?? [],
        findings: head.findings ?? [],
        trust: head.trust ?? [],
        inputs: head.inputs ?? [],
        missing: head.missing ?? [],
        tables: head.tables ?? {},
        events: head.events ?? [],
    };
}

/** Gives the packed bytes of a section, or null; a section is asked for once. */
export type SectionSource = (id: string) => Promise<Uint8Array | null>;

export class ReportDocument {
    private readonly tables = new Map<string, Table>();
    private readonly heads: Map<string, TableHead>;
    private readonly pending = new Map<string, Promise<unknown>>();
    private strings: Strings | null = null;
    private matrices: EventMatrix[] | null = null;

    constructor(
        readonly head: Head,
        private readonly source: SectionSource,
    ) {
        this.heads = new Map(Object.entries(head.tables));
    }

    /** Whether the document holds the table, with at least one row. */
    has(name: string): boolean {
        return name === "events"
            ? (this.head.events?.length ?? 0) > 0
            : (this.heads.get(name)?.rows ?? 0) > 0;
    }

    isLoaded(name: string): boolean {
        return name === "events"
            ? this.matrices !== null
            : this.tables.has(name) || !this.isStored(name);
    }

    /** Decodes the tables that are there; `events` stands for the matrices. */
    async load(names: readonly string[]): Promise<void> {
        await Promise.all(
            names.filter((name) => !this.isLoaded(name)).map((name) => this.once(name)),
        );
    }

    /** A table that was loaded. A table that the document lacks has no rows. */
    table(name: string): Table {
        const table = this.tables.get(name);
        if (table !== undefined) return table;
        if (this.isStored(name)) throw new Error(`table ${name} was not loaded`);
        return new Table(name, { rows: 0, columns: [] }, none, noStrings);
    }

    events(): EventMatrix[] {
        return this.matrices ?? [];
    }

    private isStored(name: string): boolean {
        return this.heads.has(name);
    }

    private once(name: string): Promise<unknown> {
        let work = this.pending.get(name);
        if (work === undefined) {
            work =
                name === "strings"
                    ? this.loadStrings()
                    : name === "events"
                      ? this.loadEvents()
                      : this.loadTable(name);
            this.pending.set(name, work);
        }
        return work;
    }

    private async section(id: string): Promise<Uint8Array> {
        const bytes = await this.source(id);
        if (bytes === null) {
            throw new DocumentError(
                `the section ${id} is missing: the report is cut off, copy it again`,
            );
        }
        return bytes;
    }

    private async loadStrings(): Promise<void> {
        this.strings = new Strings(await this.section("etscope-strings"));
    }

    private async loadTable(name: string): Promise<void> {
        await this.once("strings");
        const head = this.heads.get(name) as TableHead;
        const bytes =
            head.rows === 0 && head.columns.every((column) => column.bytes === 0)
                ? none
                : await this.section(`etscope-table-${name}`);
        this.tables.set(name, new Table(name, head, bytes, this.strings as Strings));
    }

    private async loadEvents(): Promise<void> {
        const heads = this.head.events ?? [];
        const bytes = heads.length > 0 ? await this.section("etscope-events") : none;
        let start = 0;
        const matrices: EventMatrix[] = [];
        for (const head of heads) {
            if (start + head.bytes > bytes.length) {
                throw new DocumentError(
                    "the events are cut off: the report is damaged, write it again",
                );
            }
            matrices.push(readEvents(head, bytes.subarray(start, start + head.bytes)));
            start += head.bytes;
        }
        this.matrices = matrices;
    }
}

const none = new Uint8Array(0);
const noStrings = new Strings(Uint8Array.of(0));
