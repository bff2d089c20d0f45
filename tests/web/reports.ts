/** Reports of recorded traces, and a browser that opens them and keeps what went wrong. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { encodePage, encodeTables, type Tables, type Type } from "./encode";

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

/** Writes the page around tables of a test's own. */
export function writePage(
    name: string,
    tables: Tables,
    head: object,
    types: Record<string, Type> = {},
): string {
    const { heads, sections } = encodeTables(tables, types);
    const whole = {
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
        ...head,
        tables: heads,
    };
    mkdirSync(REPORTS, { recursive: true });
    const path = join(REPORTS, `${name}.html`);
    const script = asset("report.js");
    const style = asset("report.css");
    writeFileSync(path, encodePage({ head: whole, sections, script, style }));
    return path;
}

/** The report of a folder of tests/data. */
export function reportOf(folder: string): string {
    const files = filesOf(folder).filter((word) => !word.startsWith("--"));
    const types = sqlTypes();
    const tables: Tables = {};
    for (const name of new Set(Object.keys(types).map((key) => key.split(".")[0] as string))) {
        if (!TABLES.has(name)) continue;
        const rows = jsonRows("sql", `select * from ${name}`, ...files);
        const columns = Object.keys(rows[0] ?? {});
        if (rows.length === 0) continue;
        tables[name] = Object.fromEntries(
            columns.map((column) => [
                column,
                rows.map((row) => row[column] as string | number | null),
            ]),
        );
    }
    const finding = {
        kind: "slowest",
        severity: "note",
        share: 0.5,
        sentence: "the slowest operator",
        view: "operators",
        select: "operator:2",
    };
    return writePage(
        folder,
        tables,
        { headline: ["forward takes a while"], findings: [finding] },
        types,
    );
}

const TABLES = new Set(["traces", "blocks", "runs", "operators", "operator_nodes", "nodes"]);

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
