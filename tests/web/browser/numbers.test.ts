import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { formatNumber } from "../../../web/src/text/format";
import { accessibilityFaults, data, etscope, jsonRows, launch, open, reportOf } from "../reports";

const filesOf = (folder: string): string[] => [
    data(`${folder}/debug.etdp`),
    ...["etrecord", "pte"].flatMap((ending) => [
        ending === "pte" ? "--program" : "--etrecord",
        data(`${folder}/model.${ending}`),
    ]),
    "--debug-buffer",
    data(`${folder}/debug.bin`),
];
let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** Null without the engine, which evaluates the reference. */
function gapOf(folder: string): Record<string, unknown>[] | null {
    try {
        return jsonRows("gap", ...filesOf(folder));
    } catch {
        return null;
    }
}

for (const folder of ["gpt_xnnpack", "conv_xnnpack_int8"]) {
    test(`values of ${folder} are those of gap, with the same numbers`, async (t) => {
        const expected = gapOf(folder);
        if (expected === null) return t.skip("there is no engine here");
        const report = reportOf(folder, filesOf(folder));
        const { page, faults } = await open(browser, report, "#1/numbers");
        await page.setViewportSize({ width: 1900, height: 1200 });
        const shown = await page
            .locator("tbody tr[aria-rowindex]")
            .evaluateAll((rows) =>
                rows.map((row) =>
                    [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim()),
                ),
            );
        assert.ok(shown.length > 0 && shown.length <= expected.length);
        shown.forEach((cells, i) => {
            const row = expected[i] as Record<string, number | string | null>;
            assert.ok(cells.includes(String(row.finding)), `${cells}: ${row.finding}`);
            for (const key of ["own_error", "total_error", "max_error"]) {
                const wanted = formatNumber(row[key] as number | null);
                assert.ok(cells.includes(wanted), `${cells}: ${key} ${wanted}`);
            }
        });
        assert.equal(await page.locator(".mark").count(), expected.length);
        assert.deepEqual(await accessibilityFaults(page), []);
        assert.deepEqual(faults, []);
        await page.close();
        return undefined;
    });
}

test("a value has its distribution and three heat maps, those of the document", async (t) => {
    if (gapOf("conv_xnnpack_int8") === null) return t.skip("there is no engine here");
    const files = filesOf("conv_xnnpack_int8");
    const { tables } = JSON.parse(etscope("report", ...files, "--format", "json"));
    const { page, faults } = await open(
        browser,
        reportOf("conv_xnnpack_int8", files),
        "#1/numbers",
    );
    const maps = page.locator(".numbers-pictures .heat-map");
    await maps.first().waitFor();
    assert.deepEqual(await maps.locator("figcaption").allInnerTexts(), [
        "device",
        "reference",
        "device − reference largest",
    ]);
    const row = Number(
        await page.locator('tr[aria-selected="true"]').getAttribute("aria-rowindex"),
    );
    const ofValue = tables.gap_pictures.value.indexOf(row - 2);
    assert.ok(ofValue >= 0);
    const scale = await maps.first().locator(".heat-scale").innerText();
    for (const end of ["low", "high"]) {
        assert.ok(scale.includes(formatNumber(tables.gap_pictures[end][ofValue])), scale);
    }
    const painted = await maps
        .first()
        .locator("canvas")
        .first()
        .evaluate((canvas) => {
            const { width, height } = canvas as HTMLCanvasElement;
            const context = (canvas as HTMLCanvasElement).getContext("2d");
            const pixels = context?.getImageData(0, 0, width, height).data ?? [];
            return new Set(Array.from({ length: width }, (_, x) => pixels[4 * x])).size;
        });
    assert.ok(painted > 1, "the heat map has one colour only");
    assert.equal(await page.locator(".histogram rect").count(), 32);
    await maps
        .first()
        .locator("canvas")
        .first()
        .hover({ position: { x: 3, y: 3 } });
    /* a cell that is pointed at in one map is told in all */
    for (const i of [0, 1, 2]) {
        assert.match(await maps.nth(i).innerText(), /≈ .* at .*column 0/);
    }
    await page.mouse.move(0, 0);
    await maps.first().locator("canvas").first().focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await maps.last().innerText(), /≈ .* at .*column/);
    assert.match(
        await page.locator("[aria-live]").first().innerText(),
        /device ≈ .*, reference ≈ .*, difference ≈/,
    );
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
    return undefined;
});

test("a click in the picture chooses the value, and its node in the graph", async (t) => {
    if (gapOf("gpt_xnnpack") === null) return t.skip("there is no engine here");
    const report = reportOf("gpt_xnnpack", filesOf("gpt_xnnpack"));
    const { page, faults } = await open(browser, report, "#1/numbers");
    const before = await page.locator(".chosen-value h2").innerText();
    await page.locator(".mark circle.own").nth(3).click({ force: true });
    const name = await page.locator(".chosen-value h2").innerText();
    assert.notEqual(name, before);
    assert.match(await page.locator(".details").innerText(), new RegExp(name));
    await page.locator('tr[aria-selected="true"]').waitFor();
    assert.deepEqual(faults, []);
    await page.close();
    return undefined;
});

test("what was not compared is said once above the values", async (t) => {
    const short = join(dirname(reportOf("mlp_portable")), "short.bin");
    writeFileSync(short, readFileSync(data("mlp_portable/debug.bin")).subarray(0, -150));
    const record = ["--etrecord", data("mlp_portable/model.etrecord")];
    const trace = data("mlp_portable/debug.etdp");
    const files = [trace, ...record, "--debug-buffer", short];
    if (gapOf("gpt_xnnpack") === null) return t.skip("there is no engine here");
    const { page, faults } = await open(browser, reportOf("mlp_portable", files), "#1/numbers");
    await page.locator(".numbers .answer").first().waitFor();
    const answer = await page.locator(".numbers .answer").allInnerTexts();
    assert.equal(answer.length, 1);
    assert.match(answer[0] ?? "", /^3 of 4 values .*; the output was not compared/);
    assert.equal(await page.locator(".numbers .coverage").count(), 0);
    assert.deepEqual(faults, []);
    await page.close();
    return undefined;
});
