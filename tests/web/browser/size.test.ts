import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { formatBytes } from "../../../web/src/text/format";
import { data, jsonRows, launch, open, reportOf } from "../reports";

const FOLDER = "gpt_xnnpack";
let browser: Browser;

before(async () => {
    browser = await launch();
});
after(() => browser?.close());

const PROGRAM = [data(`${FOLDER}/model.pte`), "--etrecord", data(`${FOLDER}/model.etrecord`)];

test("the sums by dtype are those of size", async () => {
    const { page, faults } = await open(browser, reportOf(FOLDER), "#1/size?sizeby=dtype");
    const sums = new Map<string, number>();
    let total = 0;
    for (const row of jsonRows("size", ...PROGRAM)) {
        const bytes = row.size_bytes as number;
        total += bytes;
        if (row.dtype !== null)
            sums.set(String(row.dtype), (sums.get(String(row.dtype)) ?? 0) + bytes);
    }
    assert.ok((await page.locator(".size-tools").innerText()).includes(formatBytes(total)));
    const rows = await page.locator("tbody tr[aria-rowindex]").allInnerTexts();
    assert.ok(sums.size > 0);
    for (const [dtype, bytes] of sums) {
        const row = rows.find((text) => text.startsWith(dtype));
        assert.ok(row?.includes(formatBytes(bytes)), `${row} has no ${formatBytes(bytes)}`);
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("keys and clicks go into the treemap and back, and select what the graph names", async () => {
    const { page, faults } = await open(browser, reportOf(FOLDER), "#1/size");
    const place = page.locator(".crumbs b");
    const selected = page.locator('tr[aria-selected="true"]');
    await page.keyboard.press("j");
    await selected.waitFor();
    await page.keyboard.press("Enter");
    assert.equal(await place.innerText(), "blocks");
    await page.keyboard.press("Enter");
    assert.equal(await place.innerText(), "blocks.0");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Backspace");
    assert.equal(await place.innerText(), "model.pte");
    const map = await page.locator(".size-map canvas").boundingBox();
    assert.ok(map !== null);
    await page.mouse.click(map.x + map.width / 3, map.y + map.height / 3);
    assert.equal(await place.innerText(), "blocks");
    await page.locator(".crumbs button").first().click();
    await page.locator("tr", { hasText: "head" }).first().dblclick();
    await page.locator("tr", { hasText: "head.weight" }).first().click();
    assert.match(await page.locator(".details .kind").innerText(), /node/);
    assert.deepEqual(faults, []);
    await page.close();
});
