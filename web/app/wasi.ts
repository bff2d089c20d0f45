/**
 * Runs a program of WASI preview 1 over files in memory: words in, exit code and both streams out.
 * It has what wasi-libc asks of this program, and no network, no clock of another kind, no way out.
 */
import { Bytes, type Entry, find, Folder, isFolder, place, type Source } from "./files";

export interface Ran {
    code: number;
    output: Uint8Array;
    messages: Uint8Array;
}

const OK = 0, // prettier-ignore
    BADF = 8,
    EXIST = 20,
    INVAL = 28,
    ISDIR = 31,
    NOENT = 44,
    NOTDIR = 54,
    NOTEMPTY = 55;
const STREAM = 2,
    DIRECTORY = 3,
    FILE = 4;
const CREATE = 1,
    DIRECTORY_ONLY = 2,
    EXCLUSIVE = 4,
    TRUNCATE = 8;
const ROOT = 3;

class Exit extends Error {
    constructor(readonly code: number) {
        super("exit");
    }
}

interface Open {
    entry: Entry;
    at: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Words that the program is started with, beginning with its own name. */
export function run(
    program: WebAssembly.Module,
    root: Folder,
    words: string[],
    environment: string[] = [],
): Ran {
    const output = new Bytes();
    const messages = new Bytes();
    const opened = new Map<number, Open>([
        [0, { entry: new Bytes(), at: 0 }],
        [1, { entry: output, at: 0 }],
        [2, { entry: messages, at: 0 }],
        [ROOT, { entry: root, at: 0 }],
    ]);
    const numbers = new Map<Entry, number>();
    let memory: WebAssembly.Memory;

    const view = () => new DataView(memory.buffer);
    const bytes = (at: number, size: number) => new Uint8Array(memory.buffer, at >>> 0, size >>> 0);
    const text = (at: number, size: number) => decoder.decode(bytes(at, size));
    const put32 = (at: number, value: number) => view().setUint32(at >>> 0, value, true);
    const put64 = (at: number, value: number | bigint) =>
        view().setBigUint64(at >>> 0, BigInt(value), true);

    function putTexts(list: string[], pointers: number, at: number): number {
        for (const item of list) {
            const coded = encoder.encode(`${item}\0`);
            put32(pointers, at);
            bytes(at, coded.length).set(coded);
            pointers += 4;
            at += coded.length;
        }
        return OK;
    }
    function putSizes(list: string[], count: number, size: number): number {
        put32(count, list.length);
        put32(size, encoder.encode(list.map((item) => `${item}\0`).join("")).length);
        return OK;
    }
    const numberOf = (entry: Entry) => {
        let number = numbers.get(entry);
        if (number === undefined) numbers.set(entry, (number = numbers.size + 1));
        return number;
    };
    const kindOf = (entry: Entry) => (isFolder(entry) ? DIRECTORY : FILE);
    function putStat(entry: Entry, at: number, kind: number): number {
        bytes(at, 64).fill(0);
        put64(at + 8, numberOf(entry));
        view().setUint8(at + 16, kind);
        put64(at + 24, 1);
        put64(at + 32, isFolder(entry) ? 0 : entry.size);
        return OK;
    }
    /** A path is relative to a descriptor, which is always a folder. */
    function folderOf(descriptor: number): Folder | undefined {
        const entry = opened.get(descriptor)?.entry;
        return isFolder(entry) ? entry : undefined;
    }
    function vectors(at: number, count: number): [number, number][] {
        const list: [number, number][] = [];
        for (let i = 0; i < count; i++) {
            const entry = view();
            list.push([entry.getUint32(at + 8 * i, true), entry.getUint32(at + 8 * i + 4, true)]);
        }
        return list;
    }
    function readInto(source: Source, from: number, at: number, count: number): number {
        let done = 0;
        for (const [where, size] of vectors(at, count)) {
            const part = source.read(from + done, size);
            bytes(where, part.length).set(part);
            done += part.length;
            if (part.length < size) break;
        }
        return done;
    }
    function remove(descriptor: number, at: number, size: number, isFolderWanted: boolean): number {
        const where = place(folderOf(descriptor) ?? root, text(at, size));
        const entry = where?.folder.entries.get(where.name);
        if (where === undefined || entry === undefined) return NOENT;
        if (isFolder(entry) !== isFolderWanted) return isFolderWanted ? NOTDIR : ISDIR;
        if (isFolder(entry) && entry.entries.size > 0) return NOTEMPTY;
        where.folder.entries.delete(where.name);
        return OK;
    }
    function openPath(folder: Folder, path: string, flags: number): Entry | number {
        const entry = find(folder, path);
        if (entry !== undefined) {
            if (flags & EXCLUSIVE) return EXIST;
            if (flags & DIRECTORY_ONLY && !isFolder(entry)) return NOTDIR;
            if (flags & TRUNCATE && entry instanceof Bytes) entry.clear();
            return entry;
        }
        const where = place(folder, path);
        if (!(flags & CREATE) || where === undefined) return NOENT;
        const made = new Bytes();
        where.folder.entries.set(where.name, made);
        return made;
    }

    const system = {
        args_sizes_get: (count: number, size: number) => putSizes(words, count, size),
        args_get: (pointers: number, at: number) => putTexts(words, pointers, at),
        environ_sizes_get: (count: number, size: number) => putSizes(environment, count, size),
        environ_get: (pointers: number, at: number) => putTexts(environment, pointers, at),
        clock_time_get(clock: number, _precision: bigint, at: number) {
            const now = clock === 0 ? Date.now() : performance.now();
            put64(at, BigInt(Math.round(now * 1e6)));
            return OK;
        },
        random_get(at: number, size: number) {
            for (let done = 0; done < size; done += 65536) {
                crypto.getRandomValues(bytes(at + done, Math.min(size - done, 65536)));
            }
            return OK;
        },
        proc_exit(code: number) {
            throw new Exit(code);
        },
        poll_oneoff(_from: number, events: number, count: number, done: number) {
            bytes(events, 32 * count).fill(0);
            put32(done, count);
            return OK;
        },
        fd_prestat_get(descriptor: number, at: number) {
            if (descriptor !== ROOT) return BADF;
            put32(at, 0);
            put32(at + 4, 1);
            return OK;
        },
        fd_prestat_dir_name(descriptor: number, at: number) {
            if (descriptor !== ROOT) return BADF;
            bytes(at, 1).set(encoder.encode("/"));
            return OK;
        },
        fd_fdstat_get(descriptor: number, at: number) {
            const open = opened.get(descriptor);
            if (open === undefined) return BADF;
            bytes(at, 24).fill(0);
            /* Streams are files, as where a command's output is written to one. */
            view().setUint8(at, descriptor < ROOT ? FILE : kindOf(open.entry));
            put64(at + 8, 0xffffffffffffffffn);
            put64(at + 16, 0xffffffffffffffffn);
            return OK;
        },
        fd_fdstat_set_flags: () => OK,
        fd_filestat_get(descriptor: number, at: number) {
            const open = opened.get(descriptor);
            if (open === undefined) return BADF;
            return putStat(open.entry, at, descriptor === 0 ? STREAM : kindOf(open.entry));
        },
        fd_close: (descriptor: number) => (opened.delete(descriptor) ? OK : BADF),
        fd_read(descriptor: number, at: number, count: number, done: number) {
            const open = opened.get(descriptor);
            if (open === undefined) return BADF;
            if (isFolder(open.entry)) return ISDIR;
            const size = readInto(open.entry, open.at, at, count);
            open.at += size;
            put32(done, size);
            return OK;
        },
        fd_pread(descriptor: number, at: number, count: number, from: bigint, done: number) {
            const open = opened.get(descriptor);
            if (open === undefined) return BADF;
            if (isFolder(open.entry)) return ISDIR;
            put32(done, readInto(open.entry, Number(from), at, count));
            return OK;
        },
        fd_write(descriptor: number, at: number, count: number, done: number) {
            const open = opened.get(descriptor);
            if (open === undefined || !(open.entry instanceof Bytes)) return BADF;
            let size = 0;
            for (const [where, length] of vectors(at, count)) {
                open.entry.write(open.at, bytes(where, length));
                open.at += length;
                size += length;
            }
            put32(done, size);
            return OK;
        },
        fd_seek(descriptor: number, offset: bigint, from: number, at: number) {
            const open = opened.get(descriptor);
            if (open === undefined || isFolder(open.entry)) return BADF;
            const base = from === 0 ? 0 : from === 1 ? open.at : open.entry.size;
            const to = base + Number(offset);
            if (to < 0) return INVAL;
            open.at = to;
            put64(at, to);
            return OK;
        },
        fd_readdir(descriptor: number, at: number, size: number, cookie: bigint, done: number) {
            const folder = folderOf(descriptor);
            if (folder === undefined) return NOTDIR;
            let used = 0;
            let next = Number(cookie);
            for (const [name, entry] of [...folder.entries].slice(next)) {
                const coded = encoder.encode(name);
                const record = new Uint8Array(24 + coded.length);
                const fields = new DataView(record.buffer);
                fields.setBigUint64(0, BigInt(++next), true);
                fields.setBigUint64(8, BigInt(numberOf(entry)), true);
                fields.setUint32(16, coded.length, true);
                fields.setUint8(20, kindOf(entry));
                record.set(coded, 24);
                const part = record.subarray(0, Math.min(record.length, size - used));
                bytes(at + used, part.length).set(part);
                used += part.length;
                if (part.length < record.length) break;
            }
            put32(done, used);
            return OK;
        },
        path_open(
            descriptor: number,
            _follow: number,
            at: number,
            size: number,
            flags: number,
            _rights: bigint,
            _inherited: bigint,
            _state: number,
            done: number,
        ) {
            const folder = folderOf(descriptor);
            if (folder === undefined) return BADF;
            const entry = openPath(folder, text(at, size), flags);
            if (typeof entry === "number") return entry;
            let number = ROOT + 1;
            while (opened.has(number)) number++;
            opened.set(number, { entry, at: 0 });
            put32(done, number);
            return OK;
        },
        path_filestat_get(
            descriptor: number,
            _follow: number,
            at: number,
            size: number,
            to: number,
        ) {
            const folder = folderOf(descriptor);
            const entry = folder && find(folder, text(at, size));
            return entry === undefined ? NOENT : putStat(entry, to, kindOf(entry));
        },
        path_create_directory(descriptor: number, at: number, size: number) {
            const where = place(folderOf(descriptor) ?? root, text(at, size));
            if (where === undefined) return NOENT;
            if (where.folder.entries.has(where.name)) return EXIST;
            where.folder.entries.set(where.name, new Folder());
            return OK;
        },
        path_remove_directory: (descriptor: number, at: number, size: number) =>
            remove(descriptor, at, size, true),
        path_unlink_file: (descriptor: number, at: number, size: number) =>
            remove(descriptor, at, size, false),
        path_rename(
            descriptor: number,
            at: number,
            size: number,
            other: number,
            toAt: number,
            toSize: number,
        ) {
            const from = place(folderOf(descriptor) ?? root, text(at, size));
            const to = place(folderOf(other) ?? root, text(toAt, toSize));
            const entry = from?.folder.entries.get(from.name);
            if (from === undefined || to === undefined || entry === undefined) return NOENT;
            from.folder.entries.delete(from.name);
            to.folder.entries.set(to.name, entry);
            return OK;
        },
    };

    const instance = new WebAssembly.Instance(program, { wasi_snapshot_preview1: system });
    memory = instance.exports["memory"] as WebAssembly.Memory;
    let code = 0;
    try {
        (instance.exports["_start"] as () => void)();
    } catch (error) {
        if (!(error instanceof Exit)) throw error;
        code = error.code;
    }
    return { code, output: output.all(), messages: messages.all() };
}
