/** The program as WebAssembly says what the native one says of every fixture, to the byte. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Bytes, find, Folder, put, Slices } from "../../../web/app/files";
import { run } from "../../../web/app/wasi";

const { WASM = "", DATA = "", ETSCOPE = "" } = process.env;
const program = new WebAssembly.Module(readFileSync(WASM));
const ENVIRONMENT = { COLUMNS: "100", LC_ALL: "C.UTF-8", ETSCOPE_ENGINE: "/nowhere" };
const LARGEST = 64e6;

function namesBelow(folder: string): string[] {
    return readdirSync(join(DATA, folder), { withFileTypes: true }).flatMap((entry) => {
        const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
        return entry.isDirectory() ? namesBelow(name) : [name];
    });
}
const names = namesBelow("").filter((name) => statSync(join(DATA, name)).size < LARGEST);

/** All fixtures, as they lie in their folders; read when the program reads them. */
function lend(): Folder {
    const root = new Folder();
    root.entries.set("tmp", new Folder());
    for (const name of names) {
        const path = join(DATA, name);
        const slice = (from: number, to: number) => {
            const bytes = new Uint8Array(to - from);
            const file = openSync(path, "r");
            const got = readSync(file, bytes, 0, bytes.length, from);
            closeSync(file);
            return bytes.subarray(0, got);
        };
        put(root, name, new Slices(statSync(path).size, slice));
    }
    return root;
}

const environment = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
const ended = (code: number, output: Uint8Array, messages: string) => ({
    code,
    output: Buffer.from(output).toString("latin1"),
    messages,
});
const decoder = new TextDecoder();

function here(words: string[], root = lend(), variables = environment) {
    const { code, output, messages } = run(program, root, ["etscope", ...words], variables);
    return ended(code, output, decoder.decode(messages));
}

function native(words: string[]) {
    const done = spawnSync(ETSCOPE, words, {
        cwd: DATA,
        env: ENVIRONMENT,
        maxBuffer: 1e9,
        stdio: ["ignore", "pipe", "pipe"],
    });
    return ended(done.status ?? -1, done.stdout, String(done.stderr));
}

/** Why the engine is missing differs, as where it is looked for. */
const withoutEngine = ({ code, output, messages }: ReturnType<typeof native>) => ({
    code,
    output: output.replace(/cannot load the engine[^"\n]*/g, ""),
    messages: messages.replace(/cannot load the engine[^\n]*/g, ""),
});

function compare(words: string[]): void {
    const expected = withoutEngine(native(words));
    const got = withoutEngine(here(words));
    assert.ok(
        expected.code === got.code &&
            expected.output === got.output &&
            expected.messages === got.messages,
        `${words.join(" ")}\n${JSON.stringify(got).slice(0, 1500)}\n instead of\n${JSON.stringify(expected).slice(0, 1500)}`,
    );
}

const ofKind = (...endings: string[]): string[] =>
    names.filter((name) => endings.some((ending) => name.endsWith(ending)));

const KINDS: [string, string[], string[][]][] = [
    [
        "traces",
        ofKind(".etdp", ".etdump"),
        [["inspect"], ["inspect", "--format", "json"], ["advise"], ["report", "--format", "json"]],
    ],
    ["programs", ofKind(".pte", ".bpte"), [["info"], ["size"], ["memory"], ["delegates"]]],
    ["records", ofKind(".etrecord"), [["info"], ["report", "--format", "json"]]],
    [
        "foreign profiles",
        names.filter((name) => name.startsWith("exchange/")),
        [["inspect"], ["info"]],
    ],
];

for (const [kind, files, commands] of KINDS) {
    test(`${kind}: outputs are the native program's`, () => {
        assert.ok(files.length > 8, `${files.length} ${kind} among the fixtures`);
        for (const command of commands) for (const file of files) compare([...command, file]);
    });
}

test("reports are the native program's to the byte", () => {
    const traces = names.filter((name) => name.endsWith("/profile.etdp"));
    assert.ok(traces.length > 8);
    for (const trace of traces) {
        const root = lend();
        const done = here(["report", trace, "-o", "report.html"], root);
        const page = find(root, "report.html");
        const expected = native(["report", trace, "-o", "-"]);
        assert.equal(done.code, expected.code, done.messages);
        if (done.code !== 0) continue;
        assert.ok(page instanceof Bytes);
        assert.ok(
            Buffer.from(page.all()).toString("latin1") === expected.output,
            `report of ${trace}`,
        );
    }
});

test("SQL answers, and says what is wrong", () => {
    for (const query of [
        "SELECT name, p50 FROM operators",
        "SELECT count(*), percentile(p50, 90) FROM operators",
        "SELEC 1",
        "SELECT date(0, 'unixepoch')",
    ]) {
        compare(["sql", query, "gpt_xnnpack/profile.etdp"]);
    }
});

test("what WebAssembly lacks is said", () => {
    const ran = here(["run", "mlp_portable/model.pte"], lend(), []);
    assert.notEqual(ran.code, 0);
    assert.match(ran.messages, /cannot load the engine: WebAssembly loads no libraries/);
    const served = here(["report", "--follow", "mlp_portable/profile.etdp"]);
    assert.notEqual(served.code, 0);
    assert.match(served.messages, /Function not implemented|not implemented/i);
});
