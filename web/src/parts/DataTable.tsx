/** A sortable table of any length: rows out of sight are not in the document. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useParam } from "../state/page";
import { plural } from "../text/format";
import { CopyButton } from "./CopyButton";
import { type Copies, type CopyValue, toJson, toTsv } from "./copy";
import { type Key, useKeys } from "./keys";
import {
    nextSort,
    parseSort,
    ROW_HEIGHT,
    type SortValue,
    scrollTo,
    sorted,
    windowOf,
} from "./virtual";

export interface Column<Row> {
    /** Name in the address, and in copies where `copies` does not say others. */
    key: string;
    title: string;
    /** What the column means, for a pointer that rests on its title. */
    hint?: string;
    /** A length of CSS; "auto" takes what is left. */
    width: string;
    /** Its width where there is little room. */
    narrow?: string;
    align?: "left" | "right";
    /** What it is sorted and copied by; without, it is not sorted. */
    value?: (row: Row) => SortValue;
    /** What copies have of it instead of `value`. */
    copies?: Copies<Row>;
    /** Below this width of the table the column is hidden. */
    hideBelow?: number;
    cell: (row: Row) => ComponentChildren;
}

export interface TreeOf<Row> {
    level: (row: Row) => number;
    /** Null: it has nothing inside. */
    isOpen: (row: Row) => boolean | null;
    toggle: (row: Row) => void;
}

interface Props<Row> {
    /** Says what the rows are: "Operators". */
    label: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    rowKey: (row: Row) => string | number;
    /** Parameter of the address that holds the order. */
    sortParam?: string;
    /** Sorts otherwise than by flat order, such as siblings of a tree. */
    sort?: (value: (row: Row) => SortValue, descending: boolean) => readonly Row[];
    tree?: TreeOf<Row>;
    isSelected?: (row: Row) => boolean;
    isDim?: (row: Row) => boolean;
    /** `isWalk`: by the arrow keys. */
    onSelect?: (row: Row, isWalk: boolean) => void;
    onOpen?: (row: Row) => void;
    /** False: the arrow keys belong to another table of the view. */
    ownKeys?: boolean;
    /** Stands left of the copy buttons. */
    caption?: ComponentChildren;
}

/** Rows on paper; parts.css hides the others, since pages are counted before anything is rendered. */
const PRINTED = 20;

