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

interface Opened<Row> {
    isOpen: (row: Row) => boolean;
    toggle: (row: Row) => void;
    /** By key: another one after each that was opened or closed. */
    decided: ReadonlyMap<string | number, boolean>;
}

/** What was opened or closed by hand stays so, whatever `atFirst` comes to say of it. */
export function useOpened<Row extends { key: string | number }>(
    atFirst: (row: Row) => boolean,
): Opened<Row> {
    const [decided, setDecided] = useState<Opened<Row>["decided"]>(new Map());
    const isOpen = (row: Row) => decided.get(row.key) ?? atFirst(row);
    const toggle = (row: Row) =>
        setDecided((old) => {
            const next = new Map(old);
            const isOpened = !(old.get(row.key) ?? atFirst(row));
            /* Back to what it would be: nothing is left to remember. */
            if (isOpened === atFirst(row)) next.delete(row.key);
            else next.set(row.key, isOpened);
            return next;
        });
    return { isOpen, toggle, decided };
}

/** `atFirst`: whether a row is open until it is toggled. */
export function useOpenTree<Row extends Branch<Row>>(
    roots: readonly Row[],
    atFirst: (row: Row, level: number) => boolean,
): OpenTree<Row> {
    const levels = useMemo(() => levelsOf(roots), [roots]);
    const level = (row: Row): number => levels.get(row) ?? 0;
    const opened = useOpened<Row>((row) => atFirst(row, level(row)));
    const isOpen = (row: Row): boolean | null =>
        row.children.length === 0 ? null : opened.isOpen(row);
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
    const rows = useMemo(() => list((siblings) => siblings), [roots, opened.decided]);
    return {
        rows,
        sort: (value, descending) => list((siblings) => sorted(siblings, value, descending)),
        tree: { level, isOpen, toggle: opened.toggle },
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
