/** What the page is doing: waiting for files, reading them, or showing their report. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { filesOfChoice, filesOfDrop } from "./drops";
import { type Answer, bytesOf, type Dropped, Program, sizeOf, unpack } from "./program";
import { allOf, below, comparedWith, filesOf, type Sorted, sort } from "./sort";
import { type Column, Sql } from "./Sql";
import { Start } from "./Start";
import { bytesText, filesText } from "./texts";

interface Shown {
    address: string;
    name: string;
    files: Dropped[];
    sorted: Sorted;
    notes: string;
}

const REPORT = "report.html";
const partsOf = (name: string): HTMLElement[] => [
    ...document.querySelectorAll<HTMLElement>(`script.${name}`),
];
async function example(): Promise<Dropped[]> {
    const files: Dropped[] = [];
    for (const part of partsOf("example")) {
        const path = part.dataset["name"] ?? "";
        files.push({ path, file: new File([await unpack(part.textContent ?? "")], path) });
    }
    return files;
}

/** What `etscope open` put into the page: what it was asked for, and what lies beside that. */
function given(): { named: Dropped[]; all: Dropped[] } {
    const named: Dropped[] = [];
    const all: Dropped[] = [];
    for (const part of partsOf("given")) {
        const path = part.dataset["name"] ?? "";
        const dropped = { path, file: new File([bytesOf(part.textContent ?? "")], path) };
        all.push(dropped);
        if (part.dataset["beside"] === undefined) named.push(dropped);
        part.remove(); /* its text takes more than the file */
    }
    return { named, all };
}

/** What the command line says, without the name that a terminal needs. */
const sentence = (messages: string): string => messages.trim().replace(/^etscope: /gm, "");

function nameOf({ traces, programs, records }: Sorted): string {
    const path = [...traces, ...programs, ...records][0]?.path ?? "report";
    return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
}

