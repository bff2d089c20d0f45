/** From a selection to the operators that belong to it: select once, see everywhere. */
import type { ReportDocument } from "../document/document";
import type { Getter } from "../document/table";
import type { Operators } from "./operators";
import type { Selection } from "./selection";

type Index = Map<string | number, number[]>;

/** Each index is built when it is first asked for. */
export class Joins {
    private readonly byLine = once(() => this.indexOf(this.operators.source));
    private readonly byCaller = once(() => this.indexOfCallers());
    private readonly byModule = once(() => this.indexOf(this.operators.module));
    private readonly byNode = once(() => this.indexOfLinks((node, id) => [node, id]));
    private readonly nodesOf = once(() => this.indexOfLinks((node, id) => [id, node]));

    constructor(
        private readonly document: ReportDocument,
        private readonly operators: Operators,
    ) {}

    /** Operators of a selection; null: nothing is selected that has operators. */
    operatorsOf(selection: Selection | null): ReadonlySet<number> | null {
        switch (selection?.kind) {
            case "operator":
                return new Set(this.operators.withInside(selection.id));
            case "operators":
                return new Set(selection.ids.flatMap((id) => [...this.operators.withInside(id)]));
            case "line":
                return new Set(this.operatorsOfLine(selection.name));
            case "module":
                return this.operatorsOfModule(selection.name);
            case "node":
                return new Set(this.byNode().get(selection.id));
            default:
                return null;
        }
    }

    /** Of a line that only calls others, theirs. */
    operatorsOfLine(line: string): readonly number[] {
        const own = this.operatorsAtLine(line);
        return own.length > 0 ? own : this.operatorsBelowLine(line);
    }

    operatorsAtLine(line: string): readonly number[] {
        return this.byLine().get(line) ?? [];
    }

    /** With what it calls, as table `stacks` tells. */
    operatorsBelowLine(line: string): readonly number[] {
        return this.byCaller().get(line) ?? [];
    }

    linesOfOperator(id: number): readonly string[] {
        return listOf(this.operators.source(id));
    }

    /** Of the module and its submodules. */
    operatorsOfModule(name: string): Set<number> {
        const found = new Set<number>();
        for (const [module, ids] of this.byModule()) {
            if (module === name || String(module).startsWith(`${name}.`)) {
                for (const id of ids) found.add(id);
            }
        }
        return found;
    }

    nodesOfOperator(id: number): readonly number[] {
        return this.nodesOf().get(id) ?? [];
    }

    private indexOf(placesOf: Getter<string>): Index {
        const index: Index = new Map();
        for (const ids of this.operators.order.values()) {
            for (const id of ids) {
                for (const place of listOf(placesOf(id))) add(index, place, id);
            }
        }
        return index;
    }

    /** By the lines of table `stacks` that an operator was called from. */
    private indexOfCallers(): Index {
        const index: Index = new Map();
        const stacks = this.document.table("stacks");
        const [parent, file, line] = [
            stacks.number("parent"),
            stacks.text("file"),
            stacks.number("line"),
        ];
        for (const ids of this.operators.order.values()) {
            for (const id of ids) {
                let row = this.operators.stack(id);
                while (row !== null && row < stacks.rows) {
                    if (file(row) !== null) add(index, `${file(row)}:${line(row)}`, id);
                    const above: number | null = parent(row);
                    row = above !== null && above < row ? above : null; /* no rings */
                }
            }
        }
        return index;
    }

    private indexOfLinks(entry: (node: number, id: number) => [number, number]): Index {
        const index: Index = new Map();
        const links = this.document.table("operator_nodes");
        const operator = links.number("operator");
        const node = links.number("node");
        for (let i = 0; i < links.rows; i++) {
            const id = this.operators.shown(operator(i) as number);
            if (id !== null) add(index, ...entry(node(i) as number, id));
        }
        return index;
    }
}

function once<T>(make: () => T): () => T {
    let made: T | undefined;
    return () => (made ??= make());
}

/** "a.py:1, b.py:2" of the tables. */
export function listOf(text: string | null): string[] {
    return text === null || text === "" ? [] : text.split(", ");
}

function add(index: Index, key: string | number, value: number): void {
    const list = index.get(key);
    if (list === undefined) index.set(key, [value]);
    else if (list[list.length - 1] !== value) list.push(value);
}
