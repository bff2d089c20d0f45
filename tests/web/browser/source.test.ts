/** Whole stacks of source lines: the tree and the flame graph, with the numbers of the command line. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { accessibilityFaults, filesOf, goTo, jsonRows, launch, open, reportOf } from "../reports";

const FOLDER = "gpt_xnnpack";
const STACKS = "#1/source?as=stacks";
let browser: Browser;
let report: string;
before(async () => {
    report = reportOf(FOLDER);
    browser = await launch();
});
after(() => browser?.close());

const LANES = ".lanes canvas";
const GUTTER = 136;

test("lines stand below those that called them, with the times of annotate", async () => {
    const { page, faults } = await open(browser, report, "#1/source");
    await page.click('.choice button:text-is("stacks")');
    const rows = page.locator(".range-table tbody tr[aria-rowindex]");
    assert.match(await rows.first().innerText(), /160\.655\s+79\.8%\s+108[^]*for b in s\.blocks/);
    const levels = await rows.evaluateAll((all) =>
        all.map((row) => [row.getAttribute("aria-level"), (row as HTMLElement).innerText]),
    );
    const annotated = jsonRows("annotate", ...filesOf(FOLDER));
    for (const { file, line, code, mid_ns } of annotated) {
        if (file === null || line === 34) continue; /* closed at first */
        const own = levels.find(([, text]) => text?.includes(String(code).trim()));
        assert.ok(own !== undefined, String(code));
        assert.equal(own[0], line === 27 ? "3" : line === 36 ? "1" : "2", String(code));
        if (Number(mid_ns) > 0)
            assert.ok(
                own[1]?.includes(String(Number((Number(mid_ns) / 1000).toPrecision(4)))),
                own[1] ?? "",
            );
    }
    await rows.filter({ hasText: "T=idx.shape" }).locator(".twist").click();
    assert.equal(await rows.count(), levels.length + 1);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a line is selected in flame graph and tree, by mouse and keys", async () => {
    const { page, faults } = await open(browser, report, STACKS);
    const box = await page.locator(LANES).boundingBox();
    assert.ok(box !== null);
    const x = box.x + GUTTER + (box.width - GUTTER) * 0.3;
    await page.mouse.move(x, box.y + 24 + 34);
    const tip = await page.locator(".tip").innerText();
    assert.match(tip, /^zoo\.py:28 y=F\.scaled[^]*95\.81\.\.111\.8 us per run, 47\.6\.\.55\.5%/);
    await page.mouse.click(x, box.y + 24 + 10);
    assert.equal(await page.locator(".details h2").innerText(), "models/zoo.py:35");
    const chosen = page.locator('.range-table tr[aria-selected="true"]');
    assert.match(await chosen.innerText(), /for b in s\.blocks/);
    assert.ok((await page.locator(".details .members li").count()) > 20, "what it calls");
    await page.locator(LANES).focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator(".details h2").innerText(), "models/zoo.py:28");
    const facts = await page.locator(".details dl").innerText();
    assert.match(facts, /self\s+36\.7%?\.\.[^]*with what it calls\s+47\.6\.\.55\.5%/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /flame=-?\d+/.test(location.hash));
    await page.locator(".range-table table").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator(".details h2").innerText(), "models/zoo.py:27");
    await page.fill(".filter", "softmax");
    assert.equal(await page.locator(".range-table tr", { hasText: "s.head" }).count(), 0);
    assert.ok((await page.locator(".range-table tr", { hasText: "zoo.py:28" }).count()) > 0);
    assert.deepEqual(faults, []);
    await page.close();
});

test("stacks are accessible, and no number is cut", async () => {
    const { page, faults } = await open(browser, report);
    for (const theme of ["light", "dark"]) {
        await goTo(page, `${STACKS}&theme=${theme}&sel=line:models/zoo.py:28`);
        await page.waitForSelector(LANES);
        assert.deepEqual(await accessibilityFaults(page), [], theme);
    }
    for (const width of [390, 900, 1400]) {
        await page.setViewportSize({ width, height: 800 });
        for (const hash of [
            STACKS,
            "#1/timeline?form=callers",
            "#1/timeline?form=calls",
            "#1/timeline?layout=runs",
        ]) {
            await goTo(page, hash);
            await page.waitForSelector(LANES);
            const cut = await page.evaluate(() =>
                [...document.querySelectorAll<HTMLElement>("td.right, .share .number")]
                    .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
                    .map((cell) => cell.innerText),
            );
            assert.deepEqual(cut, [], `${hash} at ${width}`);
        }
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("without stacks there are lines alone", async () => {
    const bare = reportOf(`${FOLDER}`, [...filesOf(FOLDER), "--no-source"]);
    const { page, faults } = await open(browser, bare, STACKS);
    await page.waitForSelector('[aria-label="Source lines"]');
    assert.equal(await page.locator('.choice button:text-is("stacks")').count(), 0);
    assert.deepEqual(faults, []);
    await page.close();
});