export function App() {
    const program = useMemo(() => new Program(partsOf("program")[0]?.textContent ?? ""), []);
    const [busy, setBusy] = useState("");
    const [failure, setFailure] = useState("");
    const [shown, setShown] = useState<Shown | undefined>();
    const [isOver, setOver] = useState(false);
    const [columns, setColumns] = useState<Column[] | undefined>();
    const [compares, setCompares] = useState(true);
    const current = useRef(shown);
    current.current = shown;
    const isCompared = useRef(compares);
    isCompared.current = compares;

    async function report(files: Dropped[], sorted: Sorted, words: string[]): Promise<void> {
        const answer = await program.ask({
            words: ["report", ...words, "-o", REPORT],
            files,
            keep: REPORT,
        });
        const said = sentence(answer.messages);
        if (answer.kept === undefined) throw new Error(said || "no report was written");
        if (current.current !== undefined) URL.revokeObjectURL(current.current.address);
        const address = URL.createObjectURL(new Blob([answer.kept], { type: "text/html" }));
        const left = sorted.left.length;
        const notes = said.split("\n").filter((line) => !line.startsWith(`${REPORT}: `));
        if (left > 0)
            notes.push(`${filesText(left)} of folders left out: no command reads their kind`);
        setShown({ address, name: nameOf(sorted), files, sorted, notes: notes.join("\n").trim() });
    }

    /** A model of the trace that is shown; what was dropped under the same path is replaced. */
    async function add(before: Shown, files: Dropped[]): Promise<void> {
        const paths = new Set(files.map(({ path }) => path));
        const all = [...before.files.filter(({ path }) => !paths.has(path)), ...files];
        const sorted = await sort(all);
        await report(all, sorted, filesOf(sorted));
    }

    /** `all`: with what lies beside the files, which the program finds itself. */
    async function take(files: Dropped[], all = files): Promise<void> {
        if (files.length === 0) return;
        setFailure("");
        setBusy(`Reading ${filesText(files.length)}, ${bytesText(sizeOf(files))}`);
        try {
            const before = current.current;
            const sorted = await sort(files);
            if (before === undefined) await report(all, sorted, filesOf(sorted));
            else if (sorted.traces.length === 0) await add(before, files);
            else if (isCompared.current && before.sorted.traces.length > 0) {
                const now = below("after", sorted);
                const earlier = below("before", before.sorted);
                const words = comparedWith(now, earlier);
                await report([...allOf(now), ...allOf(earlier)], sorted, words);
                /* What was new is what the next drop is compared with, and what SQL asks. */
                setShown((is) => is && { ...is, files, sorted });
            } else await report(files, sorted, filesOf(sorted));
        } catch (error) {
            setFailure((error as Error).message);
        } finally {
            setBusy("");
        }
    }

    async function openSql(): Promise<void> {
        if (columns !== undefined) return setColumns(undefined);
        try {
            const { output } = await program.ask({
                words: ["sql", "--schema", "--format", "json"],
                files: [],
            });
            setColumns(JSON.parse(await output.text()).rows as Column[]);
        } catch (error) {
            setFailure((error as Error).message);
        }
    }

    function askSql(query: string): Promise<Answer> {
        const { files, sorted } = current.current as Shown;
        return program.ask({
            words: [
                "sql",
                ` ${query}`,
                /* no option, also with a comment first */ ...filesOf(sorted),
                "--format",
                "json",
            ],
            files,
        });
    }

    useEffect(() => {
        const { named, all } = given();
        void take(named, all);
    }, []);

    useEffect(() => {
        const over = (event: DragEvent) => {
            event.preventDefault();
            setOver(true);
        };
        const out = (event: DragEvent) => {
            if (event.relatedTarget === null) setOver(false);
        };
        const drop = (event: DragEvent) => {
            event.preventDefault();
            setOver(false);
            if (event.dataTransfer !== null) void filesOfDrop(event.dataTransfer).then(take);
        };
        /* Of the report in its frame, which is covered then (src/shell/framed.ts). */
        const tell = ({ data }: MessageEvent) => data === "etscope-drag" && setOver(true);
        addEventListener("dragover", over);
        addEventListener("dragleave", out);
        addEventListener("drop", drop);
        addEventListener("message", tell);
        return () => {
            removeEventListener("dragover", over);
            removeEventListener("dragleave", out);
            removeEventListener("drop", drop);
            removeEventListener("message", tell);
        };
    }, []);

    const choose = (list: FileList | null) => list !== null && void take(filesOfChoice(list));
    return (
        <>
            {shown === undefined ? (
                <Start choose={choose} example={() => void example().then(take)} isOver={isOver} />
            ) : (
                <div class="shown">
                    <header class="bar-of-files">
                        <strong>etscope</strong>
                        <label class="button">
                            Add or drop files
                            <input
                                type="file"
                                multiple
                                onChange={(e) => choose(e.currentTarget.files)}
                            />
                        </label>
                        <label>
                            <input
                                type="checkbox"
                                checked={compares}
                                onChange={(e) => setCompares(e.currentTarget.checked)}
                            />{" "}
                            compare with what is shown
                        </label>
                        <span class="space" />
                        <button aria-pressed={columns !== undefined} onClick={() => void openSql()}>
                            SQL
                        </button>
                        <a class="button" href={shown.address} download={`${shown.name}.html`}>
                            Save report
                        </a>
                        <button
                            onClick={() => {
                                URL.revokeObjectURL(shown.address);
                                setShown(undefined);
                                setColumns(undefined);
                                setFailure("");
                            }}
                        >
                            Close
                        </button>
                    </header>
                    {shown.notes !== "" && (
                        <details class="notes">
                            <summary>Notes of the program</summary>
                            <pre>{shown.notes}</pre>
                        </details>
                    )}
                    {columns !== undefined && <Sql ask={askSql} columns={columns} />}
                    <iframe
                        key={shown.address}
                        src={shown.address}
                        title={`Report of ${shown.name}`}
                    />
                    {isOver && <div class="veil">Drop to {compares ? "compare" : "read"}</div>}
                </div>
            )}
            {failure !== "" && (
                <div class="failure" role="alert">
                    <pre>{failure}</pre>
                    <button onClick={() => setFailure("")}>Close</button>
                </div>
            )}
            {busy !== "" && (
                <div class="busy" role="status">
                    <span>{busy} ...</span>
                    <button onClick={() => program.cancel()}>Cancel</button>
                </div>
            )}
        </>
    );
}
