/** The graph view on reports that etscope wrote, and on a graph of 10,000 nodes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibilityFaults, filesOf, goTo, launch, open, writePage, reportOf } from "../reports";
import { manyLayers } from "../layers";

let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser.close());

const boxes = (page: Page) => page.locator(".graph-box");
const titles = (page: Page) =>
    page.locator(".graph-box > text:not(.toggle, .second, .stub)").allTextContents();

async function openGraph(path: string, hash = "#1/graph") {
    const opened = await open(browser, path, hash);
    await boxes(opened.page).first().waitFor({ state: "attached" });
    return opened;
}

test("boxes open, close and are selected with the keyboard", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"));
    assert.ok((await titles(page)).includes("blocks.0"));
    for (let i = 0; i < 12; i++) {
        await page.keyboard.press("ArrowDown");
        await page.waitForTimeout(300); /* the address follows */
        if (/sel=module:blocks\.0/.test(page.url())) break;
    }
    await page.waitForFunction(() => location.hash.includes("sel=module:blocks.0"));
    const many = await boxes(page).count();
    await page.keyboard.press("Escape");
    await page.waitForFunction((n) => document.querySelectorAll(".graph-box").length < n, many);
    await page.keyboard.press("Enter");
    await page.waitForFunction((n) => document.querySelectorAll(".graph-box").length === n, many);
    assert.match(await page.locator(".details h2").innerText(), /blocks\.0/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("nodes of one debug handle say what they share", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"));
    const said = await page.locator(".graph-box:not([data-open]) > .second").allTextContents();
    assert.ok(said.filter((text) => /^37 share \d+\.\.\d+%$/.test(text)).length > 10, `${said}`);
    await page.locator('.graph-box:has(> .second:text("37 share"))').first().dispatchEvent("click");
    const details = await page.locator(".details").innerText();
    assert.match(details, /36 other nodes came from the same operators/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("what is selected elsewhere is brought into sight", async () => {
    const path = reportOf("gpt_xnnpack");
    const { page, faults } = await openGraph(path, "#1/graph?sel=module:blocks.1.dn");
    await page.locator(".graph-box[data-selected]:not([data-open])").waitFor({ state: "attached" });
    assert.deepEqual(faults, []);
    await page.close();
});

test("the filter box finds nodes, and n goes to them", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"), "#1/graph?f=gelu");
    assert.match(await page.locator(".graph-tools").innerText(), /[1-9]\d* nodes found/);
    await page.keyboard.press("n");
    await page.waitForFunction(() =>
        [...document.querySelectorAll(".graph-box[data-match]")].some((box) =>
            box.querySelector(".cursor"),
        ),
    );
    assert.deepEqual(faults, []);
    await page.close();
});

test("pictures and lists of all kinds of graphs are whole and accessible", async () => {
    for (const folder of ["gpt_xnnpack", "cond", "multi_method"]) {
        const { page, faults } = await openGraph(reportOf(folder));
        for (const theme of ["light", "dark"]) {
            for (const form of ["picture", "list"]) {
                await goTo(page, `#1/graph?theme=${theme}&form=${form}&colour=backend`);
                await page.waitForSelector(form === "list" ? '[role="treegrid"]' : ".graph-box", {
                    state: "attached",
                });
                assert.deepEqual(await accessibilityFaults(page), [], `${folder} ${theme} ${form}`);
            }
        }
        assert.deepEqual(faults, [], folder);
        await page.close();
    }
});

test("a program alone has instructions and what flows between them", async () => {
    const files = filesOf("gpt_xnnpack").filter((word) => !/etrecord/.test(word));
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack", files));
    assert.ok((await titles(page)).some((title) => title.includes("Xnnpack")));
    assert.ok((await page.locator(".graph-line").count()) > 20);
    assert.deepEqual(faults, []);
    await page.close();
});

test("the list is sorted among siblings", async () => {
    const { page, faults } = await open(
        browser,
        reportOf("gpt_xnnpack"),
        "#1/graph?form=list&colour=memory",
    );
    await page.click('th button:has-text("memory")');
    await page.waitForSelector('th[aria-sort="descending"]');
    const first = page.locator("tbody tr[aria-rowindex]").first();
    assert.match(await first.innerText(), /blocks\.[01]/);
    assert.deepEqual(faults, []);
    await page.close();
});

/** Milliseconds since navigation, and of the page's process: its script, styles and decoding. */
async function openingTime(page: Page): Promise<{ wall: number; processor: number }> {
    const wall = await page.evaluate(() => performance.now());
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "ProcessTime")?.value ?? Number.NaN;
    return { wall: Math.round(wall), processor: Math.round(seconds * 1000) };
}

test("10,000 nodes open at once, and a layer quickly", async () => {
    const path = writePage("many-layers", ...manyLayers(10_000));
    const { page, faults } = await openGraph(path);
    const opened = await openingTime(page);
    const shown = await boxes(page).count();
    assert.ok(shown <= 300, `${shown} boxes`);
    assert.ok((await titles(page)).some((title) => title.includes("×")));
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
        const before = await boxes(page).count();
        const took = await page.evaluate(async (nth) => {
            const all = document.querySelectorAll(".graph-box:not([data-open]) .toggle");
            const count = document.querySelectorAll(".graph-box").length;
            const from = performance.now();
            all[nth]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
            while (document.querySelectorAll(".graph-box").length === count)
                await new Promise((done) => requestAnimationFrame(done));
            return performance.now() - from;
        }, 3 + i);
        times.push(took);
        assert.notEqual(await boxes(page).count(), before);
    }
    times.sort((a, b) => a - b);
    console.log(
        `10,000 nodes: opened in ${opened.wall} ms (${opened.processor} ms of processor time), ` +
            `a layer in ${times.map(Math.round)} ms`,
    );
    /* Goals are 1 s and 200 ms; shared machines stall, which processor time shows less. */
    assert.ok(opened.wall < 5000, `${opened.wall} ms`);
    assert.ok(opened.processor < 2000, `${opened.processor} ms of processor time`);
    assert.ok((times[2] as number) < 1000, `${times} ms`);
    assert.deepEqual(faults, []);
    await page.close();
});
