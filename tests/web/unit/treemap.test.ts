import assert from "node:assert/strict";
import { test } from "node:test";
import { type Part, treeOf } from "../../../web/src/views/size/parts";
import { squarify } from "../../../web/src/views/size/treemap";
import { numbers } from "./numbers";

const AREA = { x: 3, y: 5, width: 640, height: 400 };

test("the rectangles of a treemap fill the area as their sizes, and do not overlap", () => {
    const next = numbers(7);
    for (let round = 0; round < 50; round++) {
        const sizes = Array.from({ length: 1 + next(40) }, () => 1 + next(10) ** 4);
        sizes.sort((a, b) => b - a);
        const total = sizes.reduce((a, b) => a + b, 0);
        const boxes = squarify(sizes, AREA);
        boxes.forEach((a, i) => {
            const share = (a.width * a.height) / (AREA.width * AREA.height);
            assert.ok(Math.abs(share - (sizes[i] as number) / total) < 1e-9);
            assert.ok(a.x >= AREA.x - 1e-6 && a.x + a.width <= AREA.x + AREA.width + 1e-6);
            assert.ok(a.y >= AREA.y - 1e-6 && a.y + a.height <= AREA.y + AREA.height + 1e-6);
            for (const b of boxes.slice(i + 1)) {
                const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
                const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
                assert.ok(width < 1e-6 || height < 1e-6, `round ${round}`);
            }
        });
    }
});

test("equal sizes become squares, and what has no size or no room is empty", () => {
    const four = squarify([1, 1, 1, 1], { x: 0, y: 0, width: 20, height: 20 });
    assert.deepEqual(
        four.map(({ width, height }) => [width, height]),
        [1, 2, 3, 4].map(() => [10, 10]),
    );
    assert.equal(squarify([0, 0], AREA).length, 2);
    for (const box of squarify([4, 0, 0], { ...AREA, height: 0 })) assert.equal(box.height, 0);
    for (const box of squarify([4, 0], AREA)) assert.ok(Number.isFinite(box.x + box.width));
});

const part = (id: number, more: Partial<Part>): Part => ({
    id,
    program: 0,
    part: "constant",
    content: null,
    name: null,
    module: null,
    backend: null,
    dtype: null,
    shape: null,
    bytes: 1,
    users: 1,
    method: null,
    delegate: null,
    handle: null,
    sameAs: null,
    ...more,
});

test("sums of a tree are those of its parts, by every order, and duplicates are counted", () => {
    const parts = [
        part(0, { name: "a.0.weight", module: "a.0", dtype: "float32", bytes: 100 }),
        part(1, { name: "a.1.weight", module: "a.1", dtype: "float32", bytes: 100, sameAs: 0 }),
        part(2, { part: "padding", bytes: 7 }),
        part(3, { name: "b", module: "", dtype: "int8", bytes: 30 }),
    ];
    for (const by of ["module", "part", "dtype"] as const) {
        const root = treeOf(parts, by, ["model.pte"]);
        assert.equal(root.bytes, 237, by);
        assert.equal(root.duplicateBytes, 100, by);
    }
    const root = treeOf(parts, "module", ["model.pte"]);
    assert.deepEqual(
        root.children.map(({ title, bytes }) => [title, bytes]),
        [
            ["a", 200],
            ["(model)", 30],
            ["(no module)", 7],
        ],
    );
    assert.deepEqual(
        root.children[0]?.children.map(({ title, module }) => [title, module]),
        [
            ["a.0", "a.0"],
            ["a.1", "a.1"],
        ],
    );
    assert.equal(treeOf(parts, "part", ["a", "b"]).children[0]?.title, "a", "programs come first");
});
