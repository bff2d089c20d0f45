/** Questions in SQL to the files that were dropped, with the names of tables and columns completed. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer } from "./program";

export interface Column {
    table: string;
    column: string;
    meaning: string;
}

type Row = Record<string, unknown>;
const MOST_ROWS = 1000;
const FIRST = "SELECT name, calls, p50, p50_upper FROM operators ORDER BY p50 DESC LIMIT 10";

/** The word before the cursor, and what it may become. */
export function complete(text: string, at: number, columns: Column[]): [string, string[]] {
    const word = /[A-Za-z_][A-Za-z0-9_]*$/.exec(text.slice(0, at))?.[0] ?? "";
    if (word === "") return ["", []];
    const names = new Set<string>();
    for (const { table } of columns) names.add(table);
    /* Columns of the tables that the question names, or else of all. */
    const used = columns.filter(({ table }) => new RegExp(`\\b${table}\\b`).test(text));
    for (const { column } of used.length > 0 ? used : columns) names.add(column);
    const start = word.toLowerCase();
    const fitting = [...names].filter(
        (name) => name.toLowerCase().startsWith(start) && name !== word,
    );
    return [word, fitting.slice(0, 12)];
}

function Cells({ rows }: { rows: Row[] }) {
    const titles = Object.keys(rows[0] ?? {});
    return (
        <div class="sql-rows" tabIndex={0} role="region" aria-label="Result">
            <table>
                <thead>
                    <tr>
                        {titles.map((title) => (
                            <th key={title}>{title}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {rows.slice(0, MOST_ROWS).map((row, i) => (
                        <tr key={i}>
                            {titles.map((title) => (
                                <td key={title} data-number={typeof row[title] === "number"}>
                                    <bdi>{row[title] === null ? "" : String(row[title])}</bdi>
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function Sql({
    ask,
    columns,
}: {
    ask: (query: string) => Promise<Answer>;
    columns: Column[];
}) {
    const [text, setText] = useState(FIRST);
    const [at, setAt] = useState(0);
    const [rows, setRows] = useState<Row[] | undefined>();
    const [said, setSaid] = useState("");
    const field = useRef<HTMLTextAreaElement>(null);
    const [word, names] = complete(text, at, columns);

    useEffect(() => field.current?.focus(), []);
    function take(name: string): void {
        const next = text.slice(0, at - word.length) + name + text.slice(at);
        const end = at - word.length + name.length;
        setText(next);
        setAt(end);
        requestAnimationFrame(() => {
            field.current?.focus();
            field.current?.setSelectionRange(end, end);
        });
    }
    async function answer(): Promise<void> {
        setSaid("asking ...");
        try {
            const { code, output, messages } = await ask(text);
            if (code !== 0) {
                setRows(undefined);
                setSaid(messages.trim().replace(/^etscope: /gm, ""));
                return;
            }
            const found = JSON.parse(await output.text()).rows as Row[];
            setRows(found);
            const more = found.length > MOST_ROWS ? `; the first ${MOST_ROWS} are shown` : "";
            setSaid(`${found.length === 1 ? "1 row" : `${found.length} rows`}${more}`);
        } catch (error) {
            setRows(undefined);
            setSaid((error as Error).message);
        }
    }
    function key(event: KeyboardEvent): void {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void answer();
        } else if (event.key === "Tab" && names[0] !== undefined && !event.shiftKey) {
            event.preventDefault();
            take(names[0]);
        }
    }
    const moved = (event: Event) =>
        setAt((event.currentTarget as HTMLTextAreaElement).selectionStart);
    return (
        <section class="sql" aria-label="SQL">
            <textarea
                ref={field}
                aria-label="Question in SQL"
                spellcheck={false}
                rows={3}
                value={text}
                onInput={(event) => {
                    setText(event.currentTarget.value);
                    moved(event);
                }}
                onKeyUp={moved}
                onClick={moved}
                onKeyDown={key}
            />
            <div class="sql-names" aria-label="Names that fit">
                {names.map((name, i) => (
                    <button key={name} class="quiet" onClick={() => take(name)}>
                        <code>{name}</code>
                        {i === 0 ? " (Tab)" : ""}
                    </button>
                ))}
            </div>
            <p class="sql-line">
                <button class="main" onClick={() => void answer()}>
                    Ask
                </button>{" "}
                <span class="muted">Ctrl-Enter asks. Times are in nanoseconds.</span>{" "}
                <span role="status">{said}</span>
            </p>
            {rows !== undefined && rows.length > 0 && <Cells rows={rows} />}
        </section>
    );
}
