import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { backendOf, parseFilter } from "../../../web/src/state/filter";
import { Joins } from "../../../web/src/state/joins";
import { Operators } from "../../../web/src/state/operators";
import { JOIN_TABLES, Page } from "../../../web/src/state/page";
import { allOf, type ModuleNode, moduleTree } from "../../../web/src/state/module_tree";
import { addSums, RunSumReader, timesOf } from "../../../web/src/state/run_sums";
import type { Store } from "../../../web/src/state/store";
import { makeRows, type Row, sortTree, visibleRows } from "../../../web/src/views/operators/rows";
import { partsOf } from "../../../web/src/views/summary/parts_of_run";
import { encodeTables, type Value } from "../encode";
import { smallTables } from "../small_tables";

async function small([tables, types] = smallTables()) {
    const { heads, sections } = encodeTables(tables, types);
    const head = readHead(
        JSON.stringify({ format: "etscope-report", version: 1, writer: "etscope", tables: heads }),
    );
    const document = new ReportDocument(head, async (id) => sections.get(id) ?? null);
    await document.load(JOIN_TABLES);
    const operators = new Operators(document);
    const store = { get: () => "" } as unknown as Store;
    const page = new Page(document, store, () => undefined);
    return { operators, joins: new Joins(document, operators), page };
}

test("wrappers are left out, what they wrap stands in their place", async () => {
    const { operators } = await small();
    const shown = (operators.order.get(0) ?? []).map((id) => [
        operators.name(id),
        operators.depth.get(id),
    ]);
    assert.deepEqual(shown, [
        ["Method::execute", 0],
        ["add.out", 1],
        ["DELEGATE_CALL", 1],
        ["Fully Connected #1", 2],
        ["Softmax #1", 2],
        ["mul.out", 1],
    ]);
    assert.equal(operators.parent.get(2), 0);
    assert.deepEqual(operators.children.get(0), [2, 3, 6]);
});

test("times are ranges by the step of their clock, and shares parts of the whole run", async () => {
    const { operators } = await small();
    assert.deepEqual(operators.time(2, "p50"), { lower: 1000, upper: 1000 });
    assert.deepEqual(operators.time(4, "p50"), { lower: 3000, upper: 5000 }, "two calls");
    assert.deepEqual(operators.time(4, "total"), { lower: 30000, upper: 50000 }, "in ten runs");
    assert.deepEqual(operators.share(4), { lower: 0.3, upper: 0.5 });
    assert.equal(operators.time(5, "p50"), null, "a clock of its own");
    assert.equal(operators.share(5), null);
});

test("selections lead to operators", async () => {
    const { joins } = await small();
    const of = (selection: Parameters<Joins["operatorsOf"]>[0]) => {
        const found = joins.operatorsOf(selection);
        return found === null ? null : [...found].sort();
    };
    assert.deepEqual(of({ kind: "operator", id: 3 }), [3, 4, 5]);
    assert.deepEqual(of({ kind: "line", name: "a.py:2" }), [3, 4]);
    assert.deepEqual(of({ kind: "module", name: "net" }), [2, 3, 4], "with submodules");
    assert.deepEqual(of({ kind: "module", name: "net.l1" }), [3, 4]);
    assert.deepEqual(of({ kind: "node", id: 0 }), [2], "through the wrapper");
    assert.deepEqual(of({ kind: "run", id: 0 }), null);
    assert.deepEqual(of({ kind: "line", name: "__proto__" }), []);
});

test("the filter knows words, modules, lines, backends and shares", async () => {
    const { operators } = await small();
    const found = (text: string) => {
        const test = parseFilter(text, operators);
        return test === null ? null : (operators.order.get(0) ?? []).filter(test);
    };
    assert.equal(found("  "), null);
    assert.deepEqual(found("ADD"), [2]);
    assert.deepEqual(found("a.py softmax"), [5]);
    assert.deepEqual(found("m:net.l1"), [3, 4]);
    assert.deepEqual(found("line:a.py:2"), [3, 4]);
    assert.deepEqual(found("b:xnn"), [3, 4, 5]);
    assert.deepEqual(found("b:portable"), [2, 6]);
    assert.deepEqual(found("b:runtime"), [0]);
    assert.deepEqual(found(">40% b:xnn"), [3, 4], "possibly more");
    assert.deepEqual(found("<20%"), [2, 6]);
});

