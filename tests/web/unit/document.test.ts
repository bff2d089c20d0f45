import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteReader } from "../../../web/src/document/bytes";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { readEvents, startsOfRun } from "../../../web/src/document/events";
import { encodeEvents, encodeTables, signed, type Tables, type Type } from "../encode";

const HEAD = { format: "etscope-report", version: 1, writer: "etscope 0.1.0" };

function documentOf(tables: Tables, types: Record<string, Type> = {}) {
    const { heads, sections } = encodeTables(tables, types);
    const head = readHead(JSON.stringify({ ...HEAD, tables: heads }));
    return { sections, document: new ReportDocument(head, async (id) => sections.get(id) ?? null) };
}

const column = <T>(rows: number, get: (row: number) => T): T[] =>
    Array.from({ length: rows }, (_, row) => get(row));

test("columns come back as they were", async () => {
    const tables: Tables = {
        operators: {
            id: [0, 1, 2, 3],
            p50: [1.5, null, -0.25, 1e300],
            name: ["addmm.out", "", null, "naïve 🙂"],
            bytes: [9007199254740991, -9007199254740991, 0, 128],
            parent: [null, null, null, null],
        },
    };
    const { document } = documentOf(tables, { "operators.parent": "integer" });
    await document.load(["operators"]);
    const table = document.table("operators");
    assert.equal(table.rows, 4);
    for (const name of ["id", "p50", "bytes", "parent"]) {
        assert.deepEqual(column(4, table.number(name)), tables.operators?.[name]);
    }
    assert.deepEqual(column(4, table.text("name")), tables.operators?.name);
});

test("numbers of 64 bits wrap as they are summed", () => {
    const values = [2n ** 63n - 1n, -(2n ** 63n), 5n, -1n];
    const bytes = Uint8Array.from(signed(values));
    const read = new ByteReader(bytes, "column").signed(4, true);
    assert.deepEqual([...read], values.map(Number));
});

test("numbers of every length are read", () => {
    const values: number[] = [];
    for (let bits = 0; bits < 53; bits++) values.push(2 ** bits, -(2 ** bits), 2 ** bits - 1);
    for (const deltas of [true, false]) {
        const bytes = Uint8Array.from(signed(values, deltas));
        const read = new ByteReader(bytes, "column").signed(values.length, deltas);
        assert.deepEqual([...read], values);
    }
});

test("a table that is not there has no rows", async () => {
    const { document } = documentOf({ runs: { id: [0] } });
    await document.load(["nodes", "runs"]);
    assert.equal(document.table("nodes").rows, 0);
    assert.equal(document.table("nodes").number("anything")(0), null);
    assert.equal(document.has("nodes"), false);
    assert.equal(document.has("runs"), true);
});

test("every cut of a section is an error with a sentence", async () => {
    const tables = { t: { id: [1, 2, 300], name: ["a", null, "b"], x: [0.5, 1.5, null] } };
    const { sections } = documentOf(tables);
    for (const [id, bytes] of sections) {
        for (let size = 0; size < bytes.length; size++) {
            const { document, sections: cut } = documentOf(tables);
            cut.set(id, bytes.subarray(0, size));
            await assert.rejects(
                async () => {
                    await document.load(["t"]);
                    const table = document.table("t");
                    table.number("id")(0);
                    table.text("name")(0);
                    table.number("x")(0);
                },
                /damaged|cut off|missing/,
                `${id} cut to ${size} bytes`,
            );
        }
    }
});

test("a missing section is named", async () => {
    const { document, sections } = documentOf({ t: { id: [1] } });
    sections.delete("etscope-table-t");
    await assert.rejects(document.load(["t"]), /section etscope-table-t is missing/);
});

test("a number of a text that does not exist is an error", async () => {
    const { document, sections } = documentOf({ t: { name: ["a", "b"] } });
    sections.set("etscope-table-t", Buffer.from([0, 2]));
    await document.load(["t"]);
    assert.throws(() => document.table("t").text("name"), /names a text that does not exist/);
});

test("the head is checked", () => {
    assert.throws(() => readHead("{"), /head of the report is damaged/);
    assert.throws(() => readHead('{"format": "other", "version": 1}'), /no report of etscope/);
    assert.throws(() => readHead("null"), /no report of etscope/);
    assert.throws(
        () => readHead(JSON.stringify({ ...HEAD, version: 2, writer: "etscope 9.0" })),
        /written by etscope 9\.0, which is newer/,
    );
    assert.equal(readHead(JSON.stringify({ ...HEAD, more: 1 })).title, "");
});

test("starts of a run follow from gaps and durations", () => {
    /* a whole run with two inside, the second with one inside; two runs */
    const bytes = encodeEvents({
        operator: [7, 3, -1, 4],
        parent: [-1, 0, 0, 2],
        runStart: [1000, 5000],
        gaps: [
            [2, 0],
            [1, 3],
            [10, 5],
            [0, 1],
        ],
        durations: [
            [100, 90],
            [20, 21],
            [50, 40],
            [5, 6],
        ],
    });
    const matrix = readEvents({ block: 1, positions: 4, runs: 2, bytes: bytes.length }, bytes);
    assert.deepEqual([...matrix.operator], [7, 3, -1, 4]);
    assert.deepEqual([...matrix.runStart], [1000, 5000]);
    assert.deepEqual([...startsOfRun(matrix, 0)], [2, 3, 33, 33]);
    assert.deepEqual([...startsOfRun(matrix, 1)], [0, 3, 29, 30]);
});

test("a matrix says which runs of its block it has", () => {
    const bytes = encodeEvents({
        operator: [7],
        parent: [-1],
        runStart: [1000, 5000],
        gaps: [[2, 0]],
        durations: [[100, 90]],
    });
    const head = { block: 1, positions: 1, runs: 2, bytes: bytes.length };
    assert.deepEqual(readEvents(head, bytes).kept, [0, 1]);
    assert.deepEqual(readEvents({ ...head, kept: [3, 9] }, bytes).kept, [3, 9]);
    assert.throws(() => readEvents({ ...head, kept: [3] }, bytes), /of other runs/);
});

test("events that enclose themselves are an error", () => {
    const bytes = encodeEvents({
        operator: [0],
        parent: [0],
        runStart: [0],
        gaps: [[0]],
        durations: [[1]],
    });
    const head = { block: 0, positions: 1, runs: 1, bytes: bytes.length };
    assert.throws(() => readEvents(head, bytes), /order of their start/);
});

test("counts that the events cannot hold are an error before memory is asked for", () => {
    const head = { block: 0, positions: 1e9, runs: 1e9, bytes: 4 };
    assert.throws(() => readEvents(head, new Uint8Array(4)), /cut off/);
    assert.throws(
        () => readEvents({ ...head, positions: 1 }, Uint8Array.of(0, 1, 0, 0)),
        /cut off/,
    );
});
