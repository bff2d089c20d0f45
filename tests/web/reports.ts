/** Reports of recorded traces, and a browser that opens them and keeps what went wrong. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import {
    encodeEvents,
    encodePage,
    encodeTables,
    type Tables,
    type Type,
    type Value,
} from "./encode";

const { WEB = "", DATA = "", REPORTS = "", ETSCOPE = "", CHROMIUM = "" } = process.env;
const load = createRequire(join(WEB, "package.json"));

export const data = (name: string): string => join(DATA, name);

export function etscope(...words: string[]): string {
    return execFileSync(ETSCOPE, words, {
        encoding: "utf8",
        maxBuffer: 1e9,
        stdio: ["ignore", "pipe", "ignore"],
    });
}

export function jsonRows(...words: string[]): Record<string, unknown>[] {
    return JSON.parse(etscope(...words, "--format", "json")).rows;
}

/** Files of a folder of tests/data as the options of `inspect`. */
export function filesOf(folder: string): string[] {
    const optional: [string, string][] = [
        ["--etrecord", "model.etrecord"],
        ["--program", "model.pte"],
    ];
    const words = [data(`${folder}/profile.etdp`)];
    for (const [option, name] of optional) {
        if (existsSync(data(`${folder}/${name}`))) words.push(option, data(`${folder}/${name}`));
    }
    return words;
}

const asset = (name: string): string =>
    readFileSync(join(WEB, "../src/output/page/assets", name), "utf8");

/** What a test of its own puts beside its tables. */
interface Parts {
    head?: object;
    types?: Record<string, Type>;
    /** Matrices of blocks, and their bytes. */
    events?: { head: object; bytes: Buffer }[];
}

/** Writes the page around tables of a test's own. */
export function writePage(name: string, tables: Tables, parts: Parts = {}): string {
    const { heads, sections } = encodeTables(tables, parts.types);
    const events = parts.events ?? [];
    if (events.length > 0) {
        sections.set("etscope-events", Buffer.concat(events.map(({ bytes }) => bytes)));
    }
    const head = {
        format: "etscope-report",
        version: 1,
        writer: "etscope 0.1.0",
        fingerprint: "0123456789abcdef",
        title: name,
        headline: [],
        findings: [],
        trust: [],
        inputs: [],
        missing: [],
        ...parts.head,
        tables: heads,
        events: events.map((block) => block.head),
    };
    mkdirSync(REPORTS, { recursive: true });
    const path = join(REPORTS, `${name}.html`);
    const script = asset("report.js");
    const style = asset("report.css");
    writeFileSync(path, encodePage({ head, sections, script, style }));
    return path;
}

/** The report of a folder of tests/data. */
export function reportOf(folder: string): string {
    const files = filesOf(folder);
    const paths = files.filter((word) => !word.startsWith("--"));
    const types = sqlTypes();
    const tables: Tables = {};
    for (const name of TABLES) {
        const rows = jsonRows("sql", `select * from ${name}`, ...paths);
        if (rows.length > 0) tables[name] = columnsOf(rows);
    }
    tables.lines = linesOf(files);
    const finding = {
        kind: "slowest",
        severity: "note",
        share: 0.5,
        sentence: "the slowest operator",
        view: "operators",
        select: "operator:2",
    };
    const head = { headline: ["forward takes a while"], findings: [finding] };
    return writePage(folder, tables, { head, types, events: matricesOf(paths) });
}

/** The report of a folder of tests/data as etscope writes it; `files` replaces its files. */
export function writtenReport(folder: string, files = filesOf(folder)): string {
    mkdirSync(REPORTS, { recursive: true });
    const path = join(REPORTS, `written-${folder}-${files.length}.html`);
    etscope("report", ...files, "-o", path);
    return path;
}

const TABLES = [
    "traces",
    "blocks",
    "runs",
    "operators",
    "operator_nodes",
    "nodes",
    "programs",
    "instructions",
    "program_tensors",
    "memory_arenas",
    "memory_tensors",
    "memory_steps",
    "held_memory",
    "temporary_memory",
    "process_memory",
    "allocations",
    "program_bytes",
];

const columnsOf = (rows: Record<string, unknown>[]): Record<string, Value[]> =>
    Object.fromEntries(
        Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name] as Value)]),
    );

/** Times of lines: those of `annotate`. */
function linesOf(files: string[]): Record<string, Value[]> {
    const rows = jsonRows("annotate", ...files).map((row) => ({
        block: row.block_index,
        file: row.file,
        line: row.line,
        function: row.function,
        code: row.code,
        mid: row.mid_ns,
        mid_upper: row.mid_ns_upper,
        share: row.share,
        share_upper: row.share_upper,
        calls: row.calls,
        written_bytes: row.written_bytes,
    }));
    return columnsOf(rows);
}

