/** Reports of files that are hostile, damaged or still growing, and a browser without scripts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { data, etscope, filesOf, goTo, launch, open, reportOf } from "../reports";

const { REPORTS = "", ETSCOPE = "", HOSTILE = "" } = process.env;
const hostile = (name: string): string => join(HOSTILE, name);
let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** As a browser has it that runs no scripts. */
async function withoutScripts(path: string): Promise<{ page: Page; text: string }> {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`file://${path}`);
    return { page, text: await page.locator("body").innerText() };
}

/** Hidden and reordering characters, beside the spaces and line ends of the page. */
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/;
/** What a terminal would not show either. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const VIEWS = ["summary", "operators", "timeline", "graph", "source", "memory", "size", "runs"];

test("without scripts there are headline, operators, what is missing and the inputs", async () => {
    const written = JSON.parse(etscope("report", ...filesOf("gpt_xnnpack"), "--format", "json"));
    const { page, text } = await withoutScripts(reportOf("gpt_xnnpack"));
    const said = [...written.headline, ...written.trust];
    for (const { sentence } of written.findings) said.push(sentence);
    for (const { sentence, option } of written.missing) said.push(`${sentence}: ${option}`);
    for (const { name } of written.inputs) said.push(name);
    for (const sentence of said) assert.ok(text.includes(sentence), sentence);
    assert.equal(await page.locator("tr").count(), 11);
    assert.match(text, /download this file and open it in a browser/);
    await page.close();
});

test("names of hostile files are text in every view, and without scripts", async () => {
    const reports = [
        reportOf("hostile-names", [hostile("names.etdp")]),
        reportOf("hostile-model", [
            hostile("profile.etdp"),
            "--etrecord",
            hostile("model.etrecord"),
            "--program",
            data("mlp_portable/model.pte"),
        ]),
    ];
    for (const report of reports) {
        const plain = await withoutScripts(report);
        assert.doesNotMatch(plain.text, UNSAFE);
        assert.equal(await plain.page.locator("img, template").count(), 0);
        await plain.page.close();
        const { page, faults } = await open(browser, report);
        for (const view of VIEWS) {
            for (const rest of [
                "",
                "?sel=operator:3&run=2&by=module",
                "?sel=operator:5&f=x",
                "?form=calls",
            ]) {
                await goTo(page, `#1/${view}${rest}`);
                await page.waitForTimeout(50);
                assert.doesNotMatch(await page.locator("#etscope-app").innerText(), RAW, view);
                assert.equal(await page.locator("img, template").count(), 0, view);
                assert.doesNotMatch(await page.title(), /^[12]$/);
                assert.deepEqual(faults, [], `${report} ${view}${rest}`);
            }
        }
        await page.close();
    }
});

test("a damaged trace that is read in part opens, and says that it is", async () => {
    const whole = readFileSync(data("gpt_xnnpack/profile.etdp"));
    const path = join(REPORTS, "part.etdp");
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, whole.length / 2, whole.length / 2 + 200);
    writeFileSync(path, damaged);
    const { page, faults } = await open(browser, reportOf("part", [path, "--partial"]));
    assert.match(await page.locator("#etscope-app").innerText(), /damaged parts? of the trace/);
    for (const view of ["operators", "timeline", "runs"]) {
        await goTo(page, `#1/${view}`);
        assert.deepEqual(faults, [], view);
    }
    await page.close();
});

test("a document of an older version is read, a newer one says who wrote it", async () => {
    const html = readFileSync(reportOf("mlp_portable"), "utf8");
    const path = join(REPORTS, "version.html");
    const alerts = async (version: number) => {
        writeFileSync(path, html.replace('"version": 1', `"version": ${version}`));
        const page = await browser.newPage();
        await page.goto(`file://${path}`);
        await page.waitForSelector('.alive, [role="alert"]');
        const texts = await page.locator('[role="alert"]').allInnerTexts();
        const screens = await page.locator(".etscope-static").count();
        await page.close();
        return { texts, screens };
    };
    assert.deepEqual(await alerts(0), { texts: [], screens: 0 });
    const newer = await alerts(2);
    assert.match(newer.texts.join(), /written by etscope \d.* newer than this page \(version 2/);
    assert.equal(newer.screens, 1); /* stays readable */
});

test("a report that keeps few runs shows these, and says so", async () => {
    const whole = statSync(reportOf("gpt_xnnpack")).size;
    const files = [...filesOf("gpt_xnnpack"), "--max-size", String(whole - 1)];
    const path = reportOf("few", files);
    assert.ok(statSync(path).size < whole);
    const written = JSON.parse(etscope("report", ...filesOf("gpt_xnnpack"), "--format", "json"));
    const ids: number[] = written.tables.runs.id;
    const runs = ids.filter((id) => written.tables.runs.block[id] === 1);
    const { page, faults } = await open(browser, path);
    assert.match(await page.locator("#etscope-app").innerText(), /events of all but the fastest/);
    let withEvents = 0;
    for (const run of runs) {
        await goTo(page, `#1/runs?run=${run}`);
        await goTo(page, `#1/timeline?run=${run}`);
        await page.keyboard.press("]");
        await goTo(page, `#1/runs?run=${run}`);
        await page.waitForTimeout(50); /* drawn */
        const text = await page.locator("#etscope-app").innerText();
        withEvents += /No events of this run/.test(text) ? 0 : 1;
        assert.deepEqual(faults, [], `run ${run}`);
    }
    assert.deepEqual([runs.length, withEvents], [5, 3]);
    await page.close();
});

/** `report --follow` of a file, and its address. */
async function follow(path: string): Promise<{ command: ChildProcess; address: string }> {
    const command = spawn(ETSCOPE, ["report", "--follow", path]);
    const [line] = (await once(command.stdout, "data")) as [Buffer];
    return { command, address: /http:\S+/.exec(String(line))?.[0] ?? "" };
}

test("the page of a stream follows it, keeps its view, and says when it has ended", async (t) => {
    const stream = readFileSync(data("captures/finished.bin"));
    const path = join(REPORTS, "capture.bin");
    writeFileSync(path, stream.subarray(0, 300));
    const { command, address } = await follow(path);
    t.after(() => command.kill());
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("console", ({ text, type }) => type() === "error" && faults.push(text()));
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
        if (!request.url().startsWith(address)) faults.push(request.url());
    });
    await page.goto(address);
    appendFileSync(path, stream.subarray(300, 1400));
    await page.waitForSelector(".alive");
    await page.getByText("in 1 run", { exact: false }).first().waitFor();
    await page.waitForSelector(".alive"); /* the sentence stands before the script runs */
    await page.keyboard.press("2");
    await page.waitForSelector(".view-operators");
    appendFileSync(path, stream.subarray(1400));
    await page.getByText("the stream has ended").waitFor();
    await page.waitForSelector(".view-operators");
    assert.equal(await page.locator(".notice").count(), 0);
    await page.keyboard.press("1");
    assert.match(await page.locator(".headline").innerText(), /median of 3 runs/);
    if (command.exitCode === null) await once(command, "exit");
    assert.equal(command.exitCode, 0);
    faults.splice(0, faults.length, ...faults.filter((fault) => !/favicon/.test(fault)));
    assert.deepEqual(faults, []);
    await page.close();
});
