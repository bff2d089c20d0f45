/** The page that reads files, in Chromium: drops, reports, comparisons, SQL, and no network. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibilityFaults, data, etscope, launch } from "../reports";

const { PAGE = "", DATA = "" } = process.env;
let browser: Browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

async function start(
    scheme: "light" | "dark" = "light",
    path = PAGE,
): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage({ colorScheme: scheme, acceptDownloads: true });
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error.stack)));
    page.on("request", (request) => {
        if (!/^(file|blob|data):/.test(request.url())) faults.push(`request ${request.url()}`);
    });
    await page.goto(`file://${path}`);
    return { page, faults };
}

/** Drops files as a hand does: the page gets a drop with them. */
async function drop(page: Page, ...paths: string[]): Promise<void> {
    const files = paths.map((path) => ({
        name: basename(path),
        text: readFileSync(path).toString("base64"),
    }));
    const transfer = await page.evaluateHandle((list) => {
        const made = new DataTransfer();
        for (const { name, text } of list) {
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            made.items.add(new File([bytes], name));
        }
        return made;
    }, files);
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

const report = (page: Page) => page.frameLocator("iframe").locator("#etscope-app");
const fixture = (...names: string[]): string[] => names.map((name) => data(`gpt_xnnpack/${name}`));

async function saved(page: Page): Promise<string> {
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByText("Save report").click(),
    ]);
    return readFileSync(await download.path(), "latin1");
}

test("a drop of a trace, its record and its program is the report of the command line", async () => {
    const { page, faults } = await start();
    const files = fixture("profile.etdp", "model.etrecord", "model.pte");
    await drop(page, ...files);
    await report(page).waitFor();
    const expected = etscope("report", ...files, "-o", "-");
    assert.ok((await saved(page)) === Buffer.from(expected).toString("latin1"));
    assert.deepEqual(faults, []);
    await page.close();
});

test("a second drop compares", async () => {
    const { page, faults } = await start();
    const [old = "", now = ""] = ["gpt_portable", "gpt_xnnpack"].map((name) =>
        data(`${name}/profile.etdp`),
    );
    await drop(page, old);
    await report(page).waitFor();
    await drop(page, now);
    await page.frameLocator("iframe").getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForFunction(() => document.querySelector(".busy") === null);
    const written = await saved(page);
    const expected = JSON.parse(
        etscope("report", now, "--before", old, "--no-siblings", "--format", "json"),
    );
    const head = /<script[^>]*id="etscope-head"[^>]*>([^<]*)</.exec(written)?.[1] ?? "{}";
    const found = JSON.parse(Buffer.from(head, "latin1").toString());
    assert.deepEqual(found.headline, expected.headline);
    assert.deepEqual(
        found.inputs.map(({ role }: { role: string }) => role),
        expected.inputs.map(({ role }: { role: string }) => role),
    );
    assert.deepEqual(faults, []);
    await page.close();
});

test("a model that is dropped later joins the trace, also over the report", async () => {
    const { page, faults } = await start();
    const [trace = "", record = ""] = fixture("profile.etdp", "model.etrecord");
    await drop(page, trace);
    await report(page).waitFor();
    const address = await page.locator("iframe").getAttribute("src");
    /* The page covers the report as soon as files are over it, and takes the drop itself. */
    await page.frames()[1]?.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([""], "model.etrecord"));
        document.body.dispatchEvent(new DragEvent("dragenter", { bubbles: true, dataTransfer }));
    });
    await page.getByText("Drop to compare").waitFor();
    await drop(page, record);
    await page.waitForFunction(
        (old) => document.querySelector("iframe")?.getAttribute("src") !== old,
        address,
    );
    await report(page).getByText("model.etrecord").first().waitFor();
    await drop(page, join(DATA, "README.md"));
    assert.match(await page.getByRole("alert").innerText(), /README\.md: byte 0: not an ETDump/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("the example opens, and SQL completes names and answers", async () => {
    const { page, faults } = await start("dark");
    await page.getByText("Open an example").click();
    await report(page).waitFor();
    await page.getByRole("button", { name: "SQL" }).click();
    const field = page.getByLabel("Question in SQL");
    await field.fill("SELECT max(i) AS most FROM (SELECT 41 + 1 AS i FROM oper");
    await page.keyboard.press("Tab");
    assert.match(await field.inputValue(), /FROM operators$/);
    await page.keyboard.type(")");
    await page.keyboard.press("Control+Enter");
    assert.equal(await page.locator(".sql td").first().innerText(), "42");
    await field.fill("SELECT nosuch FROM operators");
    await page.keyboard.press("Control+Enter");
    await page.getByText("no such column: nosuch").waitFor();
    assert.deepEqual(faults, []);
    await page.close();
});

test("what cannot be read is said in the command line's sentence", async () => {
    const { page, faults } = await start();
    const path = join(DATA, "README.md");
    await drop(page, path);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.innerText(), /^README\.md: byte 0: not an ETDump/);
    assert.deepEqual(faults, []);
    await page.close();
});

