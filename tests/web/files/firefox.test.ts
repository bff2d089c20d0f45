/** The page that reads files, in Firefox, which Debian has: by WebDriver BiDi. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { data, etscope } from "../reports";

const { FIREFOX = "", WEB = "" } = process.env;

interface Socket {
    on(event: "open" | "error", run: (error?: Error) => void): void;
    on(event: "message", run: (data: Buffer) => void): void;
    send(text: string): void;
    close(): void;
}
const WebSocket = createRequire(join(WEB, "package.json"))("ws") as new (to: string) => Socket;

interface Answer {
    id?: number;
    error?: string;
    message?: string;
    method?: string;
    result?: never;
    params?: { level?: string; text?: string };
}

/** Starts a browser of an empty profile; resolves with where it listens. */
function start(profile: string): { browser: ChildProcess; address: Promise<string> } {
    const words = ["--headless", "--no-remote", "--profile", profile];
    const browser = spawn(FIREFOX, [...words, "--remote-debugging-port", "0"], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, HOME: profile },
    });
    const address = new Promise<string>((resolve, reject) => {
        let said = "";
        browser.stderr?.on("data", (text: Buffer) => {
            said += text.toString();
            const found = /BiDi listening on (ws:\S+)/.exec(said)?.[1];
            if (found !== undefined) resolve(`${found}/session`);
        });
        browser.on("exit", () => reject(new Error(`Firefox ended: ${said}`)));
    });
    return { browser, address };
}

async function connect(address: string) {
    const socket = new WebSocket(address);
    const faults: string[] = [];
    const waiting = new Map<number, (answer: Answer) => void>();
    let asked = 0;
    await new Promise<void>((resolve, reject) => {
        socket.on("open", () => resolve());
        socket.on("error", (error) => reject(error as Error));
    });
    socket.on("message", (text) => {
        const answer = JSON.parse(text.toString()) as Answer;
        if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
        else if (answer.method === "log.entryAdded" && answer.params?.level === "error")
            faults.push(answer.params.text ?? "");
    });
    const ask = <Result>(method: string, params: object): Promise<Result> => {
        const id = ++asked;
        return new Promise((resolve, reject) => {
            waiting.set(id, ({ error, message, result }) => {
                if (error === undefined) resolve(result as Result);
                else reject(new Error(`${method}: ${message}`));
            });
            socket.send(JSON.stringify({ id, method, params }));
        });
    };
    return { ask, faults, close: () => socket.close() };
}

interface Evaluated {
    result?: { value?: unknown };
    exceptionDetails?: { text: string };
}

interface Context {
    context: string;
    children?: Context[];
}

/** Once there is something that a selector finds. */
const appears = (selector: string) => `new Promise((ready) => {
    const look = () => document.querySelector("${selector}") ? ready() : setTimeout(look, 50);
    look();
})`;

async function checkPage(path: string, address: string, files: readonly string[]): Promise<void> {
    const { ask, faults, close } = await connect(address);
    const evaluate = async (context: string, expression: string): Promise<unknown> => {
        const params = { expression, target: { context }, awaitPromise: true };
        const { result, exceptionDetails } = await ask<Evaluated>("script.evaluate", params);
        if (result === undefined) throw new Error(exceptionDetails?.text);
        return result.value;
    };
    await ask("session.new", { capabilities: {} });
    await ask("session.subscribe", { events: ["log.entryAdded"] });
    const tree = () => ask<{ contexts: Context[] }>("browsingContext.getTree", {});
    const [{ context } = { context: "" }] = (await tree()).contexts;
    await ask("browsingContext.navigate", { context, url: `file://${path}`, wait: "complete" });
    await evaluate(context, appears("iframe, .failure"));
    const failure = await evaluate(context, `document.querySelector(".failure")?.innerText`);
    assert.equal(failure, undefined);
    const frame = (await tree()).contexts[0]?.children?.[0]?.context ?? "";
    await evaluate(frame, appears("#etscope-app h1"));
    const head = await evaluate(frame, `document.getElementById("etscope-head").textContent`);
    const expected = etscope("report", ...files, "-o", "-");
    assert.ok(expected.includes(`>${head as string}</script>`));
    const shown = (await evaluate(frame, "document.body.innerText")) as string;
    assert.ok(shown.includes("GEMM"), shown);
    assert.deepEqual(faults, []);
    close();
}

const skip = FIREFOX === "" && "Firefox is missing (apt-get install firefox-esr)";
test("files in the page are the report of the command line in Firefox, too", { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "firefox-"));
    const made = join(folder, "made.html");
    const names = ["profile.etdp", "model.etrecord", "model.pte"];
    const files = names.map((name) => data(`gpt_xnnpack/${name}`));
    etscope("open", ...files, "-o", made);
    const { browser, address } = start(folder);
    const ended = new Promise((done) => browser.on("exit", done));
    const late = setTimeout(() => browser.kill("SIGKILL"), 120_000);
    try {
        await Promise.race([
            address.then((where) => checkPage(made, where, files)),
            ended.then(() => assert.fail("Firefox ended or took too long")),
        ]);
    } finally {
        clearTimeout(late);
        browser.kill("SIGKILL");
        await ended;
        rmSync(folder, { recursive: true, maxRetries: 5 });
    }
});
