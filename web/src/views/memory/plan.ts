/** Planned memory as the document tells it: arenas, the tensors in them, live bytes. */
import type { ReportDocument } from "../../document/document";

export interface Tensor {
    /** Number among the method's values. */
    value: number;
    /** Its own, or that of the instruction that makes it. */
    name: string;
    kind: string;
    offset: number;
    bytes: number;
    /** Its shape is dynamic: it takes at most these bytes. */
    isUpperBound: boolean;
    /** Instructions between which it is live, both included; null: never. */
    first: number | null;
    last: number | null;
    /** The pieces of its lifetime, both ends included: branches leave gaps. */
    pieces: readonly Piece[];
    producer: number | null;
    readers: number;
    viewOf: number | null;
    dtype: string | null;
    shape: string | null;
}

export type Piece = readonly [first: number, last: number];

/** One arena of one method. */
export interface Plan {
    key: string;
    method: string;
    memoryId: number;
    bytes: number;
    peakBytes: number;
    peakInstruction: number | null;
    boundBytes: number;
    paddingBytes: number;
    isOnDevice: boolean;
    tensors: Tensor[];
    /** Bytes that are live, by instruction. */
    live: number[];
    /** Names of the instructions. */
    names: (string | null)[];
}

export const PLAN_TABLES = [
    "memory_arenas",
    "memory_tensors",
    "memory_steps",
    "program_tensors",
    "instructions",
] as const;

export function plansOf(document: ReportDocument): Plan[] {
    const table = document.table("memory_arenas");
    const program = table.number("program");
    const method = table.text("method");
    const memoryId = table.number("memory_id");
    const number = (name: string) => {
        const get = table.number(name);
        return (row: number) => get(row) ?? 0;
    };
    const [bytes, peak, bound] = [number("bytes"), number("peak_bytes"), number("bound_bytes")];
    const [padding, device] = [number("padding_bytes"), number("device_type")];
    const peakAt = table.number("peak_instruction");
    const plans = new Map<string, Plan>();
    for (let row = 0; row < table.rows; row++) {
        const key = keyOf(program(row), method(row), memoryId(row));
        plans.set(key, {
            key,
            method: method(row) ?? "",
            memoryId: memoryId(row) ?? 0,
            bytes: bytes(row),
            peakBytes: peak(row),
            peakInstruction: peakAt(row),
            boundBytes: bound(row),
            paddingBytes: padding(row),
            isOnDevice: device(row) !== 0,
            tensors: [],
            live: [],
            names: [],
        });
    }
    readSteps(document, plans);
    readTensors(document, plans);
    return [...plans.values()];
}

const keyOf = (program: number | null, method: string | null, memoryId: number | null): string =>
    `${program ?? 0}:${memoryId ?? 0}:${method ?? ""}`;

function readSteps(document: ReportDocument, plans: ReadonlyMap<string, Plan>): void {
    const table = document.table("memory_steps");
    const program = table.number("program");
    const method = table.text("method");
    const memoryId = table.number("memory_id");
    const live = table.number("live_bytes");
    const names = instructionNames(document);
    for (let row = 0; row < table.rows; row++) {
        const plan = plans.get(keyOf(program(row), method(row), memoryId(row)));
        if (plan === undefined) continue;
        plan.names.push(names.get(keyOf(program(row), method(row), plan.live.length)) ?? null);
        plan.live.push(live(row) ?? 0);
    }
}

/** Of the first chain, whose instructions the lifetimes count. */
function instructionNames(document: ReportDocument): Map<string, string | null> {
    const table = document.table("instructions");
    const program = table.number("program");
    const method = table.text("method");
    const chain = table.number("chain");
    const instruction = table.number("instruction");
    const name = table.text("name");
    const kind = table.text("kind");
    const names = new Map<string, string | null>();
    for (let row = 0; row < table.rows; row++) {
        if (chain(row) !== 0) continue;
        names.set(keyOf(program(row), method(row), instruction(row)), name(row) ?? kind(row));
    }
    return names;
}

