import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import {
    accessibilityFaults,
    cutNumbers,
    data,
    etscope,
    filesOf,
    goTo,
    jsonRows,
    launch,
    open,
    openingTimes,
    reportOf,
} from "../reports";

const FOLDER = "gpt_xnnpack";
let browser: Browser;
let report: string;

before(async () => {
    report = reportOf(FOLDER);
    browser = await launch();
});
after(() => browser?.close());

/** All views that this report has something for. */
const VIEWS = [
    "summary",
    "operators",
    "timeline",
    "graph",
    "source",
    "cost",
    "memory",
    "size",
    "runs",
];
const OPERATORS = "#1/operators";
const rowsOf = (page: import("playwright-core").Page) =>
    page
        .locator("tbody tr[aria-rowindex]")
        .evaluateAll((rows) =>
            rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim())),
        );

const buttonOf = (page: Page, sentence: string) =>
    page.locator(".findings li", { hasText: sentence }).locator("button");

test("the first screen says what was found, and a finding opens its place", async () => {
    const written = JSON.parse(etscope("report", ...filesOf(FOLDER), "--format", "json"));
    const { page, faults } = await open(browser, report);
    const headline = await page.locator(".headline").innerText();
    for (const sentence of written.headline) assert.ok(headline.includes(sentence), sentence);
    const place = written.findings.find(({ view }: { view: string }) => view === "operators");
    await buttonOf(page, place.sentence).click();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Operators");
    assert.equal(await page.locator('th[aria-sort="descending"]').innerText(), "share of a run ▾");
    await page.goBack();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Summary");
    assert.deepEqual(faults, []);
    await page.close();
});

test("a finding's rows are in sight however the table was grouped, and the details say why", async () => {
    const { page, faults } = await open(browser, report, "#1/operators?by=module");
    const written = JSON.parse(etscope("report", ...filesOf(FOLDER), "--format", "json"));
    const { why_out, remedy, name } = written.tables.operators;
    const outside = why_out.findIndex((why: string | null) => why !== null);
    assert.ok(outside >= 0);
    const finding = written.findings.find(({ select }: { select: string | null }) =>
        /^operators?:/.test(select ?? ""),
    );
    await page.keyboard.press("1");
    await buttonOf(page, finding.sentence).click();
    assert.equal(await page.locator("tr.group, .group").count(), 0);
    assert.ok((await page.locator('tr[aria-selected="true"]').count()) > 0);
    await page.goto(page.url().replace(/sel=[^&]*/, `sel=operator:${outside}`));
    await page.waitForSelector(".details h2");
    const said = await page.locator(".details").innerText();
    assert.ok(said.includes(name[outside]), said);
    assert.ok(said.includes(why_out[outside]) && said.includes("XnnpackPartitioner"), said);
    if (remedy[outside] !== null) assert.ok(said.includes(remedy[outside]), said);
    assert.deepEqual(faults, []);
    await page.close();
});

test("modules say the same share in the first screen and in the graph", async () => {
    const { page, faults } = await open(browser, report);
    const row = page.locator("section:has(#top-modules) li", { hasText: /blocks\.\d+$/ }).first();
    const said = await row.innerText();
    await row.locator("button").click();
    const share = (/[\d.<]+(?:\.\.[\d.]+)?%/.exec(said) as RegExpExecArray)[0];
    await page.waitForSelector(".graph-picture[data-cursor]");
    await page.click('.graph-tools button:text-is("list")');
    const box = await page.locator('tr[aria-selected="true"]').first().innerText();
    const [, low, high] = /^(.+)\.\.(.+)%$/.exec(share) ?? [];
    assert.ok(
        box.includes(low === high && low !== undefined ? `${low}%` : share),
        `${said} / ${box}`,
    );
    assert.ok((await page.locator(".details").innerText()).includes(share));
    assert.deepEqual(faults, []);
    await page.close();
});