const row = (key: string, level: number): Row => ({ key, level, name: key }) as unknown as Row;

test("siblings are sorted, each with what it has inside", () => {
    const rows = [row("root", 0), row("b", 1), row("b2", 2), row("b1", 2), row("a", 1)];
    const keys = (list: readonly Row[]) => list.map(({ key }) => key);
    assert.deepEqual(keys(sortTree(rows, ({ name }) => name, false)), [
        "root",
        "a",
        "b",
        "b1",
        "b2",
    ]);
    assert.deepEqual(keys(visibleRows(rows, ({ key }) => key !== "b")), ["root", "b", "a"]);
    assert.deepEqual(keys(visibleRows(rows, ({ key }) => key !== "root")), ["root"]);
});

test("a trace that names neither kernels nor backends still tells delegates from kernels", async () => {
    const [tables, types] = smallTables();
    const { operators: own = {} } = tables;
    const none = (own.id ?? []).map(() => null);
    tables.operators = {
        ...{ ...own, kernel: none, backend: none },
        delegated: [0, 0, 0, 0, 1, 1, 0],
    };
    const { operators } = await small([tables, types]);
    const places = [0, 2, 3, 4, 6].map((id) => backendOf(operators, id));
    assert.deepEqual(places, ["runtime", "portable", "delegate", "delegate", "portable"]);
});

const exactly = (time: number) => ({ lower: time, upper: time });

test("a backend takes what its calls take; what they report is at most that", async () => {
    const [tables, types] = smallTables();
    const steps = [0, 0, 0, 0, 2000, 0, 0];
    tables.operators = { ...tables.operators, resolution: steps };
    const { page } = await small([tables, types]);
    const shares = (by: "op" | "backend") =>
        makeRows(page, by, null)
            .filter(({ level }) => level === 0)
            .map(({ name, share, calls }) => [name, share, calls]);
    const groups = new Map(shares("backend").map(([name, share]) => [name, share]));
    assert.deepEqual(groups.get("XnnpackBackend"), exactly(0.6));
    assert.deepEqual(shares("op")[0], ["Fully Connected", { lower: 0.3, upper: 0.7 }, 2]);
    const rest = makeRows(page, "op", null).find(({ name }) => name.startsWith("(between"));
    assert.equal(rest?.share?.lower.toFixed(2), "0.22", "1 - 0.6 of the call - 0.1 - 0.08");
    const rows = makeRows(page, "backend", null);
    const call = rows.findIndex(({ name }) => name === "DELEGATE_CALL");
    assert.deepEqual(
        rows.slice(call, call + 3).map(({ name, level }) => [name, level]),
        [
            ["DELEGATE_CALL", 1],
            ["Fully Connected #1", 2],
            ["Softmax #1", 2],
        ],
    );
});

test("modules are a tree with what is in them, and none", async () => {
    const { page } = await small();
    assert.deepEqual(
        makeRows(page, "module", null).map(({ name, level, share }) => [name, level, share]),
        [
            ["(model)", 0, { lower: 0.4, upper: 0.6 }],
            ["net", 1, { lower: 0.4, upper: 0.6 }],
            ["net.l1", 2, { lower: 0.3, upper: 0.5 }],
            ["Fully Connected #1", 3, { lower: 0.3, upper: 0.5 }],
            ["add.out", 2, exactly(0.1)],
            ["(no module)", 0, exactly(0.08)],
            ["mul.out", 1, exactly(0.08)],
            ["Softmax #1", 1, null],
            [
                "(between operators, or not reported)",
                0,
                { lower: 0.32000000000000006, upper: 0.52 },
            ],
        ],
    );
});

