/** The timeline, with a mouse, with keys only, and with a million events. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { encodeEvents } from "../encode";
import {
    accessibilityFaults,
    filesOf,
    goTo,
    jsonRows,
    launch,
    open,
    openingTimes,
    reportOf,
    writePage,
} from "../reports";
import { smallTables } from "../small_tables";

let browser: Browser;
let report: string;
before(async () => {
    report = reportOf("gpt_xnnpack");
    browser = await launch();
});
after(() => browser?.close());

const LANES = ".lanes canvas";
const GUTTER = 136;
/** Longer than what the camera waits and glides, and the address is written. */
const REST_MS = 700;

async function boxOf(page: Page) {
    const box = await page.locator(LANES).boundingBox();
    assert.ok(box !== null);
    return box;
}

/** What is seen, as the address tells. */
async function seen(page: Page): Promise<{ from: number; to: number }> {
    await page.waitForTimeout(REST_MS);
    const match = /[?&]t=(-?\d+)\.\.(-?\d+)/.exec(decodeURIComponent(page.url()));
    assert.ok(match !== null, page.url());
    return { from: Number(match[1]), to: Number(match[2]) };
}

async function addressHas(page: Page, pattern: RegExp): Promise<void> {
    await page.waitForFunction((text) => new RegExp(text).test(location.hash), pattern.source);
}

/** In the middle of a lane. */
async function pointAt(page: Page, lane: number, part: number) {
    const box = await boxOf(page);
    return { x: box.x + GUTTER + (box.width - GUTTER) * part, y: box.y + 24 + 24 * lane + 10 };
}

test("the wheel zooms at the pointer, a drag moves, a double click and f fit", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?t=1000..101000");
    const { x, y } = await pointAt(page, 1, 0.25);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -300);
    const closer = await seen(page);
    assert.ok(closer.to - closer.from < 60_000);
    const at = closer.from + (closer.to - closer.from) * 0.25;
    assert.ok(Math.abs(at - 26_000) < 300, `${at} is under the pointer`);

    await page.mouse.down();
    await page.mouse.move(x - 100, y, { steps: 4 });
    await page.mouse.up();
    const later = await seen(page);
    assert.ok(later.from > closer.from);
    assert.ok(Math.abs(later.to - later.from - (closer.to - closer.from)) <= 2);

    await page.mouse.dblclick(x, y - 24);
    const run = await seen(page);
    assert.ok(Math.abs(run.to - run.from - 1.04 * 786_703) < 10, "the run that was hit");
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    assert.ok((await seen(page)).to > 1.5e6, "all runs, since the run was fitted before");
    assert.deepEqual(faults, []);
    await page.close();
});