test("reports of small models are small and open at once", async (t) => {
    for (const folder of [FOLDER, "conv_xnnpack_int8"]) {
        const path = reportOf(folder);
        const { page, faults } = await open(browser, path);
        const { paint, alive } = await openingTimes(page);
        const bytes = statSync(path).size;
        t.diagnostic(`${folder}: ${bytes} bytes, first paint ${paint} ms, alive ${alive} ms`);
        assert.ok(bytes < 500_000, `${folder}: ${bytes} bytes`);
        assert.ok(paint > 0 && alive > 0);
        assert.deepEqual(faults, []);
        await page.close();
    }
});

test("a run goes where the headline says, with a record and without", async () => {
    const alone = (folder: string) => [data(`${folder}/profile.etdp`), "--no-siblings"];
    for (const path of [report, ...[FOLDER, "types"].map((name) => reportOf(name, alone(name)))]) {
        const { page, faults } = await open(browser, path);
        const headline = await page.locator(".headline").innerText();
        const goes = await page.locator(".where").innerText();
        for (const words of [/([\d.]+) % in \d+ kernel calls/, /([\d.]+) % between operators/]) {
            const share = words.exec(headline)?.[1];
            assert.ok(share !== undefined && goes.includes(`${share}%`), `${share} in ${goes}`);
        }
        assert.deepEqual(faults, []);
        await page.close();
    }
});

/** Those of the elements that the screen does not show whole. */
const outOfSight = (page: Page, elements: string): Promise<(string | null)[]> =>
    page.locator(elements).evaluateAll((all) =>
        all
            .filter((element) => {
                const { left, right, top, bottom } = element.getBoundingClientRect();
                return left < -1 || right > innerWidth + 1 || top < 0 || bottom > innerHeight;
            })
            .map((element) => element.textContent),
    );