test("nothing leaves the machine: its policy refuses every way out", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
        asked.push(request.url ?? "");
        response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    const address = `http://127.0.0.1:${port}/`;
    const { page } = await start();
    await page.getByText("Open an example").click();
    await report(page).waitFor();
    const ways = async (to: string): Promise<string[]> => {
        const open: string[] = [];
        await fetch(`${to}fetch`).then(
            () => open.push("fetch"),
            () => undefined,
        );
        await new Promise<void>((done) => {
            const picture = new Image();
            picture.onload = picture.onerror = () => done();
            picture.src = `${to}picture`;
        });
        await new Promise<void>((done) => {
            const socket = new WebSocket(to.replace("http", "ws"));
            socket.onopen = socket.onerror = () => done();
        }).catch(() => undefined);
        navigator.sendBeacon(`${to}beacon`, "x");
        const frame = document.createElement("iframe");
        frame.src = `${to}frame`;
        document.body.append(frame);
        try {
            (0, eval)("1");
            open.push("eval");
        } catch {
            /* as it has to be */
        }
        await new Promise((done) => setTimeout(done, 300));
        return open;
    };
    /* The frame of the report inherits the policy; nothing else is a place for scripts. */
    for (const frame of page.frames()) {
        assert.deepEqual(await frame.evaluate(ways, address), [], frame.url());
    }
    server.close();
    assert.deepEqual(asked, []);
    assert.ok(statSync(PAGE).size > 1e6);
    await page.close();
});

test("reading is cancelled, and the page goes on", async () => {
    const { page } = await start();
    await page.evaluate(() => {
        /* Nobody answers: the worker is kept from its start. */
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: []) {
            if (message instanceof ArrayBuffer) post.call(this, message, ...rest);
        } as typeof post;
        setTimeout(() => (Worker.prototype.postMessage = post), 500);
    });
    await page.getByText("Open an example").click();
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.match(await page.getByRole("alert").innerText(), /cancelled/);
    await page.waitForTimeout(600);
    await page.getByText("Open an example").click();
    await report(page).waitFor();
    await page.close();
});

test("more than a page can read is said before it is tried", async () => {
    const { page } = await start();
    const transfer = await page.evaluateHandle(() => {
        const made = new DataTransfer();
        const file = new File(["x"], "large.etdp");
        Object.defineProperty(File.prototype, "size", { get: () => 5e9 });
        made.items.add(file);
        return made;
    });
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.innerText(), /5\.0 GB; a program in a page has 4 GiB of memory/);
    await page.close();
});

test("axe finds nothing in either theme", async () => {
    for (const scheme of ["light", "dark"] as const) {
        const { page } = await start(scheme);
        assert.deepEqual(await accessibilityFaults(page), []);
        await page.close();
    }
});

test("what etscope open puts into the page is shown at its start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "opened-"));
    const made = join(folder, "made.html");
    const trace = data("gpt_xnnpack/profile.etdp");
    copyFileSync(trace, join(folder, "model.etdp"));
    copyFileSync(data("gpt_xnnpack/model.etrecord"), join(folder, "model.etrecord"));
    etscope("open", join(folder, "model.etdp"), "-o", made);
    const { page, faults } = await start("light", made);
    await report(page).waitFor();
    const expected = etscope("report", join(folder, "model.etdp"), "-o", "-");
    assert.ok((await saved(page)) === Buffer.from(expected).toString("latin1"));
    assert.deepEqual(faults, []);
    await page.close();
    rmSync(folder, { recursive: true });
});

test("two files of one name stay two", async () => {
    const { page, faults } = await start();
    await drop(
        page,
        ...["gpt_portable", "gpt_xnnpack"].map((name) => data(`${name}/profile.etdp`)),
    );
    await report(page).waitFor();
    const written = await saved(page);
    const head = /<script[^>]*id="etscope-head"[^>]*>([^<]*)</.exec(written)?.[1] ?? "{}";
    const { inputs } = JSON.parse(Buffer.from(head, "latin1").toString());
    const traces = inputs.filter(({ role }: { role: string }) => role === "trace");
    assert.equal(traces.length, 2);
    assert.notEqual(traces[0].bytes ?? traces[0].size, traces[1].bytes ?? traces[1].size);
    assert.deepEqual(faults, []);
    await page.close();
});
