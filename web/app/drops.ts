/** Files and folders of a drop or of a choice, with their paths below what was dropped. */
import type { Dropped } from "./program";

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
    new Promise((take, refuse) => entry.file(take, refuse));

async function listOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
    const reader = folder.createReader();
    const list: FileSystemEntry[] = [];
    for (;;) {
        /* A reader gives a hundred at a time. */
        const part = await new Promise<FileSystemEntry[]>((take, refuse) =>
            reader.readEntries(take, refuse),
        );
        if (part.length === 0) return list;
        list.push(...part);
    }
}

const MOST_FILES = 10_000;
async function walk(entry: FileSystemEntry, path: string, files: Dropped[]): Promise<void> {
    if (files.length >= MOST_FILES) return;
    if (entry.isFile) {
        files.push({ path: path + entry.name, file: await fileOf(entry as FileSystemFileEntry) });
        return;
    }
    for (const below of await listOf(entry as FileSystemDirectoryEntry)) {
        await walk(below, `${path}${entry.name}/`, files);
    }
}

/** Files of one path, out of several folders, get folders of their own: "2/model.etdp". */
function apart(files: Dropped[]): Dropped[] {
    const used = new Set<string>();
    return files.map(({ path, file }) => {
        let own = path;
        for (let number = 2; used.has(own); number++) own = `${number}/${path}`;
        used.add(own);
        return { path: own, file };
    });
}

export async function filesOfDrop(data: DataTransfer): Promise<Dropped[]> {
    /* All entries are asked for at once: the transfer is empty after the first wait. */
    const items = [...data.items].filter(({ kind }) => kind === "file");
    const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
    const files: Dropped[] = [];
    for (const entry of entries) {
        if (entry instanceof File) files.push({ path: entry.name, file: entry });
        else if (entry !== null) await walk(entry, "", files);
    }
    return apart(files);
}

export const filesOfChoice = (list: FileList): Dropped[] =>
    apart([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
