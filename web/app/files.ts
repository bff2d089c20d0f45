/** A tree of files in memory. What was dropped stays on disk until the program reads it. */

/** Bytes that can be read from anywhere: of memory, of a file of the browser, of a file of node. */
export interface Source {
    readonly size: number;
    read(offset: number, length: number): Uint8Array;
}

export class Bytes implements Source {
    size: number;
    constructor(private bytes: Uint8Array = new Uint8Array(0)) {
        this.size = bytes.length;
    }
    read(offset: number, length: number): Uint8Array {
        return this.bytes.subarray(offset, Math.min(offset + length, this.size));
    }
    write(offset: number, data: Uint8Array): void {
        const end = offset + data.length;
        if (end > this.bytes.length) {
            const grown = new Uint8Array(Math.max(end, this.bytes.length * 2, 1 << 16));
            grown.set(this.bytes.subarray(0, this.size));
            this.bytes = grown;
        }
        this.bytes.set(data, offset);
        this.size = Math.max(this.size, end);
    }
    clear(): void {
        this.size = 0;
    }
    all(): Uint8Array {
        return this.bytes.subarray(0, this.size);
    }
}

/** Reads megabytes ahead, as each read of a browser's file costs a tenth of a millisecond. */
const AHEAD = 1 << 20;
export class Slices implements Source {
    private from = 0;
    private held = new Uint8Array(0);
    constructor(
        readonly size: number,
        private slice: (from: number, to: number) => Uint8Array,
    ) {}
    read(offset: number, length: number): Uint8Array {
        const end = Math.min(offset + length, this.size);
        if (end <= offset) return new Uint8Array(0);
        if (end - offset > AHEAD) return this.slice(offset, end);
        if (offset < this.from || end > this.from + this.held.length) {
            this.from = offset;
            this.held = this.slice(offset, Math.min(offset + AHEAD, this.size)) as never;
        }
        return this.held.subarray(offset - this.from, end - this.from);
    }
}

export type Entry = Source | Folder;
export class Folder {
    readonly entries = new Map<string, Entry>();
}

export const isFolder = (entry: Entry | undefined): entry is Folder => entry instanceof Folder;

const partsOf = (path: string): string[] =>
    path.split("/").filter((part) => part !== "" && part !== ".");

/** undefined: it is not there. */
export function find(root: Folder, path: string): Entry | undefined {
    let at: Entry | undefined = root;
    for (const part of partsOf(path)) at = isFolder(at) ? at.entries.get(part) : undefined;
    return at;
}

/** The folder that a path's last name lies in, and the name. */
export function place(root: Folder, path: string): { folder: Folder; name: string } | undefined {
    const parts = partsOf(path);
    const name = parts.pop();
    const folder = find(root, parts.join("/"));
    return name !== undefined && isFolder(folder) ? { folder, name } : undefined;
}

/** Puts a file at a path, with the folders that it needs. */
export function put(root: Folder, path: string, source: Source): void {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) return;
    let at = root;
    for (const part of parts) {
        let next = at.entries.get(part);
        if (!isFolder(next)) at.entries.set(part, (next = new Folder()));
        at = next;
    }
    at.entries.set(name, source);
}
