/** What was counted while a model loaded and ran, as lists of rows with bytes. */
import type { ReportDocument } from "../../document/document";
import type { Table } from "../../document/table";
import { formatBytes, plural } from "../../text/format";

export const RUN_TABLES = [
    "held_memory",
    "temporary_memory",
    "process_memory",
    "allocations",
] as const;

export interface MemoryRow {
    id: number;
    method: string | null;
    what: string;
    /** load or run; of the process its moment is `what`. */
    phase: string | null;
    bytes: number | null;
    /** What else is known of it. */
    notes: string[];
    chain: number | null;
    instruction: number | null;
}

export interface MemoryList {
    key: string;
    title: string;
    /** What its bytes are. */
    hint: string;
    rows: MemoryRow[];
}

export function runMemoryOf(document: ReportDocument): MemoryList[] {
    const lists: MemoryList[] = [
        {
            key: "owners",
            title: "by owner",
            hint: "the most that each held at once",
            rows: heldRows(document.table("held_memory")),
        },
        {
            key: "instructions",
            title: "temporary, by instruction",
            hint: "the most that it took of the temporary allocator",
            rows: temporaryRows(document.table("temporary_memory")),
        },
        {
            key: "process",
            title: "process",
            hint: "of the process in memory",
            rows: processRows(document.table("process_memory")),
        },
        {
            key: "allocators",
            title: "logged allocations",
            hint: "the most that one run asked for; what is returned is not recorded",
            rows: allocatorRows(document),
        },
    ];
    return lists.filter((list) => list.rows.length > 0);
}

/** What a method, and the program itself, hold beside what is planned. */
export function heldBeside(document: ReportDocument, method: string | null): MemoryRow[] {
    if (!document.has("held_memory")) return [];
    const table = document.table("held_memory");
    const owner = table.text("owner");
    return heldRows(table).filter(
        (row) =>
            owner(row.id) !== "planned" &&
            (row.bytes ?? 0) > 0 &&
            (row.method === null || row.method === method),
    );
}

type Note = string | false | null;

const rowsOf = (
    table: Table,
    make: (row: number) => Omit<MemoryRow, "id" | "notes"> & { notes: Note[] },
) =>
    Array.from({ length: table.rows }, (_, id): MemoryRow => {
        const made = make(id);
        return { ...made, id, notes: made.notes.filter((note) => typeof note === "string") };
    });

/** "12.0 KiB touched", or nothing where it is not known. */
const noted = (bytes: number | null, what: string): Note =>
    bytes === null ? null : `${formatBytes(bytes)} ${what}`;

function heldRows(table: Table): MemoryRow[] {
    const [method, owner, backend] = ["method", "owner", "backend"].map((name) => table.text(name));
    const [phase, part] = ["phase", "part"].map((name) => table.text(name));
    const number = (name: string) => table.number(name);
    const [memoryId, bytes, touched] = [
        number("memory_id"),
        number("bytes"),
        number("touched_bytes"),
    ];
    const [allocations, pool, runs] = [number("allocations"), number("pool_bytes"), number("runs")];
    const [chain, instruction, threads] = [
        number("chain"),
        number("instruction"),
        number("threads"),
    ];
    return rowsOf(table, (row) => {
        const count = allocations(row) ?? 0;
        const at = instruction(row);
        const owned = owner?.(row) ?? "";
        const of = backend?.(row) ?? part?.(row) ?? null;
        const memory = memoryId(row);
        return {
            method: method?.(row) ?? null,
            what: `${owned}${memory === null ? "" : ` memory ${memory}`}${of === null ? "" : `, ${of}`}`,
            phase: phase?.(row) ?? null,
            bytes: bytes(row),
            notes: [
                noted(touched(row), "in used pages"),
                count > 1 && plural(count, "allocation"),
                noted(pool(row), "pool is enough"),
                at !== null && `most in instruction ${at}`,
                (threads(row) ?? 1) > 1 && `each of ${threads(row)} threads`,
                (runs(row) ?? 0) > 0 && `over ${plural(runs(row) ?? 0, "run")}`,
            ],
            chain: chain(row),
            instruction: at,
        };
    });
}

function temporaryRows(table: Table): MemoryRow[] {
    const number = (name: string) => table.number(name);
    const [bytes, count, runs] = [number("bytes"), number("allocations"), number("runs")];
    const [chain, instruction] = [number("chain"), number("instruction")];
    const method = table.text("method");
    return rowsOf(table, (row) => {
        const at = instruction(row);
        return {
            method: method(row),
            what: at === null ? "outside of instructions" : `instruction ${at}`,
            phase: "run",
            bytes: bytes(row),
            notes: [
                `${plural(count(row) ?? 0, "allocation")} over ${plural(runs(row) ?? 0, "run")}`,
            ],
            chain: chain(row),
            instruction: at,
        };
    });
}

function processRows(table: Table): MemoryRow[] {
    const number = (name: string) => table.number(name);
    const [resident, file, heap] = [
        number("resident_bytes"),
        number("file_bytes"),
        number("heap_bytes"),
    ];
    const [method, moment] = [table.text("method"), table.text("moment")];
    return rowsOf(table, (row) => ({
        method: method(row),
        what: moment(row) ?? "",
        phase: null,
        bytes: resident(row),
        notes: [noted(file(row), "of files"), noted(heap(row), "handed out by malloc")],
        chain: null,
        instruction: null,
    }));
}

interface Allocator {
    name: string;
    method: string | null;
    phase: string;
    /** Of each run bytes and allocations. */
    runs: Map<number, { bytes: number; count: number }>;
}

function allocatorRows(document: ReportDocument): MemoryRow[] {
    const table = document.table("allocations");
    const [run, bytes, name] = [table.number("run"), table.number("bytes"), table.text("name")];
    const runs = document.table("runs");
    const [method, runName] = [runs.textOrNone("method"), runs.textOrNone("name")];
    const allocators = new Map<string, Allocator>();
    for (let row = 0; row < table.rows; row++) {
        const of = run(row) ?? -1;
        const phase = of >= 0 && runName(of) === "Execute" ? "run" : "load";
        const key = `${phase} ${method(of) ?? ""} ${name(row) ?? ""}`;
        const allocator = allocators.get(key) ?? {
            name: name(row) ?? "(unnamed)",
            method: method(of),
            phase,
            runs: new Map(),
        };
        allocators.set(key, allocator);
        const sum = allocator.runs.get(of) ?? { bytes: 0, count: 0 };
        allocator.runs.set(of, { bytes: sum.bytes + (bytes(row) ?? 0), count: sum.count + 1 });
    }
    return [...allocators.values()].map((allocator, id) => {
        const sums = [...allocator.runs.values()];
        const most = sums.reduce((a, b) => (b.bytes > a.bytes ? b : a));
        return {
            id,
            method: allocator.method,
            what: allocator.name,
            phase: allocator.phase,
            bytes: most.bytes,
            notes: [
                `${plural(most.count, "allocation")}, the most of ${plural(sums.length, "run")}`,
            ],
            chain: null,
            instruction: null,
        };
    });
}
