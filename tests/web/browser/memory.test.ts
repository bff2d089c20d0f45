import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { formatBytes } from "../../../web/src/text/format";
import { data, goTo, jsonRows, launch, open, reportOf } from "../reports";

let browser: Browser;

before(async () => {
    browser = await launch();
});
after(() => browser?.close());

const program = (folder: string): string[] => [
    data(`${folder}/model.pte`),
    "--etrecord",
    data(`${folder}/model.etrecord`),
];

const cellsOf = (page: Page): Promise<string[][]> =>
    page
        .locator("tbody tr[aria-rowindex]")
        .evaluateAll((rows) =>
            rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())),
        );

test("what is held beside the plan stands above it; where nothing was counted, what would count it", async () => {
    const counted = reportOf("counted", [
        data("memory/counted.etdp"),
        ...["--program", data("mlp_portable/model.pte"), "--allow-mismatch"],
    ]);
    const { page, faults } = await open(browser, counted, "#1/memory");
    const shown = await page.locator(".memory-held li").allInnerTexts();
    const held = jsonRows(
        ...["sql", "select owner, phase, bytes from held_memory where owner <> 'planned'"],
        data("memory/counted.etdp"),
    );
    assert.equal(held.length, 5);
    for (const { owner, phase, bytes } of held) {
        const name = phase === null ? `${owner}` : `${owner} at ${phase}`;
        const found = shown.find((text) => text.startsWith(name)) ?? "";
        assert.ok(found.includes(formatBytes(bytes as number)), `${name}: ${shown.join("; ")}`);
    }
    assert.deepEqual(faults, []);
    await page.close();
    const other = await open(browser, reportOf("gpt_xnnpack"), "#1/memory");
    await other.page.getByText("counts it").waitFor();
    await other.page.close();
});

test("the tensors are those of memory, with the same numbers", async () => {
    for (const folder of ["conv_portable", "cond", "multi_method"]) {
        const { page, faults } = await open(browser, reportOf(folder), "#1/memory");
        const expected = jsonRows("memory", ...program(folder));
        for (const method of new Set(expected.map((row) => String(row.method)))) {
            await goTo(page, `#1/memory?list=all&plan=0:1:${method}`);
            const rows = expected.filter((row) => row.method === method);
            await page.waitForFunction(
                (count) => document.querySelectorAll("tbody tr[aria-rowindex]").length === count,
                rows.length,
            );
            const shown = (await cellsOf(page)).map((cells) => cells.join("\n"));
            for (const row of rows) {
                const cells = shown.find((text) => text.startsWith(`${row.value}\n`)) ?? "";
                const texts = cells.split("\n");
                for (const wanted of [
                    formatBytes(row.size_bytes as number),
                    String(row.offset).replace(/\B(?=(\d{3})+$)/g, ","),
                    String(row.first ?? ""),
                    String(row.last ?? ""),
                ]) {
                    assert.ok(texts.includes(wanted), `${folder}: ${cells} has no ${wanted}`);
                }
            }
        }
        assert.deepEqual(faults, []);
        await page.close();
    }
});

test("what is alive at the cursor has the live bytes of its instruction", async () => {
    const folder = "gpt_xnnpack";
    const { page, faults } = await open(browser, reportOf(folder), "#1/memory");
    const query = "select instruction, live_bytes from memory_steps order by instruction";
    const steps = jsonRows("sql", query, data(`${folder}/model.pte`));
    const peak = steps.reduce((a, b) =>
        (b.live_bytes as number) > (a.live_bytes as number) ? b : a,
    );
    const said = page.locator(".memory-cursor");
    const sayOf = (row: Record<string, unknown> | undefined) =>
        new RegExp(
            `^instruction ${row?.instruction} .*: ${formatBytes(row?.live_bytes as number)} live`,
        );
    assert.match(await said.innerText(), sayOf(peak));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    assert.match(await said.innerText(), sayOf(steps[(peak.instruction as number) + 3]));
    const alive = jsonRows(
        "memory",
        ...program(folder),
        "--at",
        String((peak.instruction as number) + 3),
    );
    assert.deepEqual(
        (await cellsOf(page)).map((cells) => Number(cells[0])).sort((a, b) => a - b),
        alive.map((row) => row.value as number).sort((a, b) => a - b),
    );
    await page.keyboard.press("p");
    assert.match(await said.innerText(), sayOf(peak));
    await page.keyboard.press("j");
    assert.match(await page.locator(".details .kind").innerText(), /operator/);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Operators");
    assert.deepEqual(faults, []);
    await page.close();
});

test("a click in the map chooses the tensor there, and moves the cursor", async () => {
    const { page, faults } = await open(browser, reportOf("conv_portable"), "#1/memory");
    const map = await page.locator(".memory-map").boundingBox();
    assert.ok(map !== null);
    await page.mouse.click(map.x + 110, map.y + map.height * 0.6);
    await page.locator('tr[aria-selected="true"]').waitFor();
    assert.match(await page.locator(".memory-cursor").innerText(), /^instruction 0 /);
    assert.match(await page.locator(".memory-status").innerText(), /value \d+, .* at offset/);
    assert.deepEqual(faults, []);
    await page.close();
});
