import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { backendOf, parseFilter } from "../../../web/src/state/filter";
import { Joins } from "../../../web/src/state/joins";
import { Operators } from "../../../web/src/state/operators";
import { JOIN_TABLES } from "../../../web/src/state/page";
import { type Row, sortTree, visibleRows } from "../../../web/src/views/operators/rows";
import { encodeTables } from "../encode";
import { smallTables } from "../small_tables";

async function small([tables, types] = smallTables()) {
    const { heads, sections } = encodeTables(tables, types);
    const head = readHead(
        JSON.stringify({ format: "etscope-report", version: 1, writer: "etscope", tables: heads }),
    );
    const document = new ReportDocument(head, async (id) => sections.get(id) ?? null);
    await document.load(JOIN_TABLES);
    const operators = new Operators(document);
    return { operators, joins: new Joins(document, operators) };
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
