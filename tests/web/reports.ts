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

/** The report of one folder of tests/data compared with others, as etscope writes it. */
export function comparedReport(folder: string, ...before: string[]): string {
    mkdirSync(REPORTS, { recursive: true });
    const path = join(REPORTS, `compared-${folder}-${before.length}.html`);
    const of = (option: string, name: string): string[] =>
        [folder, ...before].flatMap((each) => [option, data(`${each}/${name}`)]);
    const traces = before.flatMap((each) => ["--before", data(`${each}/profile.etdp`)]);
    const models = [...of("--etrecord", "model.etrecord"), ...of("--program", "model.pte")];
    etscope("report", data(`${folder}/profile.etdp`), ...traces, ...models, "-o", path);
    return path;
}

/** The report of a folder of tests/data as etscope writes it; `files` replaces its files. */
export function reportOf(folder: string, files = filesOf(folder)): string {
    mkdirSync(REPORTS, { recursive: true });
    const path = join(REPORTS, `${folder}-${files.length}.html`);
    etscope("report", ...files, "-o", path);
    return path;
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
        new MutationObserver(() => {
            if (document.documentElement?.classList.contains("alive"))
                performance.mark("alive", { startTime: performance.now() });
        }).observe(document, { attributes: true, subtree: true, attributeFilter: ["class"] });
        document.addEventListener("securitypolicyviolation", (event) => {
            console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
        });
    });
    await page.goto(`file://${path}${hash}`);
    await page.waitForSelector(".alive");
    return { page, faults };
}

/** Milliseconds from navigation to the first paint and until the page answers. */
export function openingTimes(page: Page): Promise<{ paint: number; alive: number }> {
    return page.evaluate(() => {
        const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? NaN;
        return {
            paint: Math.round(at("first-contentful-paint")),
            alive: Math.round(at("alive")),
        };
    });
}

/** Goes to another address of an open page, as a link does, and waits until it is drawn. */
export async function goTo(page: Page, hash: string): Promise<void> {
    const view = /^#1\/([a-z]+)/.exec(hash)?.[1] ?? "";
    await page.evaluate((to) => {
        location.hash = to;
    }, hash);
    await page.waitForSelector(`.view-${view} > *`);
}

/** Texts of numbers that a table cuts off. */
export const cutNumbers = (page: Page): Promise<(string | null)[]> =>
    page
        .locator("td.right, .share .number, .measured .number")
        .evaluateAll((cells) =>
            cells
                .filter((cell) => cell.scrollWidth > cell.clientWidth)
                .map((cell) => cell.textContent),
        );

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