test("a path of any length, of any names, is a tree that ends", () => {
    const long = Array.from({ length: 100_000 }, (_, i) => i).join(".");
    const paths = [long, "__proto__.constructor", "..", "(model)", "a, (model)", "a.b, a.c"];
    const { model, none } = moduleTree(paths, (path) => path);
    assert.deepEqual([...allOf(model as ModuleNode<string>)].sort(), [...paths].sort());
    assert.deepEqual(none, []);
    let depth = 0;
    for (let at = model; at !== undefined && at !== null; at = at.inside[0] ?? null) depth++;
    assert.ok(depth < 70, `${depth}`);
});

test("times of a group are those of its sums in each run", async () => {
    const { operators } = await small();
    const runs = 10;
    /* add.out, the call, what is inside of it; their totals are those of the tables */
    const matrix = {
        block: 0,
        positions: 3,
        runs,
        kept: [],
        operator: Int32Array.of(2, 3, 4),
        parent: Int32Array.of(-1, -1, 1),
        runStart: new Float64Array(runs),
        gap: new Float64Array(3 * runs),
        duration: new Float64Array(3 * runs),
    };
    for (let run = 0; run < runs; run++) {
        matrix.duration[run] = 550 + 100 * run; /* sum 10000 */
        matrix.duration[runs + run] = 6450 - 100 * run; /* sum 60000 */
        matrix.duration[2 * runs + run] = 3000;
    }
    const reader = new RunSumReader([matrix], operators);
    const [add, call] = [reader.of(2), reader.of(3)];
    assert.equal(timesOf(add)?.p50.lower, 1000);
    assert.equal(timesOf(add)?.p10.lower, 640);
    assert.deepEqual(timesOf(addSums([add, call]))?.max, exactly(7000), "not 1450 + 6450");
    assert.deepEqual(timesOf(reader.sum([2, 4]))?.p50, { lower: 4000, upper: 5000 });
    assert.equal(reader.of(6), null, "it has no events");
    assert.equal(reader.sum([2, 6]), null);
    matrix.duration[0] = 0;
    assert.equal(new RunSumReader([matrix], operators).of(2), null, "other runs than the table's");
});

/** The small trace, and a block of more runs, of which only the whole was recorded. */
function sampledTables(): ReturnType<typeof smallTables> {
    const [tables, types] = smallTables();
    const { operators = {}, blocks = {} } = tables;
    const at = (operators.id ?? []).length;
    const own: Record<string, Value> = { id: at, block: 1, total: 1_000_000 };
    tables.operators = Object.fromEntries(
        Object.entries(operators).map(([name, values]) => [
            name,
            [...values, name in own ? (own[name] as Value) : (values[0] as Value)],
        ]),
    );
    const more: Record<string, Value> = { id: 1, runs: 100, whole: at };
    tables.blocks = Object.fromEntries(
        Object.entries(blocks).map(([name, values]) => [
            name,
            [...values, name in more ? (more[name] as Value) : (values[0] as Value)],
        ]),
    );
    return [tables, types];
}

test("runs with operators are shown first, and of others nothing is said of their parts", async () => {
    const { operators, page } = await small(sampledTables());
    const has = operators.blocks.map((block) => operators.hasOperators(block));
    assert.deepEqual(has, [true, false]);
    assert.equal(page.block?.id, 0);
    const chosen = new Page(
        page.document,
        { get: (name: string) => (name === "block" ? "1" : "") } as unknown as Store,
        () => undefined,
    );
    assert.equal(chosen.block?.id, 1);
    assert.equal(chosen.hasOperators, false);
    assert.deepEqual(partsOf(chosen), []);
});

test("of blocks without operators the longest is shown", async () => {
    const [tables, types] = sampledTables();
    const { operators = {} } = tables;
    operators.chain = (operators.chain ?? []).map(() => null);
    const { page } = await small([tables, types]);
    assert.equal(page.block?.id, 1);
});