interface LoggedEvent {
    id: number;
    run: number;
    operator: number | null;
    parent: number | null;
    start: number;
    end: number;
    block: number;
}

/** Events of each block: the sequence of its first run, and the times of all. */
function matricesOf(paths: string[]) {
    const query =
        "select e.id, e.run, e.operator, e.parent, start_ticks as start, end_ticks as end, r.block " +
        "from events e join runs r on r.id = e.run where e.kind = 'profile'";
    const blocks = new Map<number, Map<number, LoggedEvent[]>>();
    for (const event of jsonRows("sql", query, ...paths) as unknown as LoggedEvent[]) {
        const runs = blocks.get(event.block) ?? new Map<number, LoggedEvent[]>();
        blocks.set(event.block, runs);
        runs.set(event.run, [...(runs.get(event.run) ?? []), event]);
    }
    return [...blocks].map(([block, runs]) => {
        const sequences = [...runs].sort(([a], [b]) => a - b).map(([, events]) => inOrder(events));
        return encodeBlock(block, sequences);
    });
}

/** In order of start, what encloses others before them. */
function inOrder(events: LoggedEvent[]): LoggedEvent[] {
    const byId = new Map(events.map((event) => [event.id, event]));
    const depth = (event: LoggedEvent | undefined): number =>
        event === undefined ? -1 : 1 + depth(byId.get(event.parent ?? -1));
    return [...events].sort((a, b) => a.start - b.start || depth(a) - depth(b) || a.id - b.id);
}

function encodeBlock(block: number, sequences: LoggedEvent[][]) {
    const first = sequences[0] as LoggedEvent[];
    const position = new Map(first.map((event, i) => [event.id, i]));
    const parent = first.map((event) => position.get(event.parent ?? -1) ?? -1);
    const gaps: number[][] = first.map(() => []);
    const durations: number[][] = first.map(() => []);
    for (const events of sequences) {
        const lastEnd = new Map<number, number>();
        const runStart = (events[0] as LoggedEvent).start;
        events.forEach(({ start, end }, i) => {
            const above = parent[i] as number;
            const enclosing = above < 0 ? runStart : (events[above] as LoggedEvent).start;
            gaps[i]?.push(start - (lastEnd.get(above) ?? enclosing));
            durations[i]?.push(end - start);
            lastEnd.set(above, end);
        });
    }
    const operator = first.map((event) => event.operator ?? -1);
    const begin = (first[0] as LoggedEvent).start;
    const runStart = sequences.map((events) => (events[0] as LoggedEvent).start - begin);
    const bytes = encodeEvents({ operator, parent, runStart, gaps, durations });
    const head = { block, positions: first.length, runs: sequences.length, bytes: bytes.length };
    return { head, bytes };
}

function sqlTypes(): Record<string, Type> {
    const types: Record<string, Type> = {};
    let table = "";
    for (const line of etscope("sql", "--schema").split("\n")) {
        table = /^(\w+) \((?:table|view)\)/.exec(line)?.[1] ?? table;
        const column = /^(\w+)\s+(INTEGER|TEXT|REAL)\b/.exec(line);
        if (column !== null) types[`${table}.${column[1]}`] = column[2]?.toLowerCase() as Type;
    }
    return types;
}

export async function launch(): Promise<Browser> {
    const { chromium } = load("playwright-core") as typeof import("playwright-core");
    return chromium.launch({
        executablePath: CHROMIUM,
        args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
}

export interface Opened {
    page: Page;
    /** Errors of the console and the page, violations of its policy, requests to elsewhere. */
    faults: string[];
}

/** Opens a page of this machine, and waits until it is alive. */
export async function open(browser: Browser, path: string, hash = ""): Promise<Opened> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(10_000);
    const faults: string[] = [];
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error.stack)));
    page.on("request", (request) => {
        if (!/^(file|blob|data):/.test(request.url())) faults.push(`request ${request.url()}`);
    });
    await page.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) => {
            console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
        });
    });
    await page.goto(`file://${path}${hash}`);
    await page.waitForSelector(".alive");
    return { page, faults };
}

/** Goes to another address of an open page, as a link does, and waits until it is drawn. */
export async function goTo(page: Page, hash: string): Promise<void> {
    const view = /^#1\/([a-z]+)/.exec(hash)?.[1] ?? "";
    await page.evaluate((to) => {
        location.hash = to;
    }, hash);
    await page.waitForSelector(`.view-${view} > *`);
}

/** What axe finds that is serious, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
    const source = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(source);
    return page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof import("axe-core") };
        const { violations } = await axe.run();
        return violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
    });
}
