/** Rows of a tree in a table: which are open, and the list of those that are seen. */
import { useMemo, useState } from "preact/hooks";
import type { TreeOf } from "./DataTable";
import { type SortValue, sorted } from "./virtual";

interface Branch<Row> {
    key: string | number;
    children: readonly Row[];
}

export interface OpenTree<Row> {
    rows: readonly Row[];
    sort: (value: (row: Row) => SortValue, descending: boolean) => readonly Row[];
    tree: TreeOf<Row>;
}

/** `atFirst`: whether a row is open until it is toggled. */
export function useOpenTree<Row extends Branch<Row>>(
    roots: readonly Row[],
    atFirst: (row: Row, level: number) => boolean,
): OpenTree<Row> {
    const [toggled, setToggled] = useState<ReadonlySet<string | number>>(new Set());
    const levels = useMemo(() => levelsOf(roots), [roots]);
    const level = (row: Row): number => levels.get(row) ?? 0;
    const isOpen = (row: Row): boolean | null =>
        row.children.length === 0 ? null : toggled.has(row.key) !== atFirst(row, level(row));
    const list = (order: (siblings: readonly Row[]) => readonly Row[]): Row[] => {
        const found: Row[] = [];
        const add = (siblings: readonly Row[]) => {
            for (const row of order(siblings)) {
                found.push(row);
                if (isOpen(row) === true) add(row.children);
            }
        };
        add(roots);
        return found;
    };
    const rows = useMemo(() => list((siblings) => siblings), [roots, toggled]);
    const toggle = (row: Row) =>
        setToggled((old) => {
            const next = new Set(old);
            if (!next.delete(row.key)) next.add(row.key);
            return next;
        });
    return {
        rows,
        sort: (value, descending) => list((siblings) => sorted(siblings, value, descending)),
        tree: { level, isOpen, toggle },
    };
}

function levelsOf<Row extends Branch<Row>>(roots: readonly Row[]): Map<Row, number> {
    const levels = new Map<Row, number>();
    const visit = (rows: readonly Row[], level: number) => {
        for (const row of rows) {
            levels.set(row, level);
            visit(row.children, level + 1);
        }
    };
    visit(roots, 0);
    return levels;
}
