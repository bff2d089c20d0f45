/**
 * Which word of the command line each dropped file becomes. What a file is tells the program from its
 * contents; names are asked only where the command line asks the user, too.
 */
import type { Dropped } from "./program";

export interface Sorted {
    traces: Dropped[];
    records: Dropped[];
    programs: Dropped[];
    buffers: Dropped[];
    machines: Dropped[];
    /** Of folders: what no command reads. */
    left: Dropped[];
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const stemOf = (path: string): string => path.replace(/\.[^./]*$/, "");
const endingOf = (path: string): string => /\.[^./]*$/.exec(nameOf(path))?.[0].toLowerCase() ?? "";
const TRACES = [".etdp", ".etdump", ".json", ".csv", ".pb", ".log", ".txt", ".jsonl"];

async function isMachine(file: File): Promise<boolean> {
    const start = await file.slice(0, 64).text();
    return /^\s*\{\s*"etscope_machine"/.test(start);
}

/** A folder holds much else; what is dropped by itself is meant, and the program says what it is. */
const isMeant = ({ path }: Dropped): boolean => !path.includes("/");

export async function sort(files: Dropped[]): Promise<Sorted> {
    const sorted: Sorted = {
        traces: [],
        records: [],
        programs: [],
        buffers: [],
        machines: [],
        left: [],
    };
    for (const dropped of files) {
        const ending = endingOf(dropped.path);
        let list = sorted.left;
        if (ending === ".etrecord") list = sorted.records;
        else if (ending === ".pte" || ending === ".bpte") list = sorted.programs;
        else if (ending === ".bin") list = sorted.buffers;
        else if (ending === ".json" && (await isMachine(dropped.file))) list = sorted.machines;
        else if (TRACES.includes(ending) || isMeant(dropped)) list = sorted.traces;
        list.push(dropped);
    }
    return sorted;
}

/** The same files in a folder of their own, so that equal names of two drops stay apart. */
export function below(folder: string, sorted: Sorted): Sorted {
    const move = (list: Dropped[]): Dropped[] =>
        list.map(({ path, file }) => ({ path: `${folder}/${path}`, file }));
    return {
        traces: move(sorted.traces),
        records: move(sorted.records),
        programs: move(sorted.programs),
        buffers: move(sorted.buffers),
        machines: move(sorted.machines),
        left: [],
    };
}

export const allOf = ({ traces, records, programs, buffers, machines }: Sorted): Dropped[] => [
    ...traces,
    ...records,
    ...programs,
    ...buffers,
    ...machines,
];

/** Captured tensors of each trace: those of its name, or the only ones. */
function buffersOf({ traces, buffers }: Sorted): string[] {
    const words: string[] = [];
    for (const trace of traces) {
        const own =
            buffers.find(({ path }) => stemOf(path) === stemOf(trace.path)) ??
            (traces.length === 1 && buffers.length === 1 ? buffers[0] : undefined);
        if (own !== undefined) words.push("--debug-buffer", wordOf(own.path));
    }
    /* One for each trace, or none. */
    return words.length === 2 * traces.length ? words : [];
}

/** As a word of the command line: "-x.etdp" is a file, and no option. */
const wordOf = (path: string): string => (path.startsWith("-") ? `./${path}` : path);
const pathsOf = (list: Dropped[]): string[] => list.map(({ path }) => wordOf(path));

/**
 * One trace goes with what was dropped beside it. Of several the program finds what lies beside each
 * under its name, as on a disk.
 */
export function filesOf(sorted: Sorted): string[] {
    const { traces, records, programs, machines } = sorted;
    const words = pathsOf(traces);
    if (traces.length <= 1 || records.length === 1) words.push(...pathsOf(records));
    if (traces.length <= 1 || programs.length === 1) words.push(...pathsOf(programs));
    words.push(...buffersOf(sorted));
    for (const { path } of machines.slice(-1)) words.push("--machine", wordOf(path));
    return words;
}

/** The earlier files are what is compared with. */
export function comparedWith(now: Sorted, before: Sorted): string[] {
    const words = pathsOf(now.traces);
    for (const { path } of before.traces) words.push("--before", path);
    const both = (option: string, list: Dropped[], earlier: Dropped[]) => {
        if (list.length === 1 && earlier.length <= 1) {
            for (const { path } of [...list, ...earlier]) words.push(option, path);
        } else if (list.length === 0 && earlier.length === 1) {
            words.push(option, earlier[0]?.path ?? "");
        }
    };
    both("--etrecord", now.records, before.records);
    both("--program", now.programs, before.programs);
    for (const { path } of [...now.machines, ...before.machines].slice(0, 1)) {
        words.push("--machine", path);
    }
    return words;
}
