import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import {
    accessibilityFaults,
    comparedReport,
    cutNumbers,
    data,
    goTo,
    jsonRows,
    launch,
    open,
} from "../reports";

const COMPARE = "#1/compare";
let browser: Browser;
let report: string;

before(async () => {
    report = comparedReport("gpt_xnnpack", "gpt_portable");
    browser = await launch();
});
after(() => browser?.close());

const models = (folder: string, end = ""): string[] => [
    `--etrecord${end}`,
    data(`${folder}/model.etrecord`),
    `--program${end}`,
    data(`${folder}/model.pte`),
];

test("the verdict leads, and the table is that of diff", async () => {
    const { page, faults } = await open(browser, report, COMPARE);
    assert.match(
        await page.locator(".answer").innerText(),
        /^forward: the recordings differ by a factor of 9\.95/,
    );
    const expected = jsonRows(
        "diff",
        data("gpt_portable/profile.etdp"),
        data("gpt_xnnpack/profile.etdp"),
        ...models("gpt_portable"),
        ...models("gpt_xnnpack", "-b"),
        "--sort",
        "order",
    ).filter((row) => row.block === "Execute");
    const grid = page.locator("[role=treegrid]");
    assert.equal(await grid.getAttribute("aria-rowcount"), String(expected.length + 1));
    const shown = await grid.locator("tbody tr[aria-rowindex]").allInnerTexts();
    assert.ok(shown.length > 5);
    const common = await page.locator(".common-verdict").innerText();
    assert.match(common, /^≠ recordings differ in \d+ of \d+ rows: /);
    const marks: Record<string, string> = { unclear: "?", undecided: "?", differs: "≠", same: "=" };
    shown.forEach((cells, i) => {
        const row = expected[i] as Record<string, unknown>;
        const verdict = String(row.verdict ?? "–");
        if (row.before_ns !== null && row.before_ns_upper === row.before_ns) {
            assert.ok(cells.includes(((row.before_ns as number) / 1000).toFixed(3)), cells);
        }
        assert.ok(cells.includes(marks[verdict] ?? verdict), `${cells} has no ${verdict}`);
    });
    assert.deepEqual(faults, []);
    await page.close();
});

