/** The graph view on reports that etscope wrote, and on a graph of 10,000 nodes. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { orderOf } from "../../../web/src/views/graph/layout/order";
import { makeLinks } from "../../../web/src/views/graph/links";
import type { GraphModel } from "../../../web/src/views/graph/model";
import { buildTree } from "../../../web/src/views/graph/tree";
import {
    accessibilityFaults,
    comparedReport,
    data,
    etscope,
    filesOf,
    goTo,
    launch,
    open,
    reportOf,
    writePage,
} from "../reports";
import { manyLayers } from "../layers";

let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser.close());

const picture = (page: Page) => page.locator(".graph-picture");
const shown = async (page: Page, what: "boxes" | "lines" | "upward"): Promise<number> =>
    Number(await picture(page).getAttribute(`data-${what}`));

/** Waits until so many boxes are shown, or more or fewer than before. */
const untilBoxes = (page: Page, test: string, count: number) =>
    page.waitForFunction(
        ([test, count]) => {
            const now = Number(
                document.querySelector<HTMLElement>(".graph-picture")?.dataset.boxes,
            );
            return test === "<" ? now < count : test === ">" ? now > count : now === count;
        },
        [test, count] as const,
    );

/** Titles of what is open, as the list says them. */
async function titles(page: Page): Promise<string[]> {
    await page.click('.graph-tools button:text-is("list")');
    await page.waitForSelector('[role="treegrid"]');
    const cells = await page.locator("tbody tr[aria-rowindex] td:first-child").allInnerTexts();
    await page.click('.graph-tools button:text-is("picture")');
    await picture(page).waitFor();
    return cells.map((text) => text.trim());
}

async function openGraph(path: string, hash = "#1/graph") {
    const opened = await open(browser, path, hash);
    await picture(opened.page).waitFor();
    return opened;
}

test("boxes open, close and are selected with the keyboard", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"));
    assert.ok((await titles(page)).some((title) => /blocks\.0/.test(title)));
    await page.click('.graph-tools button:text-is("Collapse all")');
    await picture(page).focus();
    for (let i = 0; i < 12; i++) {
        await page.keyboard.press("ArrowDown");
        await page.waitForTimeout(300); /* the address follows */
        if (/sel=module:blocks\.0/.test(page.url())) break;
    }
    await page.waitForFunction(() => location.hash.includes("sel=module:blocks.0"));
    assert.equal(await picture(page).getAttribute("data-cursor"), "blocks.0");
    const few = await shown(page, "boxes");
    await page.keyboard.press("Enter");
    await untilBoxes(page, ">", few);
    await page.keyboard.press("Escape");
    await untilBoxes(page, "=", few);
    assert.match(await page.locator(".details h2").innerText(), /blocks\.0/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a press selects a box, the wheel zooms, and a drag moves the picture", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"));
    await page.click('.graph-tools button:text-is("Collapse all")');
    await page.waitForFunction(
        () => !document.querySelector("[role=status]")?.textContent?.includes("…"),
    );
    const area = (await picture(page).boundingBox()) as { x: number; y: number; width: number };
    const pixels = () => page.locator(".graph-picture > canvas").first().screenshot();
    await page.waitForTimeout(200);
    const before = await pixels();
    /* The input stands in the middle above the first box. */
    const middle = area.x + area.width / 2;
    let found: string | null = null;
    for (let y = area.y + 30; y < area.y + 400 && found === null; y += 20) {
        await page.mouse.click(middle, y);
        await page.waitForTimeout(50);
        if (/sel=/.test(page.url())) found = await picture(page).getAttribute("data-cursor");
    }
    assert.notEqual(found, null);
    await page.mouse.wheel(0, -300);
    await page.mouse.down();
    await page.mouse.move(middle + 80, area.y + 500, { steps: 3 });
    await page.mouse.up();
    await page.waitForTimeout(100);
    assert.notDeepEqual(await pixels(), before);
    assert.deepEqual(faults, []);
    await page.close();
});