test("what is selected here is selected in the operators, and the other way round", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline");
    const { x, y } = await pointAt(page, 1, 0.51);
    await page.mouse.move(x, y);
    const tip = await page.locator(".tip").innerText();
    assert.match(tip, /us\nrun 4, starts at/);
    await page.mouse.click(x, y);
    await addressHas(page, /run=4\b.*sel=operator:\d+/);
    const name = await page.locator(".details h2").innerText();
    await page.click('.tab:has-text("Operators")');
    const row = page.locator('tr[aria-selected="true"]');
    assert.ok((await row.innerText()).includes(name));
    await page.keyboard.press("j");
    const next = await page.locator(".details h2").innerText();
    await page.click('.details button:has-text("Timeline")');
    const chosen = page.locator('.range-table tr[aria-selected="true"]');
    assert.ok((await chosen.innerText()).includes(next));
    await page.goBack();
    await page.goBack();
    assert.equal(await page.locator('.tab[aria-current="page"]').innerText(), "Timeline");
    assert.equal(await page.locator(".details h2").innerText(), name);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a shift-drag measures a range; it is a step of the back button", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?form=calls");
    const from = await pointAt(page, 1, 0.2);
    const to = await pointAt(page, 1, 0.6);
    await page.keyboard.down("Shift");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await addressHas(page, /sel=range:\d+\.\.\d+/);
    const caption = page.locator(".range-table .table-tools");
    assert.match(await caption.innerText(), /^Selected [\d.]+ us · 1 run/);
    const whole = page.locator(".range-table tbody tr[aria-rowindex]").first();
    assert.match(await whole.innerText(), /Method::execute[^]*100\.0%/);
    await page.goBack();
    assert.match(await caption.innerText(), /^In sight/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("the table is a list, bottom-up or a call tree, and each counts the run once", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?run=2");
    const rows = () => page.locator(".range-table tbody tr[aria-rowindex]");
    const shares = async () =>
        (await rows().locator(".share .number").allInnerTexts()).map((text) => {
            const [, low = "0", high = low] = /^<?(\d+\.\d)(?:\.\.(\d+\.\d))?%$/.exec(text) ?? [];
            return text.startsWith("<") ? [0, Number(low)] : [Number(low), Number(high)];
        });
    for (const title of ["list", "bottom-up"]) {
        await page.click(`.range-table button:text-is("${title}")`);
        const found = await shares();
        const [least, most] = [0, 1].map((end) =>
            found.reduce((sum, share) => sum + (share[end] ?? NaN), 0),
        ) as [number, number];
        /* Of rounded shares. */
        assert.ok(least < 100 + found.length / 20 && most > 99, `${title}: ${least}..${most}`);
    }
    await rows().filter({ hasText: "native_layer_norm.out" }).locator(".twist").click();
    const inside = await rows()
        .filter({ hasText: /^\s*blocks\.0/ })
        .count();
    assert.ok(inside > 0, "the modules of its calls");

    await page.click('.range-table button:text-is("call tree")');
    assert.match(await rows().first().innerText(), /Method::execute[^]*100\.0%/);
    await rows().first().click();
    await page.locator(".range-table table").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await page.locator(".details").innerText(), /module\s+blocks/i);
    const before = await rows().count();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await rows().count(), before - 2, "blocks.0 and blocks.1");
    await page.keyboard.press("ArrowRight");
    assert.equal(await rows().count(), before);
    assert.match(page.url(), /form=calls/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a link to a run shows it, and the table is about it", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?run=2");
    const whole = page.locator(".range-table tbody tr[aria-rowindex]").first();
    assert.match(await whole.innerText(), /Method::execute\s+1\s+213\.689/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a brush over the runs shows them, and [ and ] step from run to run", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline");
    const strip = await page.locator(".runs-strip").boundingBox();
    assert.ok(strip !== null);
    const x = (part: number) => strip.x + GUTTER + (strip.width - GUTTER) * part;
    await page.mouse.move(x(0.25), strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(x(0.7), strip.y + 20, { steps: 3 });
    await page.mouse.up();
    await seen(page);
    const caption = page.locator(".range-table .table-tools");
    assert.match(await caption.innerText(), /3 runs/);
    await page.mouse.click(x(0.5), strip.y + 20);
    await addressHas(page, /run=3\b/);
    const before = await seen(page);
    await page.keyboard.press("]");
    await addressHas(page, /run=4\b/);
    const after = await seen(page);
    assert.ok(after.from > before.from);
    assert.ok(Math.abs(after.to - after.from - (before.to - before.from)) <= 2);
    assert.deepEqual(faults, []);
    await page.close();
});