export function DataTable<Row>(props: Props<Row>) {
    const { columns, tree } = props;
    const [sortText, setSort] = useParam(props.sortParam ?? "sort");
    const order = parseSort(sortText);
    const sortColumn = columns.find((column) => column.key === order?.column && column.value);
    const rows = useMemo(() => {
        if (order === null || sortColumn?.value === undefined) return props.rows;
        return props.sort !== undefined
            ? props.sort(sortColumn.value, order.descending)
            : sorted(props.rows, sortColumn.value, order.descending);
    }, [props.rows, sortText, sortColumn?.key]);

    const id = useId();
    const scroller = useRef<HTMLDivElement>(null);
    const [view, setView] = useState({ top: 0, height: 800, width: 1200 });
    const measure = () => {
        const element = scroller.current;
        if (element === null) return;
        const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
        setView((old) =>
            old.top === top && old.height === height && old.width === width
                ? old
                : { top, height, width },
        );
    };
    useLayoutEffect(() => {
        measure();
        const observer = new ResizeObserver(measure);
        if (scroller.current !== null) observer.observe(scroller.current);
        return () => observer.disconnect();
    }, []);

    const selected = props.isSelected ? rows.findIndex(props.isSelected) : -1;
    const seen = useRef("");
    useEffect(() => {
        /* The details below a table take room from it. */
        const key =
            selected < 0 ? "" : `${props.rowKey(rows[selected] as Row)} ${sortText} ${view.height}`;
        const element = scroller.current;
        if (element !== null && selected >= 0 && key !== seen.current) {
            element.scrollTop = scrollTo(
                selected,
                element.scrollTop,
                element.clientHeight - ROW_HEIGHT,
            );
        }
        seen.current = key;
    });

    const go = (row: number) => {
        if (rows.length === 0) return;
        props.onSelect?.(rows[Math.max(0, Math.min(rows.length - 1, row))] as Row, true);
    };
    const move = (delta: number) =>
        go(selected < 0 ? (delta > 0 ? 0 : rows.length - 1) : selected + delta);
    const open = () => {
        const row = rows[selected];
        if (row === undefined) return;
        if (props.onOpen) props.onOpen(row);
        else tree?.toggle(row);
    };
    /* As in trees everywhere: right opens, then goes in; left closes, then goes out. */
    const fold = (wanted: boolean) => {
        const row = rows[selected];
        if (row === undefined || tree === undefined) return;
        const level = tree.level(row);
        if (tree.isOpen(row) === !wanted) tree.toggle(row);
        else if (wanted && tree.isOpen(row)) go(selected + 1);
        else if (!wanted && level > 0) {
            let above = selected - 1;
            while (above >= 0 && tree.level(rows[above] as Row) >= level) above--;
            if (above >= 0) go(above);
        }
    };
    const keys: Key[] = [
        { keys: ["j", "ArrowDown"], label: "next row", run: () => move(1) },
        { keys: ["k", "ArrowUp"], label: "previous row", run: () => move(-1) },
        {
            keys: ["PageDown"],
            label: "a page down",
            run: () => move(Math.floor(view.height / ROW_HEIGHT)),
        },
        {
            keys: ["PageUp"],
            label: "a page up",
            run: () => move(-Math.floor(view.height / ROW_HEIGHT)),
        },
        { keys: ["Home"], label: "first row", run: () => go(0) },
        { keys: ["End"], label: "last row", run: () => go(rows.length - 1) },
        { keys: ["Enter"], label: tree ? "open or close the row" : "open the row", run: open },
        ...(tree
            ? [
                  {
                      keys: ["ArrowRight"],
                      label: "open the row, or go into it",
                      run: () => fold(true),
                  },
                  {
                      keys: ["ArrowLeft"],
                      label: "close the row, or go out of it",
                      run: () => fold(false),
                  },
              ]
            : []),
    ];
    useKeys(props.label, props.ownKeys === false ? [] : keys);

    const isNarrow = view.width < NARROW;
    const shownColumns = columns.filter((column) => view.width >= (column.hideBelow ?? 0));
    const staying = shownColumns[0]?.width === "auto" ? 0 : -1;
    const { first, end } = windowOf(rows.length, view.top, view.height);
    const copied = Object.entries(Object.assign({}, ...columns.map(copiesOf)) as Copies<Row>);
    const names = copied.map(([name]) => name);
    const copyRows = (): CopyValue[][] => rows.map((row) => copied.map(([, of]) => of(row)));
    const widths = useMemo(
        () => new Map(columns.map((column) => [column.key, widthOf(column, rows)])),
        [rows, columns.map((column) => column.key + column.title).join("\t")],
    );
    const roomOf = ({ key, narrow }: Column<Row>) =>
        (isNarrow ? narrow : undefined) ?? widths.get(key) ?? "auto";
    const least = `calc(${shownColumns
        .map(roomOf)
        .map((width) => (width === "auto" ? NAMES_WIDTH : width))
        .join(" + ")})`;
    const spacer = (count: number, key: string) =>
        count > 0 ? (
            <tr key={key} aria-hidden="true" style={{ height: `${count * ROW_HEIGHT}px` }} />
        ) : null;

    return (
        <div class="data-table" data-narrow={isNarrow ? "" : undefined}>
            <div class="table-tools">
                <div>{props.caption}</div>
                <span class="copies">
                    <CopyButton
                        text={() => toTsv(names, copyRows())}
                        title="Copy the rows for a spreadsheet"
                    >
                        Copy TSV
                    </CopyButton>
                    <CopyButton
                        text={() => toJson(names, copyRows())}
                        title="Copy the rows as JSON"
                    >
                        Copy JSON
                    </CopyButton>
                </span>
            </div>
            <div class="scroller" ref={scroller} onScroll={measure}>
                <table
                    role={tree ? "treegrid" : "grid"}
                    style={{ minWidth: least }}
                    tabIndex={0}
                    aria-label={props.label}
                    aria-rowcount={rows.length + 1}
                    aria-activedescendant={
                        selected >= first && selected < end ? `${id}-${selected}` : undefined
                    }
                >
                    <colgroup>
                        {shownColumns.map((column) => (
                            <col key={column.key} style={{ width: roomOf(column) }} />
                        ))}
                    </colgroup>
                    <thead>
                        <tr aria-rowindex={1}>
                            {shownColumns.map((column, c) => (
                                <Header
                                    key={column.key}
                                    column={column}
                                    stays={c === staying}
                                    direction={
                                        order?.column === column.key
                                            ? order.descending
                                                ? "descending"
                                                : "ascending"
                                            : "none"
                                    }
                                    onSort={() => {
                                        const sample = rows
                                            .map((row) => column.value?.(row) ?? null)
                                            .find((v) => v !== null);
                                        setSort(
                                            nextSort(order, column.key, typeof sample === "number"),
                                        );
                                    }}
                                />
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {spacer(first, "before")}
                        {rows.slice(first, end).map((row, i) => (
                            <tr
                                key={props.rowKey(row)}
                                id={`${id}-${first + i}`}
                                aria-rowindex={first + i + 2}
                                aria-level={tree ? tree.level(row) + 1 : undefined}
                                aria-expanded={tree?.isOpen(row) ?? undefined}
                                aria-selected={first + i === selected}
                                class={props.isDim?.(row) ? "dim" : undefined}
                                onClick={() => props.onSelect?.(row, false)}
                                onDblClick={() => props.onOpen?.(row)}
                            >
                                {shownColumns.map((column, c) => (
                                    <td key={column.key} class={classOf(column, c === staying)}>
                                        {tree && c === treeColumn(shownColumns) ? (
                                            <TreeCell row={row} tree={tree}>
                                                {column.cell(row)}
                                            </TreeCell>
                                        ) : (
                                            column.cell(row)
                                        )}
                                    </td>
                                ))}
                            </tr>
                        ))}
                        {spacer(rows.length - end, "behind")}
                    </tbody>
                </table>
                {rows.length > PRINTED && (
                    <p class="none printed">
                        {PRINTED} of {plural(rows.length, "row")}.
                    </p>
                )}
                {rows.length === 0 && <p class="none">No rows.</p>}
            </div>
        </div>
    );
}

function copiesOf<Row>(column: Column<Row>): Copies<Row> {
    const { key, value } = column;
    return column.copies ?? (value === undefined ? {} : { [key]: (row) => value(row) ?? null });
}

/** So wide is a table on a phone. */
const NARROW = 560;

/** What a column of names has at least; below that the table scrolls sideways, the names stay. */
const NAMES_WIDTH = "148px";

/** Rows whose numbers are measured; more would be slow, and their sizes repeat. */
const MEASURED = 2000;

/** A number is never cut: its column is as wide as the longest. */
function widthOf<Row>(column: Column<Row>, rows: readonly Row[]): string {
    if (column.align !== "right") return column.width;
    let longest = 0;
    for (const row of rows.slice(0, MEASURED)) {
        longest = Math.max(longest, figuresOf(textOf(column.cell(row))));
    }
    return `max(${column.width}, ${longest}ch + 18px)`;
}

/** Its length in figures: signs and letters may be wider. */
const figuresOf = (text: string): number => text.length + text.replace(/[\d.,]/g, "").length * 0.5;

/** The text of a cell, without that of components. */
function textOf(cell: ComponentChildren): string {
    if (typeof cell === "string" || typeof cell === "number") return String(cell);
    if (Array.isArray(cell)) return cell.map(textOf).join("");
    if (cell === null || typeof cell !== "object" || !("props" in cell)) return "";
    return textOf((cell.props as { children?: ComponentChildren }).children);
}

/** A first column of names stays while the others scroll. */
const classOf = <Row,>(column: Column<Row>, stays: boolean): string | undefined =>
    column.align === "right" ? "right" : stays ? "stays" : undefined;

/** The first column that takes what is left holds the names. */
function treeColumn<Row>(columns: readonly Column<Row>[]): number {
    return Math.max(
        0,
        columns.findIndex((column) => column.width === "auto"),
    );
}

function TreeCell<Row>(props: { row: Row; tree: TreeOf<Row>; children: ComponentChildren }) {
    const { row, tree } = props;
    const isOpen = tree.isOpen(row);
    return (
        <span class="tree-cell" style={{ "--level": tree.level(row) }}>
            {isOpen === null ? (
                <span class="twist" />
            ) : (
                <button
                    type="button"
                    class="twist"
                    tabIndex={-1}
                    aria-label={isOpen ? "close" : "open"}
                    onClick={(event) => {
                        event.stopPropagation();
                        tree.toggle(row);
                    }}
                >
                    {isOpen ? "▾" : "▸"}
                </button>
            )}
            {props.children}
        </span>
    );
}

function Header<Row>(props: {
    column: Column<Row>;
    stays: boolean;
    direction: "ascending" | "descending" | "none";
    onSort: () => void;
}) {
    const { column, direction } = props;
    const mark = direction === "none" ? "" : direction === "ascending" ? " ▴" : " ▾";
    return (
        <th
            scope="col"
            class={classOf(column, props.stays)}
            aria-sort={column.value ? direction : undefined}
        >
            {column.value ? (
                <button type="button" onClick={props.onSort} title={column.hint}>
                    {column.title}
                    {mark}
                </button>
            ) : (
                <span title={column.hint}>{column.title}</span>
            )}
        </th>
    );
}