test("nodes of one debug handle say what they share", async () => {
    const { page, faults } = await open(browser, reportOf("gpt_xnnpack"), "#1/graph?form=list");
    await page.click('.graph-tools button:text-is("Expand all")');
    const row = page.locator('tbody tr:has(td:text-matches("^14 share <?\\\\d"))');
    assert.ok((await row.count()) > 3);
    await row.first().click();
    const details = await page.locator(".details").innerText();
    assert.match(details, /\d+ other nodes came from the same operators/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("what is selected elsewhere is brought into sight", async () => {
    const path = reportOf("gpt_xnnpack");
    const { page, faults } = await openGraph(path, "#1/graph?sel=module:blocks.1.dn");
    await page.waitForSelector(".graph-picture[data-cursor]");
    assert.deepEqual(faults, []);
    await page.close();
});

test("the filter box finds names, operators and shapes, and n goes to them", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"), "#1/graph?f=gelu");
    assert.match(await page.locator(".graph-tools").innerText(), /[1-9]\d* nodes? found/);
    await page.keyboard.press("n");
    await page.waitForSelector('.graph-picture[data-cursor*="gelu"]');
    await goTo(page, "#1/graph?f=float32%20[1");
    await page.waitForFunction(() =>
        /[1-9]\d* nodes? found/.test(document.querySelector(".graph-tools")?.textContent ?? ""),
    );
    assert.deepEqual(faults, []);
    await page.close();
});

test("all opens and closes; weights are boxes, too; no line leads up", async () => {
    for (const folder of ["gpt_xnnpack", "conv_xnnpack_int8", "cond", "multi_method", "map_loop"]) {
        const { page, faults } = await openGraph(reportOf(folder));
        await page.click('.graph-tools button:text-is("Collapse all")');
        await page.waitForTimeout(300);
        const least = await shown(page, "boxes");
        await page.click('.graph-tools button:text-is("Expand all")');
        await page.waitForTimeout(300);
        const most = await shown(page, "boxes");
        assert.ok(most > least || folder === "map_loop", `${folder}: ${least}, ${most}`);
        assert.equal(await shown(page, "upward"), 0, folder);
        const check = page.locator('label:has-text("weights") input');
        if ((await check.count()) > 0) {
            await check.check();
            await page.waitForTimeout(300);
            await page.click('.graph-tools button:text-is("Expand all")');
            await untilBoxes(page, ">", most);
            assert.equal(await shown(page, "upward"), 0, folder);
        }
        assert.deepEqual(faults, [], folder);
        await page.close();
    }
});

/** The graphs of a record, each method by itself; nodes of one debug handle as one kernel. */
function graphsOf(record: string): { model: GraphModel; kernels: number[] }[] {
    const { tables } = JSON.parse(etscope("report", record, "--format", "json"));
    const { nodes, edges } = tables;
    if (nodes === undefined || edges === undefined) return [];
    const methods: string[] = [...new Set(nodes.method as string[])];
    return methods.map((method) => {
        const ids = (nodes.id as number[]).filter((id) => nodes.method[id] === method);
        const number = new Map(ids.map((id, i) => [id, i]));
        const ends = (edges.from as number[])
            .map((from, i) => [number.get(from), number.get(edges.to[i])] as const)
            .filter((pair): pair is [number, number] => !pair.includes(undefined));
        const model: GraphModel = {
            nodes: ids.map((id) => ({
                ...{ kind: "node", id, name: nodes.name[id], op: nodes.op[id] ?? "", type: "" },
                ...{ module: nodes.module[id] ?? "", line: null, branch: null, arguments: "" },
            })),
            edges: ends.map(([from, to]) => ({ from, to, shape: "", bytes: null })),
            nodesOfOperator: new Map(),
        };
        return { model, kernels: ids.map((id) => nodes.debug_handle[id] ?? -1) };
    });
}

test("no line leads up in the graph of any record", () => {
    const folders = readdirSync(data("."), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
    );
    const records = folders
        .filter(({ name }) => name !== "payload_truth" && name !== "schema")
        .flatMap(({ name }) =>
            readdirSync(data(name))
                .filter((file) => file.endsWith(".etrecord"))
                .map((file) => data(`${name}/${file}`)),
        );
    let lines = 0;
    for (const record of records) {
        for (const { model, kernels } of graphsOf(record)) {
            /* A call of two of three nodes, whatever they are. */
            const calls = model.nodes.flatMap((_, i): [number, number][] =>
                i % 3 < 2 ? [[i, 0]] : [],
            );
            const groups = { delegateOf: new Map(calls), nameOfDelegate: () => "call", kernels };
            const tree = buildTree(model, groups);
            const links = makeLinks(model, tree);
            for (const box of tree.boxes.values()) {
                const place = new Map(box.children.map((child, i) => [child, i]));
                const own = links
                    .get(box.id)
                    .map(({ from, to }) => [place.get(from)!, place.get(to)!] as const);
                lines += own.length;
                const { isBack } = orderOf(box.children.length, own);
                assert.deepEqual(isBack.indexOf(true), -1, `${record}: ${box.title}`);
            }
        }
    }
    assert.ok(records.length > 30 && lines > 300, `${records.length} records, ${lines} lines`);
});

test("a stack draws one of its boxes, left and right go to the next", async () => {
    const path = writePage("few-layers", ...manyLayers(150));
    const { page, faults } = await openGraph(path);
    await picture(page).focus();
    const cursor = () => picture(page).getAttribute("data-cursor");
    await page.keyboard.press("ArrowDown");
    assert.match((await cursor()) ?? "", /^layers\.\d+–\d+ ×\d+$/);
    await page.keyboard.press("Enter");
    const first = (await cursor()) ?? "";
    assert.match(first, /^layers\.\d+$/);
    const few = await shown(page, "boxes");
    const key = first === "layers.0" ? "ArrowRight" : "ArrowLeft";
    await page.keyboard.press(key);
    await page.waitForFunction((before) => {
        const now = document.querySelector<HTMLElement>(".graph-picture")?.dataset.cursor;
        return now !== undefined && now !== before;
    }, first);
    assert.match((await cursor()) ?? "", /^layers\.\d+$/);
    assert.equal(await shown(page, "boxes"), few);
    assert.deepEqual(faults, []);
    await page.close();
});

test("the picture is saved as SVG and PNG", async () => {
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack"));
    const save = async (name: string) => {
        const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.click(`.graph-tools button:text-is("${name}")`),
        ]);
        assert.match(download.suggestedFilename(), new RegExp(`-graph\\.${name.toLowerCase()}$`));
        return readFileSync(await download.path());
    };
    const svg = (await save("SVG")).toString("utf8");
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/);
    assert.match(svg, />blocks\.0</);
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
    assert.equal((await save("PNG")).subarray(1, 4).toString("latin1"), "PNG");
    assert.deepEqual(faults, []);
    await page.close();
});