test("a click on an operator's outlier goes to that run", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?sel=operator:90");
    const bins = page.locator(".operator-runs .bins button");
    const runs = async () =>
        (await bins.evaluateAll((all) => all.map((bin) => bin.getAttribute("aria-label") ?? "")))
            .map((said) => Number(/: (\d+) runs? \(/.exec(said)?.[1]))
            .reduce((sum, count) => sum + count, 0);
    assert.equal(await runs(), 5);
    const times = jsonRows("inspect", ...filesOf("gpt_xnnpack"), "--all");
    const said = await page.locator(".operator-runs p").innerText();
    const row = times.find(
        ({ instruction, operator }) => instruction === 38 && operator === "logical_not.out",
    ) as Record<string, number>;
    for (const name of ["min_ns", "max_ns"]) {
        const time = row[name] as number;
        const text = time < 1000 ? `${time} ns` : `${time / 1000} us`;
        assert.ok(said.includes(text), `${text} in ${said}`);
    }
    await bins.last().click();
    await addressHas(page, /run=1\b.*sel=operator:90|sel=operator:90.*run=1\b/);
    const shown = await seen(page);
    assert.ok(shown.to - shown.from > 700_000, "the run that took 787 us");
    await bins.last().focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await addressHas(page, /run=[^1]/);
    const next = await seen(page);
    assert.ok(next.to - next.from < (shown.to - shown.from) / 2, "a run that is no outlier");
    await page.click('.operator-runs button:has-text("longest")');
    await addressHas(page, /run=1\b/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("of the first that is clicked the name is said, then its time", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline");
    await page.evaluate(() => {
        const said: string[] = [];
        Object.assign(globalThis, { said });
        const live = document.querySelector('[aria-live="polite"]') as Element;
        new MutationObserver(() => said.push(live.textContent ?? "")).observe(live, {
            childList: true,
        });
    });
    const { x, y } = await pointAt(page, 1, 0.5);
    await page.mouse.click(x, y);
    await page.waitForSelector(".details .close");
    await page.waitForTimeout(REST_MS);
    const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
    assert.equal(said.length, 2, said.join("; "));
    assert.match(said[0] as string, /^selected: operator /);
    assert.match(said[1] as string, /s, run \d+, starts at /);
    assert.deepEqual(faults, []);
    await page.close();
});

test("names of kernels keep their numbers in the table, however narrow it is", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline");
    for (const width of [390, 700, 1000, 1400]) {
        await page.setViewportSize({ width, height: 900 });
        const names = page.locator(".range-table .operator-name", { hasText: /#\d+/ });
        await names.first().waitFor();
        const cut = await names.evaluateAll((all) =>
            all.flatMap((name) => {
                const [end, cell] = [
                    name.querySelector("bdi > span:last-child"),
                    name.closest("td"),
                ];
                if (end === null || cell === null) return [name.textContent];
                const isSeen =
                    end.getBoundingClientRect().right <= cell.getBoundingClientRect().right;
                return isSeen && /#\d+$/.test(end.textContent ?? "") ? [] : [name.textContent];
            }),
        );
        assert.deepEqual(cut, [], `${width} pixels`);
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("runs stand side by side, and the table says where the longest lost its time", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline?layout=runs");
    const picker = page.locator(".run-picker");
    assert.match(await picker.innerText(), /run 5 ×\s+run 4 ×\s+run 1 ×/);
    const cells = page.locator(".range-table tbody tr[aria-rowindex]").first().locator("td");
    assert.match(await cells.nth(0).innerText(), /Batch Matrix Multiply/);
    assert.match(await cells.nth(4).innerText(), /^\+\d+\.\.\+\d+$/);
    const { x, y } = await pointAt(page, 7, 0.6);
    await page.mouse.click(x, y);
    await addressHas(page, /run=1\b/);
    await page.click('button[aria-label="leave out run 4"]');
    await addressHas(page, /runs=1,5|runs=1%2C5/);
    await page.fill(".run-picker input", "2");
    await page.keyboard.press("Enter");
    await addressHas(page, /runs=1(,|%2C)2(,|%2C)5/);
    const strip = await page.locator(".runs-strip").boundingBox();
    assert.ok(strip !== null);
    const at = strip.x + GUTTER + (strip.width - GUTTER) * 0.5;
    await page.mouse.click(at, strip.y + 20);
    await addressHas(page, /runs=1(,|%2C)2(,|%2C)3(,|%2C)5/);
    await page.click('.run-picker button:has-text("shortest, median, longest")');
    await page.waitForFunction(() => !/[?&]runs=/.test(location.hash));
    assert.deepEqual(faults, []);
    await page.close();
});

test("keys alone lead to every event, and what is selected is said", async () => {
    const { page, faults } = await open(browser, report, "#1/timeline");
    await page.locator(LANES).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator(".details h2").innerText(), "arange.start_out");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator(".details h2").innerText(), "full.out");
    await page.waitForFunction(() =>
        /full.out, .* ns, run 4, starts at/.test(
            document.querySelector('[role="status"]')?.textContent ?? "",
        ),
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await page.locator(".details h2").innerText(), "Method::execute");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const fitted = await seen(page);
    for (const key of ["w", "w"]) await page.keyboard.press(key);
    const closer = await seen(page);
    assert.ok(closer.to - closer.from < fitted.to - fitted.from);
    await page.keyboard.press("d");
    assert.ok((await seen(page)).from > closer.from);
    await page.keyboard.press("a");
    await page.keyboard.press("s");
    await page.keyboard.press("?");
    assert.match(await page.locator("dialog").innerText(), /what encloses it/);
    await page.keyboard.press("Escape");
    assert.deepEqual(faults, []);
    await page.close();
});

test("all layouts are accessible in both themes, and show the same selection", async () => {
    const { page, faults } = await open(browser, report);
    for (const theme of ["light", "dark"]) {
        const forms = ["time&form=callers", "time&form=calls", "runs"];
        for (const layout of ["time", ...forms, "heavy", "calls", "nonsense"]) {
            await goTo(page, `#1/timeline?theme=${theme}&layout=${layout}&sel=operator:90`);
            await page.waitForSelector(LANES);
            assert.deepEqual(await accessibilityFaults(page), [], `${layout}, ${theme}`);
            assert.equal(await page.locator(".details h2").innerText(), "logical_not.out");
        }
    }
    assert.deepEqual(faults, []);
    await page.close();
});

test("addresses of another's making do no harm", async () => {
    for (const hash of ["t=5..1", "t=900000000..900000001", "t=-99..1&run=77", "layout=modules"]) {
        const { page, faults } = await open(browser, report, `#1/timeline?${hash}`);
        await page.waitForSelector(LANES);
        assert.equal(await page.locator('[role="alert"]').count(), 0, hash);
        assert.deepEqual(faults, [], hash);
        await page.close();
    }
});

const POSITIONS = 1000;
const RUNS = 1000;

/** A run of 1,000 events, a thousand times. */
function millionEvents(): string {
    const [tables, types] = smallTables();
    const runs = Array.from({ length: RUNS }, (_, i) => i);
    tables.blocks = { ...tables.blocks, runs: [RUNS] };
    tables.runs = {
        id: runs,
        number: runs,
        block: runs.map(() => 0),
        events: runs.map(() => POSITIONS),
        partial: runs.map(() => 0),
        time: runs.map((run) => 1e6 + run),
    };
    const ids = Array.from({ length: POSITIONS }, (_, i) => i);
    const operator = ids.map((i) => (i === 0 ? 0 : [6, 3, 4, 2][i % 4]!));
    const parent = ids.map((i) => (i === 0 ? -1 : operator[i] === 4 ? i - 1 : 0));
    const time = (i: number, run: number) =>
        i === 0 ? 1e6 : [300, 1100, 900, 700][i % 4]! + ((i * 31 + run * 17) % 97);
    const bytes = encodeEvents({
        operator,
        parent,
        runStart: runs.map((run) => run * 1_100_000),
        gaps: ids.map((i) => runs.map((run) => (i === 0 ? 0 : (i + run) % 7))),
        durations: ids.map((i) => runs.map((run) => time(i, run))),
    });
    const head = { block: 0, positions: POSITIONS, runs: RUNS, bytes: bytes.length };
    return writePage("million", tables, { types, events: [{ head, bytes }] });
}

test("a million events move smoothly", async (t) => {
    const path = millionEvents();
    const { page, faults } = await open(browser, path, "#1/timeline");
    await page.waitForSelector(LANES);
    const { paint, alive } = await openingTimes(page);
    const result = await page.evaluate(async (lanes) => {
        const canvas = document.querySelector(lanes) as HTMLCanvasElement;
        const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
        const box = canvas.getBoundingClientRect();
        const intervals: number[] = [];
        let before = await frame();
        for (let i = 0; i < 480; i++) {
            /* In and out by 100,000, and sideways. */
            const zoom = Math.sin((i / 480) * 4 * Math.PI);
            canvas.dispatchEvent(
                new WheelEvent("wheel", {
                    deltaX: i % 3 === 0 ? 90 : 0,
                    deltaY: i % 3 === 0 ? 0 : zoom * 90,
                    clientX: box.left + box.width * 0.6,
                    clientY: box.top + 60,
                    cancelable: true,
                }),
            );
            const now = await frame();
            intervals.push(now - before);
            before = now;
        }
        intervals.sort((a, b) => a - b);
        return { median: intervals[240]!, slow: intervals[456]! };
    }, LANES);
    t.diagnostic(
        `first paint after ${paint} ms, alive after ${alive} ms; ${(1000 / result.median).toFixed(0)} frames per second ` +
            `(median), 95% within ${result.slow.toFixed(0)} ms`,
    );
    /* 50 frames per second are wanted; shared machines get half of it. */
    assert.ok(result.median < 40, `${result.median} ms`);
    assert.deepEqual(faults, []);
    await page.close();
});
