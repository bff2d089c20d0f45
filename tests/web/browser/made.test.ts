/** Pages around documents that no recorded trace has. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { accessibilityFaults, goTo, launch, open, writePage } from "../reports";
import { smallTables } from "../small_tables";
import type { Tables } from "../encode";

let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

test("names of a hostile file are text that neither runs nor reorders", async () => {
    const evil = (name: string) =>
        `${name}\u202e</script><img src=x onerror=alert(1)>__proto__\u0007`;
    const [tables, types] = smallTables(evil);
    const finding = {
        kind: "<b>",
        severity: "bad",
        share: 0.1,
        sentence: evil("sentence"),
        view: "operators",
        select: "line:<img>",
    };
    const head = {
        title: evil("title"),
        headline: [evil("head")],
        findings: [finding],
        trust: ["\u2066"],
    };
    const path = writePage("hostile", tables, { types, head });
    const { page, faults } = await open(browser, path);
    for (const view of ["summary", "operators?by=module", "runs?run=3", "operators?sel=node:1"]) {
        await goTo(page, `#1/${view}`);
        const body = await page.locator("#etscope-app").innerText();
        assert.doesNotMatch(body, /[\u202e\u2066\u0007]/, view);
        assert.equal(await page.locator("img").count(), 0);
        assert.deepEqual(faults, [], view);
    }
    await page.close();
});

test("an address of another's making does no harm", async () => {
    const [tables, types] = smallTables();
    const path = writePage("addresses", tables, { types });
    for (const hash of [
        "#1/operators?sel=operator:99999&run=77&block=12&by=__proto__&sort=-constructor",
        "#1/source?sel=line:%3Cimg%3E",
        "#1/nowhere",
        "#1/runs?run=123456&versus=xyz&scale=odd",
        "#%E0%A4%A",
        "#1/operators?sel=node:99&f=%3E",
    ]) {
        const { page, faults } = await open(browser, path, hash);
        assert.equal(await page.locator('[role="alert"]').count(), 0, hash);
        assert.deepEqual(faults, [], hash);
        await page.close();
    }
});

test("a link of another report says so until something is chosen", async () => {
    const [tables, types] = smallTables();
    const path = writePage("linked", tables, { types });
    const { page, faults } = await open(browser, path, "#1/operators?d=ffffff&sel=operator:2");
    assert.match(await page.locator('[role="alert"]').innerText(), /made for another report/);
    await page.locator("tbody tr[aria-rowindex]").first().click();
    assert.equal(await page.locator('[role="alert"]').count(), 0);
    assert.match(page.url(), /d=012345/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("warm-up and outliers are named beside their colours", async () => {
    const [tables, types] = smallTables();
    const { page, faults } = await open(browser, writePage("phases", tables, { types }), "#1/runs");
    const notes = await page.locator(".runs-tables td:last-child").allInnerTexts();
    assert.equal(notes[0], "warm-up");
    assert.equal(notes[7], "outlier");
    assert.match(await page.locator(".legend").innerText(), /warm-up[^]*outlier/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a view without its tables says what is missing", async () => {
    const [tables, types] = smallTables();
    const missing = [
        { view: "source", sentence: "Source lines need the ETRecord.", option: "--etrecord FILE" },
    ];
    const path = writePage("missing", tables, { types, head: { missing } });
    const { page, faults } = await open(browser, path);
    await page.click('.tab:has-text("Source")');
    const empty = await page.locator(".empty").innerText();
    assert.match(empty, /need the ETRecord[^]*--etrecord FILE/);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
});

test("an empty document is a page, too", async () => {
    const { page, faults } = await open(browser, writePage("empty", {}));
    for (const key of ["2", "3", "4", "j", "k", "Enter", "]", "?"]) await page.keyboard.press(key);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a damaged document says so in one sentence", async () => {
    const [tables, types] = smallTables();
    const path = writePage("damaged", tables, { types });
    const html = readFileSync(path, "utf8");
    const cases: [RegExp, string, RegExp][] = [
        [
            /(id="etscope-table-operators">)[^<]{20}/,
            "$1",
            /section etscope-table-operators is damaged/,
        ],
        [
            /<script type="application\/x-etscope" id="etscope-strings">[^<]*<\/script>/,
            "",
            /cut off/,
        ],
        [/"version":1/, '"version":2', /newer than this page/],
        [/"rows":7/, '"rows":8', /damaged/],
    ];
    for (const [what, by, expected] of cases) {
        assert.match(html, what);
        writeFileSync(path, html.replace(what, by));
        const page = await browser.newPage();
        await page.goto(`file://${path}`);
        assert.match(await page.locator('[role="alert"]').innerText(), expected);
        await page.close();
    }
});

test("100,000 operators are sorted and scrolled without being in the document", async () => {
    const [tables, types] = smallTables();
    const count = 100_000;
    const operators = tables.operators as Tables[string];
    const wide: Tables[string] = {};
    for (const [name, values] of Object.entries(operators)) {
        wide[name] = [values[0] ?? null];
        for (let id = 1; id < count; id++) wide[name].push(values[6] ?? null);
    }
    wide.id = Array.from({ length: count }, (_, id) => id);
    wide.instruction = wide.id;
    wide.p50 = wide.id.map((id) => (Number(id) * 7919) % count);
    tables.operators = wide;
    const path = writePage("wide", tables, { types });
    const { page, faults } = await open(browser, path, "#1/operators");
    const rows = page.locator("tbody tr[aria-rowindex]");
    await page.click('th button:has-text("p50")');
    assert.ok((await rows.count()) < 100);
    assert.equal(
        await page.locator('[role="treegrid"]').getAttribute("aria-rowcount"),
        String(count + 1),
    );
    await page.keyboard.press("End");
    const selected = page.locator('tr[aria-selected="true"]');
    assert.equal(await selected.getAttribute("aria-rowindex"), String(count + 1));
    assert.ok(await selected.isVisible());
    assert.deepEqual(faults, []);
    await page.close();
});