test("pictures and lists of all kinds of graphs are whole and accessible", async () => {
    for (const folder of ["gpt_xnnpack", "cond", "multi_method"]) {
        const { page, faults } = await openGraph(reportOf(folder));
        for (const theme of ["light", "dark"]) {
            for (const form of ["picture", "list"]) {
                for (const colour of ["time", "backend"]) {
                    const hash = `#1/graph?theme=${theme}&form=${form}&colour=${colour}`;
                    await goTo(page, hash);
                    await page.waitForSelector(
                        form === "list" ? '[role="treegrid"]' : ".graph-picture",
                    );
                    assert.deepEqual(await accessibilityFaults(page), [], `${folder} ${hash}`);
                }
            }
        }
        assert.deepEqual(faults, [], folder);
        await page.close();
    }
});

test("graphs of two traces stand side by side, coloured by what changed", async () => {
    const path = comparedReport("gpt_xnnpack", "gpt_portable");
    const { page, faults } = await openGraph(path);
    await page.locator('label:has-text("side by side") input').click();
    await page.waitForFunction(() => document.querySelectorAll(".graph-picture").length === 2);
    await page.waitForFunction(() => location.hash.includes("both=yes"));
    assert.match(
        await page.locator(".graph-sides").innerText(),
        /before[\s\S]*other kernels[\s\S]*after/,
    );
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.locator('label:has-text("side by side") input').click();
    await page.waitForFunction(() => document.querySelectorAll(".graph-picture").length === 1);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a program alone has instructions and what flows between them", async () => {
    const files = filesOf("gpt_xnnpack").filter((word) => !/etrecord/.test(word));
    const { page, faults } = await openGraph(reportOf("gpt_xnnpack", files));
    assert.ok((await titles(page)).some((title) => title.includes("Xnnpack")));
    assert.ok((await shown(page, "lines")) > 20);
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

test("10,000 nodes open at once, a layer and all of them quickly", async () => {
    const path = writePage("many-layers", ...manyLayers(10_000));
    const { page, faults } = await openGraph(path);
    const opened = await openingTime(page);
    const few = await shown(page, "boxes");
    assert.ok(few <= 300, `${few} boxes`);
    assert.ok((await titles(page)).some((title) => title.includes("×")));
    const all = await page.evaluate(async () => {
        const boxes = () =>
            Number(document.querySelector<HTMLElement>(".graph-picture")?.dataset.boxes);
        const before = boxes();
        const from = performance.now();
        const buttons = [...document.querySelectorAll<HTMLElement>(".graph-tools button")];
        buttons.find((button) => button.textContent === "Expand all")?.click();
        while (boxes() <= before) await new Promise((done) => requestAnimationFrame(done));
        return { took: performance.now() - from, boxes: boxes() };
    });
    console.log(
        `10,000 nodes: opened in ${opened.wall} ms (${opened.processor} ms of processor time), ` +
            `${all.boxes} boxes in ${Math.round(all.took)} ms`,
    );
    /* Goals are 1 s and 200 ms; shared machines stall, which processor time shows less. */
    assert.ok(opened.wall < 5000, `${opened.wall} ms`);
    assert.ok(opened.processor < 2000, `${opened.processor} ms of processor time`);
    assert.ok(all.took < 3000, `${all.took} ms`);
    assert.deepEqual(faults, []);
    await page.close();
});
