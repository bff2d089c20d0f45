import assert from "node:assert/strict";
import { test } from "node:test";
import {
    nextSort,
    parseSort,
    ROW_HEIGHT,
    scrollTo,
    sorted,
    windowOf,
} from "../../../web/src/parts/virtual";

test("a short list is there as a whole, of a long one only what is in sight", () => {
    assert.deepEqual(windowOf(200, 0, 100), { first: 0, end: 200 });
    const rows = 1_000_000;
    for (const top of [0, 24, 12345, rows * ROW_HEIGHT - 600, rows * ROW_HEIGHT]) {
        const { first, end } = windowOf(rows, top, 600);
        const inSight = Math.min(rows - 1, Math.floor(top / ROW_HEIGHT));
        assert.ok(first >= 0 && end <= rows && end - first < 60, `${top}: ${first} to ${end}`);
        assert.ok(first <= inSight && end > inSight, `${top}: ${first} to ${end}`);
    }
});

test("a row is brought into sight with the least movement", () => {
    assert.equal(scrollTo(0, 240, 100), 0);
    assert.equal(scrollTo(12, 240, 100), 240);
    assert.equal(scrollTo(20, 240, 96), 20 * ROW_HEIGHT + ROW_HEIGHT - 96);
});

test("a header is pressed three times", () => {
    let sort = "";
    const seen = ["p50", "p50", "p50"].map(
        (column) => (sort = nextSort(parseSort(sort), column, true)),
    );
    assert.deepEqual(seen, ["-p50", "p50", ""]);
    assert.equal(nextSort(parseSort("-p50"), "name", false), "name");
    assert.equal(nextSort(parseSort("name"), "name", false), "-name");
});

test("rows without a value stand last, equal rows keep their order", () => {
    const rows = [
        { id: 1, v: 2 },
        { id: 2, v: null },
        { id: 3, v: 5 },
        { id: 4, v: 2 },
    ];
    const ids = (descending: boolean) =>
        sorted(rows, (row) => row.v, descending).map((row) => row.id);
    assert.deepEqual(ids(true), [3, 1, 4, 2]);
    assert.deepEqual(ids(false), [1, 4, 3, 2]);
});