function readTensors(document: ReportDocument, plans: ReadonlyMap<string, Plan>): void {
    const table = document.table("memory_tensors");
    const number = (name: string) => table.number(name);
    const program = number("program");
    const method = table.text("method");
    const [value, memoryId, offset] = [
        number("value"),
        number("memory_id"),
        number("memory_offset"),
    ];
    const [bytes, bound] = [number("bytes"), number("is_upper_bound")];
    const [first, last, producer] = [number("first"), number("last"), number("producer")];
    const [readers, viewOf] = [number("readers"), number("view_of")];
    const [kind, lifetime] = [table.text("kind"), table.text("lifetime")];
    const described = descriptions(document);
    for (let row = 0; row < table.rows; row++) {
        const plan = plans.get(keyOf(program(row), method(row), memoryId(row)));
        if (plan === undefined || memoryId(row) === null) continue;
        const of = described.get(keyOf(program(row), method(row), value(row)));
        const from = producer(row);
        const madeBy = from === null ? null : (plan.names[from] ?? null);
        plan.tensors.push({
            value: value(row) ?? 0,
            name: of?.name ?? nameOf(madeBy, from) ?? kind(row) ?? "",
            kind: kind(row) ?? "",
            offset: offset(row) ?? 0,
            bytes: bytes(row) ?? 0,
            isUpperBound: bound(row) === 1,
            first: first(row),
            last: last(row),
            pieces: piecesOf(lifetime(row), first(row), last(row)),
            producer: from,
            readers: readers(row) ?? 0,
            viewOf: viewOf(row),
            dtype: of?.dtype ?? null,
            shape: of?.shape ?? null,
        });
    }
}

/** Of several tensors that one operator makes, and of several calls of it: "XnnpackBackend #3". */
const nameOf = (maker: string | null, instruction: number | null): string | null =>
    maker === null ? null : `${maker.replace(/^\w+::/, "")} #${instruction}`;

interface Description {
    name: string | null;
    dtype: string | null;
    shape: string | null;
}

function descriptions(document: ReportDocument): Map<string, Description> {
    const table = document.table("program_tensors");
    const program = table.number("program");
    const method = table.text("method");
    const number = table.number("number");
    const [name, dtype, shape] = [table.text("name"), table.text("dtype"), table.text("shape")];
    const found = new Map<string, Description>();
    for (let row = 0; row < table.rows; row++) {
        const key = keyOf(program(row), method(row), number(row));
        found.set(key, { name: name(row), dtype: dtype(row), shape: shape(row) });
    }
    return found;
}

/** "0..4, 8..9"; documents without that column have the first and the last instruction. */
function piecesOf(text: string | null, first: number | null, last: number | null): Piece[] {
    const pieces = [...(text ?? "").matchAll(/(\d+)\.\.(\d+)/g)].map(
        (found): Piece => [Number(found[1]), Number(found[2])],
    );
    if (pieces.length > 0 || first === null) return pieces;
    return [[first, last ?? first]];
}

export const isAlive = (tensor: Tensor, instruction: number): boolean =>
    tensor.pieces.some(([first, last]) => first <= instruction && instruction <= last);

export interface Alive {
    tensor: Tensor;
    /** Of its bytes those that no tensor before it in the list has. */
    added: number;
}

/**
 * Tensors that are alive at an instruction, largest first, views behind what they show. Their added
 * bytes are the live bytes: what several share counts once.
 */
export function aliveAt(plan: Plan, instruction: number): Alive[] {
    const covered: [number, number][] = [];
    return plan.tensors
        .filter((tensor) => isAlive(tensor, instruction))
        .sort(
            (a, b) =>
                Number(a.viewOf !== null) - Number(b.viewOf !== null) ||
                b.bytes - a.bytes ||
                a.value - b.value,
        )
        .map((tensor) => ({
            tensor,
            added: cover(covered, tensor.offset, tensor.offset + tensor.bytes),
        }));
}

/** Adds [from, to) to sorted intervals that do not touch; returns what was not covered. */
function cover(intervals: [number, number][], from: number, to: number): number {
    if (to <= from) return 0;
    let first = 0;
    while (first < intervals.length && (intervals[first] as [number, number])[1] < from) first++;
    let end = first;
    let known = 0;
    const merged: [number, number] = [from, to];
    for (; end < intervals.length; end++) {
        const [start, stop] = intervals[end] as [number, number];
        if (start > to) break;
        known += Math.max(0, Math.min(stop, to) - Math.max(start, from));
        merged[0] = Math.min(merged[0], start);
        merged[1] = Math.max(merged[1], stop);
    }
    intervals.splice(first, end - first, merged);
    return to - from - known;
}
