import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { formatNumber } from "../../../web/src/text/format";
import {
    accessibilityFaults,
    comparedReport,
    data,
    filesOf,
    jsonRows,
    launch,
    open,
    reportOf,
} from "../reports";

const FOLDER = "gpt_portable";
const MACHINE = ["--machine", data("machines/epyc.json"), "--threads", "1"];
let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

const rowsOf = (page: Page) =>
    page
        .locator("tbody tr[aria-rowindex]")
        .evaluateAll((rows) =>
            rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())),
        );

test("work and rates are those of inspect, shares of the roof those of sql", async () => {
    const report = reportOf(FOLDER, [...filesOf(FOLDER), ...MACHINE]);
    const { page, faults } = await open(browser, report, "#1/cost?sort=-gflops");
    await page.setViewportSize({ width: 1600, height: 900 });
    const shown = await rowsOf(page);
    const paths = filesOf(FOLDER).filter((word) => !word.startsWith("--"));
    const expected = jsonRows(
        "sql",
        "select o.name, c.flops, c.flops / o.min as gflops, r.verdict, r.of_roof from operators o " +
            "join operator_costs c on c.operator = o.id join operator_roofs r on r.operator = o.id " +
            "join blocks b on b.id = o.block where b.name = 'Execute' and o.children = 0 " +
            "and c.flops > 0 order by gflops desc limit 5",
        ...paths,
        ...MACHINE,
    );
    assert.equal(expected.length, 5);
    expected.forEach((row, i) => {
        const cells = shown[i] as string[];
        assert.ok(cells.includes(formatNumber((row.flops as number) / 1e3)), `${cells} kFLOP`);
        assert.ok(cells.includes(formatNumber(row.gflops as number)), `${cells} ${row.gflops}`);
        assert.ok(cells.includes(String(row.verdict)), `${cells} ${row.verdict}`);
        const share = row.of_roof as number | null;
        if (share !== null) assert.ok(cells.includes(`${(share * 100).toFixed(1)}%`), `${cells}`);
    });
    const roofs = await page.locator(".roof text").allTextContents();
    assert.ok(
        roofs.some((text) => /^float32 [0-9.]+ GFLOP\/s$/.test(text)),
        `${roofs}`,
    );
    assert.deepEqual(faults, []);
    await page.close();
});

test("a point is selected here and in the operators; without a machine its option is named", async () => {
    const { page, faults } = await open(browser, reportOf("gpt_xnnpack"), "#1/cost");
    assert.match(await page.locator(".cost").innerText(), /--machine FILE/);
    assert.equal(await page.locator(".roof").count(), 0);
    await page.locator('.point[data-kind="delegate"] circle').first().click({ force: true });
    assert.equal(await page.locator('tr[aria-selected="true"]').count(), 1);
    const name = await page.locator(".details h2").innerText();
    await page.keyboard.press("2");
    await page.waitForSelector('[role="treegrid"]');
    assert.equal(await page.locator(".details h2").innerText(), name);
    await page.goBack();
    await page.waitForSelector(".cost");
    const selected = page.locator('tr[aria-selected="true"]');
    const row = await selected.getAttribute("aria-rowindex");
    await page.keyboard.press("ArrowUp");
    assert.equal(Number(await selected.getAttribute("aria-rowindex")), Number(row) - 1);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
});

test("points of the trace before stand beside in another mark, and lead to it", async () => {
    const { page, faults } = await open(browser, comparedReport(FOLDER, "gpt_xnnpack"), "#1/cost");
    const [dots, diamonds] = [page.locator(".point"), page.locator(".other-point path")];
    const [own, others] = [await dots.count(), await diamonds.count()];
    assert.ok(own > 10 && others > 10, `${own}, ${others}`);
    assert.match(await page.locator(".other-mark").innerText(), /before, profile\.etdp/);
    assert.match(
        (await page.locator(".other-point title").first().textContent()) ?? "",
        /^before: /,
    );
    await page.locator("tbody tr", { hasText: "addmm.out" }).first().click();
    assert.ok((await page.locator(".other-point.chosen").count()) > 0, "what it was before");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.locator(".other-point.chosen path").first().click({ force: true });
    await page.getByText("after, profile.etdp").waitFor();
    assert.deepEqual([await dots.count(), await diamonds.count()], [others, own]);
    assert.equal(await page.locator('tr[aria-selected="true"]').count(), 1);
    assert.deepEqual(faults, []);
    await page.close();
});