test("the waterfall leads from before to after, and hatches what no test decided", async () => {
    const { page, faults } = await open(browser, report, COMPARE);
    const bars = await page
        .locator(".waterfall rect:not(.row)")
        .evaluateAll((rects) =>
            rects.map((rect) => [
                Number(rect.getAttribute("x")),
                Number(rect.getAttribute("width")),
            ]),
        );
    const [first, second] = bars as [number[], number[]];
    const end = ([x, width]: number[]) => (x as number) + (width as number);
    assert.ok(bars.length > 5);
    assert.ok(Math.abs(end(first) - end(second)) < 0.5);
    const last = bars[bars.length - 1] as number[];
    const rest = bars[bars.length - 2] as number[];
    assert.ok(Math.abs((rest[0] as number) - end(last)) < 1.5);
    const ratio = (last[1] as number) / (first[1] as number);
    assert.ok(Math.abs(ratio - 196.553 / 1956.667) < 0.005, `drawn to scale: ${ratio}`);
    const undecided = page.locator('.waterfall [data-verdict="undecided"] .part').first();
    assert.match(await undecided.evaluate((part) => getComputedStyle(part).fill), /url/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("keys select a line, both sides of which are drawn; groups add up", async () => {
    const { page, faults } = await open(browser, report, COMPARE);
    for (const key of ["j", "j", "j"]) await page.keyboard.press(key);
    assert.equal(await page.locator('tr[aria-selected="true"]').count(), 1);
    await page.waitForTimeout(300);
    assert.match(page.url(), /sel=operator:\d+/);
    const labels = await page
        .locator(".distributions .side svg")
        .evaluateAll((all) => all.map((side) => side.getAttribute("aria-label") ?? ""));
    assert.match(labels[0] ?? "", /^before: 5 runs/);
    assert.match(labels[1] ?? "", /^after: 5 runs/);
    await page.click('.choice button:has-text("line")');
    assert.match(await page.locator("tbody tr").first().innerText(), /zoo\.py:29[^]*4 differ/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("other views show either trace, and changes beside the one after", async () => {
    const { page, faults } = await open(browser, report, "#1/operators");
    const first = page.locator("tbody tr[aria-rowindex]").first();
    assert.match(await first.innerText(), /−1760\.114 ≠/);
    await page.selectOption(".block-choice select >> nth=0", "1");
    assert.match(page.url(), /block=3\b/);
    assert.match(await first.innerText(), /1956\.667/);
    await page.reload();
    await page.waitForSelector(".alive");
    assert.match(await first.innerText(), /1956\.667/);
    await goTo(page, "#1/source");
    await page.selectOption(".block-choice select >> nth=0", "0");
    assert.match(await page.locator(".data-table tbody").innerText(), /−1128\.441 Σ/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("of several traces before, each has a column", async () => {
    const path = comparedReport("gpt_xnnpack", "gpt_portable", "gpt_xnnpack");
    const { page, faults } = await open(browser, path, COMPARE);
    const columns = page.locator(".multiples button");
    assert.equal(await columns.count(), 2);
    assert.match(await columns.nth(0).innerText(), /recordings differ/);
    assert.doesNotMatch(await columns.nth(1).innerText(), /recordings differ/);
    await columns.nth(1).click();
    await page.waitForTimeout(300);
    assert.match(page.url(), /against=2\b/);
    assert.match(await page.locator(".answer").innerText(), /identical/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("of two programs no number is cut, every name can be read, and the table has room", async () => {
    const path = comparedReport("conv_xnnpack_int8", "conv_xnnpack");
    const { page, faults } = await open(browser, path);
    for (const width of [390, 900, 1400]) {
        await page.setViewportSize({ width, height: 844 });
        for (const view of [
            "compare",
            "compare?by=module",
            "operators",
            "source",
            "cost",
            "runs",
        ]) {
            await goTo(page, `#1/${view}`);
            await page.waitForSelector("tbody tr[aria-rowindex]");
            assert.deepEqual(await cutNumbers(page), [], `${view}, ${width} pixels`);
        }
        await goTo(page, COMPARE);
        const shown = await page
            .locator("tbody tr[aria-rowindex] td:has(.tree-cell)")
            .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
        assert.ok(shown.length > 3 && shown.every((room) => room > 140), `${width}: ${shown}`);
        const { height = 0 } = (await page.locator(".scroller").boundingBox()) ?? {};
        assert.ok(height > 240, `${width}: ${height}`);
        assert.equal(await page.getByText("Measured slower").count(), 1);
        if (width > 900) assert.match(await page.locator("tbody").innerText(), /−100\.0%/);
        const labels = await page.locator(".waterfall text[text-anchor=end]").evaluateAll((all) =>
            all.map((text) => {
                const { left } = text.getBoundingClientRect();
                const edge = text.closest("svg")?.getBoundingClientRect().left ?? 0;
                return left >= edge;
            }),
        );
        assert.ok(labels.length > 4 && labels.every(Boolean), `${width}: ${labels}`);
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("groups have the medians of what their operators take together, in the waterfall too", async () => {
    const { page, faults } = await open(browser, report, `${COMPARE}?by=module`);
    await page.waitForSelector('tr[aria-expanded="false"]');
    for (let i = 0; i < 3; i++) {
        await page.locator('tr[aria-expanded="false"] .twist').first().click();
    }
    const shown = await page.locator("tbody tr[aria-rowindex]").allInnerTexts();
    const modules = jsonRows(
        "inspect",
        data("gpt_portable/profile.etdp"),
        ...models("gpt_portable"),
        "--group-by",
        "module",
    ).filter(({ block, p50_ns }) => block === "Execute" && p50_ns !== null);
    const equal = modules.filter(({ module, p50_ns }) =>
        shown.some(
            (row) =>
                row.includes(String(module)) &&
                row.includes(((p50_ns as number) / 1000).toFixed(3)),
        ),
    );
    assert.ok(equal.length > 2, `${equal.length} of ${modules.length}: ${shown}`);
    const steps = await page.locator(".waterfall .step title").allTextContents();
    assert.ok(
        steps.some((title) => /^blocks/.test(title)),
        steps.join(),
    );
    assert.deepEqual(faults, []);
    await page.close();
});

test("it is accessible in both themes, and prints", async () => {
    const { page, faults } = await open(browser, report);
    for (const theme of ["light", "dark"]) {
        await goTo(page, `${COMPARE}?theme=${theme}&sel=operator:12`);
        assert.deepEqual(await accessibilityFaults(page), [], theme);
    }
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 1 && pages <= 4, `${pages} pages`);
    assert.deepEqual(faults, []);
    await page.close();
});
