/** Where the bytes of the programs are, as a tree: by module, by kind, or by dtype. */
import type { ReportDocument } from "../../document/document";
import type { Getter } from "../../document/table";

export interface Part {
    id: number;
    program: number;
    /** constant, state, delegate_weight, ... */
    part: string;
    content: string | null;
    name: string | null;
    module: string | null;
    backend: string | null;
    dtype: string | null;
    shape: string | null;
    bytes: number;
    users: number;
    method: string | null;
    delegate: number | null;
    handle: number | null;
    /** The part that has the same bytes, or null. */
    sameAs: number | null;
}

export type By = "module" | "part" | "dtype";

export interface Node {
    /** Names from the top, joined by "/": the same in every report of the same files. */
    path: string;
    title: string;
    bytes: number;
    /** Of these, in data that is there twice. */
    duplicateBytes: number;
    parent: Node | null;
    /** Largest first. */
    children: Node[];
    /** Null: it is a sum. */
    part: Part | null;
    /** Module path of a node by module. */
    module: string | null;
    /** Kind that most of its bytes have: its colour. */
    kind: string;
}

export function partsOf(document: ReportDocument): Part[] {
    const table = document.table("program_bytes");
    const number = (name: string): Getter<number> => table.number(name);
    const text = (name: string): Getter<string> => table.text(name);
    const [program, bytes, users] = [number("program"), number("bytes"), number("users")];
    const [delegate, handle] = [number("delegate"), number("debug_handle")];
    const sameAs = number("same_as");
    const [part, content, name] = [text("part"), text("content"), text("name")];
    const [module, backend, method] = [text("module"), text("backend"), text("method")];
    const [dtype, shape] = [text("dtype"), text("shape")];
    return Array.from({ length: table.rows }, (_, id) => ({
        id,
        program: program(id) ?? 0,
        part: part(id) ?? "other",
        content: content(id),
        name: name(id),
        module: module(id),
        backend: backend(id),
        dtype: dtype(id),
        shape: shape(id),
        bytes: bytes(id) ?? 0,
        users: users(id) ?? 0,
        method: method(id),
        delegate: delegate(id),
        handle: handle(id),
        sameAs: sameAs(id),
    }));
}

const KINDS = new Map([
    ["constant", "constants"],
    ["unused_constant", "constants that nothing reads"],
    ["state", "state"],
    ["named_data", "named data"],
    ["program", "program"],
    ["padding", "padding"],
    ["unused", "unused"],
    ["other", "other"],
    ["trailing", "behind the program"],
]);

/** As the terminal names them. */
export function kindOf(part: Part): string {
    const of =
        part.backend === null
            ? ""
            : ` ${part.part === "delegate_weight" ? "in" : "of"} ${part.backend}`;
    if (part.part === "delegate_weight") return `weights${of}`;
    if (part.part === "delegate_payload") return `payloads${of}`;
    return KINDS.get(part.part) ?? part.part;
}

export function titleOf(part: Part): string {
    if (part.name !== null) return part.name;
    const number =
        part.part === "delegate_payload" && part.delegate !== null ? ` ${part.delegate}` : "";
    const shape = part.shape === null ? "" : ` ${part.shape}`;
    return `${part.content ?? part.dtype ?? kindOf(part)}${number}${part.content === null ? shape : ""}`;
}

/** Names of the sums that a part is in, from the top. */
function placeOf(part: Part, by: By): string[] {
    if (by === "part") return [kindOf(part)];
    if (by === "dtype") return [part.dtype ?? `(no dtype) ${kindOf(part)}`];
    if (part.module === null) return ["(no module)", kindOf(part)];
    return part.module === "" ? ["(model)"] : part.module.split(".");
}

/** `programs`: names of the programs; several are the first level. */
export function treeOf(parts: readonly Part[], by: By, programs: readonly string[]): Node {
    const root = makeNode(null, programs.length === 1 ? (programs[0] ?? "program") : "programs");
    for (const part of parts) {
        let node = root;
        if (programs.length > 1) node = childOf(node, programs[part.program] ?? "program", null);
        const names = placeOf(part, by);
        const isModule = by === "module" && part.module !== null && part.module !== "";
        names.forEach((name, i) => {
            node = childOf(node, name, isModule ? names.slice(0, i + 1).join(".") : null);
        });
        const leaf = makeNode(node, titleOf(part), `${part.id}`);
        leaf.part = part;
        leaf.bytes = part.bytes;
        leaf.duplicateBytes = part.sameAs === null ? 0 : part.bytes;
        leaf.kind = kindOf(part);
        leaf.module = part.module;
        node.children.push(leaf);
    }
    addUp(root);
    return root;
}

function makeNode(parent: Node | null, title: string, name = title): Node {
    const path = parent === null ? "" : `${parent.path}/${name}`;
    return {
        path,
        title,
        bytes: 0,
        duplicateBytes: 0,
        parent,
        children: [],
        part: null,
        module: null,
        kind: "",
    };
}

/** The sum with that name; few are in one place, so that a walk finds it. */
function childOf(parent: Node, name: string, module: string | null): Node {
    const path = `${parent.path}/${name}`;
    const found = parent.children.find((child) => child.part === null && child.path === path);
    if (found !== undefined) return found;
    const made = makeNode(parent, name);
    made.module = module;
    /* a number says nothing without the list that it counts */
    if (module !== null && /^\d+$/.test(name)) made.title = `${parent.title}.${name}`;
    parent.children.push(made);
    return made;
}

function addUp(node: Node): Map<string, number> {
    if (node.part !== null) return new Map([[node.kind, node.bytes]]);
    const kinds = new Map<string, number>();
    for (const child of node.children) {
        for (const [kind, bytes] of addUp(child)) kinds.set(kind, (kinds.get(kind) ?? 0) + bytes);
        node.bytes += child.bytes;
        node.duplicateBytes += child.duplicateBytes;
    }
    node.children.sort((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1));
    node.kind = [...kinds].reduce((a, b) => (b[1] > a[1] ? b : a), ["", -1] as [string, number])[0];
    return kinds;
}

/** The node at a path, or null. */
export function nodeAt(root: Node, path: string): Node | null {
    if (root.path === path) return root;
    for (const child of root.children) {
        if (path === child.path || path.startsWith(`${child.path}/`)) {
            const found = nodeAt(child, path);
            if (found !== null) return found;
        }
    }
    return null;
}