test("on every screen all views can be reached, and nothing is wider than the screen", async () => {
    const { page, faults } = await open(browser, report);
    for (const [width, height] of [
        [400, 800],
        [640, 400],
        [1280, 800],
    ] as const) {
        await page.setViewportSize({ width, height });
        for (const view of VIEWS) {
            await goTo(page, `#1/${view}?sel=operator:2`);
            assert.deepEqual(await outOfSight(page, ".icon, .filter"), [], `${view} ${width}`);
            const active = '.tab[aria-current="page"]';
            assert.deepEqual(await outOfSight(page, active), [], `${view} ${width}`);
            const tops = await page
                .locator(".tab")
                .evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top));
            assert.equal(new Set(tops).size, 1, `${view} ${width}: one row`);
            const isLong = await page
                .locator(".tabs")
                .evaluate((row) => row.scrollWidth > row.clientWidth + 1);
            assert.equal((await page.locator(".more-tabs").count()) > 0, isLong, `${width}`);
            const over = await page.evaluate(
                () => document.documentElement.scrollWidth - innerWidth,
            );
            assert.ok(over <= 0, `${view} ${width}: ${over} pixels too wide`);
        }
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("on a phone the row of views scrolls by key, by touch and by its hint", async () => {
    const { page, faults } = await open(browser, report);
    await page.setViewportSize({ width: 390, height: 844 });
    const first = page.locator(".tab").first();
    const last = page.locator(".tab").last();
    await first.focus();
    for (let i = 0; i < VIEWS.length + 1; i++) await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Compare");
    assert.deepEqual(await outOfSight(page, ".tab:focus"), []);
    await first.scrollIntoViewIfNeeded();
    while ((await outOfSight(page, ".tab:last-child")).length > 0) {
        await page.getByRole("button", { name: "views to the right" }).click();
    }
    await last.click();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Compare");
    assert.deepEqual(faults, []);
    await page.close();
});

test("views are links, which open in a tab of their own with what is selected", async () => {
    const { page, faults } = await open(browser, report, `${OPERATORS}?sel=operator:5&theme=dark`);
    const opened = page.context().waitForEvent("page");
    await page.locator('.tab:has-text("Runs")').click({ modifiers: ["Control"] });
    const other = await opened;
    await other.waitForSelector(".view-runs > *");
    assert.match(other.url(), /#1\/runs\?.*sel=operator:5&theme=dark/);
    await other.close();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Operators");
    await page.locator('.tab:has-text("Source")').focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".view-source > *");
    await page.goBack();
    await page.waitForSelector(".view-operators > *");
    assert.deepEqual(faults, []);
    await page.close();
});

test("the details pane says where a run goes, and can be hidden", async () => {
    const { page, faults } = await open(browser, report, OPERATORS);
    assert.equal(await page.locator(".details").count(), 0, "nothing is selected");
    await page.keyboard.press("i");
    assert.match(await page.locator(".details .where").innerText(), /kernels[^]*36\.4%/);
    const before = await page.locator(".data-table").boundingBox();
    await page.keyboard.press("j");
    assert.equal(await page.locator(".details.idle").count(), 0);
    assert.deepEqual(await page.locator(".data-table").boundingBox(), before, "nothing moves");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(".details").waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.locator(".details .close").click();
    await page.locator(".details").waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.locator(".details").waitFor();
    await page.keyboard.press("i");
    await page.locator(".details").waitFor({ state: "detached" });
    await page.keyboard.press("j");
    assert.equal(await page.locator(".details").count(), 0);
    await page.click(".pane-toggle");
    assert.match(await page.locator(".details .kind").innerText(), /operator/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("details list what is inside of a call, a module's own operators, and shapes", async () => {
    const { page, faults } = await open(browser, report, OPERATORS);
    const { tables } = JSON.parse(etscope("report", ...filesOf(FOLDER), "--format", "json"));
    const { event, parent, name, position, p50, p50_upper, debug_handles, module } =
        tables.operators;
    const insideOf = (call: number) =>
        (parent as number[]).filter((above, id) => above === call && p50[id] > 0).length;
    const call = (event as string[]).findIndex(
        (kind, id) => kind === "DELEGATE_CALL" && insideOf(id) > 1,
    );
    await goTo(page, `${OPERATORS}?sel=operator:${call}`);
    const fact = (title: string) =>
        page.locator(".details dl > div", { has: page.locator(`dt:text("${title}")`) });
    const inside = (parent as number[])
        .flatMap((above, id) => (above === call ? id : []))
        .sort((a, b) => position[a] - position[b]);
    assert.ok(inside.length > 1);
    assert.deepEqual(
        await fact("inside, in order").locator("li button").allInnerTexts(),
        inside.map((id) => name[id]),
    );
    const times = await fact("inside, in order").locator(".number").allInnerTexts();
    const timed = inside.findIndex((id) => p50[id] > 0);
    const id = inside[timed] as number;
    const said = `${p50[id] / 1000}..${p50_upper[id] / 1000} us, `;
    assert.ok(times[timed]?.startsWith(said), `${times[timed]} is not ${said}`);
    assert.equal(await fact("handles").count(), 0);
    const inner = (parent as (number | null)[]).findIndex(
        (above, id) =>
            event[above ?? -1] === "DELEGATE_CALL" &&
            debug_handles[id] !== "[]" &&
            /^blocks\.\d+\.\w+$/.test(String(module[id])),
    );
    assert.ok(inner >= 0);
    await goTo(page, `${OPERATORS}?sel=operator:${inner}`);
    const handles = (await fact("handles").locator("dd").innerText()).split(", ");
    assert.equal(new Set(handles).size, handles.length);
    await page.locator('.details dt:text("gives")').waitFor();
    assert.match(await fact("gives").innerText(), /float32 \[[\d,]+\]/);
    await goTo(page, `${OPERATORS}?sel=module:${module[inner]}`);
    const own = await fact("operators").innerText();
    assert.ok(own.includes(name[inner]), `${own} has no ${name[inner]}`);
    assert.doesNotMatch(await fact("operators").innerText(), /DELEGATE_CALL/);
    const isDeep = (path: string) => /^blocks\.\d+\.\w+$/.test(path);
    const wide = (module as (string | null)[]).find(
        (path, id) =>
            event[id] === "DELEGATE_CALL" && (path ?? "").split(", ").filter(isDeep).length > 1,
    );
    await goTo(page, `${OPERATORS}?sel=module:${wide?.split(", ").find(isDeep)}`);
    assert.match(await fact("shared with other modules").innerText(), /DELEGATE_CALL/);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a line says its share, in any view", async () => {
    const { page, faults } = await open(browser, report, "#1/runs?sel=line:models/zoo.py:29");
    await page.locator('.details dd:has-text("11.6..17.6% of a run")').waitFor();
    assert.deepEqual(faults, []);
    await page.close();
});

test("a view without its files says with which command it has them", async () => {
    const path = reportOf(FOLDER, [data(`${FOLDER}/profile.etdp`), "--no-siblings"]);
    const { page, faults } = await open(browser, path, "#1/graph");
    const said = await page.locator(".empty").innerText();
    assert.match(said, /Graph needs the ETRecord or the program\./);
    assert.match(said, /etscope report profile\.etdp --etrecord FILE -o report\.html/);
    await page.close();
    const record = await open(browser, reportOf(FOLDER, [data(`${FOLDER}/model.etrecord`)]));
    await goTo(record.page, "#1/source");
    assert.match(await record.page.locator(".empty").innerText(), /Source needs a trace\./);
    await goTo(record.page, "#1/graph");
    await record.page.locator(".graph-picture").waitFor();
    assert.deepEqual([...faults, ...record.faults], []);
    await record.page.close();
});

test("the operators are those of inspect, with the same numbers", async () => {
    const { page, faults } = await open(browser, report, OPERATORS);
    const expected = jsonRows("inspect", ...filesOf(FOLDER)).filter(
        (row) => row.block === "Execute",
    );
    const shown = await rowsOf(page);
    assert.equal(shown.length, expected.length);
    const text = (lower: number, upper: number) =>
        lower === upper
            ? (lower / 1000).toFixed(3)
            : lower === 0
              ? `<${upper / 1000}`
              : `${lower / 1000}..${upper / 1000}`;
    expected.forEach((row, i) => {
        const cells = (shown[i] as string[]).join("\n");
        const p50 = text(row.p50_ns as number, row.p50_ns_upper as number);
        const name = String(row.operator).replace(/^(DELEGATE_CALL) .*/, "$1");
        assert.ok(cells.includes(name), `${cells} has no ${name}`);
        assert.ok(cells.split("\n").includes(p50), `${cells} has no ${p50}`);
    });
    assert.deepEqual(faults, []);
    await page.close();
});

test("an unknown grouping in the address is said", async () => {
    const { page, faults } = await open(browser, report, `${OPERATORS}?by=colour`);
    assert.match(await page.getByRole("status").first().innerText(), /no grouping by “colour”/);
    assert.ok((await rowsOf(page)).length > 20);
    await goTo(page, `${OPERATORS}?by=module`);
    assert.equal(await page.getByText("There is no grouping").count(), 0);
    assert.deepEqual(faults, []);
    await page.close();
});

test("sort, filter and group", async () => {
    const { page, faults } = await open(browser, report, OPERATORS);
    await page.click('th button:has-text("p50")');
    const times = (await rowsOf(page)).length;
    assert.ok(times > 100);
    assert.equal(await page.locator('th[aria-sort="descending"]').innerText(), "p50 us ▾");
    await page.fill(".filter", "softmax b:xnnpack");
    const found = await rowsOf(page);
    assert.ok(found.some((cells) => cells.join().includes("Softmax")));
    assert.ok(found.length < 12, `${found.length} rows`);
    await page.fill(".filter", "");
    await page.click('.choice button:has-text("line")');
    assert.match((await rowsOf(page))[0]?.join(" ") ?? "", /models\/zoo\.py:28/);
    await page.waitForTimeout(300);
    assert.match(page.url(), /by=line/);
    await page.goBack();
    assert.doesNotMatch(page.url(), /by=line/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("modules are the tree of inspect, with the same numbers, opened and closed by keys", async () => {
    const { page, faults } = await open(browser, report, `${OPERATORS}?by=module`);
    await page.setViewportSize({ width: 1500, height: 900 });
    const row = (name: string) =>
        page.locator("tbody tr[aria-rowindex]", {
            has: page.locator(`td .tree-cell bdi:text-is("${name}")`),
        });
    await row("(model)").waitFor();
    await page.locator(".runs-range").first().waitFor();
    const modules = jsonRows("inspect", ...filesOf(FOLDER), "--group-by", "module").filter(
        ({ block, p50_ns }) => block === "Execute" && p50_ns !== null,
    );
    const blocks = modules.filter(({ module }) =>
        /^(\(model\)|blocks|blocks\.\d+)$/.test(String(module)),
    );
    assert.ok(blocks.length > 2);
    const say = (lower: number, upper: number) =>
        lower === upper ? (lower / 1000).toFixed(3) : String(Number((upper / 1000).toPrecision(4)));
    for (const { module, p50_ns, p50_ns_upper, share } of blocks) {
        const said = await row(String(module)).innerText();
        assert.ok(said.includes(say(p50_ns as number, p50_ns_upper as number)), said);
        assert.ok(said.includes(((share as number) * 100).toFixed(1)), said);
    }
    const inner = String(blocks[blocks.length - 1]?.module);
    await row(inner).click();
    assert.match(page.url(), new RegExp(`sel=module:${inner}`));
    const level = Number(await row(inner).getAttribute("aria-level"));
    assert.equal(await row(inner).getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowRight");
    assert.equal(await row(inner).getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowRight");
    const selected = page.locator('tr[aria-selected="true"]');
    assert.equal(await selected.getAttribute("aria-level"), String(level + 1));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await row(inner).getAttribute("aria-expanded"), "false");
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a backend takes what inspect says, and its group is opened by keys", async () => {
    const { page, faults } = await open(browser, report, `${OPERATORS}?by=backend`);
    await page.locator(".runs-range").first().waitFor();
    const rows = jsonRows("inspect", ...filesOf(FOLDER), "--group-by", "backend").filter(
        ({ block, backend }) => block === "Execute" && backend === "XnnpackBackend",
    );
    const shown = page.locator("tbody tr", { hasText: "XnnpackBackend" }).first();
    const said = await shown.innerText();
    assert.ok(said.includes(`${((rows[0]?.share as number) * 100).toFixed(1)}%`), said);
    assert.ok(said.includes(((rows[0]?.p50_ns as number) / 1000).toFixed(3)), said);
    const count = await page.locator("tbody tr[aria-rowindex]").count();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
        (before) => document.querySelectorAll("tbody tr[aria-rowindex]").length > before,
        count,
    );
    const opened = page.locator('tr[aria-selected="true"]');
    const isOpen = () => opened.getAttribute("aria-expanded");
    assert.equal(await isOpen(), "true");
    await page.locator('input[type="search"]').first().fill("e");
    await page.waitForFunction(() => /[?&]f=e/.test(location.hash));
    assert.equal(await isOpen(), "true", "what was opened by hand stays open");
    assert.deepEqual(faults, []);
    await page.close();
});

test("a selection is kept by the address and shown in every view", async () => {
    const { page, faults } = await open(browser, report, OPERATORS);
    await page.locator("tbody tr[aria-rowindex]").nth(5).click();
    const name = await page.locator(".details h2").innerText();
    const url = page.url();
    assert.match(url, /sel=operator:\d+/);
    await page.reload();
    await page.waitForSelector(".alive");
    assert.equal(await page.locator(".details h2").innerText(), name);
    await page.locator(".details .link").first().click();
    assert.match(await page.locator(".details .kind").innerText(), /source line/);
    assert.ok((await page.locator("tr.dim").count()) > 0);
    assert.deepEqual(faults, []);
    await page.close();
});

test("the keyboard alone goes everywhere", async () => {
    const { page, faults } = await open(browser, report);
    await page.keyboard.press("2");
    await page.waitForSelector('[role="treegrid"]');
    for (const key of ["j", "j", "ArrowDown", "k"]) await page.keyboard.press(key);
    const selected = page.locator('tr[aria-selected="true"]');
    assert.equal(await selected.getAttribute("aria-rowindex"), "3");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForSelector('tr[aria-selected="true"][aria-expanded="false"]');
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Escape");
    await selected.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    assert.match(await page.locator("dialog").innerText(), /next row/);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("addmm 2");
    assert.equal(await page.inputValue(".filter"), "addmm 2");
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await page.waitForSelector('html[data-theme="dark"]', { state: "attached" });
    assert.deepEqual(faults, []);
    await page.close();
});

test("Tab reaches all controls of every view, in order, each with a ring", async () => {
    const { page, faults } = await open(browser, report);
    for (const view of VIEWS) {
        await goTo(page, `#1/${view}`);
        await page.locator(".tab").first().focus();
        const tops: number[] = [];
        for (let i = 0; i < 20; i++) {
            await page.keyboard.press("Tab");
            const at = await page.evaluate(() => {
                const element = document.activeElement;
                if (element === null || element === document.body) return null;
                const { outlineStyle, outlineWidth } = getComputedStyle(element);
                const { top, width } = element.getBoundingClientRect();
                const isRinged = outlineStyle !== "none" && outlineWidth !== "0px";
                return { top, isSeen: isRinged && width > 0, html: element.outerHTML };
            });
            if (at === null) break;
            assert.ok(at.isSeen, `${view}: ${at.html.slice(0, 200)}`);
            tops.push(at.top);
        }
        assert.ok(tops.length > 11, `${view}: ${tops.length}`);
        assert.ok((tops[tops.length - 1] as number) > 40, `${view}: ${tops}`);
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("every view is accessible in both themes", async () => {
    const { page, faults } = await open(browser, report);
    for (const theme of ["light", "dark"]) {
        for (const view of VIEWS) {
            await goTo(page, `#1/${view}?theme=${theme}&sel=operator:2`);
            assert.deepEqual(await accessibilityFaults(page), [], `${view}, ${theme}`);
        }
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("numbers of tables are never cut", async () => {
    for (const folder of [FOLDER, "conv_xnnpack_int8", "cond"]) {
        const { page } = await open(browser, reportOf(folder));
        for (const width of [400, 900, 1400]) {
            await page.setViewportSize({ width, height: 800 });
            for (const view of VIEWS) {
                await goTo(page, `#1/${view}`);
                assert.deepEqual(await cutNumbers(page), [], `${folder}, ${view}, ${width} pixels`);
            }
        }
        await page.close();
    }
});

test("a copied table has the command line's names and base units", async () => {
    const { page } = await open(browser, report);
    await page.evaluate(() => {
        document.execCommand = (command: string) => {
            if (command === "copy") document.title = document.querySelector("textarea")!.value;
            return true;
        };
        Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await goTo(page, OPERATORS);
    await page.getByText("Copy TSV").click();
    await page.waitForFunction(() => document.title.includes("p50_ns"));
    const [names, ...lines] = (await page.evaluate(() =>
        document.querySelector("title")!.textContent!.split("\n"),
    )) as [string, ...string[]];
    const copied = lines.filter(Boolean).map((line) => line.split("\t"));
    const column = (name: string) => {
        const at = names.split("\t").indexOf(name);
        assert.ok(at >= 0, `${name} is not among ${names}`);
        return copied.map((fields) => fields[at]);
    };
    const inspected = new Set(
        jsonRows("inspect", ...filesOf(FOLDER)).map(
            (row) => `${row["p50_ns"]} ${row["p50_ns_upper"]}`,
        ),
    );
    const upper = column("p50_ns_upper");
    const known = column("p50_ns").filter((lower, i) => inspected.has(`${lower} ${upper[i]}`));
    assert.ok(known.length > 20, `${known.length} of ${copied.length}`);
    assert.ok(column("share_upper").some(Boolean));
    await page.close();
});

test("reports of all kinds of traces open without a fault", async () => {
    for (const folder of ["conv_xnnpack_int8", "cond", "multi_method", "types", "map_loop"]) {
        const path = reportOf(folder);
        const { page, faults } = await open(browser, path);
        for (const view of VIEWS) {
            await goTo(page, `#1/${view}?sel=operator:1&run=1`);
            assert.equal(await page.locator('[role="alert"]').count(), 0, `${folder}, ${view}`);
            assert.deepEqual(faults, [], `${folder}, ${view}`);
        }
        await page.close();
    }
});

test("print has the first screen, and at most two pages of every view", async () => {
    const { page, faults } = await open(browser, report);
    for (const view of VIEWS) {
        await goTo(page, `#1/${view}?theme=dark`);
        const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
        const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        assert.ok(pages >= 1 && pages <= 2, `${view}: ${pages} pages`);
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("the lines are those of annotate, with the same numbers", async () => {
    const { page, faults } = await open(browser, report, "#1/source");
    const expected = jsonRows("annotate", ...filesOf(FOLDER));
    const shown = (await rowsOf(page)).map((cells) => cells.join("\n"));
    assert.equal(shown.length, expected.length);
    for (const row of expected) {
        const cells = shown.find((text) => text.endsWith(String(row.code)));
        assert.ok(
            cells?.includes(((row.share as number) * 100).toFixed(1)) || row.share === 0,
            cells,
        );
    }
    await page.locator("tbody tr[aria-rowindex]").first().dblclick();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Operators");
    assert.match(page.url(), /sel=line:models\/zoo\.py:26/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("tokens of a generation are drawn over their positions, with a line for each part", async () => {
    const files = [...filesOf("gpt_portable"), "--prompt", "8"];
    const path = reportOf("gpt_portable_tokens", files);
    const { page, faults } = await open(browser, path, "#1/runs");
    const chart = page.locator(".token-chart");
    assert.equal(
        await chart.locator(".chart").getAttribute("aria-label"),
        "Time of a token over its position, of the run and of 2 parts of the model",
    );
    const legend = await chart.locator(".colours li").allInnerTexts();
    assert.equal(legend[0], "whole run");
    assert.ok(legend.includes("attention"), legend.join());
    assert.ok(!legend.includes("embedding"), "a part that takes next to nothing has no line");
    const positions = page.locator(".runs-tables > :first-child tbody td:nth-child(2)");
    assert.deepEqual(await positions.allInnerTexts(), ["8", "9", "10", "11"]);
    await chart.locator(".u-over").click({ position: { x: 3, y: 50 } });
    await page.waitForFunction(() => /sel=run:2\b/.test(location.hash));
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a run is chosen by a click in the chart, and compared with the median and with another", async () => {
    const { page, faults } = await open(browser, report, "#1/runs");
    const beside = page.locator(".runs-tables > :last-child");
    assert.match(await beside.innerText(), /Run 1, the slowest, beside/);
    const plot = await page.locator(".u-over").boundingBox();
    assert.ok(plot !== null);
    await page.mouse.click(plot.x + plot.width * 0.1, plot.y + plot.height / 2);
    await page.waitForFunction(() => /sel=run:1\b/.test(location.hash));
    const times = jsonRows(
        "sql",
        "select time from runs where id in (1, 2) order by id",
        data(`${FOLDER}/profile.etdp`),
    );
    const us = (i: number) => ((times[i]?.time as number) / 1000).toFixed(3);
    const first = page.locator(".runs-tables > :last-child tbody tr").first();
    assert.ok((await first.innerText()).includes(us(0)), await first.innerText());
    await page.selectOption(".runs-tables select", "2");
    assert.ok((await first.innerText()).includes(us(1)), await first.innerText());
    await page.keyboard.press("]");
    assert.match(page.url(), /run=2\b/);
    assert.deepEqual(faults, []);
    await page.close();
});
